import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Subscription, SubscriptionFilter } from '../../src-preload/contract/subscription.ts'
import type { Room } from './room.ts'
import {
  type RowsAsked,
  type StoredSubscription,
  readAddressText,
} from './store/subscription-rows.ts'
import { subscriptionCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Action } from './store/changes.ts'
import type { ChangesPart } from './changes/changes.ts'

const rowsAtOnce = 500

export function createByHand(
  deps: Room<'book' | 'refuseWhileMoving' | 'store' | 'takeDraft'>,
  makeChange: ChangesPart['make'],
): Pick<Handlers, 'subscription.add' | 'subscription.remove'> {
  const { store, book } = deps

  function make(
    kind: 'add' | 'remove',
    network: NetworkId,
    webhook: string,
    accounts: readonly string[],
  ) {
    const { endpoint } = book.find(network, webhook)
    const action = (subject: string): Action => ({
      webhook: 0,
      act: kind === 'add' ? 'subscribe' : 'unsubscribe',
      what: 'account',
      subject,
      label: null,
    })
    const count =
      accounts.length === 1 ? 'one account' : `${accounts.length.toLocaleString('en')} accounts`
    const name = `${kind === 'add' ? 'Add' : 'Remove'} ${count}`
    const about = { network, kind, name, webhooks: [{ id: webhook, endpoint }] }
    return makeChange(about, Iterator.from(accounts).map(action))
  }

  async function matching(
    network: NetworkId,
    webhook: string,
    { text, only }: SubscriptionFilter,
  ): Promise<string[]> {
    const key = store.webhooks.get(network, webhook)?.key
    const found: string[] = []
    if (key === undefined) return found
    const asked = { key, network, text: readAddressText(text), only }
    for (;;) {
      const some = store.subscriptionRows.accounts(asked, found.at(-1) ?? '', rowsAtOnce)
      found.push(...some)
      if (some.length < rowsAtOnce) return found
      await breathe()
    }
  }

  return {
    async 'subscription.add'({ network, webhook, draft }) {
      book.find(network, webhook)
      deps.refuseWhileMoving(network, webhook)
      const taken = await deps.takeDraft(draft)
      if (taken.network !== network) {
        const message = 'This list was read for another network. Paste or open it once more.'
        throw new AppError(subscriptionCodes.changeNotNow, message)
      }
      if (taken.addresses.length === 0) {
        const message = 'There is no account to add: none of the lines holds a valid address.'
        throw new AppError(subscriptionCodes.nothingToChange, message)
      }
      return make('add', network, webhook, taken.addresses)
    },
    async 'subscription.remove'({ network, webhook, of }) {
      book.find(network, webhook)
      deps.refuseWhileMoving(network, webhook)
      const accounts =
        'accounts' in of ? [...new Set(of.accounts)] : await matching(network, webhook, of.filter)
      if (accounts.length === 0) {
        const message = 'There is no account to remove: the filter lets none through.'
        throw new AppError(subscriptionCodes.nothingToChange, message)
      }
      if ('most' in of && of.most !== undefined && accounts.length > of.most) {
        const message = `The filter lets ${accounts.length.toLocaleString('en')} accounts through by now. Look at them, then remove them once more.`
        throw new AppError(subscriptionCodes.changeNotNow, message)
      }
      return make('remove', network, webhook, accounts)
    },
  }
}

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
      // A reading does not write rows that stay the same, so the webhook's time may be newer.
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
