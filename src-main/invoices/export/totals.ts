import { type InvoiceAmounts, moneyOf } from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'

/** Doubles are exact up to 2^53; this limit leaves room for one more addend of fifteen digits. */
const maxExact = 2 ** 52
const exactDigits = 15

/** Adds small numbers as doubles, because a million bigint additions would take a second. */
export function createSum() {
  let small = 0
  let large = 0n
  return {
    add(digits: string): void {
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

type Group = ReturnType<typeof createGroup>

function createGroup({ currency, status }: InvoiceAmounts) {
  return {
    currency,
    status,
    count: 0,
    amount: createSum(),
    received: createSum(),
    overpayment: createSum(),
    refunded: createSum(),
    /** Money beyond what the invoices keep; where gateway and chain differ, the larger amount counts. */
    excess: createSum(),
  }
}

const statuses = ['paid', 'pending', 'expired', 'cancelled']

function compareGroups(a: Group, b: Group): number {
  const place = ({ status }: Group) => [...statuses, status].indexOf(status)
  return (
    a.currency.localeCompare(b.currency, 'en') ||
    place(a) - place(b) ||
    a.status.localeCompare(b.status, 'en')
  )
}

export type Total = ReturnType<ReturnType<typeof createTotals>['all']>[number]

export function createTotals() {
  const groups = new Map<string, Group>()

  return {
    add(invoice: InvoiceAmounts): void {
      const { currency, status, amount, received, overpayment } = invoice
      const key = currency + status
      let group = groups.get(key)
      if (group === undefined) groups.set(key, (group = createGroup(invoice)))
      group.count += 1
      group.amount.add(amount)
      if (received !== null) group.received.add(received)
      if (overpayment !== '0') group.overpayment.add(overpayment)
      if (invoice.refunded !== '0') group.refunded.add(invoice.refunded)
      // Most rows match exactly, and comparing texts is cheap.
      const isExact = status === 'paid' && received === amount
      if (overpayment !== '0' || (!isExact && received !== null && received !== '0')) {
        group.excess.add(String(moneyOf(invoice).excess))
      }
    },
    all: () =>
      [...groups.values()].sort(compareGroups).map(({ currency, status, count, ...sums }) => ({
        currency,
        status,
        count,
        amount: sums.amount.total(),
        received: sums.received.total(),
        overpayment: sums.overpayment.total(),
        excess: sums.excess.total(),
        refunded: sums.refunded.total(),
      })),
  }
}

/** The groups of each currency, followed by their sum. */
export function withSums(totals: readonly Total[]): (Total & { readonly isSum: boolean })[] {
  return [...Map.groupBy(totals, ({ currency }) => currency)].flatMap(([currency, groups]) => {
    const sum = (of: 'amount' | 'received' | 'overpayment' | 'excess' | 'refunded') =>
      groups.reduce((all, each) => all + each[of], 0n)
    return [
      ...groups.map((each) => ({ ...each, isSum: false })),
      {
        currency,
        status: 'all',
        isSum: true,
        count: groups.reduce((all, each) => all + each.count, 0),
        amount: sum('amount'),
        received: sum('received'),
        overpayment: sum('overpayment'),
        excess: sum('excess'),
        refunded: sum('refunded'),
      },
    ]
  })
}

export function formatTotals(totals: readonly Total[]) {
  return totals.map(({ currency, status, count, ...sums }) => {
    const format = (units: bigint) => formatAmount(units, decimalsOf[currency])
    return {
      currency,
      status,
      count,
      amount: format(sums.amount),
      received: format(sums.received),
      overpayment: format(sums.overpayment),
      excess: format(sums.excess),
      refunded: format(sums.refunded),
    }
  })
}
