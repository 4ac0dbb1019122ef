import type { Network } from '../../src-preload/contract/network.ts'
import type { AppContext } from '../app/context.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { formatSentence } from '../chain/compose-sentence.ts'
import { createCaptureCounts, createSightings } from '../captures/store/captures.ts'
import { createDeliveries } from '../captures/store/deliveries.ts'
import { taskEntry } from '../threads/threads.ts'
import { type WebhookTokens, createWebhookBook } from './book.ts'
import { createConditions } from './conditions.ts'
import { createUserChanges, createSubscriptionRoutes } from './subscriptions.ts'
import { createChangesPart } from './changes/changes.ts'
import { createExplain } from './explain/explain.ts'
import { createExport } from './file/export.ts'
import { createPlans } from './file/plans.ts'
import { createDeliveryErrors, createDeliveryHealth } from './history/delivery-health.ts'
import { createFailureRoutes } from './history/failure-routes.ts'
import { createLag } from './lag/lag.ts'
import { createMissedEvents } from './missed-events/missed-events.ts'
import { createMovesPart } from './move/moves.ts'
import type { BaseRoom } from './base-room.ts'
import type { WebhookRoom } from './room.ts'
import { createSampler } from './sampler/sampler.ts'
import { createArrivals } from '../captures/store/arrivals.ts'
import { createSubscriptionStore } from './store/subscription-store.ts'
import { createWebhookHooks } from './store/webhooks.ts'
import { createMirror } from './sync/mirror.ts'
import { createWebhookRoutes } from './webhooks.ts'

export function registerWebhooks(
  context: AppContext,
  { captures, index, indexDatabase, writer }: CaptureLog,
  tokens: WebhookTokens,
  takeDraft: BaseRoom['takeDraft'],
) {
  const { database, events, labels, log, resources, settings } = context
  const base: BaseRoom = {
    ...context,
    store: createSubscriptionStore(database),
    refuseWhileMoving: (network, id) => moves.refuse(network, id),
    takeDraft,
    onBug: (error) => log.failure('subscriptions', error),
  }
  const book = createWebhookBook(base, tokens)
  const mirror = createMirror({ ...base, book })
  // The mirror is registered before the jobs, so that the jobs, which use it, end first.
  resources.defer(() => mirror.stop())
  const room: WebhookRoom = { ...base, book, mirror }

  const deliveries = createDeliveries(database, indexDatabase)
  const lag = createLag(room)
  const explain = createExplain({
    ...room,
    sightings: createSightings(database, indexDatabase, captures),
    async sentenceOf(network, id) {
      const { trace } = await context.request('transaction.get', { network, id })
      return trace === null
        ? null
        : formatSentence(trace.sentence, (each) => context.nameAccount(network, each))
    },
  })
  const conditions = createConditions({
    ...room,
    incidents: context.incidents,
    causeOf: explain.causeOf,
  })
  const missedEvents = createMissedEvents({
    ...room,
    arrivals: createArrivals(database, indexDatabase),
    async indexed() {
      await index.ask('reach', { id: writer.state().newestId ?? 0 })
    },
    async put(records, origin) {
      const count = await writer.put(records, origin)
      events.emit('captures.put', {})
      return count
    },
  })
  const moves = createMovesPart({
    ...room,
    refuseWhileChanging: (network, id) => changes.refuseWhileChanging(network, id),
    onMoved: (network, from, to) => missedEvents.moved(network, from, to),
  })
  const changes = createChangesPart({
    ...room,
    limits: createLearnedLimits(context.values, (network) => `subscribe.chunk.${network}`),
  })
  const plans = createPlans(
    {
      ...room,
      // The limit is 2048 MB of memory, because a file within the limits needs half of it.
      startFileWork: context.startWork(taskEntry, 2048),
      addLabels(network, names) {
        const known = labels.namesOf(network, [...names.keys()])
        const added = [...names].filter(([address]) => !known.has(address))
        const rest = { network, note: '', changedAt: context.now() }
        labels.put(added.map(([address, name]) => ({ ...rest, address, name })))
        if (added.length > 0) events.emit('label.changed', { network })
      },
    },
    changes.make,
  )
  const sampler = createSampler(room, async (network, signal) => {
    // Publishes the round's data before the lag, which takes longer.
    await conditions.look(network)
    await lag.read(network, signal)
    await conditions.look(network)
  })

  settings.on(
    (all) => all.monitoring,
    () => void conditions.settingsChanged().catch(room.onBug),
  )
  events.on(
    'label.changed',
    ({ network }) => void conditions.labelsChanged(network).catch(room.onBug),
  )
  const withKey = (all: readonly Network[]) =>
    new Set(all.flatMap(({ id, secrets }) => (secrets.api === null ? [] : [id])))
  let known = withKey(context.networks.state().networks)
  events.on('network.changed', ({ networks }) => {
    const before = known
    known = withKey(networks)
    for (const network of before) {
      if (known.has(network)) continue
      sampler.pause(network, () => conditions.forget(network)).catch(room.onBug)
    }
  })
  context.onForget('webhooks', (network) =>
    sampler.forget(network, async () => {
      await missedEvents.forget(network)
      await moves.forget(network)
      plans.forget(network)
      await changes.forget(network)
      lag.forget(network)
      await mirror.forget(network)
      await book.forget(network)
      // Incidents are forgotten last, because a pending check then finds no webhook.
      await conditions.forget(network)
    }),
  )
  resources.defer(async () => {
    await sampler.stop()
    await conditions.stop()
    missedEvents.stop()
  })
  return {
    book,
    hooks: createWebhookHooks(database),
    handlers: {
      ...createWebhookRoutes(room),
      ...sampler.handlers,
      ...createFailureRoutes({
        ...room,
        captures: createCaptureCounts(database, indexDatabase),
        everySeconds: () => settings.get().monitoring.everySeconds,
      }),
      ...createDeliveryHealth({ ...room, events, deliveries }),
      ...createDeliveryErrors({ ...room, deliveries }),
      ...moves.handlers,
      ...explain.handlers,
      ...createSubscriptionRoutes(room),
      ...missedEvents.handlers,
      ...changes.handlers,
      ...createUserChanges(room, changes.make),
      ...plans.handlers,
      ...createExport(room),
    },
    /** Starts the sampler and the scheduled checks; commands do not call this. */
    start(): void {
      conditions.start()
      missedEvents.start()
      sampler.start()
    },
  }
}
