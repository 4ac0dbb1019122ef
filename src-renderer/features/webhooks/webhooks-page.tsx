import type { Network, Webhook } from '../../../src-preload/contract/index.ts'
import { useResource, valueOf } from '../../resource.ts'
import { navigate, useRoute } from '../../route.ts'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { WebhooksView, WebhookTab } from '../../webhooks-route.ts'
import { webhookRoute } from '../../webhooks-route.ts'
import { useCurrentNetwork } from '../networks.ts'
import { AccountsTab } from './accounts/accounts-tab.tsx'
import { ChangesTab } from './changes/changes-tab.tsx'
import { FailuresTab } from './failures/failures-tab.tsx'
import { FileView } from './file/file-view.tsx'
import { MissedTab } from './missed/missed-tab.tsx'
import { OpcodesTab } from './opcodes/opcodes-tab.tsx'
import { webhooksOf } from './webhooks.ts'

export function WebhooksPage() {
  const route = useRoute((state) => state.route)
  const network = useCurrentNetwork()
  const view: WebhooksView = route.page === 'webhooks' ? route : { view: 'home' }
  return <Page title="Webhooks">{network !== null && <View network={network} view={view} />}</Page>
}

function View({ network, view }: { network: Network; view: WebhooksView }) {
  const list = valueOf(useResource(webhooksOf(network.id)))
  if (view.view === 'file') return <FileView network={network} />
  const webhook =
    view.view === 'webhook' ? list?.webhooks.find(({ id }) => id === view.id) : undefined
  if (webhook === undefined || view.view !== 'webhook') return null
  return <Detail key={webhook.id} webhook={webhook} tab={view.tab} item={view.item} />
}

function Detail({ webhook, tab, item }: { webhook: Webhook; tab: WebhookTab; item: string }) {
  return (
    <Tabs
      label="Webhook"
      value={tab}
      onChange={(next) => navigate(webhookRoute(webhook.id, next))}
      tabs={[
        { value: 'overview', label: 'Overview', panel: null },
        {
          value: 'accounts',
          label: 'Accounts',
          panel: <AccountsTab webhook={webhook} item={item} />,
        },
        { value: 'opcodes', label: 'Opcodes', panel: <OpcodesTab webhook={webhook} item={item} /> },
        {
          value: 'failures',
          label: 'Failures',
          panel: <FailuresTab webhook={webhook} item={item} />,
        },
        { value: 'missed', label: 'Missed', panel: <MissedTab webhook={webhook} item={item} /> },
        { value: 'changes', label: 'Changes', panel: <ChangesTab webhook={webhook} item={item} /> },
      ]}
    />
  )
}
