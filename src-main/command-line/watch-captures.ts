import { setTimeout as wait } from 'node:timers/promises'
import type { CaptureRow } from '../../src-preload/contract/capture.ts'
import type { ForwardAttempt, ForwardDelivery } from '../../src-preload/contract/forward.ts'
import { createBackgroundLoop } from '../jobs/background-loop.ts'
import { attemptLine } from './capture-line.ts'
import { type Session, capturePages } from './session.ts'

export type CaptureWatcher = Awaited<ReturnType<typeof watchCaptures>>

type WatchOptions = {
  readonly session: Session
  readonly print: (row: CaptureRow) => Promise<void>
  readonly onGone: () => void
  /** An empty filter selects all captures; the filter applies to classified captures. */
  readonly filter?: string
  readonly now?: () => number
}

const pageSize = 500
/** A row waits at most this long for its explanation, which normally comes moments later. */
const meaningMs = 10_000
const finishPollMs = 50

/**
 * Prints every new capture exactly once, in the order of arrival. Events only signal new rows: rows
 * are read from the store as fast as they can be written, so a stalled reader costs no memory and
 * misses nothing.
 */
export async function watchCaptures(options: WatchOptions) {
  const { session, print, filter = '', now = Date.now } = options
  let isStarted = false
  let isFinishing = false
  let isHeldBack = false
  let retry: NodeJS.Timeout | undefined
  const { wake, idle, failed } = createPump(pump)

  const stop = await session.on((messages) => {
    const names = messages.map(({ name }) => name)
    if (names.includes('capture.added') || names.includes('capture.classified')) wake()
  }, options.onGone)
  // The newest id is read after subscribing, so that no capture is missed.
  let last = (await session.call('capture.counts')).newestId ?? 0

  async function pump(): Promise<void> {
    if (!isStarted) return
    clearTimeout(retry)
    isHeldBack = false
    for await (const rows of readAfter(session, last)) {
      const fresh = rows.findIndex(isUnread)
      const ready = fresh === -1 ? rows : rows.slice(0, fresh)
      const wanted = await found(ready)
      for (const row of ready) {
        if (row.origin === 'received' && (wanted === null || wanted.has(row.id))) await print(row)
        last = row.id
      }
      if (fresh === -1) continue
      isHeldBack = true
      if (!isFinishing) retry = setTimeout(wake, meaningMs / 4)
      break
    }
  }

  function isUnread({ kind, receivedAt }: CaptureRow): boolean {
    return kind === null && now() - receivedAt / 1000 < meaningMs
  }

  async function found(rows: readonly CaptureRow[]): Promise<Set<number> | null> {
    const [first, newest] = [rows[0], rows.at(-1)]
    if (filter === '' || first === undefined || newest === undefined) return null
    const span = { text: filter, after: first.id - 1, before: newest.id + 1 }
    const pages = await Array.fromAsync(capturePages(session, span))
    return new Set(pages.flatMap((page) => page.rows.map(({ id }) => id)))
  }

  return {
    failed,
    start(): void {
      isStarted = true
      wake()
    },
    async finish(): Promise<void> {
      isFinishing = true
      stop()
      clearTimeout(retry)
      do {
        wake()
        await idle()
        if (isHeldBack) await wait(finishPollMs)
      } while (isHeldBack)
    },
  }
}

/**
 * Returns the oldest first, although pages come newest first: a window of ids above the last one is
 * read, and grows across gaps that deletions left.
 */
async function* readAfter(session: Session, from: number): AsyncGenerator<readonly CaptureRow[]> {
  const newest = (await session.call('capture.counts')).newestId ?? 0
  let after = from
  let width = pageSize
  while (after < newest) {
    const before = after + width + 1
    const page = await session.call('capture.list', {
      ...(after > 0 ? { after } : {}),
      before,
      limit: pageSize,
    })
    if (page.nextBefore !== null && width > pageSize) {
      width = pageSize
      continue
    }
    yield page.rows.toReversed()
    width = page.rows.length === 0 ? width * 2 : pageSize
    after = before - 1
  }
}

/** `failed` rejects with the first error of the work. */
function createPump(work: () => Promise<void>) {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  // A rejection without a listener must not end the process.
  failed.catch(() => undefined)
  const { run: wake, idle } = createBackgroundLoop(work, reject)
  return { failed, wake, idle }
}

type ForwardResult = {
  readonly delivery: ForwardDelivery
  readonly attempt: ForwardAttempt
  readonly number: number
}

export type ForwardWatcher = Awaited<ReturnType<typeof watchForwards>>

/** Maximum number of captures that wait for an offline target; then the oldest are dropped. */
const maxWatched = 5_000

export async function watchForwards(
  session: Session,
  rule: number,
  print: (result: ForwardResult) => Promise<void>,
) {
  const watched = new Map<number, Map<string, number>>()
  const wanted = new Set<number>()
  const { wake, idle, failed } = createPump(pump)

  const stop = await session.on((messages) => {
    for (const message of messages) {
      if (message.name !== 'forward.changed') continue
      const { captures } = message.payload
      for (const id of captures ?? watched.keys()) if (watched.has(id)) wanted.add(id)
    }
    wake()
  })

  async function pump(): Promise<void> {
    for (const id of [...wanted].sort((a, b) => a - b)) {
      wanted.delete(id)
      await printNew(id)
    }
  }

  async function printNew(id: number): Promise<void> {
    const text = watched.get(id)
    if (text === undefined) return
    const deliveries = (await session.call('forward.ofCapture', { id })).filter(
      (each) => each.rule === rule,
    )
    for (const { tries, ...delivery } of deliveries) {
      const before = text.get(delivery.deliveryId) ?? 0
      const fresh = tries.slice(0, Math.max(0, delivery.attempts - before)).reverse()
      for (const [index, attempt] of fresh.entries()) {
        await print({ delivery, attempt, number: delivery.attempts - fresh.length + index + 1 })
      }
      text.set(delivery.deliveryId, delivery.attempts)
    }
    const isOver = ({ state }: ForwardDelivery) => state === 'delivered' || state === 'dropped'
    if (deliveries.length > 0 && deliveries.every(isOver)) watched.delete(id)
  }

  return {
    failed,
    watch(capture: number): void {
      watched.set(capture, new Map())
      if (watched.size > maxWatched) watched.delete(watched.keys().next().value ?? 0)
      wanted.add(capture)
      wake()
    },
    async finish(): Promise<void> {
      stop()
      for (const id of watched.keys()) wanted.add(id)
      wake()
      await idle()
    },
  }
}

export const forwardLine = ({ delivery, attempt, number }: ForwardResult): string =>
  attemptLine({ ...delivery, ...attempt }, [
    number > 1 ? `try ${number}` : null,
    delivery.state === 'waiting' && delivery.mode === 'after' ? 'will be retried' : null,
    delivery.state === 'dropped' ? 'no more attempts' : null,
  ])
