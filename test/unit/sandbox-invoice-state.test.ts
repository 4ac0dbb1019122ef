import { describe, expect, test } from 'vitest'
import {
  type InvoiceEvent,
  type InvoiceState,
  type InvoiceStatus,
  afterEvent,
  appliedOf,
  isReported,
  overpaymentOf,
} from '../../src-main/sandbox/invoices/invoice.ts'

const expires = 1000
const fresh: InvoiceState = {
  status: 'pending',
  amount: 100n,
  received: 0n,
  dateExpire: expires,
  dateChange: 1,
  paidByAddress: null,
}

const pay = (amount: bigint, at: number, payer = 'someone'): InvoiceEvent => ({
  kind: 'payment',
  amount,
  payer,
  at,
})
const cancel = (at: number): InvoiceEvent => ({ kind: 'cancel', at })
const time = (at: number): InvoiceEvent => ({ kind: 'time', at })

function run(events: readonly InvoiceEvent[], start = fresh): InvoiceState {
  return events.reduce(afterEvent, start)
}

describe('each path ends as the specification has it', () => {
  const paths: [string, InvoiceEvent[], InvoiceStatus, bigint, number][] = [
    ['exact', [pay(100n, 5)], 'paid', 0n, 5],
    ['over', [pay(130n, 5)], 'paid', 30n, 5],
    ['under stays pending', [pay(40n, 5)], 'pending', 0n, 1],
    ['under, then the rest', [pay(40n, 5), pay(60n, 9)], 'paid', 0n, 9],
    ['under, then too much', [pay(40n, 5), pay(61n, 9)], 'paid', 1n, 9],
    ['twice', [pay(100n, 5), pay(100n, 6)], 'paid', 100n, 5],
    ['in the last second', [pay(100n, expires)], 'paid', 0n, expires],
    ['a second too late', [pay(100n, expires + 1)], 'expired', 100n, expires + 1],
    ['nothing comes', [time(expires + 500)], 'expired', 0n, expires + 1],
    ['at date_expire it is still pending', [time(expires)], 'pending', 0n, 1],
    ['late in two parts', [pay(60n, 2000), pay(60n, 3000)], 'expired', 120n, expires + 1],
    ['part in time, rest late', [pay(60n, 5), pay(40n, 2000)], 'expired', 100n, expires + 1],
    ['part in time, then expired', [pay(60n, 5), time(2000)], 'expired', 60n, expires + 1],
    ['cancelled', [cancel(7)], 'cancelled', 0n, 7],
    ['part, then cancelled', [pay(60n, 5), cancel(7)], 'cancelled', 60n, 7],
    ['paid after it was cancelled', [cancel(7), pay(100n, 8)], 'cancelled', 100n, 7],
    ['cancelled stays so past its time', [cancel(7), time(5000)], 'cancelled', 0n, 7],
    ['cancelling what is paid does nothing', [pay(100n, 5), cancel(6)], 'paid', 0n, 5],
    ['cancelled too late is expired', [cancel(expires + 1)], 'expired', 0n, expires + 1],
    ['nothing is paid by nothing', [pay(0n, 5)], 'pending', 0n, 1],
  ]
  test.each(paths)('%s', (_name, events, status, overpayment, dateChange) => {
    const end = run(events)
    expect({ status: end.status, overpayment: overpaymentOf(end) }).toEqual({ status, overpayment })
    expect(end.dateChange).toBe(dateChange)
  })
})

test('the payer is the one whose payment reached the amount, not one who came later', () => {
  const end = run([pay(40n, 5, 'first'), pay(60n, 6, 'second'), pay(10n, 7, 'third')])
  expect(end.paidByAddress).toBe('second')
  expect(run([pay(40n, 5, 'first'), time(2000)]).paidByAddress).toBeNull()
})

test('webhooks are told of a new status or overpayment, and of nothing else', () => {
  const told = (events: readonly InvoiceEvent[], next: InvoiceEvent) => {
    const before = run(events)
    return isReported(before, afterEvent(before, next))
  }
  expect(told([], pay(40n, 5))).toBe(false)
  expect(told([pay(40n, 5)], pay(60n, 6))).toBe(true)
  expect(told([pay(100n, 5)], pay(1n, 6))).toBe(true)
  expect(told([], time(expires))).toBe(false)
  expect(told([], time(expires + 1))).toBe(true)
  expect(told([time(2000)], pay(1n, 3000))).toBe(true)
  expect(told([time(2000)], cancel(3000))).toBe(false)
})

/** The rules as the specification words them, kept step by step: no formula is shared with the code. */
function byTheBook(amount: bigint, events: readonly InvoiceEvent[]) {
  let status: InvoiceStatus = 'pending'
  let soFar = 0n
  let overpayment = 0n
  const end = (how: InvoiceStatus) => {
    status = how
    overpayment = soFar
  }
  for (const event of events) {
    if (status === 'pending' && event.at > expires) end('expired')
    if (event.kind === 'cancel' && status === 'pending') end('cancelled')
    if (event.kind !== 'payment') continue
    if (status !== 'pending') {
      overpayment += event.amount
      continue
    }
    soFar += event.amount
    if (soFar < amount) continue
    status = 'paid'
    overpayment = soFar - amount
  }
  return { status, overpayment }
}

const bigints = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value

/** Mulberry32: the same numbers on every machine. */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

function randomEvents(random: (below: number) => number): InvoiceEvent[] {
  let at = random(3) === 0 ? 900 + random(90) : random(900)
  return Array.from({ length: random(12) }, () => {
    at += random(4) === 0 ? random(200) : random(5)
    const choice = random(10)
    if (choice === 0) return cancel(at)
    if (choice === 1) return time(at)
    return pay(BigInt(random(5) === 0 ? 100 : random(80)), at, `payer-${random(4)}`)
  })
}

describe('whatever happens, in 5,000 stories', () => {
  const stories = Array.from({ length: 5_000 }, (_, seed) => {
    const events = randomEvents(randomOf(seed))
    return { seed, events, end: run(events) }
  })

  test('the stories are of all kinds, or the properties below say little', () => {
    const kinds = new Set(stories.map(({ end }) => `${end.status} ${overpaymentOf(end) > 0n}`))
    expect(kinds.size).toBe(7)
  })

  test('it ends as the rules say', () => {
    for (const { seed, events, end } of stories) {
      const { status } = end
      expect({ seed, status, overpayment: overpaymentOf(end) }).toEqual({
        seed,
        ...byTheBook(fresh.amount, events),
      })
    }
  })

  test('all that was paid is either applied or overpaid, at each step', () => {
    for (const { events } of stories) {
      let state = fresh
      let paid = 0n
      for (const event of events) {
        state = afterEvent(state, event)
        if (event.kind === 'payment') paid += event.amount
        expect(appliedOf(state) + overpaymentOf(state)).toBe(paid)
        expect(appliedOf(state) >= 0n && appliedOf(state) <= state.amount).toBe(true)
      }
    }
  })

  test('an end is final: status, its time and the payer stay, and overpayment only grows', () => {
    for (const { events } of stories) {
      let before = fresh
      for (const event of events) {
        const after = afterEvent(before, event)
        const isKept =
          before.status === 'pending' ||
          (after.status === before.status &&
            after.dateChange === before.dateChange &&
            after.paidByAddress === before.paidByAddress)
        const hasGrown = overpaymentOf(after) >= overpaymentOf(before)
        const hasPayer = after.paidByAddress !== null
        if (!isKept || !hasGrown || hasPayer !== (after.status === 'paid')) {
          expect.fail(`${JSON.stringify(event, bigints)} after ${JSON.stringify(before, bigints)}`)
        }
        before = after
      }
    }
  })

  test('it makes no difference how often somebody looks whether time is up', () => {
    for (const { events } of stories) {
      const last = events.at(-1)?.at ?? 0
      const looked = events.flatMap((event) => [time(event.at), event, time(event.at)])
      expect(run(looked)).toEqual(run([...events, time(last)]))
    }
  })
})
