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

/** `excess`: beyond what the invoices keep; where gateway and chain differ, the larger amount counts. */
const sumNames = ['amount', 'received', 'overpayment', 'excess', 'refunded'] as const
type SumName = (typeof sumNames)[number]

function sumsBy<T>(sumOf: (name: SumName) => T): Readonly<Record<SumName, T>> {
  return Object.fromEntries(sumNames.map((name) => [name, sumOf(name)])) as Record<SumName, T>
}

type Group = ReturnType<typeof createGroup>

function createGroup({ currency, status }: InvoiceAmounts) {
  return { currency, status, count: 0, sums: sumsBy(createSum) }
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
      const { sums } = group
      sums.amount.add(amount)
      if (received !== null) sums.received.add(received)
      if (overpayment !== '0') sums.overpayment.add(overpayment)
      if (invoice.refunded !== '0') sums.refunded.add(invoice.refunded)
      // Most rows match exactly, and comparing texts is cheap.
      const isExact = status === 'paid' && received === amount
      if (overpayment !== '0' || (!isExact && received !== null && received !== '0')) {
        sums.excess.add(String(moneyOf(invoice).excess))
      }
    },
    all: () =>
      [...groups.values()].sort(compareGroups).map(({ sums, ...group }) => {
        return { ...group, ...sumsBy((name) => sums[name].total()) }
      }),
  }
}

/** The groups of each currency, followed by their sum. */
export function withSums(totals: readonly Total[]): (Total & { readonly isSum: boolean })[] {
  return [...Map.groupBy(totals, ({ currency }) => currency)].flatMap(([currency, groups]) => [
    ...groups.map((each) => ({ ...each, isSum: false })),
    {
      currency,
      status: 'all',
      isSum: true,
      count: groups.reduce((all, each) => all + each.count, 0),
      ...sumsBy((name) => groups.reduce((all, each) => all + each[name], 0n)),
    },
  ])
}

export function formatTotals(totals: readonly Total[]) {
  return totals.map((total) => {
    const { currency, status, count } = total
    const sums = sumsBy((name) => formatAmount(total[name], decimalsOf[currency]))
    return { currency, status, count, ...sums }
  })
}
