import type { ComponentProps } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { navigate } from '../../../app/route.ts'
import { addAccountsItem, webhookRoute } from '../../../app/webhooks-route.ts'
import { createAddressList } from '../../../components/address-list/address-list.ts'
import { ListEntry } from '../../../components/address-list/list-entry.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatCount } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Kbd, Pane, Row, Text } from '../../../ui/layout.tsx'
import { changeJobs } from '../changes/changes.ts'
import { ofWebhook } from './subscriptions.ts'

/** The list is kept while the user looks at other pages. */
const list = createAddressList()

const title = 'Add accounts'

export const addAccounts = (webhook: Webhook) =>
  navigate(webhookRoute(webhook, 'accounts', addAccountsItem))

type AddButtonProps = Pick<ComponentProps<typeof Button>, 'kind'> & {
  webhook: Webhook
  /** The key that is shown behind the text. */
  shortcut?: string
}

export function AddAccountsButton({ webhook, shortcut, kind = 'plain' }: AddButtonProps) {
  return (
    <Button kind={kind} icon="plus" onClick={() => addAccounts(webhook)}>
      {title} {shortcut !== undefined && <Kbd>{shortcut}</Kbd>}
    </Button>
  )
}

/** A form for many addresses; all of them are checked before any is subscribed. */
export function AddAccounts({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const leave = () => navigate(webhookRoute(webhook, 'accounts'))
  useShortcuts([{ keys: ['Escape'], label: 'Back to the accounts', group: title, run: leave }])
  const start = async (draft: string) => {
    const change = await request('subscription.add', { ...ofWebhook(webhook), draft })
    leave()
    changeJobs.begun(change)
  }
  return (
    <Pane>
      <Row pad="m" line="below">
        <Button kind="quiet" icon="left" onClick={leave}>
          Accounts
        </Button>
        <Text as="h3" size="m">
          {title}
        </Text>
      </Row>
      <ListEntry
        list={list}
        network={network}
        title={title}
        action={(valid) =>
          valid === 0 ? 'Subscribe' : `Subscribe ${formatCount(valid, 'account')}`
        }
        onHand={start}
      />
    </Pane>
  )
}
