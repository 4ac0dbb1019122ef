/** The page of webhooks: their list, the open webhook beside it, and the page of subscriptions files. */
import { useEffect } from 'react'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { useData } from '../../app/bridge.ts'
import { navigate, routeHref, useRoute } from '../../app/route.ts'
import { openNewWebhook, refreshWebhooks, useRefreshing } from '../../app/webhooks.ts'
import { type WebhooksRoute, webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { ViewBar } from '../../components/page-views.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, FailedState, Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Kbd, Pane } from '../../ui/layout.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { UpdatedAt } from './updated.tsx'
import { ChangeStrip } from './changes/change-view.tsx'
import { DeleteDialog } from './webhook-actions.tsx'
import { FileView } from './file/file-view.tsx'
import { movedTo, useMoves } from './move/move-dialog.tsx'
import { WebhookDetail } from './webhook-detail.tsx'
import { WebhookListPanel } from './webhook-list.tsx'

export function WebhooksPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'webhooks') return null
  return (
    <NetworkPage
      title="Webhooks"
      of={route.network}
      home={webhooksHome}
      stay={(name) => `Show the webhooks of ${name}`}
      onSwitch={followNetwork}
      beside={<ViewBar />}
      actions={(network) => <Actions network={network} />}
    >
      {(network) => <Content network={network} route={route} />}
    </NetworkPage>
  )
}

/** Handles a switch to another network. A webhook belongs to one network, so the list is displayed instead. */
function followNetwork(former: NetworkId, now: NetworkId): void {
  const { route } = useRoute.getState()
  // A link to a third network is left unchanged, and so is a link that was waiting for this choice.
  if (route.page !== 'webhooks' || (route.network ?? former) !== former) return
  if (route.view === 'webhook') navigate(webhooksHome)
  else if (route.network !== null) navigate({ ...route, network: now }, { replace: true })
}

function Actions({ network }: { network: Network }) {
  const { data: list } = useData('webhook.list', { network: network.id })
  const isRefreshing = useRefreshing(({ networks }) => networks.has(network.id))
  useShortcuts([{ keys: ['n'], label: 'New webhook', group: 'Webhooks', run: openNewWebhook }])
  return (
    <>
      <UpdatedAt network={network.id} at={list?.readAt ?? null} />
      <Button icon="refresh" busy={isRefreshing} onClick={() => void refreshWebhooks(network.id)}>
        Refresh
      </Button>
      {/* An empty list has the main button in its middle. */}
      <Button
        icon="plus"
        kind={list?.webhooks.length === 0 ? 'plain' : 'main'}
        onClick={openNewWebhook}
      >
        New webhook <Kbd>n</Kbd>
      </Button>
      <DeleteDialog network={network} />
    </>
  )
}

/** Most work is done in the detail, so the detail is wider than the list, unlike on other pages. */
const ownWidth = { key: 'tondesk.webhooks-list', percent: 34 }

function Content({ network, route }: { network: Network; route: WebhooksRoute }) {
  // The webhooks are loaded again when the gateway becomes reachable, because the sandbox was
  // started or a key was added.
  useEffect(() => void refreshWebhooks(network.id), [network.id, network.problem])
  useEffect(() => {
    // The id alone does not show the network, so the link in the address bar gets both.
    if (route.view === 'webhook' && route.network === null) {
      navigate({ ...route, network: network.id }, { replace: true })
    }
  }, [route, network.id])
  const query = useData('webhook.list', { network: network.id })
  const isRefreshing = useRefreshing(({ networks }) => networks.has(network.id))
  return (
    <Pane>
      <ChangeStrip network={network.id} />
      {route.view === 'file' ? (
        <FileView network={network} />
      ) : (
        <Loaded query={query} of="the webhooks" rows={8}>
          {(list) => {
            if (list.readAt === null && list.problem !== null && !isRefreshing) {
              return (
                <FailedState
                  what={`Could not load the webhooks of ${network.name}`}
                  why={list.problem}
                  onRetry={() => void refreshWebhooks(network.id)}
                />
              )
            }
            if (list.readAt === null) return <Skeleton rows={8} label="Loading the webhooks" />
            const open =
              route.view === 'webhook' ? list.webhooks.find(({ id }) => id === route.id) : undefined
            return (
              <ListSplitter
                ownWidth={ownWidth}
                back={{ href: routeHref(webhooksHome), label: 'All webhooks' }}
                left={<WebhookListPanel network={network} list={list} openId={open?.id ?? null} />}
                right={
                  route.view !== 'webhook' ? null : open === undefined ? (
                    <NotFound id={route.id} network={network} />
                  ) : (
                    <WebhookDetail key={open.id} webhook={open} tab={route.tab} item={route.item} />
                  )
                }
              />
            )
          }}
        </Loaded>
      )}
    </Pane>
  )
}

function NotFound({ id, network }: { id: string; network: Network }) {
  const moved = movedTo(useMoves(network.id), id)
  const next = moved?.to.id ?? null
  return (
    <EmptyState
      title={
        moved === null
          ? `There is no webhook ${id} on ${network.name}`
          : `Webhook ${id} was moved to ${moved.to.endpoint}`
      }
      detail={
        moved === null
          ? 'The webhook may have been deleted, here or in another program.'
          : 'Another webhook has taken over its subscriptions.'
      }
    >
      {next !== null && (
        <Button
          kind="main"
          onClick={() => navigate(webhookRoute({ id: next, network: network.id }))}
        >
          Open webhook {next}
        </Button>
      )}
      <Button onClick={() => navigate(webhooksHome)}>Show all webhooks</Button>
    </EmptyState>
  )
}
