import { setTimeout as wait } from 'node:timers/promises'
import type { CapturePage, CaptureRow } from '../../src-preload/contract/capture.ts'
import type { ForwardAttempt, ForwardDelivery } from '../../src-preload/contract/forward.ts'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import { attemptLine } from './capture-line.ts'
import { type Session, createFailure } from './session.ts'

export type CaptureFollower = {
  /** Begins to print what has arrived since this was made. */
  start(): void
  /** Prints all that is stored by now, then stops. */
  finish(): Promise<void>
  /** Rejects when a capture could not be read or printed. */
  readonly failed: Promise<never>
}

type FollowOptions = {
  readonly session: Session
  readonly print: (row: CaptureRow) => Promise<void>
  readonly onGone: () => void
  /** Only what this query finds once it is classified; empty for all. */
  readonly filter?: string
  readonly now?: () => number
}

const pageSize = 500
/** A row waits this long for its meaning, which comes moments after the answer. */
const meaningMs = 2000
const finishPollMs = 50

/**
 * Every capture from now on, exactly once, in the order of arrival. Events only say that there is
 * something to fetch: what is printed is read from the store, page by page, as fast as it can be
 * written, so a reader that stalls costs no memory and loses nothing.
 */
export async function followCaptures(options: FollowOptions): Promise<CaptureFollower> {
  const { session, print, filter = '', now = Date.now } = options
  let isStarted = false
  let isFinishing = false
  let isHeldBack = false
  let isWanted = false
  let running: Promise<void> | null = null
  let retry: NodeJS.Timeout | undefined
  const { failed, fail } = createFailure()

  const stop = await session.on((messages) => {
    if (messages.some(concernsCaptures)) wake()
  }, options.onGone)
  // After listening began, so that nothing falls between.
  let last = (await session.call('capture.counts')).newestId ?? 0

  function wake(): void {
    isWanted = true
    if (!isStarted || running) return
    running = pump()
      .catch(fail)
      .finally(() => {
        running = null
        if (isWanted) wake()
      })
  }

  async function pump(): Promise<void> {
    clearTimeout(retry)
    while (isWanted) {
      isWanted = false
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
  }

  function isUnread({ kind, receivedAt }: CaptureRow): boolean {
    return kind === null && now() - receivedAt / 1000 < meaningMs
  }

  /** Which of these the filter finds; null for all. */
  async function found(rows: readonly CaptureRow[]): Promise<Set<number> | null> {
    const [first, newest] = [rows[0], rows.at(-1)]
    if (filter === '' || first === undefined || newest === undefined) return null
    const ids = new Set<number>()
    for (let before: number | null = newest.id + 1; before !== null;) {
      const page: CapturePage = await session.call('capture.list', {
        query: { text: filter },
        ...(first.id > 1 ? { after: first.id - 1 } : {}),
        before,
        limit: pageSize,
      })
      for (const { id } of page.rows) ids.add(id)
      before = page.nextBefore !== null && page.nextBefore > first.id ? page.nextBefore : null
    }
    return ids
  }

  return {
    failed,
    start() {
      isStarted = true
      wake()
    },
    async finish() {
      isFinishing = true
      stop()
      clearTimeout(retry)
      do {
        wake()
        while (running) await running
        if (isHeldBack) await wait(finishPollMs)
      } while (isHeldBack)
    },
  }
}

function concernsCaptures({ name }: EventMessage): boolean {
  return name === 'capture.added' || name === 'capture.classified'
}

/**
 * Oldest first, though pages come newest first: a window of ids just above the last is asked for.
 * Where deletions have left a gap the window grows until it finds something.
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

type ForwardResult = {
  readonly delivery: ForwardDelivery
  readonly attempt: ForwardAttempt
  /** From 1. */
  readonly number: number
}

export type ForwardFollower = {
  /** From now on what is forwarded of this capture is told. */
  watch(capture: number): void
  /** Those of which more is to come. */
  readonly open: () => number
  /** Tells what is known by now, then stops. */
  finish(): Promise<void>
  readonly failed: Promise<never>
}

/** Of captures that wait for a target that is down: the oldest are told no more. */
const maxWatched = 5_000

/** What becomes of each capture that a rule forwards, try by try, in the order of the tries. */
export async function followForwards(
  session: Session,
  rule: number,
  print: (result: ForwardResult) => Promise<void>,
): Promise<ForwardFollower> {
  /** Tries told of each delivery, by capture. */
  const watched = new Map<number, Map<string, number>>()
  const wanted = new Set<number>()
  let running: Promise<void> | null = null
  const { failed, fail } = createFailure()

  const stop = await session.on((messages) => {
    for (const message of messages) {
      if (message.name !== 'forward.changed') continue
      const { captures } = message.payload
      for (const id of captures ?? watched.keys()) if (watched.has(id)) wanted.add(id)
    }
    wake()
  })

  function wake(): void {
    if (running !== null || wanted.size === 0) return
    running = pump()
      .catch(fail)
      .finally(() => {
        running = null
        wake()
      })
  }

  async function pump(): Promise<void> {
    for (const id of [...wanted].sort((a, b) => a - b)) {
      wanted.delete(id)
      await look(id)
    }
  }

  async function look(id: number): Promise<void> {
    const told = watched.get(id)
    if (told === undefined) return
    const deliveries = (await session.call('forward.ofCapture', { id })).filter(
      (each) => each.rule === rule,
    )
    for (const { tries, ...delivery } of deliveries) {
      const before = told.get(delivery.deliveryId) ?? 0
      const fresh = tries.slice(0, Math.max(0, delivery.attempts - before)).reverse()
      for (const [index, attempt] of fresh.entries()) {
        await print({ delivery, attempt, number: delivery.attempts - fresh.length + index + 1 })
      }
      told.set(delivery.deliveryId, delivery.attempts)
    }
    const isOver = ({ state }: ForwardDelivery) => state === 'delivered' || state === 'dropped'
    if (deliveries.length > 0 && deliveries.every(isOver)) watched.delete(id)
  }

  return {
    failed,
    open: () => watched.size,
    watch(capture) {
      watched.set(capture, new Map())
      if (watched.size > maxWatched) watched.delete(watched.keys().next().value ?? 0)
      wanted.add(capture)
      wake()
    },
    async finish() {
      stop()
      for (const id of watched.keys()) wanted.add(id)
      wake()
      while (running !== null) await running
    },
  }
}

/** One try on one line. */
export function forwardLine({ delivery, attempt, number }: ForwardResult): string {
  return attemptLine({ ...delivery, ...attempt }, [
    number > 1 ? `try ${number}` : null,
    delivery.state === 'waiting' && delivery.mode === 'after' ? 'will be tried again' : null,
    delivery.state === 'dropped' ? 'given up' : null,
  ])
}
