/**
 * What waits for one target, by lane: within one, in the order of logical time and one at a time;
 * of different lanes, whose turn has come first. Holds the beginnings; the rest stays in the store.
 */
import type { Waiting } from '../../store/forwarding/forward-queue.ts'

export type LanesDeps = {
  /** The first that wait in a lane, in their order. */
  readonly head: (lane: string, limit: number) => Waiting[]
  readonly lanesAfter: (lane: string | null, limit: number) => string[]
  /** When a row may be sent at the earliest; milliseconds. */
  readonly notBefore: (row: Waiting) => number
  /** True while what belongs before it may still come. */
  readonly isHeld: (row: Waiting) => boolean
  readonly mostLanes?: number
}

export type Lanes = {
  /** Reads what the store has. */
  open(): void
  /** What has just been queued. */
  add(row: Waiting): void
  /** The next whose turn has come. Its lane is busy until it is released. */
  take(now: number): Waiting | null
  /** The next whenever its turn is: to find out whether the target is there. */
  takeAny(): Waiting | null
  /** It is on disk that this one is delivered or dropped. */
  done(row: Waiting, now: number): void
  /** It is on disk that this one is to be tried again. */
  again(row: Waiting, notBefore: number): void
  /** A person dropped it. */
  remove(id: number, lane: string): void
  /** All may be tried at once. */
  hurry(now: number): void
  /** When the next turn comes; null when nothing waits. */
  nextTurn(): number | null
}

type Lane = {
  readonly name: string
  rows: Waiting[]
  /** The store has more of it. */
  hasMore: boolean
  /** The one that is being sent. */
  busy: Waiting | null
  notBefore: number
  /** Marks the entry of the heap that counts. */
  stamp: number
}

type Entry = { readonly lane: Lane; readonly at: number; readonly stamp: number }

const windowRows = 64
/** What is held is looked at again after this long. */
const heldMs = 20

export function createLanes(deps: LanesDeps): Lanes {
  const mostLanes = deps.mostLanes ?? 20_000
  const lanes = new Map<string, Lane>()
  const heap = createHeap()
  /** The store may have lanes that are not here. */
  let hasMoreLanes = false

  function schedule(lane: Lane, notBefore: number): void {
    lane.notBefore = notBefore
    lane.stamp += 1
    if (lane.busy === null) heap.push({ lane, at: notBefore, stamp: lane.stamp })
  }

  function load(name: string): void {
    const rows = deps.head(name, windowRows)
    const [first] = rows
    if (first === undefined) return
    const hasMore = rows.length === windowRows
    const lane: Lane = { name, rows, hasMore, busy: null, notBefore: 0, stamp: 0 }
    lanes.set(name, lane)
    schedule(lane, deps.notBefore(first))
  }

  function loadLanes(): void {
    const names = deps.lanesAfter(null, mostLanes)
    hasMoreLanes = names.length === mostLanes
    for (const name of names) if (!lanes.has(name)) load(name)
  }

  function insert(lane: Lane, row: Waiting): void {
    let place = lane.rows.length
    while (place > 0 && isBefore(row, lane.rows[place - 1])) place -= 1
    // Read from the store just now, as what was queued together with it.
    if (lane.rows[place - 1]?.id === row.id) return
    if (place === lane.rows.length && lane.hasMore) return
    lane.rows.splice(place, 0, row)
    if (lane.rows.length > windowRows * 2) {
      lane.rows.length = windowRows
      lane.hasMore = true
    }
    // It goes before what waited for its turn, or for another try.
    if (place === 0) schedule(lane, deps.notBefore(row))
  }

  /** The lane has moved on: its next turn, or its end. */
  function advance(lane: Lane, now: number): void {
    if (lane.rows.length === 0 && lane.hasMore) {
      lane.rows = deps.head(lane.name, windowRows)
      lane.hasMore = lane.rows.length === windowRows
    }
    const [first] = lane.rows
    if (first === undefined) {
      lane.stamp += 1
      lanes.delete(lane.name)
      if (hasMoreLanes && lanes.size < mostLanes / 2) loadLanes()
      return
    }
    schedule(lane, Math.max(now, deps.notBefore(first)))
  }

  function takeFirst(until: number): Waiting | null {
    for (;;) {
      const entry = heap.peek()
      if (entry === undefined || (isCurrent(entry) && entry.at > until)) return null
      heap.pop()
      const [first] = entry.lane.rows
      if (!isCurrent(entry) || first === undefined) continue
      if (until !== Infinity && first.attempts === 0 && deps.isHeld(first)) {
        schedule(entry.lane, until + heldMs)
        continue
      }
      entry.lane.busy = first
      return first
    }
  }

  return {
    open: loadLanes,
    add(row) {
      const lane = lanes.get(row.lane)
      if (lane !== undefined) {
        insert(lane, row)
        return
      }
      if (lanes.size >= mostLanes) hasMoreLanes = true
      // Of a lane that is not here more may wait than this one.
      else if (hasMoreLanes) load(row.lane)
      else {
        const rest = { hasMore: false, busy: null, notBefore: 0, stamp: 0 }
        const fresh: Lane = { name: row.lane, rows: [row], ...rest }
        lanes.set(row.lane, fresh)
        schedule(fresh, deps.notBefore(row))
      }
    },
    take: takeFirst,
    takeAny: () => takeFirst(Infinity),
    done(row, now) {
      const lane = lanes.get(row.lane)
      if (lane === undefined) return
      lane.busy = null
      lane.rows = lane.rows.filter(({ id }) => id !== row.id)
      advance(lane, now)
    },
    again(row, notBefore) {
      const lane = lanes.get(row.lane)
      if (lane === undefined) return
      lane.busy = null
      lane.rows = lane.rows.map((each) =>
        each.id === row.id ? { ...each, attempts: each.attempts + 1 } : each,
      )
      const [first] = lane.rows
      // An earlier event may have come while this one was on its way.
      if (first === undefined) advance(lane, notBefore)
      else schedule(lane, first.id === row.id ? notBefore : deps.notBefore(first))
    },
    remove(id, name) {
      const lane = lanes.get(name)
      if (lane === undefined || lane.busy?.id === id) return
      lane.rows = lane.rows.filter((row) => row.id !== id)
      if (lane.busy === null) advance(lane, 0)
    },
    hurry(now) {
      for (const lane of lanes.values()) if (lane.notBefore > now) schedule(lane, now)
    },
    nextTurn() {
      for (;;) {
        const entry = heap.peek()
        if (entry === undefined) return null
        if (isCurrent(entry)) return entry.at
        heap.pop()
      }
    },
  }
}

function isCurrent({ lane, stamp }: Entry): boolean {
  return lane.stamp === stamp && lane.busy === null
}

function isBefore(one: Waiting, other: Waiting | undefined): boolean {
  if (other === undefined) return false
  return one.sortLt === other.sortLt ? one.capture < other.capture : one.sortLt < other.sortLt
}

/** The entry with the earliest moment first; of the same moment, any. */
function createHeap() {
  const entries: Entry[] = []
  const at = (index: number) => entries[index]?.at ?? Infinity
  function swap(one: number, other: number): void {
    const [a, b] = [entries[one], entries[other]]
    if (a === undefined || b === undefined) return
    entries[one] = b
    entries[other] = a
  }
  return {
    peek: () => entries[0],
    push(entry: Entry): void {
      let index = entries.push(entry) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (at(parent) <= at(index)) return
        swap(parent, index)
        index = parent
      }
    },
    pop(): void {
      const last = entries.pop()
      if (last === undefined || entries.length === 0) return
      entries[0] = last
      let index = 0
      for (;;) {
        const left = index * 2 + 1
        const smaller = at(left + 1) < at(left) ? left + 1 : left
        if (at(smaller) >= at(index)) return
        swap(smaller, index)
        index = smaller
      }
    },
  }
}
