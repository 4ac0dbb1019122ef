/** One round over a network: what the gateway tells of its webhooks, made into history. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Asking } from '../../gateway/query.ts'
import type { WebhookRecord } from '../store/webhooks.ts'
import type { Reading } from '../sync/readings.ts'
import type { Room } from '../room.ts'

/** Longest wait for a gateway that does not answer. */
const longestWaitMs = 10 * 60_000
/** Longer than that nobody may take for granted that nothing has changed. */
export const silenceMs = 7 * 24 * 3_600_000
/** Pages a second that a round may ask for, so that it leaves room for people, and for other jobs. */
const pagesASecond = 2 / 3
const fewestPages = 5

/** Pages of subscriptions that a round may read. */
export function pagesFor(everySeconds: number): number {
  return Math.max(fewestPages, Math.ceil(everySeconds * pagesASecond))
}

/** @param failures rounds that have failed one after another */
export function waitAfter(everySeconds: number, failures: number): number {
  const everyMs = everySeconds * 1000
  return Math.max(everyMs, Math.min(longestWaitMs, everyMs * 2 ** Math.min(failures, 20)))
}

/** A clock that was put back makes it due, or it would wait for a time that has been already. */
export function isDue(
  { lastAt, nextAt }: { readonly lastAt: number | null; readonly nextAt: number | null },
  now: number,
): boolean {
  return nextAt === null || now >= nextAt || (lastAt !== null && now < lastAt)
}

/** A webhook whose subscriptions may be read; `key` is its row. */
type Candidate = {
  readonly key: number
  /** Its counter has changed since the last round. */
  readonly hasNews: boolean
  readonly rows: number
}

/** Of the small sets, and of the large ones: the first that did not come to its end in the last round. */
type KeyedMutex = { readonly small: number | null; readonly large: number | null }
export const firstTurns: KeyedMutex = { small: null, large: null }

type Turn = Candidate & {
  readonly size: keyof KeyedMutex
  /** Pages that are left to those behind it. */
  readonly reserved: number
}

/** More rows than that are read a slice a round. */
const smallRows = 5000

/**
 * Who is read in what order: those with news, then the small sets, then the large ones, each from
 * where the last round has stopped. None of them can take all pages of a round for ever.
 */
export function inTurn(candidates: readonly Candidate[], turns: KeyedMutex, pages: number): Turn[] {
  const sized = candidates.map((each) => ({
    ...each,
    size: each.rows <= smallRows ? ('small' as const) : ('large' as const),
  }))
  const rotated = (size: keyof KeyedMutex) => {
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

type RoundResult = {
  readonly requests: number
  /** Rows of large sets that are left to the next rounds. */
  readonly rowsLeft: number
  /** Webhooks whose history has grown by more than a quiet moment. */
  readonly grown: readonly string[]
}

type Round = {
  /** @throws AppError as the client does; what was read until then is kept */
  run(network: NetworkId, pages: number, signal: AbortSignal): Promise<RoundResult>
  forget(network: NetworkId): void
}

export function createRound(deps: Room<'access' | 'book' | 'mirror' | 'now' | 'store'>): Round {
  const { store, mirror, now } = deps
  const { webhooks, subscriptions, samplerRecords } = store
  /** What the round before has seen. */
  const seen = new Map<number, WebhookRecord>()
  /** Where the pages of a round ran out. */
  const turns = new Map<NetworkId, KeyedMutex>()
  /** Failed attempts of a webhook when its log was read. */
  const logged = new Map<number, number>()

  /** @returns true where something is worth to be looked at first */
  function recordWebhook(record: WebhookRecord, at: number): boolean {
    const hasNews = samplerRecords.addListed(record, seen.get(record.key) ?? null, at)
    seen.set(record.key, record)
    return hasNews
  }

  async function readUsage(network: NetworkId, asking: Asking): Promise<void> {
    const { startedAt, delivered, failed } = await deps.access.webhooks(network).usage(asking)
    const reading = { startedAt, delivered: BigInt(delivered), failed: BigInt(failed) }
    samplerRecords.addUsage(network, reading, now())
  }

  async function readLog({ key, network, id }: WebhookRecord, asking: Asking): Promise<void> {
    const { logs } = await deps.access.webhooks(network).logs(id, 0, asking)
    samplerRecords.addLogs(
      key,
      logs.flatMap(({ at, ...log }) => (at === null ? [] : { at, ...log })),
    )
  }

  /** Its pass is complete, and so is the copy: nothing that would have to be proved. */
  function isWhole(key: number, reading: Reading): boolean {
    const count = subscriptions.count(key)
    return reading.met() === count && count === (webhooks.byKey(key)?.accounts ?? null)
  }

  async function run(network: NetworkId, pages: number, signal: AbortSignal): Promise<RoundResult> {
    const asking: Asking = { signal, priority: 'job', owner: 'sampler' }
    let requests = 0
    const ask = async <T>(question: () => Promise<T>): Promise<T> => {
      signal.throwIfAborted()
      requests += 1
      return question()
    }

    await ask(() => deps.book.readAnew(network, asking))
    const at = now()
    const listed = webhooks.list(network)
    const news = new Set(listed.filter((record) => recordWebhook(record, at)).map(({ key }) => key))
    const grown = new Set(listed.filter(({ key, failing }) => failing > 0 || news.has(key)))
    await ask(() => readUsage(network, asking)).catch(unlessMissing)

    for (const { key, accounts } of listed) {
      // All of nothing is known without a question.
      if (accounts !== 0 || subscriptions.count(key) > 0) continue
      webhooks.setSubscriptionsRead(key, { failing: 0, readAt: at })
    }
    const candidates = listed
      .filter(({ key, accounts }) => accounts !== 0 || subscriptions.count(key) > 0)
      .map(({ key, accounts }) => ({ key, hasNews: news.has(key), rows: accounts ?? 0 }))
    const doubtful: Reading[] = []
    let stoppedAt = firstTurns
    let pagesLeft = pages
    let rowsLeft = 0
    const order = inTurn(candidates, turns.get(network) ?? firstTurns, pages)
    for (const { key, hasNews, size, reserved } of order) {
      const reading = mirror.slice(key)
      // Somebody has it read in one go.
      if (reading === null) continue
      let ended = false
      try {
        while (!ended && pagesLeft > reserved) {
          pagesLeft -= 1
          ended = await ask(() => reading.step(asking))
        }
      } catch (error) {
        // Removed behind our back: the next list will tell.
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
      // The count that proves an absence is one read after the pages.
      await ask(() => deps.book.readAnew(network, asking))
      for (const reading of doubtful) await reading.conclude()
    }

    for (const record of webhooks.list(network)) {
      const { key, failing, failedAttempts, status } = record
      const failed = failedAttempts ?? 0
      const fails = failing > 0 || failed > 0 || (status !== null && status !== 'online')
      if (failing > 0) grown.add(record)
      const total = failed + failing
      if (!fails || logged.get(key) === total) continue
      await ask(() => readLog(record, asking)).catch(unlessMissing)
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
    forget(network) {
      turns.delete(network)
      for (const { key } of webhooks.all(network)) {
        seen.delete(key)
        logged.delete(key)
      }
    },
  }
}

/** What a gateway does not have, or has no more, ends no round. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== gatewayCodes.notFound) throw error
}
