import type { ExplanationState } from '../../../src-preload/domain/capture-values.ts'
import type { ExplanationFacts, MovedAmount } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'
import { type Codec, type Sql, createSql, flag, json } from '../../database/sql.ts'
import type { StoredCapture } from './captures.ts'

export type NetworkHint = 'token' | 'endpoint' | 'invoice' | 'person'

/** Times are milliseconds since the epoch. */
export type StoredExplanation = {
  readonly capture: number
  readonly network: NetworkId | null
  readonly by: NetworkHint | null
  readonly hash: string | null
  readonly rank: number
  readonly tries: number
  /** Time of the next request while waiting; 0 for now. */
  readonly nextAt: number
  readonly problem: string | null
  readonly facts: ExplanationFacts
  /** A sentence with raw addresses instead of names; null if unknown. */
  readonly explanation: string | null
  /** The hash of the trace's first transaction; null if unknown, and for duplicates. */
  readonly trace: string | null
  readonly blockAt: number | null
  readonly understoodAt: number | null
}

export type LookedAt = Pick<StoredCapture, 'id' | 'origin' | 'token' | 'tokenId' | 'target'> & {
  /** The network that the user has set. */
  readonly word: NetworkId | null
}

export type WaitingExplanation = {
  readonly capture: number
  readonly hash: string
  readonly tries: number
  /** The time in milliseconds since the epoch. */
  readonly receivedAt: number
}

/** The range of processed captures; `gaps` were skipped, the newest last. */
export type ProcessedRange = {
  readonly to: number
  /** Each gap is the id before its first capture, and the id of its last. */
  readonly gaps: readonly (readonly [after: number, to: number])[]
}

const maxCounted = 100_000
const ranks = [0, 1, 2] as const
const ofIds = 'IN (SELECT value FROM json_each(?))'

const hex: Codec<string> = {
  decode: (bytes) => Buffer.from(bytes as Uint8Array).toString('hex'),
  encode: (text) => Buffer.from(text, 'hex'),
}

export type CaptureTrace = { readonly trace: string; readonly deliveries: number }

export type CaptureExplanations = ReturnType<typeof createCaptureExplanations>

export function createCaptureExplanations(database: Database) {
  const sql = createSql(database, { hash: hex, trace: hex, success: flag, gaps: json })

  return {
    ...createTransactionQueue(sql),
    /** Notes changed captures that are not in the index yet. */
    noteUntold: (ids: readonly number[]) =>
      void sql.run(
        'INSERT INTO untold_meanings (capture_id) SELECT value FROM json_each(?)',
        JSON.stringify(ids),
      ),
    /** Returns the oldest entries first; `to` is the end of this batch. */
    untold(limit: number): { readonly ids: number[]; readonly to: number } {
      const rows = sql.all<{ seq: number; captureId: number }>(
        'SELECT seq, capture_id FROM untold_meanings ORDER BY seq LIMIT ?',
        limit,
      )
      const ids = new Set(rows.map(({ captureId }) => captureId))
      return { ids: [...ids], to: rows.at(-1)?.seq ?? 0 }
    },
    forgetUntold: (to: number) => void sql.run('DELETE FROM untold_meanings WHERE seq <= ?', to),
    byIds(ids: readonly number[]): Map<number, StoredExplanation> {
      const rows = sql.all<MeaningRow>(
        `SELECT capture_id AS capture, network, network_by AS "by", hash, rank, tries, next_at,
           problem, block_at, understood_at, explanation, trace, ${factColumns}
         FROM capture_meanings WHERE capture_id ${ofIds}`,
        JSON.stringify(ids),
      )
      return new Map(rows.map((row) => [row.capture, { ...row, facts: toFacts(row) }]))
    },
    /** The traces of captures, each with its number of captures. */
    tracesOf(ids: readonly number[]): Map<number, CaptureTrace> {
      const rows = sql.all<CaptureTrace & { readonly capture: number }>(
        `WITH found AS (SELECT capture_id AS capture, trace FROM capture_meanings
             WHERE capture_id ${ofIds} AND trace IS NOT NULL),
           counted AS (SELECT trace, count(*) AS deliveries FROM capture_meanings
             WHERE trace IN (SELECT trace FROM found) GROUP BY trace)
         SELECT capture, trace, deliveries FROM found JOIN counted USING (trace)`,
        JSON.stringify(ids),
      )
      return new Map(rows.map(({ capture, ...trace }) => [capture, trace]))
    },
    lookAt: (ids: readonly number[]) =>
      sql.all<LookedAt>(
        `SELECT c.id, c.token, c.token_id, c.target, coalesce(o.origin, 'received') AS origin,
           n.network AS word
         FROM captures c LEFT JOIN capture_origins o ON o.capture_id = c.id
         LEFT JOIN capture_networks n ON n.capture_id = c.id WHERE c.id ${ofIds}`,
        JSON.stringify(ids),
      ),
    followed: (): ProcessedRange =>
      sql.get<ProcessedRange>('SELECT followed_to AS "to", gaps FROM meaning_progress') ?? {
        to: 0,
        gaps: [],
      },
    /** Writes rows in one transaction; replaces stored rows and skips deleted captures. */
    write: (rows: readonly StoredExplanation[], followed?: ProcessedRange) =>
      sql.transaction(() => {
        for (const { facts, ...row } of rows) {
          const { amount, ...fact } = facts
          const { units = null, direction = null, asset = noAsset } = amount ?? {}
          sql.run(writeSql, { ...row, ...fact, units, direction, ...asset })
        }
        if (followed === undefined) return
        sql.run('UPDATE meaning_progress SET followed_to = $to, gaps = $gaps', followed)
      }),
    ofNetwork: (network: NetworkId, after: number, to: number) =>
      sql.column<number>(
        `SELECT capture_id FROM capture_meanings
         WHERE capture_id > ? AND capture_id <= ? AND network = ?`,
        ...[after, to, network],
      ),
    /** Returns the newest rows first. */
    ofInvoice: (network: NetworkId, invoice: string, limit: number) =>
      sql.column<number>(
        `SELECT capture_id FROM capture_meanings INDEXED BY capture_meanings_by_invoice
         WHERE network = ? AND invoice = ? ORDER BY capture_id DESC LIMIT ?`,
        ...[network, invoice, limit],
      ),
    setInvoice: (captureId: number, invoice: string | null) =>
      void sql.update('capture_meanings', { invoice }, { captureId }),
    newest: () => sql.value<number>('SELECT max(capture_id) FROM capture_meanings') ?? 0,
    remove: (ids: readonly number[]) =>
      void sql.run(`DELETE FROM capture_meanings WHERE capture_id ${ofIds}`, JSON.stringify(ids)),
    setWords: (ids: readonly number[], network: NetworkId | null) =>
      sql.transaction(() => {
        for (const captureId of ids) {
          if (network === null) sql.remove('capture_networks', { captureId })
          else {
            sql.run(
              `INSERT OR REPLACE INTO capture_networks (capture_id, network)
               SELECT $captureId, $network WHERE EXISTS (SELECT 1 FROM captures WHERE id = $captureId)`,
              { captureId, network },
            )
          }
        }
      }),
  }
}

const waitingRows = 'capture_meanings INDEXED BY capture_meanings_waiting'
const unavailableRows = 'capture_meanings INDEXED BY capture_meanings_unavailable'

/** Selects captures whose transaction must still be requested, or could not be loaded. */
function createTransactionQueue(sql: Sql) {
  const count = (rows: string, state: ExplanationState) =>
    sql.value<number>(
      `SELECT count(*) FROM (SELECT 1 FROM ${rows} WHERE state = '${state}' LIMIT ${maxCounted})`,
    ) ?? 0

  // One index lookup per network, because there are many rows and few networks.
  function networksOf(rows: string, state: ExplanationState): NetworkId[] {
    const found: NetworkId[] = []
    for (;;) {
      const next = sql.value<NetworkId>(
        `SELECT network FROM ${rows} WHERE state = '${state}' AND network > ?
         ORDER BY network LIMIT 1`,
        found.at(-1) ?? '',
      )
      if (next === null) return found
      found.push(next)
    }
  }
  const waitingNetworks = () => networksOf(waitingRows, 'waiting')

  return {
    due(network: NetworkId, limit: number): WaitingExplanation[] {
      const found: WaitingExplanation[] = []
      for (const rank of ranks) {
        if (found.length === limit) break
        const more = sql.all<WaitingExplanation>(
          `SELECT m.capture_id AS capture, m.hash, m.tries, c.received_at / 1000 AS received_at
           FROM capture_meanings m INDEXED BY capture_meanings_waiting
           JOIN captures c ON c.id = m.capture_id
           WHERE m.state = 'waiting' AND m.network = ? AND m.rank = ? AND m.next_at = 0
           ORDER BY m.capture_id DESC LIMIT ?`,
          ...[network, rank, limit - found.length],
        )
        found.push(...more)
      }
      return found
    },
    promote(network: NetworkId, now: number): void {
      for (const rank of ranks) {
        sql.run(
          `UPDATE ${waitingRows} SET next_at = 0
           WHERE state = 'waiting' AND network = ? AND rank = ? AND next_at > 0 AND next_at <= ?`,
          ...[network, rank, now],
        )
      }
    },
    /** Counts over all networks, each up to a hundred thousand. */
    counts: () => ({
      waiting: count(waitingRows, 'waiting'),
      unavailable: count(unavailableRows, 'unavailable'),
    }),
    /**
     * Returns unavailable captures before an id, newest first; `null` selects those without a known
     * network.
     */
    unavailable: (network: NetworkId | null, before: number, limit: number) =>
      sql.column<number>(
        `SELECT capture_id FROM ${unavailableRows}
         WHERE state = 'unavailable' AND network IS ? AND capture_id < ?
         ORDER BY capture_id DESC LIMIT ?`,
        ...[network, before, limit],
      ),
    waitingNetworks,
    networks: () => [
      ...new Set([...waitingNetworks(), ...networksOf(unavailableRows, 'unavailable')]),
    ],
  }
}

const noAsset = { jetton: null, symbol: null, decimals: null }

const writeSql = `
  INSERT OR REPLACE INTO capture_meanings (capture_id, network, network_by, state, hash, rank, tries,
    next_at, problem, units, jetton, symbol, decimals, direction, sender, recipient, comment, opcode,
    exit_code, success, invoice, block_at, understood_at, explanation, trace)
  SELECT $capture, $network, $by, $state, $hash, $rank, $tries, $nextAt, $problem, $units, $jetton,
    $symbol, $decimals, $direction, $sender, $recipient, $comment, $opcode, $exitCode, $success,
    $invoice, $blockAt, $understoodAt, $explanation, $trace
  WHERE EXISTS (SELECT 1 FROM captures WHERE id = $capture)`

/** The columns of `toFacts`, with the codec `flag` for `success`. */
export const factColumns = `state, units, jetton, symbol, decimals, direction, sender, recipient,
  comment, opcode, exit_code, success, invoice`

export type FactRow = Omit<ExplanationFacts, 'amount'> &
  Partial<MovedAmount['asset']> & {
    readonly units: string | null
    readonly direction: MovedAmount['direction']
  }

export function toFacts(row: FactRow): ExplanationFacts {
  const { units, jetton = null, symbol = '', decimals = 0, direction } = row
  const { state, sender, recipient, comment, opcode, exitCode, success, invoice } = row
  const asset = { jetton, symbol, decimals }
  const amount = units === null ? null : { units, asset, direction }
  return { state, amount, sender, recipient, comment, opcode, exitCode, success, invoice }
}

type MeaningRow = Omit<StoredExplanation, 'facts'> & FactRow
