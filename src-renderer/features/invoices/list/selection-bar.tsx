import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatAmount } from '../../../components/amount.ts'
import { formatCount } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { copyText } from '../../../ui/copy-button.tsx'
import { cancelInvoices } from './cancel-commands.tsx'
import { clearSelection, useInvoiceList } from './invoice-list.ts'
import { sumsOf } from './invoice-query.ts'
import styles from './list.module.css'

/** What can be done with the selected rows; nothing while there are none. */
export function SelectionBar({ network }: { network: Network }) {
  const selected = useInvoiceList((state) => state.selected)
  if (selected.size === 0) return null
  const chosen = [...selected.values()]
  const sums = sumsOf(chosen).map(
    ({ currency, sum }) => `${formatAmount(String(sum), currency)} ${currency}`,
  )
  return (
    <div className={styles['selected']} role="group" aria-label="Selected invoices">
      <span role="status">
        {formatCount(selected.size, 'invoice')} selected, {sums.join(' and ')}
      </span>
      <Button
        icon="copy"
        onClick={() => void copyText(chosen.map(({ id }) => id).join('\n'), 'Ids')}
      >
        Copy ids
      </Button>
      <Button kind="danger" onClick={() => void cancelInvoices(network, chosen)}>
        Cancel selected…
      </Button>
      <Button kind="quiet" onClick={clearSelection}>
        Clear
      </Button>
    </div>
  )
}
