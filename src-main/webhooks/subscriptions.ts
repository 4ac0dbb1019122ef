/** The table of a webhook's subscriptions. */
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Subscription } from '../../src-preload/contract/subscription.ts'
import type { Room } from './room.ts'
import {
  type RowsAsked,
  type StoredSubscription,
  readAddressText,
} from './store/subscription-rows.ts'

type SubscriptionRoutes = Pick<
  Handlers,
  'subscription.list' | 'subscription.refresh' | 'subscription.cancelRefresh' | 'subscription.watch'
>

const none = { all: 0, failing: 0, watched: 0, behind: 0, neverDelivered: 0 }
const sparkHours = 24

export function createSubscriptionRoutes(
  deps: Room<'labelsOf' | 'mirror' | 'now' | 'store'>,
): SubscriptionRoutes {
  const { mirror, store } = deps

  function withRest(
    network: NetworkId,
    readAt: number | null,
    rows: readonly StoredSubscription[],
  ): Subscription[] {
    const names = deps.labelsOf(
      network,
      rows.map(({ account }) => account),
    )
    const sparks = store.failureHistory.sparks(
      rows.map(({ id }) => id),
      sparkHours,
      deps.now(),
    )
    return rows.map(({ id, ...row }) => ({
      ...row,
      label: names.get(row.account) ?? null,
      spark: sparks.get(id) ?? [],
      // A row that stays the same is read again without being written.
      readAt: Math.max(row.readAt, readAt ?? 0),
    }))
  }

  return {
    'subscription.list'({ network, webhook, filter, sort, offset, limit }) {
      const record = store.webhooks.get(network, webhook)
      const state = mirror.state(network, webhook)
      if (record === null) return { total: 0, rows: [], counts: none, mirror: state }
      const asked: RowsAsked = {
        key: record.key,
        network,
        text: readAddressText(filter.text),
        only: filter.only,
      }
      const { rows, ...rest } = store.subscriptionRows.page(asked, sort, { offset, limit })
      const withNames = withRest(network, record.subscriptionsReadAt, rows)
      return { ...rest, rows: withNames, mirror: state }
    },
    'subscription.refresh'({ network, webhook }) {
      mirror.refresh(network, webhook)
      return mirror.state(network, webhook)
    },
    'subscription.cancelRefresh'({ network, webhook }) {
      mirror.cancelRefresh(network, webhook)
      return mirror.state(network, webhook)
    },
    'subscription.watch'({ network, webhook, accounts, watched }) {
      mirror.watch(network, webhook, accounts, watched)
      return {}
    },
  }
}
