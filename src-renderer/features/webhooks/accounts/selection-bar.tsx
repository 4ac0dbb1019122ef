import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatCount } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { ofWebhook, removeAccounts, watchAccounts } from './subscription-commands.ts'
import { clearSelection, useSubscriptions } from './subscriptions.ts'
import styles from './accounts.module.css'

/** What can be done with the selected rows; nothing while there are none. */
export function SelectionBar({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const selected = useSubscriptions((state) => state.selected)
  if (selected.size === 0) return null
  const accounts = [...selected]
  const of = ofWebhook(webhook)
  return (
    <div className={styles['selected']} role="group" aria-label="Selected accounts">
      <span role="status">{formatCount(selected.size, 'account')} selected</span>
      <Button icon="star" onClick={() => void watchAccounts(of, accounts, true)}>
        Watch
      </Button>
      <Button onClick={() => void watchAccounts(of, accounts, false)}>Stop watching</Button>
      <Button
        kind="danger"
        icon="trash"
        onClick={() => void removeAccounts(network, webhook, accounts)}
      >
        Remove…
      </Button>
      <Button kind="quiet" onClick={clearSelection}>
        Clear
      </Button>
    </div>
  )
}
