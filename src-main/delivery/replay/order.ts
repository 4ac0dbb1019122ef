/** A capture as far as its place among the others is concerned. */
export type Ordered = {
  readonly id: number
  readonly account: string | null
  /** Null for what has no logical time: it stays where it is. */
  readonly lt: bigint | null
}

/** By logical time, over all accounts, in the places of those that have one. */
export function orderByLt(captures: readonly Ordered[]): number[] {
  const timed = captures.flatMap(({ id, lt }) => (lt === null ? [] : [{ id, lt }]))
  timed.sort((a, b) => (a.lt < b.lt ? -1 : a.lt > b.lt ? 1 : a.id - b.id))
  let next = 0
  return captures.map(({ id, lt }) => (lt === null ? id : (timed[next++]?.id ?? id)))
}

type Shuffled = {
  readonly ids: readonly number[]
  /** Accounts whose events are out of lt order now. */
  readonly accounts: number
  /** Accounts with one event only, or several of one lt: there is no order to break. */
  readonly orderless: number
}

/** The events of each account out of lt order, in the places that they had among the others. */
export function shuffleByLt(captures: readonly Ordered[], seed: number): Shuffled {
  const random = createRandom(seed)
  const ids = captures.map(({ id }) => id)
  const places = new Map<string, number[]>()
  captures.forEach(({ account, lt }, place) => {
    if (account === null || lt === null) return
    const known = places.get(account)
    if (known === undefined) places.set(account, [place])
    else known.push(place)
  })
  let accounts = 0
  let orderless = 0
  for (const own of places.values()) {
    const events = own.flatMap((place) => captures[place] ?? [])
    if (events.every(({ lt }) => lt === events[0]?.lt)) {
      orderless += 1
      continue
    }
    accounts += 1
    outOfOrder(events, random).forEach(({ id }, index) => (ids[own[index] ?? 0] = id))
  }
  return { ids, accounts, orderless }
}

/** @param events with two logical times at least */
function outOfOrder(events: readonly Ordered[], random: () => number): Ordered[] {
  const shuffled = [...events]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    swap(shuffled, last, Math.floor(random() * (last + 1)))
  }
  const isInOrder = shuffled.every(
    ({ lt }, index) => index === 0 || (lt ?? 0n) >= (shuffled[index - 1]?.lt ?? 0n),
  )
  // Chance has put them in order: its first and its last are of different times, then.
  if (isInOrder) swap(shuffled, 0, shuffled.length - 1)
  return shuffled
}

function swap(list: Ordered[], one: number, other: number): void {
  const [a, b] = [list[one], list[other]]
  if (a === undefined || b === undefined) return
  list[one] = b
  list[other] = a
}

/** The same numbers from 0 to below 1 for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
