import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { formatAmount } from '../../../components/amount.ts'
import { formatCount } from '../../../ui/format.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import styles from './closing.module.css'

type Totals = Output<'invoiceStats.gateway'>[number]

/** What the gateway itself adds up to, of all time, beside the ledger. Asked only when looked at. */
export function GatewayTotals({ network }: { network: Network }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={styles['gateway']}>
      <Button
        kind="quiet"
        icon={isOpen ? 'down' : 'right'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        The gateway’s own totals
      </Button>
      {isOpen && <Answer network={network} />}
    </div>
  )
}

function Answer({ network }: { network: Network }) {
  const { state, resource } = useAnswer('invoiceStats.gateway', { network: network.id })
  if (state.status === 'failed') {
    return (
      <p className={styles['bad']} role="alert">
        They could not be read: {state.error.message}{' '}
        <Button onClick={() => void resource.reload()}>Try again</Button>
      </p>
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={2} label="Asking the gateway" />
  return (
    <table className={styles['totals']}>
      <thead>
        <tr>
          <th scope="col">Of all time</th>
          <th scope="col">Gateway</th>
          <th scope="col">Ledger</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {state.value.map((each) => (
          <Line key={each.currency} totals={each} />
        ))}
      </tbody>
    </table>
  )
}

function Line({ totals: { currency, gateway, ledger, agrees } }: { totals: Totals }) {
  const say = ({ total, pending, paidAmount, pendingAmount }: Totals['gateway']) =>
    `${formatAmount(paidAmount, currency)} paid, ${formatAmount(pendingAmount, currency)} open; ` +
    `${formatCount(total, 'invoice')}, ${pending} of them open`
  return (
    <tr>
      <th scope="row">{currency}</th>
      <td>{say(gateway)}</td>
      <td>{say(ledger)}</td>
      <td className={agrees ? styles['good'] : styles['bad']}>{agrees ? 'agrees' : 'differs'}</td>
    </tr>
  )
}
