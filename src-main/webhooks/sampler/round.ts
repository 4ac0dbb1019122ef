import { doubledPause } from '../../../src-preload/domain/time-span.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { isNotFound } from '../../chain/access.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { WebhookRecord } from '../store/webhooks.ts'
import type { SubscriptionReading } from '../sync/mirror.ts'
import type { Room } from '../room.ts'

const longestWaitMs = 10 * 60_000
/** After a gap this long, an ongoing streak no longer counts as continuous. */
export const silenceMs = 7 * 24 * 3_600_000
/** Requests per second for subscription pages, which leaves capacity for the user and other jobs. */
const pagesASecond = 2 / 3
const fewestPages = 5

export function pagesFor(everySeconds: number): number {
  return Math.max(fewestPages, Math.ceil(everySeconds * pagesASecond))
}

export function waitAfter(everySeconds: number, failures: number): number {
  const everyMs = everySeconds * 1000
  return Math.max(everyMs, doubledPause(failures + 1, everyMs, longestWaitMs))
}

/** A round is also due after the clock was set back, which would otherwise delay it by the same time. */
export function isDue(
  { lastAt, nextAt }: { readonly lastAt: number | null; readonly nextAt: number | null },
  now: number,
): boolean {
  return nextAt === null || now >= nextAt || (lastAt !== null && now < lastAt)
}

type Candidate = {
  readonly key: number
  readonly hasNews: boolean
  readonly rows: number
}

/** Rows of the first webhook, per size, whose pass was not finished in the last round. */
type Positions = { readonly small: number | null; readonly large: number | null }
export const firstPositions: Positions = { small: null, large: null }

type Turn = Candidate & {
  readonly size: keyof Positions
  /** Pages kept for the webhooks behind this one. */
  readonly reserved: number
}

/** Webhooks with more rows are read in slices over several rounds. */
const smallRows = 5000

/**
 * Webhooks with news come first, then small and large ones from where the last round stopped. Reserved
 * pages keep any group from using up every round.
 */
export function inTurn(candidates: readonly Candidate[], turns: Positions, pages: number): Turn[] {
  const sized = candidates.map((each) => ({
    ...each,
    size: each.rows <= smallRows ? ('small' as const) : ('large' as const),
  }))
  const rotated = (size: keyof Positions) => {
    const own = sized.filter((each) => each.size === size).toSorted((a, b) => a.key - b.key)
    const first = own.findIndex(({ key }) => key >= (turns[size] ?? 0))
    return first === -1 ? own : [...own.slice(first), ...own.slice(0, first)]
  }
  const all = [...rotated('small'), ...rotated('large')]
  const news = all.filter(({ hasNews }) => hasNews)
  const quiet = all.filter(({ hasNews }) => !hasNews)
  const forQuiet = quiet.length > 0 ? Math.floor(pages / 2) : 0
  const forLarge = quiet.some(({ size }) => size === 'large') ? Math.floor(pages / 4) : 0
  return [
    ...news.map((each) => ({ ...each, reserved: forQuiet })),
    ...quiet.map((each) => ({ ...each, reserved: each.size === 'small' ? forLarge : 0 })),
  ]
}

export function createRound({
  access,
  book,
  mirror,
  now,
  store,
}: Room<'access' | 'book' | 'mirror' | 'now' | 'store'>) {
  const { webhooks, subscriptions, samplerRecords } = store
  const seen = new Map<number, WebhookRecord>()
  const turns = new Map<NetworkId, Positions>()
  const logged = new Map<number, number>()

  function recordWebhook(record: WebhookRecord, at: number): boolean {
    const hasNews = samplerRecords.addListed(record, seen.get(record.key) ?? null, at)
    seen.set(record.key, record)
    return hasNews
  }

  async function readUsage(network: NetworkId, queryOptions: QueryOptions): Promise<void> {
    const { startedAt, delivered, failed } = await access.webhooks(network).usage(queryOptions)
    const reading = { startedAt, delivered: BigInt(delivered), failed: BigInt(failed) }
    samplerRecords.addUsage(network, reading, now())
  }

  async function readLog(
    { key, network, id }: WebhookRecord,
    queryOptions: QueryOptions,
  ): Promise<void> {
    const { logs } = await access.webhooks(network).logs(id, 0, queryOptions)
    samplerRecords.addLogs(
      key,
      logs.flatMap(({ at, ...log }) => (at === null ? [] : { at, ...log })),
    )
  }

  /** The pass met every row of the copy and as many as the webhook counts, so no second pass is needed. */
  function isWhole(key: number, reading: SubscriptionReading): boolean {
    const count = subscriptions.count(key)
    return reading.seen.size === count && count === (webhooks.byKey(key)?.accounts ?? null)
  }

  /** @throws AppError as the client does; pages read before are kept */
  async function run(network: NetworkId, pages: number, signal: AbortSignal) {
    const queryOptions: QueryOptions = { signal, priority: 'job', owner: 'sampler' }
    let requests = 0
    const ask = async <T>(question: () => Promise<T>): Promise<T> => {
      signal.throwIfAborted()
      requests += 1
      return question()
    }

    await ask(() => book.readAnew(network, queryOptions))
    const at = now()
    const listed = webhooks.list(network)
    const news = new Set(listed.filter((record) => recordWebhook(record, at)).map(({ key }) => key))
    const grown = new Set(listed.filter(({ key, failing }) => failing > 0 || news.has(key)))
    await ask(() => readUsage(network, queryOptions)).catch(unlessMissing)

    const candidates: Candidate[] = []
    for (const { key, accounts } of listed) {
      if (accounts !== 0 || subscriptions.count(key) > 0) {
        candidates.push({ key, hasNews: news.has(key), rows: accounts ?? 0 })
        // A webhook without accounts needs no request.
      } else webhooks.setSubscriptionsRead(key, at)
    }
    const doubtful: SubscriptionReading[] = []
    let stoppedAt = firstPositions
    let pagesLeft = pages
    let rowsLeft = 0
    const order = inTurn(candidates, turns.get(network) ?? firstPositions, pages)
    for (const { key, hasNews, size, reserved } of order) {
      const reading = mirror.slice(key)
      if (reading === null) continue
      let ended = false
      try {
        while (!ended && pagesLeft > reserved) {
          pagesLeft -= 1
          ended = await ask(() => reading.step(queryOptions))
        }
      } catch (error) {
        // The webhook was deleted elsewhere; the next list shows it.
        unlessMissing(error)
        continue
      }
      if (ended && isWhole(key, reading)) await reading.conclude()
      else if (ended) doubtful.push(reading)
      else {
        rowsLeft += Math.max(0, (reading.expected() ?? 0) - reading.rows())
        if (!hasNews) stoppedAt = { ...stoppedAt, [size]: stoppedAt[size] ?? key }
      }
    }
    turns.set(network, stoppedAt)

    if (doubtful.length > 0) {
      // Only a count read after the pages proves that an account is absent.
      await ask(() => book.readAnew(network, queryOptions))
      for (const reading of doubtful) await reading.conclude()
    }

    for (const record of webhooks.list(network)) {
      const { key, failing, failedAttempts, status } = record
      const failed = failedAttempts ?? 0
      const fails = failing > 0 || failed > 0 || (status !== null && status !== 'online')
      if (failing > 0) grown.add(record)
      const total = failed + failing
      if (!fails || logged.get(key) === total) continue
      await ask(() => readLog(record, queryOptions)).catch(unlessMissing)
      logged.set(key, total)
    }
    for (const { key, goneAt } of webhooks.all(network)) {
      if (goneAt === null) continue
      seen.delete(key)
      mirror.drop(key)
      while (store.streaks.end(key, goneAt)) signal.throwIfAborted()
    }
    return { requests, rowsLeft, grown: [...new Set([...grown].map(({ id }) => id))] }
  }

  return {
    run,
    forget(network: NetworkId): void {
      turns.delete(network)
      for (const { key } of webhooks.all(network)) {
        seen.delete(key)
        logged.delete(key)
      }
    },
  }
}

function unlessMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
