import type { ReactNode } from 'react'
import type { Closing } from '../../../../src-preload/contract/matter.ts'
import { formatAmount } from '../../../components/amount.ts'
import { formatCount } from '../../../ui/format.ts'
import { classes } from '../../../ui/classes.ts'
import { sayDifference } from './closing-words.ts'
import styles from './closing.module.css'

type Total = Closing['totals'][number]

/** Totals by currency, as books have them: what should be, what is, and what lies between. */
export function Statement({ closing: { totals } }: { closing: Closing }) {
  const amount = (of: (total: Total) => string) => (total: Total) =>
    formatAmount(of(total), total.currency)
  return (
    <div className={styles['scroll']}>
      <table className={styles['totals']}>
        <thead>
          <tr>
            <td />
            {totals.map(({ currency }) => (
              <th key={currency} scope="col">
                {currency}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Line
            totals={totals}
            name="Paid, by the gateway"
            cell={amount((total) => total.paidAmount)}
            more={(total) => formatCount(total.paid, 'invoice')}
          />
          <Line totals={totals} name="Overpaid" cell={amount((total) => total.overpayment)} />
          <Line
            totals={totals}
            name="Received, on the chain"
            isSum
            cell={amount((total) => total.received)}
            more={(total) => formatCount(total.payments, 'payment')}
          />
          <Line
            totals={totals}
            name="matched to invoices"
            isPart
            cell={amount((total) => total.matched)}
          />
          <Line
            totals={totals}
            name="of it paid in another period, or not paid"
            isPart
            isDeeper
            cell={amount((total) => total.matchedElsewhere)}
          />
          <Line
            totals={totals}
            name="matched to no invoice"
            isPart
            cell={amount((total) => total.unmatched)}
          />
        </tbody>
        <tfoot>
          <Line
            totals={totals}
            name="Difference"
            isSum
            cell={(total) => <Difference total={total} />}
            more={(total) => sayDifference(total, total.currency).text}
          />
        </tfoot>
      </table>
    </div>
  )
}

function Difference({ total }: { total: Total }) {
  const { agrees, amount } = sayDifference(total, total.currency)
  return <span className={agrees ? styles['good'] : styles['bad']}>{amount}</span>
}

function Line({
  totals,
  name,
  cell,
  more,
  isSum = false,
  isPart = false,
  isDeeper = false,
}: {
  totals: readonly Total[]
  name: string
  cell: (total: Total) => ReactNode
  more?: (total: Total) => string
  isSum?: boolean
  isPart?: boolean
  /** A part of the part above it. */
  isDeeper?: boolean
}) {
  return (
    <tr
      className={classes(
        isSum && styles['sum'],
        isPart && styles['part'],
        isDeeper && styles['deeper'],
      )}
    >
      <th scope="row">{name}</th>
      {totals.map((total) => (
        <td key={total.currency}>
          {cell(total)}
          {/* Amounts stand below one another, whatever is said beside them. */}
          <span className={styles['more']}>{more?.(total)}</span>
        </td>
      ))}
    </tr>
  )
}
