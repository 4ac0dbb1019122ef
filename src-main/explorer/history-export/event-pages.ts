/** Reads the events of an account page by page. */
import { isMissing } from '../../chain/access.ts'
import type { AccountEventResponse } from '../../gateway/event-responses.ts'
import type { TransactionsPage } from '../../gateway/query.ts'
import { type Row, readableRows } from '../../gateway/query-responses.ts'
import type { JobEnd } from '../../jobs/job-run.ts'
import { readAddress } from '../../ton/address.ts'
import { type HistoryRun, writeRows } from './history-run.ts'
import { moveEvent } from './movements.ts'
import type { Source } from './store/history-exports.ts'

type EventRow = Row<AccountEventResponse>
/** `next` is the gateway's cursor; null at the end. */
type EventPage = { readonly events: readonly EventRow[]; readonly next: string | null }

const noEvents: JobEnd = {
  state: 'failed',
  problem:
    'This gateway does not list events. Export the history with rows of transactions instead.',
}

/** Reads downward or upward, as `readOlderPage` and `readNewerPage` do for transactions. */
export async function readEvents(
  run: HistoryRun,
  source: Source,
  isUpward: boolean,
): Promise<JobEnd | null> {
  const { job, store } = run
  const { page, requests } = await requestFurther(run, source, isUpward)
  if (page === null || run.abort.aborted) return null
  if ('state' in page) return page
  const stored = store.rowsOf(job.id, readableRows(page.events).map(idOf))
  const { read, unread, edges } = stepEvents(page, source, isUpward, job.fromAt, new Set(stored))
  const testOnly = run.testOnly()
  const moves = read.map((event) => ({
    lt: event.lt,
    hash: idOf(event),
    at: event.timestamp * 1000,
    ...moveEvent(event, job.address, testOnly),
  }))
  run.keep(requests, () => {
    writeRows(store, job, source, moves)
    store.changeSource(job.id, source.idx, {
      ...edges,
      unread: source.unread + unread.length,
      unreadWhy: source.unreadWhy ?? unread[0] ?? null,
      inProgress: source.inProgress + read.filter((event) => event.in_progress).length,
    })
  })
  run.count(read.length)
  return null
}

/** Requests a page of another size if the gateway returns the previous page again. */
async function requestFurther(run: HistoryRun, source: Source, isUpward: boolean) {
  const { beforeLt } = source
  const bound: TransactionsPage = isUpward
    ? { afterLt: source.newestLt ?? '0', sortOrder: 'asc' }
    : { ...(beforeLt !== null && { beforeLt }) }
  /** Returns null if a smaller page must be requested. */
  function requestEvents(wanted: TransactionsPage) {
    const { address } = run.job
    return run.requestPage(wanted, async (page): Promise<EventPage | JobEnd> => {
      try {
        const response = await run.query().accountEvents(address, page, run.options)
        run.answered()
        return response
      } catch (error) {
        if (!isMissing(error)) throw error
        // Some gateways respond 404 for an account that they do not know.
        const account = await run.orNull(run.query().account(address, run.options))
        return account === null ? { events: [], next: null } : noEvents
      }
    })
  }

  const page = await requestEvents(bound)
  if (page === null || 'state' in page || !isSamePage(page, source, isUpward)) {
    return { page, requests: 1 }
  }
  const limit = run.pageSize() - 1
  return { page: await requestEvents({ ...bound, limit }), requests: 2 }
}

/**
 * Selects the new events of a page, and where reading continues.
 * @param stored ids of events that already have rows
 */
function stepEvents(
  page: EventPage,
  source: Source,
  isUpward: boolean,
  fromAt: number | null,
  stored: ReadonlySet<string>,
) {
  /**
   * Selects each event once, beyond the source's edge, newest first when reading downward. An event
   * of another account counts as unreadable.
   */
  function selectEvents(rows: readonly EventRow[]) {
    const read = new Map<string, AccountEventResponse>()
    const edge = isUpward ? (source.newestLt ?? '0') : source.beforeLt
    const unread: string[] = []
    let lastLt: string | null = null
    for (const row of rows) {
      const lt = ltOf(row)
      if (lt !== null && !isFurther(lt, edge, isUpward)) continue
      lastLt = lt ?? lastLt
      if ('unread' in row) {
        unread.push(row.unread.why)
        continue
      }
      const event = row.value
      const owner = event.account?.address ?? null
      if (owner !== null && (readAddress(owner)?.raw ?? owner) !== source.address) {
        unread.push(`Logical time ${event.lt} (it is of another account)`)
      } else if (!stored.has(idOf(event)) && !read.has(idOf(event))) read.set(idOf(event), event)
    }
    return { read: [...read.values()], unread, lastLt }
  }

  const { beforeLt } = source
  const isRepeated = isSamePage(page, source, isUpward)
  const next = isRepeated ? null : page.next
  const events = inOrder(page.events, isUpward)
  const last = events.map(ltOf).findLast((lt) => lt !== null) ?? null
  // The next page may contain more events with the last logical time, so these events are left to it.
  const others = isUpward || next === null ? [] : events.filter((row) => ltOf(row) !== last)
  const afterLast = last === null ? null : `${BigInt(last) + 1n}`
  const isCut = others.length > 0 && afterLast !== null && isFurther(afterLast, beforeLt, false)
  const { read, unread, lastLt } = selectEvents(isCut ? others : events)
  // A cursor in the wrong direction is ignored.
  const nextLt = (lts: readonly (string | null)[], edge: string | null) =>
    lts.find((lt) => lt !== null && isFurther(lt, edge, isUpward)) ?? edge
  if (isUpward) {
    const isNone = read.length === 0 && unread.length === 0
    const edges: Partial<Source> = {
      newestLt: nextLt([next, lastLt], source.newestLt ?? '0'),
      rounds: source.rounds + Number(next === null),
      state: next !== null ? 'behind' : isNone ? 'compared' : 'recheck',
    }
    return { read, unread, edges }
  }
  const end = read.findIndex(({ timestamp }) => fromAt !== null && timestamp * 1000 < fromAt)
  const isPeriodEnd = end !== -1
  const inPeriod = isPeriodEnd ? read.slice(0, end) : read
  const edges: Partial<Source> = {
    newestLt: source.newestLt ?? read[0]?.lt ?? null,
    beforeLt:
      isPeriodEnd || isRepeated
        ? (inPeriod.at(-1)?.lt ?? beforeLt)
        : nextLt([isCut ? afterLast : next, last], beforeLt),
    ended: isPeriodEnd ? 'period' : isRepeated ? 'repeated' : null,
    state: next === null || isPeriodEnd ? 'read' : 'reading',
  }
  return { read: inPeriod, unread, edges }
}

const ltOf = (row: EventRow) => ('value' in row ? row.value.lt : row.unread.lt)
const idOf = ({ event_id: eventId }: AccountEventResponse) => eventId.toLowerCase()

/** Sorts rows by logical time; rows without one keep their place in the list. */
function inOrder(events: readonly EventRow[], isUpward: boolean) {
  let before = '0'
  const lts = new Map(events.map((row) => [row, (before = ltOf(row) ?? before)]))
  const by = (a: EventRow, b: EventRow) => Number(BigInt(lts.get(a) ?? 0) - BigInt(lts.get(b) ?? 0))
  return events.toSorted((a, b) => (isUpward ? by(a, b) : by(b, a)))
}

/** True if neither an event of the page nor its cursor leads beyond the current edge. */
function isSamePage(
  { events, next }: EventPage,
  { beforeLt, newestLt }: Source,
  isUpward: boolean,
): boolean {
  const edge = isUpward ? (newestLt ?? '0') : beforeLt
  if (edge === null) return false
  const lts = events.flatMap((row) => ltOf(row) ?? [])
  const isBeyond = (lt: string) => isFurther(lt, edge, isUpward)
  if (lts.some(isBeyond)) return false
  return (next !== null && !isBeyond(next)) || lts.some((lt) => lt !== edge)
}

/** True if a logical time lies beyond the edge in the direction of reading; true if there is no edge. */
const isFurther = (lt: string, edge: string | null, isUpward: boolean): boolean =>
  edge === null || (isUpward ? BigInt(lt) > BigInt(edge) : BigInt(lt) < BigInt(edge))
