import type { Network } from '../../../src-preload/contract/network.ts'
import type { WebhookList } from '../../../src-preload/contract/webhook.ts'
import { useResource } from '../../app/resource.ts'
import { navigate, printRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { type WebhooksRoute, webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { WebhookDetail } from './detail/webhook-detail.tsx'
import { ListPanel } from './list/list-panel.tsx'
import { movedTo, useMoves } from './move/moves.ts'
import { readWebhooks, useReading, webhooksOf } from './webhooks.ts'

/** The list in whichever of its states it is, and beside it the webhook that is open. */
export function ListAndDetail({ network, route }: { network: Network; route: WebhooksRoute }) {
  const state = useResource(webhooksOf(network.id))
  const isReading = useReading(({ networks }) => networks.has(network.id))
  if (state.status === 'failed') {
    return <Failed network={network} why={state.error.message} />
  }
  if (state.status !== 'ready') return <Skeleton rows={8} label="Loading webhooks" />
  const list = state.value
  if (list.readAt === null) {
    if (list.problem !== null && !isReading) return <Failed network={network} why={list.problem} />
    return <Skeleton rows={8} label="Reading the webhooks" />
  }
  return <Both network={network} list={list} route={route} />
}

function Failed({ network, why }: { network: Network; why: string }) {
  return (
    <FailedState
      what={`The webhooks of ${network.name} could not be read`}
      why={why}
      onRetry={() => void readWebhooks(network.id)}
    />
  )
}

/** Most work happens in the detail: it has the larger share, unlike on other pages. */
const ownWidth = { key: 'tondesk.webhooks-list', percent: 34 }

function Both({
  network,
  list,
  route,
}: {
  network: Network
  list: WebhookList
  route: WebhooksRoute
}) {
  const open =
    route.view === 'webhook' ? list.webhooks.find(({ id }) => id === route.id) : undefined
  return (
    <ListSplitter
      ownWidth={ownWidth}
      back={{ href: printRoute(webhooksHome), label: 'All webhooks' }}
      left={<ListPanel network={network} list={list} openId={open?.id ?? null} />}
      right={
        route.view !== 'webhook' ? null : open === undefined ? (
          <Gone id={route.id} network={network} />
        ) : (
          <WebhookDetail key={open.id} webhook={open} tab={route.tab} item={route.item} />
        )
      }
    />
  )
}

function Gone({ id, network }: { id: string; network: Network }) {
  const moved = movedTo(useMoves(network.id), id)
  const next = moved?.to.id ?? null
  return (
    <EmptyState
      title={
        moved === null
          ? `There is no webhook ${id} on ${network.name}`
          : `Webhook ${id} has moved to ${moved.to.endpoint}`
      }
      detail={
        moved === null
          ? 'It was deleted, here or elsewhere, or never was.'
          : 'Another webhook has taken over what it was subscribed to.'
      }
    >
      {next !== null && (
        <Button
          kind="main"
          onClick={() => navigate({ ...webhookRoute(next), network: network.id })}
        >
          Open webhook {next}
        </Button>
      )}
      <Button onClick={() => navigate(webhooksHome)}>Show all webhooks</Button>
    </EmptyState>
  )
}
