import { type InvoiceAmounts, moneyOf } from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'

/**
 * `excess` is the amount beyond the invoices' amounts; if gateway and chain differ, the larger
 * amount counts.
 */
const sumNames = ['amount', 'received', 'overpayment', 'excess', 'refunded'] as const
type SumName = (typeof sumNames)[number]

const sumsBy = <T>(sumOf: (name: SumName) => T): Record<SumName, T> =>
  Object.fromEntries(sumNames.map((name) => [name, sumOf(name)])) as Record<SumName, T>

const noSums = sumsBy(() => 0n)

type Group = ReturnType<typeof createGroup>

function createGroup({ currency, status }: InvoiceAmounts) {
  return { currency, status, count: 0, sums: { ...noSums } }
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
      const key = invoice.currency + invoice.status
      let group = groups.get(key)
      if (group === undefined) groups.set(key, (group = createGroup(invoice)))
      group.count += 1
      const { received, excess, refunded } = moneyOf(invoice)
      group.sums.amount += BigInt(invoice.amount)
      group.sums.received += received ?? 0n
      group.sums.overpayment += BigInt(invoice.overpayment)
      group.sums.excess += excess
      group.sums.refunded += refunded
    },
    all: () =>
      [...groups.values()].sort(compareGroups).map(({ sums, ...group }) => ({ ...group, ...sums })),
  }
}

/** Returns the groups of each currency, followed by their sum. */
export function addSumRows(totals: readonly Total[]): (Total & { readonly isSum: boolean })[] {
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
