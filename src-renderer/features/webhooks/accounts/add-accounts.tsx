import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import pane from '../../../ui/pane.module.css'
import { createAddressList } from '../../../components/address-list/address-list.ts'
import { ListEntry } from '../../../components/address-list/list-entry.tsx'
import { SandboxWallets } from '../../../components/address-list/sandbox-wallets.tsx'
import { NetworkTag } from '../../../components/network-tag.tsx'
import { changeJobs } from '../changes/changes.ts'
import { accountRoute } from './account-route.ts'
import { ofWebhook } from './subscription-commands.ts'

/** It stays while one looks at other pages. */
const list = createAddressList()

const title = 'Add accounts'

/** Puts together what is to be subscribed, and shows what was understood before anything is. */
export function AddAccounts({ network, webhook }: { network: Network; webhook: Webhook }) {
  const leave = () => navigate(accountRoute(webhook))
  useShortcuts([{ keys: ['Escape'], label: 'Back to the accounts', group: title, run: leave }])
  const start = async (draft: string) => {
    const change = await request('subscription.add', { ...ofWebhook(webhook), draft })
    leave()
    changeJobs.begun(change)
  }
  return (
    <div className={pane['pane']}>
      <div className={pane['head']}>
        <Button kind="quiet" icon="left" onClick={leave}>
          Accounts
        </Button>
        <h3 className={pane['title']}>{title}</h3>
      </div>
      <ListEntry
        list={list}
        network={network}
        title={title}
        action={(valid) =>
          valid === 0 ? 'Subscribe' : `Subscribe ${formatCount(valid, 'account')}`
        }
        where={
          <>
            on <NetworkTag id={network.id} />
          </>
        }
        onHand={start}
        offer={<SandboxWallets list={list} network={network} />}
      />
    </div>
  )
}
