import type { Watch, WatchRule } from '../../../src-preload/contract/watch.ts'
import { type Database, createSql, flag, json } from '../../database/sql.ts'
import type { WatchMove } from '../../threads/writer-messages.ts'

export type StoredWatch = Omit<
  Watch,
  'label' | 'checkedAt' | 'everyMs' | 'isBehind' | 'problem' | 'lastMatch' | 'deliveredBy'
> & {
  readonly lastMatch: WatchMove['lastMatch']
  /** The number of reported matches. */
  readonly told: number
}

/**
 * An account whose transactions a watch reads. `lt` is the last transaction that was read; null
 * before the first check.
 */
export type WatchSource = {
  readonly watch: number
  readonly address: string
  readonly jetton: string | null
  readonly lt: string | null
}

export const watchedFrom = (network: string, account: string, hash: string) =>
  `${network} ${account} ${hash}`

/**
 * Moves a watch within the transaction that writes the captures. @returns false if the source was
 * not where the move begins
 */
export function moveWatch(database: Database, move: WatchMove): boolean {
  const sql = createSql(database, { lastMatch: json, gap: json })
  const { watch, address, fromLt, toLt, matches, lastMatch, gap } = move
  const moved = sql.run(
    'UPDATE watch_sources SET lt = $toLt WHERE watch = $watch AND address = $address AND lt = $fromLt',
    { watch, address, fromLt, toLt },
  )
  if (moved === 0) return false
  sql.run(
    `UPDATE watches SET matches = matches + $matches, last_match = coalesce($lastMatch, last_match),
       gap = coalesce($gap, gap) WHERE id = $watch`,
    { watch, matches, lastMatch, gap },
  )
  return true
}

const ofNetwork = '(SELECT id FROM watches WHERE network = ?)'
const active = `watch_sources s JOIN watches w ON w.id = s.watch
  WHERE w.network = ? AND NOT w.is_paused`

export type WatchStore = ReturnType<typeof createWatchStore>

export function createWatchStore(database: Database) {
  const sql = createSql(database, { rules: json, lastMatch: json, gap: json, makesCaptures: flag })
  const select = `SELECT id, network, address, rules, report, makes_captures, is_forwarded, is_paused,
    created_at, matches, told, last_match, gap FROM watches`

  return {
    list: () => sql.all<StoredWatch>(`${select} ORDER BY id DESC`),
    get: (id: number) => sql.get<StoredWatch>(`${select} WHERE id = ?`, id),
    has: (network: string, address: string) =>
      sql.exists('watches WHERE network = ? AND address = ?', network, address),
    count: (network: string) => sql.count('watches WHERE network = ?', network),
    /**
     * Adds a watch, or changes the account's existing watch. Existing sources keep their position.
     * @param starts positions of new sources: the last transaction that is not read; null if unknown
     */
    save: (
      watch: Pick<
        StoredWatch,
        'network' | 'address' | 'report' | 'makesCaptures' | 'isForwarded'
      > & { readonly rules: readonly WatchRule[]; readonly createdAt: number },
      sources: readonly Omit<WatchSource, 'watch'>[],
    ): number =>
      sql.transaction(() => {
        const id = sql.value<number>(
          `INSERT INTO watches (network, address, rules, report, makes_captures, is_forwarded, created_at)
           VALUES ($network, $address, $rules, $report, $makesCaptures, $isForwarded, $createdAt)
           ON CONFLICT (network, address) DO UPDATE SET rules = $rules, report = $report,
             makes_captures = $makesCaptures, is_forwarded = $isForwarded, gap = NULL, told = matches
           RETURNING id`,
          watch,
        ) as number
        sql.run(
          'DELETE FROM watch_sources WHERE watch = ? AND address NOT IN (SELECT value FROM json_each(?))',
          ...[id, JSON.stringify(sources.map((source) => source.address))],
        )
        for (const source of sources) sql.insertNew('watch_sources', { watch: id, ...source })
        return id
      }),
    setPaused: (id: number, isPaused: boolean) =>
      sql.update('watches', { isPaused, gap: null }, { id }),
    setTold: (id: number, told: number) => sql.update('watches', { told }, { id }),
    remove: (id: number) =>
      sql.transaction(() => {
        sql.remove('watch_sources', { watch: id })
        sql.remove('watches', { id })
      }),
    sources: (network: string) =>
      sql.all<WatchSource>(
        `SELECT s.watch, s.address, s.jetton, s.lt FROM ${active} ORDER BY s.watch, s.address`,
        network,
      ),
    countSources: (network: string) => sql.count(active, network),
    sourcesOf: (watch: number) =>
      sql.all<WatchSource>(
        'SELECT watch, address, jetton, lt FROM watch_sources WHERE watch = ?',
        watch,
      ),
    /** Starts a source after a transaction, without reading earlier ones. */
    start: ({ watch, address }: WatchSource, lt: string, gap: Watch['gap'] = null) =>
      sql.transaction(() => {
        sql.update('watch_sources', { lt }, { watch, address })
        if (gap !== null) sql.update('watches', { gap }, { id: watch })
      }),
    /** Another chain has replaced the network's chain, so each source starts at its newest transaction. */
    restart: (network: string, gap: NonNullable<Watch['gap']>) =>
      sql.transaction(() => {
        sql.run(`UPDATE watch_sources SET lt = NULL WHERE watch IN ${ofNetwork}`, network)
        sql.update('watches', { gap }, { network })
      }),
    forget: (network: string) =>
      sql.transaction(() => {
        sql.run(`DELETE FROM watch_sources WHERE watch IN ${ofNetwork}`, network)
        sql.remove('watches', { network })
      }),
    capture: (madeFrom: string) =>
      sql.value<number>(
        `SELECT capture_id FROM capture_origins WHERE origin = 'watched' AND made_from = ?`,
        madeFrom,
      ),
    /** Returns the network's webhooks that deliver the account. */
    webhooksOf: (network: string, account: string) =>
      sql.all<{ id: string; endpoint: string }>(
        `SELECT w.id, w.endpoint FROM webhooks w JOIN subscriptions s ON s.webhook_key = w.key
         WHERE w.network = ? AND w.gone_at IS NULL AND s.account = ?`,
        ...[network, account],
      ),
  }
}
