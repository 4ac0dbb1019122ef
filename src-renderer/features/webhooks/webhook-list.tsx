/** The webhooks of a network. Search, filter and order stay while the user looks at other pages. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookList, WebhookStatus } from '../../../src-preload/contract/webhook.ts'
import { fetchData } from '../../app/bridge.ts'
import { navigate, useRoute } from '../../app/route.ts'
import { openNewWebhook, refreshWebhooks } from '../../app/webhooks.ts'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { Choices, Button } from '../../ui/button.tsx'
import { SearchField } from '../../components/list/search-field.tsx'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import { SandboxStart } from '../../components/start/sandbox-steps.tsx'
import { type DataColumn, type Sort, DataList, nextSort } from '../../ui/data-list.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatMoment, formatNumber, fromMs } from '../../ui/format.ts'
import { Kbd, Moment, useNow, Tag, Text, Note, Pane, Row, Stack } from '../../ui/layout.tsx'
import { createLiveList } from '../../ui/live-list.ts'

type Only = WebhookStatus | 'failing' | null

/** `id` is the order of the gateway, newest first. */
type SortKey =
  | 'id'
  | 'status'
  | 'endpoint'
  | 'accounts'
  | 'opcodes'
  | 'failedAttempts'
  | 'failing'
  | 'lastOnlineAt'

type ListChoice = {
  readonly text: string
  readonly only: Only
  readonly order: Sort<SortKey>
}

export const defaultOrder: Sort<SortKey> = { by: 'id', descending: true }

/** Sorted by these, the first press of the heading shows large or bad values first. */
const largeFirst: ReadonlySet<SortKey> = new Set([
  'id',
  'status',
  'accounts',
  'opcodes',
  'failedAttempts',
  'failing',
  'lastOnlineAt',
])

/** The webhooks that match, in the order chosen. A value that the gateway does not report comes last. */
export function arrange(
  all: readonly Webhook[],
  { text, only, order }: ListChoice,
): readonly Webhook[] {
  const wanted = text.trim().toLowerCase()
  const found = all.filter(
    (webhook) =>
      matches(webhook, only) &&
      (webhook.id === wanted || webhook.endpoint.toLowerCase().includes(wanted)),
  )
  const { by } = order
  if (by === 'id') return found
  const sign = order.descending ? -1 : 1
  return found.toSorted((a, b) => {
    const [left, right] = [keyOf(a, by), keyOf(b, by)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    if (left === right) return 0
    return left < right ? -sign : sign
  })
}

function matches({ status, failing }: Webhook, only: Only): boolean {
  if (only === null) return true
  return only === 'failing' ? failing > 0 : status === only
}

const severity: Record<WebhookStatus, number> = { online: 0, suspended: 1, offline: 2 }

function keyOf(webhook: Webhook, by: Exclude<SortKey, 'id'>): string | number | null {
  if (by === 'status') return webhook.status === null ? null : severity[webhook.status]
  return by === 'endpoint' ? webhook.endpoint.toLowerCase() : webhook[by]
}

/**
 * Whether an endpoint has the secret path of this receiver, on a host that is not known to be the receiver:
 * so it is after the public URL has changed.
 */
export function isFormerlyHere(endpoint: string, receiverUrl: string | null): boolean {
  const path = receiverUrl === null ? undefined : URL.parse(receiverUrl)?.pathname
  const own = URL.parse(endpoint)?.pathname
  return path !== undefined && path.length > 1 && own?.endsWith(path) === true
}

const useListChoice = create<ListChoice>(() => ({ text: '', only: null, order: defaultOrder }))

const webhooks = createLiveList({
  load: async ({ network, ...choice }: ListChoice & { network: NetworkId }, offset, limit) => {
    const list = await fetchData('webhook.list', { network })
    const found = arrange(list.webhooks, choice)
    return { total: found.length, rows: found.slice(offset, offset + limit), extra: null }
  },
  idOf: ({ id }: Webhook) => id,
})

export function WebhookListPanel({
  network,
  list,
  openId,
}: {
  network: Network
  list: WebhookList
  openId: string | null
}) {
  const { text, only, order } = useListChoice()
  useEffect(
    () => webhooks.open({ network: network.id, text, only, order }, { keep: true }),
    [network.id, text, only, order],
  )
  useEffect(() => webhooks.refresh(), [list.webhooks])
  if (list.webhooks.length === 0) {
    return (
      <Pane>
        {list.problem !== null && <Outdated list={list} why={list.problem} />}
        <NoWebhooks network={network} />
      </Pane>
    )
  }
  return (
    <Pane>
      {list.problem !== null && <Outdated list={list} why={list.problem} />}
      <FilterBar all={list.webhooks} />
      <DataList
        list={webhooks}
        columns={columns}
        of="webhooks"
        thing="webhook"
        group="Webhooks"
        sort={order}
        onSort={(by) =>
          useListChoice.setState({
            order: nextSort(order, by, { usual: defaultOrder, largeFirst }),
          })
        }
        openId={openId}
        onOpen={(webhook, by) => openWebhook(webhook, by === 'walk')}
        onLeave={() => navigate(webhooksHome)}
        empty={
          <EmptyState title="No webhook matches the filter">
            <Button onClick={() => useListChoice.setState({ text: '', only: null })}>
              Show all webhooks
            </Button>
          </EmptyState>
        }
      />
    </Pane>
  )
}

/** Opens a webhook on the tab that is open now. */
function openWebhook(webhook: Webhook, replace: boolean): void {
  const { route } = useRoute.getState()
  const tab = route.page === 'webhooks' && route.view === 'webhook' ? route.tab : 'overview'
  navigate(webhookRoute(webhook, tab), { replace })
}

function Outdated({ list: { network, readAt }, why }: { list: WebhookList; why: string }) {
  const now = useNow()
  return (
    <Note tone="warn">
      <Row justify="between">
        <Text over="break" role="status">
          Could not update the webhooks: {why}
          {readAt !== null && ` This list is from ${formatMoment(fromMs(readAt), now)}.`}
        </Text>
        <Button icon="refresh" onClick={() => void refreshWebhooks(network)}>
          Try again
        </Button>
      </Row>
    </Note>
  )
}

function NoWebhooks({ network }: { network: Network }) {
  return (
    <Stack scroll pad="l">
      <EmptyState
        title={`No webhook on ${network.name} yet`}
        detail="The gateway sends events from the chain to the URL of a webhook, for example to the receiver on this computer. Events are transactions of accounts, messages with an opcode, and new contracts."
      >
        <Button kind="main" icon="plus" onClick={openNewWebhook}>
          New webhook <Kbd>n</Kbd>
        </Button>
      </EmptyState>
      {network.kind === 'sandbox' && <SandboxStart />}
    </Stack>
  )
}

const choices = [
  { value: null, label: 'All' },
  { value: 'online', label: 'Online', tone: 'ok' },
  { value: 'offline', label: 'Offline', tone: 'bad' },
  { value: 'suspended', label: 'Suspended', tone: 'warn' },
  { value: 'failing', label: 'Failing', tone: 'bad' },
] as const

function FilterBar({ all }: { all: readonly Webhook[] }) {
  const { text, only } = useListChoice()
  const counted = choices.map((choice) => ({
    ...choice,
    count: all.filter((webhook) => matches(webhook, choice.value)).length,
  }))
  return (
    <Row as="search" wrap gap="s" pad="m" line="below">
      <SearchField
        group="Webhooks"
        label="Search the webhooks"
        placeholder="endpoint or ID"
        value={text}
        onSearch={(next) => useListChoice.setState({ text: next })}
      />
      <Choices<Only>
        label="Webhooks to show"
        value={only}
        onChange={(next) => useListChoice.setState({ only: next })}
        options={counted.filter(
          ({ value, count }) => value === null || count > 0 || value === only,
        )}
      />
    </Row>
  )
}

const columns: readonly DataColumn<Webhook, SortKey>[] = [
  { name: 'Status', width: 84, sort: 'status', cell: (webhook) => <StatusTag webhook={webhook} /> },
  {
    name: 'Since',
    width: 92,
    gives: 4,
    look: 'dim',
    cell: ({ statusSince }) => statusSince !== null && <Moment at={fromMs(statusSince)} />,
  },
  {
    name: 'Endpoint',
    width: 130,
    grow: 1,
    sort: 'endpoint',
    cell: ({ endpoint }) => <Endpoint url={endpoint} mono />,
  },
  {
    name: 'Receiver',
    width: 96,
    gives: 3,
    hideName: true,
    cell: ({ isHere }) => isHere && <HereTag />,
  },
  countColumn('Accounts', { by: 'accounts', width: 70, gives: 1 }),
  countColumn('Opcodes', { by: 'opcodes', width: 70, gives: 2 }),
  {
    name: 'Mempool',
    width: 64,
    gives: 6,
    look: 'dim',
    cell: ({ mempool }) => onOff(mempool),
  },
  {
    name: 'New contracts',
    width: 96,
    gives: 7,
    look: 'dim',
    cell: ({ newContracts }) => onOff(newContracts),
  },
  countColumn('Failed attempts', { by: 'failedAttempts', width: 108, gives: 5, tone: 'warn' }),
  countColumn('Failing', { by: 'failing', width: 58, tone: 'bad' }),
  {
    name: 'Last online',
    width: 94,
    gives: 8,
    sort: 'lastOnlineAt',
    look: 'dim',
    cell: ({ lastOnlineAt }) => lastOnlineAt !== null && <Moment at={fromMs(lastOnlineAt)} />,
  },
]

export function HereTag() {
  return <Tag title="This webhook delivers to the receiver on this computer.">this receiver</Tag>
}

function countColumn(
  name: string,
  {
    by,
    tone,
    ...room
  }: {
    by: 'accounts' | 'opcodes' | 'failedAttempts' | 'failing'
    /** Of a number above zero. */
    tone?: 'warn' | 'bad'
    width: number
    gives?: number
  },
): DataColumn<Webhook, SortKey> {
  return {
    name,
    ...room,
    sort: by,
    look: 'number',
    cell: (webhook) => {
      const count = by === 'failing' ? countFailing(webhook) : webhook[by]
      if (count === null) return null
      return <Text tone={count === 0 ? 'faint' : tone}>{formatNumber(count)}</Text>
    },
  }
}

/** Null where the accounts were never loaded: that none is known to fail says nothing. */
function countFailing({ failing, accounts, subscriptionsReadAt }: Webhook): number | null {
  return failing > 0 || accounts === 0 || subscriptionsReadAt !== null ? failing : null
}

function onOff(flag: boolean | null): string {
  if (flag === null) return ''
  return flag ? 'on' : 'off'
}
