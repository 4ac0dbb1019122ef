import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatNumber } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { navigate } from '../../../app/route.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { type MenuItem, Menu } from '../../../ui/menu.tsx'
import pane from '../../../ui/pane.module.css'
import { Tabs } from '../../../ui/tabs.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useKeptFocus } from '../../../ui/use-kept-focus.ts'
import { type WebhookTab, webhookRoute } from '../../../app/webhooks-route.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { AccountsTab } from '../accounts/accounts-tab.tsx'
import { ChangesTab } from '../changes/changes-tab.tsx'
import { Endpoint } from '../endpoint.tsx'
import { FailuresTab } from '../failures/failures-tab.tsx'
import { MissedTab } from '../missed/missed-tab.tsx'
import { openMove } from '../move/move-dialog.tsx'
import { OpcodesTab } from '../opcodes/opcodes-tab.tsx'
import { StatusMark } from '../status-mark.tsx'
import { Bars } from './bars.tsx'
import { openDelete } from './delete-dialog.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { bringBackOnline, closeWebhook, copyWebhookLink, rotateToken } from './webhook-commands.tsx'
import styles from './detail.module.css'

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
  useShortcuts([
    { keys: ['Escape'], label: 'Close the webhook', group: 'Webhooks', run: closeWebhook },
  ])
  const area = useKeptFocus<HTMLElement>()
  const go = (next: WebhookTab) =>
    navigate({ ...webhookRoute(webhook.id, next), network: webhook.network })
  return (
    <section
      ref={area}
      tabIndex={-1}
      className={styles['detail']}
      aria-label={`Webhook ${webhook.id}`}
    >
      <header>
        <Head webhook={webhook} />
        <Bars webhook={webhook} />
      </header>
      <Tabs
        label="Webhook"
        className={styles['tabs']}
        value={tab}
        onChange={go}
        tabs={[
          { value: 'overview', label: 'Overview', panel: <OverviewTab webhook={webhook} /> },
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

function Head({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const { endpoint, isHere, status } = webhook
  const items: MenuItem[] = [
    { label: 'Copy link', icon: 'copy', onSelect: () => void copyWebhookLink(webhook) },
    {
      label: 'Back online',
      icon: 'play',
      disabled: status === 'online',
      onSelect: () => void bringBackOnline(webhook),
    },
    { label: 'Move to another endpoint…', icon: 'right', onSelect: () => openMove(webhook) },
    {
      label: 'Rotate token…',
      icon: 'key',
      onSelect: () => void rotateToken(webhook, network),
    },
    'line',
    { label: 'Delete…', icon: 'trash', danger: true, onSelect: () => openDelete(webhook) },
  ]
  return (
    <div className={classes(pane['head'], styles['head'])}>
      <h2 className={classes(pane['title'], styles['title'])}>
        <Endpoint url={endpoint} />
      </h2>
      <CopyButton text={endpoint} what="Endpoint" iconOnly kind="quiet" />
      <StatusMark webhook={webhook} />
      {isHere && <Tag title="It delivers to this computer’s receiver.">this receiver</Tag>}
      <span className={styles['actions']}>
        <Menu trigger={<IconButton icon="more" label="More" />} items={items} />
        <IconButton icon="close" label="Close (Esc)" onClick={closeWebhook} />
      </span>
    </div>
  )
}
