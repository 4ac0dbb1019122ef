import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { type InvoiceFigures, moneyOf } from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'

type Sum = { add(digits: string): void; total(): bigint }

/** Doubles are exact up to 2^53; this limit leaves room for one more addend of fifteen digits. */
const maxExact = 2 ** 52
const exactDigits = 15

/** Adds small numbers as doubles, because a million bigint additions would take a second. */
export function createSum(): Sum {
  let small = 0
  let large = 0n
  return {
    add(digits) {
      if (digits.length > exactDigits) {
        large += BigInt(digits)
        return
      }
      small += Number(digits)
      if (small < maxExact) return
      large += BigInt(small)
      small = 0
    },
    total: () => large + BigInt(small),
  }
}

export type Total = {
  readonly currency: InvoiceCurrency
  readonly status: string
  readonly count: number
  readonly amount: bigint
  readonly received: bigint
  readonly overpayment: bigint
  /** Money beyond what the invoices keep; where gateway and chain differ, the larger amount counts. */
  readonly excess: bigint
}

type Totals = {
  add(invoice: InvoiceFigures): void
  all(): Total[]
}

const order = ['paid', 'pending', 'expired', 'cancelled']

export function createTotals(): Totals {
  const groups = new Map<InvoiceCurrency, Map<string, Group>>()

  return {
    add(invoice) {
      const { currency, status, amount, received, overpayment } = invoice
      let byStatus = groups.get(currency)
      if (byStatus === undefined) groups.set(currency, (byStatus = new Map<string, Group>()))
      let group = byStatus.get(status)
      if (group === undefined) byStatus.set(status, (group = createGroup()))
      group.count += 1
      group.amount.add(amount)
      if (received !== null) group.received.add(received)
      if (overpayment !== '0') group.overpayment.add(overpayment)
      // Most rows match exactly, and comparing texts is cheap.
      const isExact = status === 'paid' && received === amount
      if (overpayment !== '0' || (!isExact && received !== null && received !== '0')) {
        group.excess.add(String(moneyOf(invoice).excess))
      }
    },
    all: () =>
      [...groups]
        .flatMap(([currency, byStatus]) =>
          [...byStatus].map(([status, { count, ...sums }]) => ({
            currency,
            status,
            count,
            amount: sums.amount.total(),
            received: sums.received.total(),
            overpayment: sums.overpayment.total(),
            excess: sums.excess.total(),
          })),
        )
        .sort(
          (a, b) =>
            a.currency.localeCompare(b.currency, 'en') ||
            placeOf(a.status) - placeOf(b.status) ||
            a.status.localeCompare(b.status, 'en'),
        ),
  }
}

type Group = ReturnType<typeof createGroup>

function createGroup() {
  return {
    count: 0,
    amount: createSum(),
    received: createSum(),
    overpayment: createSum(),
    excess: createSum(),
  }
}

function placeOf(status: string): number {
  const place = order.indexOf(status)
  return place === -1 ? order.length : place
}

export function formatTotals(totals: readonly Total[]) {
  return totals.map(({ currency, status, count, amount, received, overpayment, excess }) => {
    const print = (units: bigint) => formatAmount(units, decimalsOf[currency])
    return {
      ...{ currency, status, count, amount: print(amount) },
      ...{ received: print(received), overpayment: print(overpayment), excess: print(excess) },
    }
  })
}
