/**
 * The list of webhooks of a network. Its search, filter and order are kept while the user looks at
 * other pages.
 */
import { useEffect } from 'react'
import { create } from 'zustand'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookList } from '../../../src-preload/contract/webhook.ts'
import { fetchData, peek } from '../../app/bridge.ts'
import { navigate, useRoute } from '../../app/route.ts'
import { openNewWebhook, refreshWebhooks } from '../../app/webhooks.ts'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { Choices, Button, IconButton, Menu } from '../../ui/button.tsx'
import { SearchField } from '../../components/list/search-field.tsx'
import { SandboxStart } from '../../components/start/sandbox-steps.tsx'
import { DataList, nextSort } from '../../ui/data-list.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatMoment, fromMs } from '../../ui/format.ts'
import { Kbd, Text, Note, Pane, Row, Stack } from '../../ui/layout.tsx'
import { useNow } from '../../ui/time.tsx'
import { createLiveList } from '../../ui/live-list.ts'
import { healthOf, useHealth } from './deliveries/health.ts'
import { columns, hiddenColumns } from './list-columns.tsx'
import {
  type ListChoice,
  type ListedWebhook,
  type Only,
  arrangeWebhooks,
  defaultOrder,
  largeFirst,
  matchesFilter,
} from './webhook-rows.ts'

const useListChoice = create<ListChoice>(() => ({ text: '', only: null, order: defaultOrder }))

const webhooks = createLiveList({
  load: async ({ network, ...choice }: ListChoice & { network: NetworkId }, offset, limit) => {
    const list = await fetchData('webhook.list', { network })
    const health = healthOf(peek('webhook.health', { network }))
    const listed = list.webhooks.map((each) => ({ ...each, health: health(each.id) }))
    const found = arrangeWebhooks(listed, choice)
    return { total: found.length, rows: found.slice(offset, offset + limit), extra: null }
  },
  idOf: ({ id }: ListedWebhook) => id,
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
  const { data: health } = useHealth(network.id)
  const hidden = hiddenColumns.useHidden()
  useEffect(() => webhooks.refresh(), [list.webhooks, health])
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
        hidden={hidden}
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

/** Opens a webhook on the tab that is currently open. */
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
    count: all.filter((webhook) => matchesFilter(webhook, choice.value)).length,
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
      <Row last>
        <Menu
          trigger={<IconButton icon="more" label="Columns of this list" />}
          items={hiddenColumns.useItems(columns)}
        />
      </Row>
    </Row>
  )
}
