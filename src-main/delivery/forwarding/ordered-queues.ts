/**
 * What waits for one target, by lane: within one, in the order of logical time and one at a time;
 * of those whose turn has come, the oldest first. Holds the beginnings; the rest stays in the store.
 */
import type { Waiting } from '../store/forward-queue.ts'
import { createHeap } from './heap.ts'

type LanesDeps = {
  /** The first that wait in a lane, in their order. */
  readonly head: (lane: string, limit: number) => Waiting[]
  readonly lanesAfter: (lane: string | null, limit: number) => string[]
  /** When a row may be sent at the earliest; milliseconds. */
  readonly notBefore: (row: Waiting) => number
  /** True while what belongs before it may still come. */
  readonly isHeld: (row: Waiting) => boolean
  readonly maxLanes?: number
}

export type Lanes = {
  /** Reads what the store has. */
  open(): void
  /** What has just been queued. */
  add(row: Waiting): void
  /** The oldest whose turn has come. Its lane is busy until it is released. */
  take(now: number): Waiting | null
  /** As `take`, or one that waits for another try: to find out whether the target is there. */
  takeAny(now: number): Waiting | null
  /** It is on disk that this one is delivered or dropped. */
  done(row: Waiting, now: number): void
  /**
   * It is on disk that this one is to be tried again.
   * @param isItsDoing the target was there: what befell the try may befall each of it
   */
  again(row: Waiting, notBefore: number, isItsDoing: boolean): void
  /** As `again`, in a lane of its own from now on: those behind it need not wait. */
  stepAside(row: Waiting, lane: string, notBefore: number): void
  /** Nothing was sent. */
  putBack(row: Waiting, notBefore: number): void
  /** A person dropped it; one that is under way when it comes back. */
  remove(id: number, lane: string): void
  /** All that was tried in vain may be tried at once. */
  hurry(now: number): void
  /** When the next turn comes, with `isAny` for `takeAny`; null when nothing waits. */
  nextTurn(isAny: boolean): number | null
}

type Lane = {
  readonly name: string
  rows: Waiting[]
  /** The store has more of it. */
  hasMore: boolean
  /** The one that is being sent. */
  busy: Waiting | null
  /** It was dropped meanwhile. */
  isBusyGone: boolean
  notBefore: number
  /** So often its first was tried in vain where the target was there. */
  strikes: number
  /** Marks the entry of a heap that counts. */
  stamp: number
}

type Entry = { readonly lane: Lane; readonly at: number; readonly stamp: number }
type Due = Omit<Entry, 'at'> & { readonly row: Waiting; readonly isSuspect: boolean }

const windowRows = 64
/** Of each, where lanes are many: a million may wait, and they are not all to be in memory. */
const manyLanes = 1_000
const windowRowsOfMany = 8
/** What is held is looked at again after this long. */
const heldMs = 20
/** What has failed so often goes after the others: perhaps it is what breaks the target. */
const suspectStrikes = 3

export function createLanes(deps: LanesDeps): Lanes {
  const maxLanes = deps.maxLanes ?? 20_000
  const lanes = new Map<string, Lane>()
  const later = createHeap<Entry>((one, other) => one.at < other.at)
  const due = createHeap<Due>(isOlder)
  /** The store may have lanes that are not here. */
  let hasMoreLanes = false

  const windowNow = () => (lanes.size > manyLanes ? windowRowsOfMany : windowRows)

  function schedule(lane: Lane, notBefore: number): void {
    lane.notBefore = notBefore
    lane.stamp += 1
    if (lane.busy === null) later.push({ lane, at: notBefore, stamp: lane.stamp })
  }

  function open(name: string, rows: Waiting[], hasMore: boolean): void {
    const [first] = rows
    if (first === undefined) return
    const idle = { busy: null, isBusyGone: false, notBefore: 0, strikes: 0, stamp: 0 }
    const lane: Lane = { name, rows, hasMore, ...idle }
    lanes.set(name, lane)
    schedule(lane, deps.notBefore(first))
  }

  function load(name: string): void {
    const limit = windowNow()
    const rows = deps.head(name, limit)
    open(name, rows, rows.length === limit)
  }

  function loadLanes(): void {
    const names = deps.lanesAfter(null, maxLanes)
    hasMoreLanes = names.length === maxLanes
    for (const name of names) if (!lanes.has(name)) load(name)
  }

  function insert(lane: Lane, row: Waiting): void {
    if (lane.busy?.id === row.id) {
      lane.isBusyGone = false
      return
    }
    let place = lane.rows.length
    while (place > 0 && isBefore(row, lane.rows[place - 1])) place -= 1
    // Read from the store just now, as what was queued together with it.
    if (lane.rows[place - 1]?.id === row.id) return
    if (place === lane.rows.length && lane.hasMore) return
    lane.rows.splice(place, 0, row)
    const most = windowNow()
    if (lane.rows.length > most * 2) {
      lane.rows.length = most
      lane.hasMore = true
    }
    if (place > 0) return
    // It goes before what waited for its turn, or for another try.
    lane.strikes = 0
    schedule(lane, deps.notBefore(row))
  }

  function add(row: Waiting): void {
    const lane = lanes.get(row.lane)
    if (lane !== undefined) insert(lane, row)
    else if (lanes.size >= maxLanes) hasMoreLanes = true
    // Of a lane that is not here more may wait than this one.
    else if (hasMoreLanes) load(row.lane)
    else open(row.lane, [row], false)
  }

  /** The lane has moved on: its next turn, or its end. */
  function advance(lane: Lane, now: number): void {
    if (lane.rows.length === 0 && lane.hasMore) {
      const limit = windowNow()
      lane.rows = deps.head(lane.name, limit)
      lane.hasMore = lane.rows.length === limit
    }
    const [first] = lane.rows
    if (first === undefined) {
      lane.stamp += 1
      lanes.delete(lane.name)
      if (hasMoreLanes && lanes.size < maxLanes / 2) loadLanes()
      return
    }
    schedule(lane, Math.max(now, deps.notBefore(first)))
  }

  /** Its lane is free again; null where there is nothing more to be done with this one. */
  function release(row: Waiting): Lane | null {
    const lane = lanes.get(row.lane)
    if (lane === undefined) return null
    const isGone = lane.isBusyGone
    lane.busy = null
    lane.isBusyGone = false
    if (!isGone) return lane
    leave(lane, row, 0)
    return null
  }

  function leave(lane: Lane, row: Waiting, now: number): void {
    lane.strikes = 0
    lane.rows = lane.rows.filter(({ id }) => id !== row.id)
    advance(lane, now)
  }

  function reschedule(lane: Lane, row: Waiting, notBefore: number): void {
    const [first] = lane.rows
    // An earlier event may have come while this one was on its way.
    if (first === undefined) advance(lane, notBefore)
    else schedule(lane, first.id === row.id ? notBefore : deps.notBefore(first))
  }

  /** Those whose turn has come are put in the order of their age. */
  function wake(now: number): void {
    for (let entry = later.peek(); entry !== undefined; entry = later.peek()) {
      const { lane, stamp } = entry
      if (isCurrent(entry) && entry.at > now) return
      later.pop()
      const [row] = lane.rows
      if (!isCurrent(entry) || row === undefined) continue
      due.push({ lane, stamp, row, isSuspect: lane.strikes >= suspectStrikes })
    }
  }

  function take(now: number): Waiting | null {
    wake(now)
    for (let entry = due.pop(); entry !== undefined; entry = due.pop()) {
      const { lane, row } = entry
      if (!isCurrent(entry)) continue
      if (row.attempts === 0 && deps.isHeld(row)) {
        schedule(lane, now + heldMs)
        continue
      }
      lane.busy = row
      return row
    }
    return null
  }

  /** The next in `later`, what does not count any more being left out. */
  function nextLater(): Entry | undefined {
    for (let entry = later.peek(); entry !== undefined; entry = later.peek()) {
      if (isCurrent(entry)) return entry
      later.pop()
    }
    return undefined
  }

  const isTried = ({ lane }: Entry) => (lane.rows[0]?.attempts ?? 0) > 0

  return {
    open: loadLanes,
    add,
    take,
    takeAny(now) {
      const row = take(now)
      if (row !== null) return row
      const entry = nextLater()
      if (entry === undefined || !isTried(entry)) return null
      later.pop()
      entry.lane.busy = entry.lane.rows[0] ?? null
      return entry.lane.busy
    },
    done(row, now) {
      const lane = lanes.get(row.lane)
      if (lane === undefined) return
      lane.busy = null
      lane.isBusyGone = false
      leave(lane, row, now)
    },
    again(row, notBefore, isItsDoing) {
      const lane = release(row)
      if (lane === null) return
      if (isItsDoing) lane.strikes += 1
      lane.rows = lane.rows.map((each) =>
        each.id === row.id ? { ...each, attempts: each.attempts + 1 } : each,
      )
      reschedule(lane, row, notBefore)
    },
    stepAside(row, name, notBefore) {
      const lane = release(row)
      if (lane === null) return
      leave(lane, row, 0)
      add({ ...row, lane: name, attempts: row.attempts + 1, nextAt: notBefore * 1000 })
    },
    putBack(row, notBefore) {
      const lane = release(row)
      if (lane !== null) reschedule(lane, row, notBefore)
    },
    remove(id, name) {
      const lane = lanes.get(name)
      if (lane === undefined) return
      if (lane.busy?.id === id) {
        lane.isBusyGone = true
        return
      }
      const [first] = lane.rows
      lane.rows = lane.rows.filter((row) => row.id !== id)
      if (lane.busy === null && first?.id === id) advance(lane, 0)
    },
    hurry(now) {
      for (const lane of lanes.values()) {
        const isTriedInVain = (lane.rows[0]?.attempts ?? 0) > 0
        if (isTriedInVain && lane.notBefore > now) schedule(lane, now)
      }
    },
    nextTurn(isAny) {
      while (due.peek() !== undefined) {
        const entry = due.peek()
        if (entry !== undefined && isCurrent(entry)) return 0
        due.pop()
      }
      const next = nextLater()
      if (next === undefined) return null
      return isAny && isTried(next) ? 0 : next.at
    },
  }
}

function isCurrent({ lane, stamp }: Pick<Entry, 'lane' | 'stamp'>): boolean {
  return lane.stamp === stamp && lane.busy === null
}

function isOlder(one: Due, other: Due): boolean {
  if (one.isSuspect !== other.isSuspect) return other.isSuspect
  const [a, b] = [one.row, other.row]
  return a.receivedAt === b.receivedAt ? a.capture < b.capture : a.receivedAt < b.receivedAt
}

function isBefore(one: Waiting, other: Waiting | undefined): boolean {
  if (other === undefined) return false
  return one.sortLt === other.sortLt ? one.capture < other.capture : one.sortLt < other.sortLt
}
