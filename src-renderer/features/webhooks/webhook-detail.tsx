/** The webhook that is open: its head, what needs attention, and its tabs. */
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { useData } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { type WebhookTab, webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import { Button, IconButton, Menu } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { formatNumber, fromMs } from '../../ui/format.ts'
import { useShortcuts, useKeptFocus } from '../../ui/keyboard.ts'
import { Note, Pane, Row, Moment, Text } from '../../ui/layout.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AccountsTab } from './accounts/accounts-tab.tsx'
import { ChangesTab } from './changes/change-view.tsx'
import { openDelete, bringBackOnline, copyWebhookLink, rotateToken } from './webhook-actions.tsx'
import { FailuresTab } from './failures/failures-tab.tsx'
import { MissedTab } from './missed/missed-tab.tsx'
import { MoveBar, openMove, currentMove, useMoves } from './move/move-dialog.tsx'
import { OpcodesTab } from './opcodes-tab.tsx'
import { HereTag, isFormerlyHere } from './webhook-list.tsx'
import { WebhookOverview } from './webhook-overview.tsx'

const close = () => navigate(webhooksHome)

export function WebhookDetail({
  webhook,
  tab,
  item,
}: {
  webhook: Webhook
  tab: WebhookTab
  /** What is open in the tab: an account, a change; empty for nothing. */
  item: string
}) {
  useShortcuts([{ keys: ['Escape'], label: 'Close the webhook', group: 'Webhooks', run: close }])
  const area = useKeptFocus<HTMLDivElement>()
  const { accounts, opcodes } = webhook
  const count = (value: number | null) => (value === null ? undefined : formatNumber(value))
  return (
    <Pane ref={area} role="region" tabIndex={-1} aria-label={`Webhook ${webhook.id}`}>
      <Head webhook={webhook} />
      <Bars webhook={webhook} />
      <Tabs
        label="Webhook"
        group="Webhooks"
        value={tab}
        onChange={(next) =>
          navigate({ ...webhookRoute(webhook.id, next), network: webhook.network })
        }
        tabs={[
          { value: 'overview', label: 'Overview', panel: <WebhookOverview webhook={webhook} /> },
          {
            value: 'accounts',
            label: 'Accounts',
            count: count(accounts),
            panel: <AccountsTab webhook={webhook} item={item} />,
          },
          {
            value: 'opcodes',
            label: 'Opcodes',
            count: count(opcodes),
            panel: <OpcodesTab webhook={webhook} />,
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
    </Pane>
  )
}

function Head({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const { endpoint, isHere, status, statusSince } = webhook
  return (
    <Row as="header" pad="m" line="below">
      <Text as="h2" size="m" strong over="cut">
        <Endpoint url={endpoint} />
      </Text>
      <CopyButton text={endpoint} what="Endpoint" iconOnly kind="quiet" />
      <StatusTag webhook={webhook} />
      {statusSince !== null && (
        <Text size="s" tone="dim" over="nowrap">
          since <Moment at={fromMs(statusSince)} />
        </Text>
      )}
      {isHere && <HereTag />}
      <Row last gap="xs">
        <Menu
          trigger={<IconButton icon="more" label="More" />}
          items={[
            { label: 'Copy link', icon: 'copy', onSelect: () => void copyWebhookLink(webhook) },
            {
              label: 'Bring back online',
              icon: 'play',
              disabled: status === 'online',
              onSelect: () => void bringBackOnline(webhook),
            },
            {
              label: 'Move to another endpoint…',
              icon: 'right',
              onSelect: () => openMove(webhook),
            },
            {
              label: 'Rotate token…',
              icon: 'key',
              onSelect: () => void rotateToken(webhook, network),
            },
            'line',
            {
              label: 'Delete webhook…',
              icon: 'trash',
              danger: true,
              onSelect: () => openDelete(webhook),
            },
          ]}
        />
        <IconButton icon="close" label="Close (Esc)" onClick={close} />
      </Row>
    </Row>
  )
}

/** What needs attention: nothing is delivered, a move is under way, or it delivers to a former address. */
function Bars({ webhook }: { webhook: Webhook }) {
  const move = currentMove(useMoves(webhook.network), webhook.id)
  return (
    <div>
      <StatusBar webhook={webhook} />
      {move === null ? (
        <FormerAddressBar webhook={webhook} />
      ) : (
        <MoveBar move={move} of={webhook} />
      )}
    </div>
  )
}

const statusNotes = {
  offline:
    'The gateway took this webhook offline after too many failed deliveries. Nothing is delivered. Fix the endpoint, then bring the webhook back online.',
  suspended:
    'The gateway suspended this webhook because the balance of the project is used up. Nothing is delivered. Top up the balance in the gateway’s console, then bring the webhook back online.',
}

function StatusBar({ webhook }: { webhook: Webhook }) {
  const { status } = webhook
  if (status !== 'offline' && status !== 'suspended') return null
  return (
    <Note tone={status === 'offline' ? 'bad' : 'warn'}>
      <Row justify="between">
        {statusNotes[status]}
        <Button onClick={() => void bringBackOnline(webhook)}>Bring back online</Button>
      </Row>
    </Note>
  )
}

/** The endpoint is a former address of this receiver: another public URL, or a token since replaced. */
function FormerAddressBar({ webhook }: { webhook: Webhook }) {
  const { network, endpoint, isHere } = webhook
  const here = useData('receiver.state').data?.url ?? null
  const { data: warnings } = useData('webhook.checkEndpoint', { network, endpoint })
  if (isHere) return null
  const warning =
    warnings?.find(({ kind }) => kind === 'wrong-path')?.message ??
    (isFormerlyHere(endpoint, here)
      ? 'The path of this endpoint is that of this receiver, but its host is neither this computer nor the public URL in the settings. Deliveries may not arrive.'
      : null)
  if (warning === null) return null
  return (
    <Note tone="warn">
      <Row justify="between">
        {warning}
        <Button onClick={() => openMove(webhook)}>Move…</Button>
      </Row>
    </Note>
  )
}
