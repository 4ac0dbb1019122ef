import type { Handlers, Parsed } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Change, SubscriptionFilter } from '../../src-preload/contract/subscription.ts'
import { AppError, subscriptionCodes } from '../../src-preload/domain/app-error.ts'
import { pagesOf } from '../database/pages.ts'
import { withLabels } from './base-room.ts'
import type { Room, WebhookRoom } from './room.ts'
import type { Action } from './store/changes.ts'
import { type StoredSubscription, readAddressText } from './store/subscription-rows.ts'
import type { ChangesPart } from './changes/changes.ts'

const rowsAtOnce = 500

export function createUserChanges(room: WebhookRoom, makeChange: ChangesPart['make']) {
  const { store, book } = room

  async function make(
    kind: 'add' | 'remove',
    network: NetworkId,
    webhook: string,
    accounts: readonly string[],
  ): Promise<Change> {
    const [verb, act] = kind === 'add' ? ['Add', 'subscribe'] : ['Remove', 'unsubscribe']
    if (accounts.length === 0) {
      const reason =
        kind === 'add' ? 'no line has a valid address' : 'no account matches the filter'
      const message = `There are no accounts to ${kind}: ${reason}.`
      throw new AppError(subscriptionCodes.nothingToChange, message)
    }
    const { endpoint } = book.find(network, webhook)
    const count = accounts.length === 1 ? 'one account' : `${format(accounts.length)} accounts`
    return makeChange(
      { network, kind, name: `${verb} ${count}`, webhooks: [{ id: webhook, endpoint }] },
      Iterator.from(accounts).map(
        (subject) => ({ webhook: 0, act, what: 'account', subject, label: null }) as Action,
      ),
    )
  }

  async function matching(network: NetworkId, webhook: string, { text, only }: SubscriptionFilter) {
    const key = store.webhooks.get(network, webhook)?.key ?? 0
    const requested = { key, network, text: readAddressText(text), only }
    const pages = await Array.fromAsync(
      pagesOf<string>((last = '') => store.subscriptionRows.accounts(requested, last, rowsAtOnce)),
    )
    return pages.flat()
  }

  return {
    async 'subscription.add'({ network, webhook, draft }) {
      book.find(network, webhook)
      room.refuseWhileMoving(network, webhook)
      const taken = await room.takeDraft(draft)
      if (taken.network !== network) {
        const message = 'This list is for another network. Paste or open the list again.'
        throw new AppError(subscriptionCodes.changeNotNow, message)
      }
      return make('add', network, webhook, taken.addresses)
    },
    async 'subscription.remove'({ network, webhook, of }) {
      book.find(network, webhook)
      room.refuseWhileMoving(network, webhook)
      if ('accounts' in of) return make('remove', network, webhook, [...new Set(of.accounts)])
      const accounts = await matching(network, webhook, of.filter)
      if (of.most !== undefined && accounts.length > of.most) {
        const message = `The filter now matches ${format(accounts.length)} accounts. Check the accounts, then confirm the removal again.`
        throw new AppError(subscriptionCodes.changeNotNow, message)
      }
      return make('remove', network, webhook, accounts)
    },
  } satisfies Partial<Handlers>
}

const format = (count: number) => count.toLocaleString('en')

const hourMs = 3_600_000
const none = { all: 0, failing: 0, watched: 0, behind: 0, neverDelivered: 0 }
const sparkHours = 24

export function createSubscriptionRoutes(room: Room<'labelsOf' | 'mirror' | 'now' | 'store'>) {
  const { mirror, store } = room

  /** Sparks are small charts of the failed attempts in the last hours. */
  function withSparks(network: NetworkId, rows: readonly StoredSubscription[]) {
    const sparks = store.failureHistory.sparks(
      rows.map(({ id }) => id),
      sparkHours,
      room.now(),
    )
    return withLabels(room, network, rows).map(({ id, ...row }) => ({
      ...row,
      spark: sparks.get(id) ?? [],
    }))
  }

  function summarize({ network, limit }: Parsed<'subscription.summary'>) {
    const records = store.webhooks.all(network)
    const width = hourMs / 60_000
    const last = Math.floor(room.now() / hourMs)
    const steps = { from: (last - sparkHours + 1) * width, width, count: sparkHours }
    const keys = records.map(({ key }) => key)
    const sampled = store.failureHistory.ofWebhooks(keys, steps)
    const attempts = new Map(sampled.map(({ step, failedAttempts }) => [step, failedAttempts]))
    const pageOf = (only: 'watched' | null, by: 'failedAttempts' | 'lastDeliveredLt') =>
      records.map(({ key, id: webhook }) => {
        const requested = { key, network, text: null, only }
        const page = store.subscriptionRows.page(
          requested,
          { by, descending: true },
          { offset: 0, limit },
        )
        const rows = withSparks(network, page.rows).map((row) => ({ ...row, webhook }))
        return { rows, watched: page.counts.watched }
      })
    const watchedPages = pageOf('watched', 'failedAttempts')
    const watched = watchedPages.reduce((sum, page) => sum + page.watched, 0)
    const rows =
      watched > 0
        ? watchedPages
            .flatMap((page) => page.rows)
            .toSorted((a, b) => Number(b.isFailing) - Number(a.isFailing))
        : pageOf(null, 'lastDeliveredLt')
            .flatMap((page) => page.rows)
            .toSorted((a, b) => (BigInt(b.lastDeliveredLt) > BigInt(a.lastDeliveredLt) ? 1 : -1))
    return {
      failedAttempts: Array.from({ length: sparkHours }, (_, step) => attempts.get(step) ?? null),
      watched,
      rows: rows.slice(0, limit),
      isLoaded: records.every(({ subscriptionsReadAt }) => subscriptionsReadAt !== null),
    }
  }

  return {
    'subscription.summary': summarize,
    'subscription.list'({ network, webhook, filter, sort, offset, limit }) {
      const record = store.webhooks.get(network, webhook)
      const state = mirror.state(network, webhook)
      if (record === null) return { total: 0, rows: [], counts: none, mirror: state }
      const { key, subscriptionsReadAt } = record
      const requested = { key, network, text: readAddressText(filter.text), only: filter.only }
      const { rows, ...rest } = store.subscriptionRows.page(requested, sort, { offset, limit })
      return {
        ...rest,
        mirror: state,
        rows: withSparks(network, rows).map((row) => ({
          ...row,
          // A reading does not write unchanged rows, so the webhook's time may be newer.
          readAt: Math.max(row.readAt, subscriptionsReadAt ?? 0),
        })),
      }
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
  } satisfies Partial<Handlers>
}
