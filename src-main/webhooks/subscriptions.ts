/** Webhooks and subscriptions: managed, watched, and compared with what arrived. */
import { setImmediate } from 'node:timers/promises'
import type { AppContext } from '../app/context.ts'
import type { StartWork } from '../threads/rpc.ts'
import type { Events, EventName, Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { Sightings } from '../captures/store/capture-sightings.ts'
import type { CaptureCounts } from '../captures/store/capture-counts.ts'
import type { SubscriptionStore } from './store/subscription-store.ts'
import { createAlerts, type Alerts } from './alerts/alerts.ts'
import { createByHand } from './changes/by-hand.ts'
import { createChangesPart } from './changes/changes.ts'
import { createExplain } from './explain/explain.ts'
import { createExport } from './file/export.ts'
import { createPlans } from './file/plans.ts'
import { createLag, type LagReader } from './lag/lag.ts'
import { type LedgerDeps, createLedger } from './missed-events/ledger.ts'
import { createFailureRoutes } from './history/failure-routes.ts'
import { createMirror, type LocalMirror } from './sync/mirror.ts'
import { createMovesPart } from './move/moves.ts'
import { createSampler } from './sampler/sampler.ts'
import type { TokenPlace } from './webhook-book.ts'
import { createWebhooksPart } from './webhooks.ts'
import type { RoundObserver } from './parts.ts'
import type { Subscription } from '../../src-preload/contract/subscription.ts'
import {
  type RowsAsked,
  type StoredSubscription,
  readAddressText,
} from './store/subscription-rows.ts'

type SubscriptionRoutes = Pick<
  Handlers,
  'subscription.list' | 'subscription.refresh' | 'subscription.cancelRefresh' | 'subscription.watch'
>

type RoutesDeps = Pick<AppContext, 'labelsOf' | 'now'> & {
  readonly mirror: LocalMirror
  readonly store: Pick<SubscriptionStore, 'webhooks' | 'subscriptionRows' | 'failureHistory'>
}

const none = { all: 0, failing: 0, watched: 0, behind: 0, neverDelivered: 0 }
const sparkHours = 24

export function createSubscriptionRoutes(deps: RoutesDeps): SubscriptionRoutes {
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

type SubscriptionsDeps = Pick<
  AppContext,
  'access' | 'files' | 'jobs' | 'labelsOf' | 'notices' | 'now' | 'onBug' | 'resources' | 'wait'
> & {
  readonly store: SubscriptionStore
  readonly settings: () => Settings
  readonly receiver: () => ReceiverState
  /** Where it is or, while it does not listen, would be posted to. */
  readonly receiverUrl: () => string
  readonly tokens: TokenPlace
  readonly sightings: Sightings
  readonly captureCounts: CaptureCounts
  /** What a transaction did, in a sentence; null when that cannot be told. */
  readonly sentenceOf: (network: NetworkId, hash: string) => Promise<string | null>
  readonly ledger: Pick<LedgerDeps, 'arrivals' | 'indexed' | 'put' | 'chainNow' | 'takeDraft'>
  /** Names for accounts that have none yet. */
  readonly addLabels: (network: NetworkId, names: ReadonlyMap<string, string>) => void
  /** Starts `file/file-process.ts`. */
  readonly startFileWork: StartWork
  /** Accounts that a request to subscribe may hold, as was learned of a network before. */
  readonly limits: {
    get(network: NetworkId): number | null
    set(network: NetworkId, n: number): void
  }
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
}

type Domain =
  'webhook' | 'move' | 'subscription' | 'plan' | 'change' | 'sampler' | 'failure' | 'ledger'

export type Subscriptions = {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>>
  /** Begins to sample, and to start scheduled checks. Not for a command. */
  start(): void
  /** What is told of, and when, is another from now on. */
  monitoringChanged(): void
  /** The network is gone, or another gateway's: nothing of its webhooks stays. */
  forget(network: NetworkId): Promise<void>
}

export function createSubscriptions(deps: SubscriptionsDeps): Subscriptions {
  const webhooks = createWebhooksPart({
    access: deps.access,
    webhooks: deps.store.webhooks,
    tokens: deps.tokens,
    receiver: () => ({ url: deps.receiverUrl(), publicUrl: deps.settings().receiver.publicUrl }),
    allowedHosts: () => deps.settings().sandbox.allowHosts,
    refuseWhileMoving: (network, id) => moves.refuse(network, id),
    onChanged: (network) => deps.emit('webhook.changed', { network }),
    now: deps.now,
  })
  const mirror = createMirror({
    ...deps,
    book: webhooks.book,
    onChanged: (network, changed) =>
      deps.emit('subscription.changed', { network, webhooks: changed }),
    breathe: () => setImmediate(),
  })
  // Before the jobs are added: what is deferred later ends sooner, and jobs read by the mirror.
  deps.resources.defer(() => mirror.stop())
  const lag = createLag({ ...deps, book: webhooks.book, followed: mirror })
  const alerts = createAlerts({
    ...deps,
    book: webhooks.book,
    followed: mirror,
    told: deps.store.told,
    settings: () => deps.settings().monitoring,
    notify: (notification) => deps.emit('notification.raised', notification),
  })
  const ledger = createLedger({
    ...deps,
    ...deps.ledger,
    isTokenOfAnother: (...asked) => deps.store.webhooks.isTokenOfAnother(...asked),
    book: webhooks.book,
    mirror,
    followed: mirror,
    checks: deps.store.ledgerChecks,
    findings: deps.store.ledgerFindings,
    schedules: deps.store.ledgerSchedules,
  })
  const moves = createMovesPart({
    ...deps,
    moves: deps.store.moves,
    webhooks: deps.store.webhooks,
    book: webhooks.book,
    mirror,
    refuseWhileChanging: (network, id) => changes.refuseWhileChanging(network, id),
    onMoved: (network, from, to) => ledger.moved(network, from, to),
    emit: (move) => deps.emit('move.changed', { move }),
  })
  const changes = createChangesPart({
    ...deps,
    changes: deps.store.changes,
    items: deps.store.changeItems,
    book: webhooks.book,
    mirror,
    onChanged: (changed) => deps.emit('change.changed', { changes: changed }),
    onRemoved: (id) => deps.emit('change.removed', { id }),
    refuseWhileMoving: (network, id) => moves.refuse(network, id),
  })
  const changing = {
    ...deps,
    ...deps.ledger,
    book: webhooks.book,
    mirror,
    make: changes.make,
    refuseWhileMoving: (network: NetworkId, id: string) => moves.refuse(network, id),
  }
  const plans = createPlans(changing)
  const sampler = createSampler({
    ...deps,
    book: webhooks.book,
    mirror,
    settings: () => deps.settings().monitoring,
    observers: [createWatchRound(alerts, lag)],
    onChanged: (state) => deps.emit('sampler.changed', state),
    onGrown: (network, grown) => deps.emit('failure.changed', { network, webhooks: grown }),
  })
  deps.resources.defer(async () => {
    await sampler.stop()
    await alerts.stop()
    ledger.stop()
  })
  return {
    handlers: {
      ...webhooks.handlers,
      ...sampler.handlers,
      ...createFailureRoutes({
        ...deps,
        captures: deps.captureCounts,
        everySeconds: () => deps.settings().monitoring.everySeconds,
        breathe: () => setImmediate(),
      }),
      ...moves.handlers,
      ...createExplain({ ...deps, book: webhooks.book, followed: mirror }),
      ...createSubscriptionRoutes({ ...deps, mirror }),
      ...ledger.handlers,
      ...changes.handlers,
      ...createByHand(changing),
      ...plans.handlers,
      ...createExport(changing),
    },
    start() {
      ledger.start()
      sampler.start()
    },
    monitoringChanged() {
      alerts.settingsChanged().catch(deps.onBug)
    },
    async forget(network) {
      await sampler.forget(network, async () => {
        await ledger.forget(network)
        await moves.forget(network)
        plans.forget(network)
        await changes.forget(network)
        lag.forget(network)
        await mirror.forget(network)
        await webhooks.forget(network)
        // Last: a look under way finds no webhook any more.
        await alerts.forget(network)
      })
    },
  }
}

/** After each round of the sampler: what it has read is told before the lag, which takes its time. */
function createWatchRound(alerts: Pick<Alerts, 'look'>, lag: LagReader): RoundObserver {
  return async function watchRound(network, signal) {
    await alerts.look(network)
    await lag.read(network, signal)
    await alerts.look(network)
  }
}
