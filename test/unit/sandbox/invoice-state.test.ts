import { describe, expect, test } from 'vitest'
import {
  type InvoiceEvent,
  type InvoiceState,
  type InvoiceStatus,
  afterEvent,
  appliedOf,
  isReported,
  overpaymentOf,
} from '../../../src-main/sandbox/invoices/invoice.ts'

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

describe('the final state of an invoice', () => {
  const paths: [string, InvoiceEvent[], InvoiceStatus, bigint, number][] = [
    ['paid exactly', [pay(100n, 5)], 'paid', 0n, 5],
    ['overpaid', [pay(130n, 5)], 'paid', 30n, 5],
    ['paid in part', [pay(40n, 5)], 'pending', 0n, 1],
    ['paid in two parts', [pay(40n, 5), pay(60n, 9)], 'paid', 0n, 9],
    ['overpaid in two parts', [pay(40n, 5), pay(61n, 9)], 'paid', 1n, 9],
    ['paid twice', [pay(100n, 5), pay(100n, 6)], 'paid', 100n, 5],
    ['paid in the last valid second', [pay(100n, expires)], 'paid', 0n, expires],
    ['paid one second too late', [pay(100n, expires + 1)], 'expired', 100n, expires + 1],
    ['never paid', [time(expires + 500)], 'expired', 0n, expires + 1],
    ['pending at its expiry time', [time(expires)], 'pending', 0n, 1],
    ['paid late in two parts', [pay(60n, 2000), pay(60n, 3000)], 'expired', 120n, expires + 1],
    [
      'paid in part and completed late',
      [pay(60n, 5), pay(40n, 2000)],
      'expired',
      100n,
      expires + 1,
    ],
    ['paid in part and expired', [pay(60n, 5), time(2000)], 'expired', 60n, expires + 1],
    ['cancelled', [cancel(7)], 'cancelled', 0n, 7],
    ['paid in part and cancelled', [pay(60n, 5), cancel(7)], 'cancelled', 60n, 7],
    ['paid after it was cancelled', [cancel(7), pay(100n, 8)], 'cancelled', 100n, 7],
    ['cancelled before its expiry time has passed', [cancel(7), time(5000)], 'cancelled', 0n, 7],
    ['paid before a cancellation', [pay(100n, 5), cancel(6)], 'paid', 0n, 5],
    ['cancelled after its expiry', [cancel(expires + 1)], 'expired', 0n, expires + 1],
    ['paid with an amount of zero', [pay(0n, 5)], 'pending', 0n, 1],
  ]
  test.each(paths)(
    'the status, overpayment and time of change are right for an invoice that is %s',
    (_name, events, status, overpayment, dateChange) => {
      const end = run(events)
      expect({ status: end.status, overpayment: overpaymentOf(end) }).toEqual({
        status,
        overpayment,
      })
      expect(end.dateChange).toBe(dateChange)
    },
  )
})

test('the payer is the account whose payment completed the amount', () => {
  const end = run([pay(40n, 5, 'first'), pay(60n, 6, 'second'), pay(10n, 7, 'third')])
  expect(end.paidByAddress).toBe('second')
  expect(run([pay(40n, 5, 'first'), time(2000)]).paidByAddress).toBeNull()
})

test('a delivery reports a new status or overpayment and nothing else', () => {
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

/** The rules as the specification states them, step by step, without sharing a formula with the code. */
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

/** The mulberry32 generator gives the same numbers on every machine. */
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

describe('invoices under 5,000 random sequences of events', () => {
  const stories = Array.from({ length: 5_000 }, (_, seed) => {
    const events = randomEvents(randomOf(seed))
    return { seed, events, end: run(events) }
  })

  test('the random sequences cover all seven kinds of results', () => {
    const kinds = new Set(stories.map(({ end }) => `${end.status} ${overpaymentOf(end) > 0n}`))
    expect(kinds.size).toBe(7)
  })

  test('a random sequence ends as the specification states', () => {
    for (const { seed, events, end } of stories) {
      const { status } = end
      expect({ seed, status, overpayment: overpaymentOf(end) }).toEqual({
        seed,
        ...byTheBook(fresh.amount, events),
      })
    }
  })

  test('all paid money is either applied or overpaid at each step', () => {
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

  test('a final state is permanent: status, time and payer stay, and the overpayment only grows', () => {
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

  test('additional time checks do not change the result', () => {
    for (const { events } of stories) {
      const last = events.at(-1)?.at ?? 0
      const looked = events.flatMap((event) => [time(event.at), event, time(event.at)])
      expect(run(looked)).toEqual(run([...events, time(last)]))
    }
  })
})
