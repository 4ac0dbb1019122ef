import { useEffect, useRef } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatNumber } from '../../../ui/format.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { NewsBar } from '../../../ui/news-bar.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { ExportMenu } from '../../../components/files/export-menu.tsx'
import { useTotal } from '../../../components/list/list-states.tsx'
import { rowAt } from '../../../components/list/windows.ts'
import { accountRoute, addItem } from './account-route.ts'
import { AddAccounts } from './add-accounts.tsx'
import { FilterBar } from './filter-bar.tsx'
import { MirrorProblem, MirrorState, useFirstReading } from './mirror-bar.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { exportSubscriptions, removeShown } from './subscription-commands.ts'
import { SubscriptionDetail } from './subscription-detail.tsx'
import { SubscriptionRows } from './subscription-rows.tsx'
import {
  followSubscriptions,
  openSubscriptions,
  showNews,
  subscriptions,
  useSubscriptions,
} from './subscriptions.ts'
import { useSubscriptionKeys } from './use-subscription-keys.ts'
import styles from './accounts.module.css'

/** The accounts a webhook is subscribed to; `item` is the one that is open. */
export function AccountsTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const network = useShownNetwork()
  const { id } = webhook
  useEffect(() => openSubscriptions(webhook.network, id), [webhook.network, id])
  useEffect(followSubscriptions, [])
  const isOpen = useSubscriptions(
    ({ of }) => of?.webhook === webhook.id && of.network === webhook.network,
  )
  if (item === addItem) return <AddAccounts network={network} webhook={webhook} />
  // Until then it holds those of the webhook before.
  if (!isOpen) return <Skeleton rows={12} label="Loading the accounts" />
  return <Accounts webhook={webhook} account={item} />
}

function Accounts({ webhook, account }: { webhook: Webhook; account: string }) {
  const field = useRef<HTMLInputElement>(null)
  const hasNews = useSubscriptions((state) => state.hasNews)
  const isReady = subscriptions.store((state) => state.status === 'ready')
  useFirstReading(webhook)
  const put = (index: number | null) => {
    useSubscriptions.setState({ cursor: index })
    // Beside an open one, what is walked to is shown at once.
    const state = subscriptions.store.getState()
    const row = state.status === 'ready' && index !== null ? rowAt(state, index) : null
    if (row !== null && account !== '') {
      navigate(accountRoute(webhook, row.account), { replace: true })
    }
  }
  return (
    <div className={styles['tab']}>
      <div>
        <Bar webhook={webhook} />
        <FilterBar field={field} />
        <MirrorProblem webhook={webhook} />
        <SelectionBar webhook={webhook} />
      </div>
      <div className={styles['list']}>
        {hasNews && <NewsBar onShow={showNews}>The order has changed</NewsBar>}
        <SubscriptionRows webhook={webhook} onCursor={put} />
      </div>
      {account !== '' && (
        <div className={styles['detail']}>
          <SubscriptionDetail key={account} webhook={webhook} account={account} />
        </div>
      )}
      {isReady && <Keys webhook={webhook} account={account} field={field} onCursor={put} />}
    </div>
  )
}

/** Comes after what stands around it, so that its keys go before theirs. */
function Keys(props: Parameters<typeof useSubscriptionKeys>[0]) {
  useSubscriptionKeys(props)
  return null
}

function Bar({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const total = useTotal(subscriptions)
  return (
    <div className={styles['bar']}>
      <span className={styles['state']}>
        <MirrorState webhook={webhook} />
      </span>
      <ExportMenu
        items={[
          {
            label: 'YAML',
            hint: 'e',
            onSelect: () => void exportSubscriptions(webhook, 'yaml'),
          },
          { label: 'CSV', onSelect: () => void exportSubscriptions(webhook, 'csv') },
        ]}
      />
      <Button kind="main" icon="plus" onClick={() => navigate(accountRoute(webhook, addItem))}>
        Add accounts <Kbd>a</Kbd>
      </Button>
      <Menu
        trigger={<Button kind="quiet" icon="more" aria-label="More" title="More" />}
        items={[
          {
            label: `Remove all ${formatNumber(total)} shown…`,
            icon: 'trash',
            danger: true,
            disabled: total === 0,
            onSelect: () => void removeShown(network, webhook, total),
          },
        ]}
      />
    </div>
  )
}
