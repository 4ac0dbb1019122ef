import type { Webhook } from '../../../../src-preload/contract/index.ts'
import { formatNumber } from '../../../format.ts'
import { useShortcuts } from '../../../keyboard.ts'
import { navigate } from '../../../route.ts'
import { IconButton } from '../../../ui/button.tsx'
import pane from '../../../ui/pane.module.css'
import { Tabs } from '../../../ui/tabs.tsx'
import type { WebhookTab } from '../../../webhooks-route.ts'
import { webhookRoute, webhooksHome } from '../../../webhooks-route.ts'
import { AccountsTab } from '../accounts/accounts-tab.tsx'
import { ChangesTab } from '../changes/changes-tab.tsx'
import { FailuresTab } from '../failures/failures-tab.tsx'
import { MissedTab } from '../missed/missed-tab.tsx'
import { OpcodesTab } from '../opcodes/opcodes-tab.tsx'
import styles from './detail.module.css'

const close = () => navigate(webhooksHome)

/** The webhook that is open. */
export function WebhookDetail({
  webhook,
  tab,
  item,
}: {
  webhook: Webhook
  tab: WebhookTab
  item: string
}) {
  useShortcuts([{ keys: ['Escape'], label: 'Close the webhook', group: 'Webhooks', run: close }])
  const go = (next: WebhookTab) =>
    navigate({ ...webhookRoute(webhook.id, next), network: webhook.network })
  return (
    <section className={styles['detail']} aria-label={`Webhook ${webhook.id}`}>
      <header>
        <div className={pane['head']}>
          <h2 className={pane['title']}>{webhook.endpoint}</h2>
          <IconButton icon="close" label="Close (Esc)" onClick={close} />
        </div>
      </header>
      <Tabs
        label="Webhook"
        className={styles['tabs']}
        value={tab}
        onChange={go}
        tabs={[
          { value: 'overview', label: 'Overview', panel: null },
          {
            value: 'accounts',
            label: 'Accounts',
            count: webhook.accounts === null ? undefined : formatNumber(webhook.accounts),
            panel: <AccountsTab webhook={webhook} item={item} />,
          },
          {
            value: 'opcodes',
            label: 'Opcodes',
            count: webhook.opcodes === null ? undefined : formatNumber(webhook.opcodes),
            panel: <OpcodesTab webhook={webhook} item={item} />,
          },
          {
            value: 'failures',
            label: 'Failures',
            panel: <FailuresTab webhook={webhook} item={item} />,
          },
          { value: 'missed', label: 'Missed', panel: <MissedTab webhook={webhook} item={item} /> },
          {
            value: 'changes',
            label: 'Changes',
            panel: <ChangesTab webhook={webhook} item={item} />,
          },
        ]}
      />
    </section>
  )
}
