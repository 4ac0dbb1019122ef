import { setTimeout as wait } from 'node:timers/promises'
import type { CapturePage, CaptureRow } from '../../src-preload/contract/capture.ts'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import type { Session } from './session.ts'

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
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_resolve, reject) => (fail = reject))
  // Whoever waits for it sees it; nobody has to.
  failed.catch(() => undefined)

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
