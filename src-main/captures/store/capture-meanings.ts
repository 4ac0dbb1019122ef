import type {
  CaptureOrigin,
  MeaningState,
  TokenVerdict,
} from '../../../src-preload/domain/capture-words.ts'
import type { MeaningFacts, MovedAmount } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, transaction } from '../../database/database.ts'

/** By what a capture's network is known. */
export type NetworkClue = 'token' | 'endpoint' | 'invoice' | 'person'

/** What is known of a capture's meaning. Moments are milliseconds. */
export type StoredMeaning = {
  readonly capture: number
  readonly network: NetworkId | null
  readonly by: NetworkClue | null
  /** Hex, of the transaction or the message that is asked for; null where nothing is. */
  readonly hash: string | null
  /** The lower, the sooner it is asked for. */
  readonly rank: number
  /** How often it was asked for in vain. */
  readonly tries: number
  /** While it waits: 0 for now, else from when on. */
  readonly nextAt: number
  readonly problem: string | null
  readonly facts: MeaningFacts
  /** The sentence on its transaction, with raw addresses in the place of names; null where unknown. */
  readonly explanation: string | null
  readonly blockAt: number | null
  readonly understoodAt: number | null
}

/** What a capture's network is told by, and whether it is there at all. */
export type LookedAt = {
  readonly id: number
  readonly origin: CaptureOrigin
  readonly token: TokenVerdict
  readonly tokenId: string | null
  readonly target: string
  /** By a person's word. */
  readonly word: NetworkId | null
}

export type MeaningWaiting = {
  readonly capture: number
  readonly hash: string
  readonly tries: number
  /** Milliseconds. */
  readonly receivedAt: number
}

/** How far captures were looked at; `gaps` were left out on the way, the newest last. */
export type Followed = {
  readonly to: number
  /** The id before the first, and the last. */
  readonly gaps: readonly (readonly [after: number, to: number])[]
}

/** Writes and reads what captures are about. What it writes can be learnt again. */
export type CaptureMeanings = {
  byIds(ids: readonly number[]): Map<number, StoredMeaning>
  /** Of these captures, those that are there. */
  lookAt(ids: readonly number[]): LookedAt[]
  followed(): Followed
  /** All or nothing, replacing what was known; what is of no capture any more is left out. */
  write(rows: readonly StoredMeaning[], followed?: Followed): void
  /** Those that may be asked for now: by rank, the newest first. */
  due(network: NetworkId, limit: number): MeaningWaiting[]
  /** Those whose time has come are due. @returns whether there were any */
  promote(network: NetworkId, now: number): boolean
  /** When the next of those that are not due yet will be; null where none waits. */
  nextAt(network: NetworkId): number | null
  /** Of all networks together; counted up to a hundred thousand each. */
  counts(): { readonly waiting: number; readonly unavailable: number }
  /** Ids of what is unavailable, before this one, newest first; `null` of no known network. */
  unavailable(network: NetworkId | null, before: number, limit: number): number[]
  /** Networks of rows that wait. */
  waitingNetworks(): NetworkId[]
  /** Networks of rows that wait, or are unavailable. */
  networks(): NetworkId[]
  /** Of a span of ids, those of this network. */
  ofNetwork(network: NetworkId, after: number, to: number): number[]
  /** Newest first. */
  ofInvoice(network: NetworkId, invoice: string, limit: number): number[]
  setInvoice(capture: number, invoice: string | null): void
  newest(): number
  remove(ids: readonly number[]): void
  /** By a person's word; null takes it back. */
  setWords(ids: readonly number[], network: NetworkId | null): void
  /** The index has to be told of these. */
  noteUntold(ids: readonly number[]): void
  /** What was noted first; `to` is where it ends. */
  untold(limit: number): { readonly ids: number[]; readonly to: number }
  /** The index has been told of all up to there. */
  forgetUntold(to: number): void
}

const maxCounted = 100_000
const ranks = [0, 1, 2] as const

const columns = `capture_id, network, network_by, state, hash, rank, tries, next_at, problem, units,
  jetton, symbol, decimals, direction, sender, recipient, comment, opcode, exit_code, success, invoice,
  block_at, understood_at, explanation`

export function createCaptureMeanings(database: Database): CaptureMeanings {
  const ofIds = 'IN (SELECT value FROM json_each(?))'
  const byIds = database.prepare(
    `SELECT ${columns} FROM capture_meanings WHERE capture_id ${ofIds}`,
  )
  const lookAt = database.prepare(
    `SELECT c.id, c.token, c.token_id, c.target, coalesce(o.origin, 'received') AS origin,
       n.network AS word
     FROM captures c LEFT JOIN capture_origins o ON o.capture_id = c.id
     LEFT JOIN capture_networks n ON n.capture_id = c.id WHERE c.id ${ofIds}`,
  )
  const followed = database.prepare('SELECT followed_to, gaps FROM meaning_progress')
  const setFollowed = database.prepare('UPDATE meaning_progress SET followed_to = ?, gaps = ?')
  const names = columns.split(',').map((name) => name.trim())
  const put = database.prepare(
    `INSERT OR REPLACE INTO capture_meanings (${columns})
     SELECT ${names.map((name) => `$${name}`).join(', ')}
     WHERE EXISTS (SELECT 1 FROM captures WHERE id = $capture_id)`,
  )
  const due = database.prepare(
    `SELECT m.capture_id, m.hash, m.tries, c.received_at
     FROM capture_meanings m INDEXED BY capture_meanings_waiting
     JOIN captures c ON c.id = m.capture_id
     WHERE m.state = 'waiting' AND m.network = ? AND m.rank = ? AND m.next_at = 0
     ORDER BY m.capture_id DESC LIMIT ?`,
  )
  const promote = database.prepare(
    `UPDATE capture_meanings INDEXED BY capture_meanings_waiting SET next_at = 0
     WHERE state = 'waiting' AND network = ? AND rank = ? AND next_at > 0 AND next_at <= ?`,
  )
  const nextAt = database.prepare(
    `SELECT min(next_at) AS next FROM capture_meanings INDEXED BY capture_meanings_waiting
     WHERE state = 'waiting' AND network = ? AND rank = ? AND next_at > 0`,
  )
  const count = (state: 'waiting' | 'unavailable') =>
    database.prepare(
      `SELECT count(*) AS n FROM
         (SELECT 1 FROM capture_meanings INDEXED BY capture_meanings_${state}
          WHERE state = '${state}' LIMIT ${maxCounted})`,
    )
  const [waiting, lost] = [count('waiting'), count('unavailable')]
  const unavailable = database.prepare(
    `SELECT capture_id FROM capture_meanings INDEXED BY capture_meanings_unavailable
     WHERE state = 'unavailable' AND network IS ? AND capture_id < ?
     ORDER BY capture_id DESC LIMIT ?`,
  )
  // Each is found by one step into the index: there are few networks and many rows.
  const network = (state: 'waiting' | 'unavailable') =>
    database.prepare(
      `SELECT network FROM capture_meanings INDEXED BY capture_meanings_${state}
       WHERE state = '${state}' AND network > ? ORDER BY network LIMIT 1`,
    )
  const [nextWaiting, nextLost] = [network('waiting'), network('unavailable')]
  function networksBy(next: typeof nextWaiting): NetworkId[] {
    const found: NetworkId[] = []
    for (;;) {
      const name = next.get(found.at(-1) ?? '')?.['network']
      if (typeof name !== 'string') return found
      found.push(name)
    }
  }
  const ofNetwork = database.prepare(
    `SELECT capture_id FROM capture_meanings
     WHERE capture_id > ? AND capture_id <= ? AND network = ?`,
  )
  const ofInvoice = database.prepare(
    `SELECT capture_id FROM capture_meanings INDEXED BY capture_meanings_by_invoice
     WHERE network = ? AND invoice = ? ORDER BY capture_id DESC LIMIT ?`,
  )
  const setInvoice = database.prepare(
    'UPDATE capture_meanings SET invoice = ? WHERE capture_id = ?',
  )
  const remove = database.prepare(`DELETE FROM capture_meanings WHERE capture_id ${ofIds}`)
  const newest = database.prepare('SELECT max(capture_id) AS id FROM capture_meanings')
  const setWord = database.prepare(
    `INSERT OR REPLACE INTO capture_networks (capture_id, network)
     SELECT $id, $network WHERE EXISTS (SELECT 1 FROM captures WHERE id = $id)`,
  )
  const noteUntold = database.prepare(
    'INSERT INTO untold_meanings (capture_id) SELECT value FROM json_each(?)',
  )
  const untold = database.prepare(
    'SELECT seq, capture_id FROM untold_meanings ORDER BY seq LIMIT ?',
  )
  const forgetUntold = database.prepare('DELETE FROM untold_meanings WHERE seq <= ?')
  const takeWord = database.prepare('DELETE FROM capture_networks WHERE capture_id = ?')

  const idOf = (row: Row) => row['capture_id'] as number

  return {
    byIds: (ids) =>
      new Map(byIds.all(JSON.stringify(ids)).map((row) => [idOf(row), toMeaning(row)])),
    lookAt: (ids) =>
      lookAt.all(JSON.stringify(ids)).map((row) => ({
        id: row['id'] as number,
        origin: row['origin'] as CaptureOrigin,
        token: row['token'] as TokenVerdict,
        tokenId: row['token_id'] as string | null,
        target: row['target'] as string,
        word: row['word'] as string | null,
      })),
    followed() {
      const row = followed.get()
      return {
        to: Number(row?.['followed_to'] ?? 0),
        gaps: JSON.parse((row?.['gaps'] as string | undefined) ?? '[]') as [number, number][],
      }
    },
    write(rows, progress) {
      transaction(database, () => {
        for (const row of rows) put.run(toRow(row))
        if (progress !== undefined) setFollowed.run(progress.to, JSON.stringify(progress.gaps))
      })
    },
    due(of, limit) {
      const found: Row[] = []
      for (const rank of ranks) {
        if (found.length < limit) found.push(...due.all(of, rank, limit - found.length))
      }
      return found.map((row) => ({
        capture: idOf(row),
        hash: hexOf(row['hash']) ?? '',
        tries: row['tries'] as number,
        receivedAt: Math.floor((row['received_at'] as number) / 1000),
      }))
    },
    promote(of, now) {
      const changes = ranks.map((rank) => Number(promote.run(of, rank, now).changes))
      return changes.some((changed) => changed > 0)
    },
    nextAt(of) {
      const moments = ranks.flatMap((rank) => {
        const next = nextAt.get(of, rank)?.['next']
        return typeof next === 'number' ? [next] : []
      })
      return moments.length === 0 ? null : Math.min(...moments)
    },
    counts: () => ({
      waiting: Number(waiting.get()?.['n']),
      unavailable: Number(lost.get()?.['n']),
    }),
    unavailable: (of, before, limit) => unavailable.all(of, before, limit).map(idOf),
    waitingNetworks: () => networksBy(nextWaiting),
    networks: () => [...new Set([...networksBy(nextWaiting), ...networksBy(nextLost)])],
    ofNetwork: (of, after, to) => ofNetwork.all(after, to, of).map(idOf),
    ofInvoice: (of, invoice, limit) => ofInvoice.all(of, invoice, limit).map(idOf),
    setInvoice: (capture, invoice) => void setInvoice.run(invoice, capture),
    remove: (ids) => void remove.run(JSON.stringify(ids)),
    newest: () => Number(newest.get()?.['id'] ?? 0),
    setWords(ids, of) {
      transaction(database, () => {
        for (const id of ids) {
          if (of === null) takeWord.run(id)
          else setWord.run({ $id: id, $network: of })
        }
      })
    },
    noteUntold: (ids) => void noteUntold.run(JSON.stringify(ids)),
    untold(limit) {
      const rows = untold.all(limit)
      return { ids: [...new Set(rows.map(idOf))], to: Number(rows.at(-1)?.['seq'] ?? 0) }
    },
    forgetUntold: (to) => void forgetUntold.run(to),
  }
}

type Row = Record<string, unknown>

function hexOf(value: unknown): string | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : null
}

function toRow({ facts, ...row }: StoredMeaning) {
  const { amount } = facts
  return {
    $capture_id: row.capture,
    $network: row.network,
    $network_by: row.by,
    $state: facts.state,
    $hash: row.hash === null ? null : Buffer.from(row.hash, 'hex'),
    $rank: row.rank,
    $tries: row.tries,
    $next_at: row.nextAt,
    $problem: row.problem,
    $units: amount?.units ?? null,
    $jetton: amount?.asset.jetton ?? null,
    $symbol: amount?.asset.symbol ?? null,
    $decimals: amount?.asset.decimals ?? null,
    $direction: amount?.direction ?? null,
    $sender: facts.sender,
    $recipient: facts.recipient,
    $comment: facts.comment,
    $opcode: facts.opcode,
    $exit_code: facts.exitCode,
    $success: facts.success === null ? null : Number(facts.success),
    $invoice: facts.invoice,
    $block_at: row.blockAt,
    $understood_at: row.understoodAt,
    $explanation: row.explanation,
  }
}

/* The table is STRICT, and what is an enumeration is written from the contract's lists only. */
function toMeaning(row: Row): StoredMeaning {
  const text = (name: string) => row[name] as string | null
  const number = (name: string) => row[name] as number | null
  const success = number('success')
  return {
    capture: row['capture_id'] as number,
    network: text('network'),
    by: row['network_by'] as NetworkClue | null,
    hash: hexOf(row['hash']),
    rank: row['rank'] as number,
    tries: row['tries'] as number,
    nextAt: row['next_at'] as number,
    problem: text('problem'),
    facts: {
      state: row['state'] as MeaningState,
      amount: toAmount(row),
      sender: text('sender'),
      recipient: text('recipient'),
      comment: text('comment'),
      opcode: text('opcode'),
      exitCode: number('exit_code'),
      success: success === null ? null : success === 1,
      invoice: text('invoice'),
    },
    blockAt: number('block_at'),
    understoodAt: number('understood_at'),
    explanation: text('explanation'),
  }
}

function toAmount(row: Row): MovedAmount | null {
  const units = row['units'] as string | null
  if (units === null) return null
  return {
    units,
    asset: {
      jetton: row['jetton'] as string | null,
      symbol: row['symbol'] as string,
      decimals: row['decimals'] as number,
    },
    direction: row['direction'] as MovedAmount['direction'],
  }
}
