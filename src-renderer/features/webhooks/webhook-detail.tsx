/** The open webhook: its heading, what needs attention, and its tabs. */
import { useId, useRef } from 'react'
import type { Webhook, OpcodeSubscription } from '../../../src-preload/contract/webhook.ts'
import { webhookState } from '../../../src-preload/domain/webhook-state.ts'
import { useData, attempt, request, put } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { type WebhookTab, webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { useShownNetwork, confirmOn, hasRealValue } from '../../components/network-tag.tsx'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import { Button, IconButton, Menu, menuItem } from '../../ui/button.tsx'
import { CopyButton, announce, showToast } from '../../ui/toast.tsx'
import { formatNumber, fromMs } from '../../ui/format.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Note, Pane, Row, Section, Text, Stack, Tag, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AccountsTab } from './accounts/accounts-tab.tsx'
import { ChangesTab } from './changes/change-view.tsx'
import { openDelete, bringBackOnline, copyWebhookLink, rotateToken } from './webhook-actions.tsx'
import { DeliveriesTab } from './deliveries/deliveries-tab.tsx'
import { MissedTab } from './missed/missed-tab.tsx'
import { MoveBar, openMove, currentMove, useMoves } from './move/move-dialog.tsx'
import { HereTag } from './list-columns.tsx'
import { isFormerlyHere } from './webhook-rows.ts'
import { WebhookOverview } from './webhook-overview.tsx'
import type { Network } from '../../../src-preload/contract/network.ts'
import { useForm } from '../../app/use-form.ts'
import { Form, TextField } from '../../ui/form.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { Table, column } from '../../ui/table.tsx'

const close = () => navigate(webhooksHome)

export function WebhookDetail({
  webhook,
  tab,
  item,
}: {
  webhook: Webhook
  tab: WebhookTab
  /** The open item of the tab, such as an account or a change; empty if none is open. */
  item: string
}) {
  useShortcuts([
    { keys: ['Escape'], label: 'Back to the webhook list', group: 'Webhooks', run: close },
  ])
  const { accounts } = webhook
  return (
    <Pane role="region" tabIndex={-1} aria-label={`Webhook ${webhook.id}`}>
      <Head webhook={webhook} />
      <Bars webhook={webhook} />
      <Tabs
        label="Webhook"
        group="Webhooks"
        value={tab}
        onChange={(next) => navigate(webhookRoute(webhook, next))}
        tabs={[
          {
            value: 'overview',
            label: 'Overview',
            panel: (
              <WebhookOverview webhook={webhook}>
                <Opcodes webhook={webhook} />
              </WebhookOverview>
            ),
          },
          {
            value: 'accounts',
            label: 'Accounts',
            count: accounts === null ? undefined : formatNumber(accounts),
            panel: <AccountsTab webhook={webhook} item={item} />,
          },
          {
            value: 'deliveries',
            label: 'Deliveries',
            panel: <DeliveriesTab webhook={webhook} item={item} />,
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
      {statusSince !== null && webhookState(webhook) === status && (
        <Small over="nowrap">
          since <Moment at={fromMs(statusSince)} />
        </Small>
      )}
      {isHere && <HereTag />}
      <Row last gap="xs">
        <Menu
          trigger={<IconButton icon="more" label="More" />}
          items={[
            menuItem('Copy link', { icon: 'copy' }, () => copyWebhookLink(webhook)),
            menuItem(
              'Bring webhook back online',
              { icon: 'play', disabled: status === 'online' },
              () => bringBackOnline(webhook),
            ),
            menuItem('Move to another endpoint…', { icon: 'right' }, () => openMove(webhook)),
            menuItem('Rotate token…', { icon: 'key' }, () => rotateToken(webhook, network)),
            'line',
            menuItem('Delete webhook…', { icon: 'trash', danger: true }, () => openDelete(webhook)),
          ]}
        />
        <IconButton icon="close" label="Close (Esc)" onClick={close} />
      </Row>
    </Row>
  )
}

/**
 * Shows bars about urgent states: nothing is delivered, a move is in progress, or the webhook
 * delivers to a former address.
 */
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
        <Button onClick={() => void bringBackOnline(webhook)}>Bring webhook back online</Button>
      </Row>
    </Note>
  )
}

/**
 * Explains that the endpoint is a former address of this receiver, with another public URL or a
 * replaced token.
 */
function FormerAddressBar({ webhook }: { webhook: Webhook }) {
  const { network, endpoint, isHere } = webhook
  const here = useData('receiver.state').data?.url ?? null
  const { data: warnings } = useData('webhook.checkEndpoint', { network, endpoint })
  if (isHere) return null
  const warning =
    warnings?.find(({ kind }) => kind === 'wrong-path')?.message ??
    (isFormerlyHere(endpoint, here)
      ? 'This endpoint has the path of this receiver but an unknown host: not this computer, and not the public URL in the settings. Deliveries may not arrive.'
      : null)
  if (warning === null) return null
  return (
    <Note tone="warn">
      <Row justify="between">
        {warning}
        <Button onClick={() => openMove(webhook)}>Move webhook…</Button>
      </Row>
    </Note>
  )
}

type Of = Pick<Webhook, 'network' | 'id'>

/**
 * Shows the opcodes that a webhook is subscribed to. A message with such an opcode is delivered,
 * whoever sends it.
 */
function Opcodes({ webhook: { network, id } }: { webhook: Webhook }) {
  const query = useData('webhook.opcodes', { network, id })
  return (
    <Section title="Opcodes">
      <AddOpcode webhook={{ network, id }} />
      <Loaded query={query} of="the opcodes" rows={4}>
        {(opcodes) =>
          opcodes.length === 0 ? (
            <EmptyState
              title="No opcode subscriptions yet"
              detail="An opcode is the first 32 bits of a message. The opcode tells the contract what to do, for example to transfer jettons."
            />
          ) : (
            <OpcodeTable opcodes={opcodes} webhook={{ network, id }} />
          )
        }
      </Loaded>
    </Section>
  )
}

function AddOpcode({ webhook }: { webhook: Of }) {
  const { data: known = [] } = useData('webhook.opcodeNames')
  const field = useRef<HTMLInputElement>(null)
  const list = useId()
  const add = async (typed: { opcode: string }) => {
    const text = typed.opcode.trim()
    field.current?.focus()
    if (text === '') return { opcode: 'Enter an opcode, such as 0x0f8a7ea5, or choose a name.' }
    const named = known.find(({ name }) => name === text.toLowerCase())
    await subscribe(webhook, named?.opcode ?? text)
  }
  const form = useForm({ opcode: '' }, add, { clears: true })
  return (
    <Stack pad="l" line="below">
      <Form form={form} action="Subscribe" label="Subscribe to an opcode" inline>
        <TextField
          label="Opcode"
          mono
          list={list}
          ref={field}
          placeholder="0x0f8a7ea5, 260734629 or jetton transfer"
          hint="A subscription to an opcode delivers every message on the chain with this opcode, not only messages of subscribed accounts. A common opcode can cause a very large number of deliveries."
          {...form.field('opcode')}
        />
      </Form>
      <datalist id={list}>
        {known.map(({ opcode, name }) => (
          <option key={opcode} value={opcode}>
            {name}
          </option>
        ))}
      </datalist>
    </Stack>
  )
}

function OpcodeTable({ opcodes, webhook }: { opcodes: OpcodeSubscription[]; webhook: Of }) {
  const network = useShownNetwork()
  return (
    <Table<OpcodeSubscription>
      label="Opcodes"
      rows={opcodes}
      keyOf={({ opcode }) => opcode}
      columns={[
        column('Opcode', { look: 'mono' }, ({ opcode }) => opcode),
        column('Name', {}, ({ name }) => name ?? <Text tone="faint">unknown</Text>),
        column('Status', {}, (opcode) => <Status opcode={opcode} />),
        column('Actions', { hideName: true, look: 'number' }, (opcode) => (
          <Button
            kind="quiet"
            icon="trash"
            aria-label={`Remove ${opcode.opcode}`}
            onClick={() => void unsubscribe(webhook, opcode, network)}
          >
            Remove
          </Button>
        )),
      ]}
    />
  )
}

function Status({ opcode }: { opcode: OpcodeSubscription }) {
  const { status, disabledAt, disabledReason } = opcode
  if (status === 'active') return <Tag tone="ok">active</Tag>
  if (status === null) return <Tag>unknown</Tag>
  return (
    <>
      <Tag tone="bad">disabled</Tag>{' '}
      {disabledAt !== null && (
        <Text tone="dim">
          <Moment at={fromMs(disabledAt)} />
        </Text>
      )}{' '}
      {disabledReason ?? 'The gateway does not report why.'}
    </>
  )
}

/** @throws AppError */
async function subscribe({ network, id }: Of, opcode: string): Promise<void> {
  const opcodes = await request('webhook.setOpcode', { network, id, opcode, on: true })
  put('webhook.opcodes', { network, id }, opcodes)
  announce(`${opcode} subscribed`)
}

async function unsubscribe(
  webhook: Of,
  { opcode, name }: OpcodeSubscription,
  shown: Network,
): Promise<void> {
  const { network, id } = webhook
  if (hasRealValue(shown)) {
    const yes = await confirmOn(shown, {
      title: `Stop delivering messages with ${opcode}?`,
      detail: `The gateway no longer delivers messages with this opcode${name === null ? '' : ` (${name})`}. If you subscribe to the opcode again, messages that were sent in the meantime are never delivered.`,
      action: 'Remove opcode',
      destructive: true,
    })
    if (!yes) return
  }
  const opcodes = await attempt('Could not remove the opcode', () =>
    request('webhook.setOpcode', { network, id, opcode, on: false }),
  )
  if (opcodes === undefined) return
  put('webhook.opcodes', { network, id }, opcodes)
  showToast({
    title: `${opcode} removed`,
    action: {
      label: 'Subscribe again',
      run: () =>
        void attempt('Could not subscribe to the opcode', () => subscribe(webhook, opcode)),
    },
  })
}
