import type { AppContext } from '../app/context.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import type { RegisteredLookups } from '../lookups/register.ts'
import { formatSentence } from '../explorer/sentence-parts.ts'
import { type WebhookTokenKeeper, webhookTokenId } from '../secrets/webhook-tokens.ts'
import { createCaptureCounts } from '../captures/store/capture-counts.ts'
import { createSightings } from '../captures/store/capture-sightings.ts'
import { createArrivals } from './store/arrivals.ts'
import { createSubscriptionStore } from './store/subscription-store.ts'
import { type Subscriptions, createSubscriptions } from './subscriptions.ts'
import { taskEntry } from '../threads/threads.ts'

/** @param takeDraft an address list that the page of bulk lookups has understood */
export function registerWebhooks(
  context: AppContext,
  { captures, index, indexDatabase, writer }: CaptureLog,
  webhookTokens: WebhookTokenKeeper,
  takeDraft: RegisteredLookups['takeDraft'],
): Subscriptions {
  const { database, events, labels, log, receiver, settings } = context
  const subscriptions = createSubscriptions({
    ...context,
    store: createSubscriptionStore(database),
    settings: () => settings.get(),
    receiver: () => receiver.state(),
    receiverUrl: () => receiver.url(),
    tokens: {
      idOf: webhookTokenId,
      get: (id) => webhookTokens.get(id),
      keep: (kept) => webhookTokens.keep(kept),
      remove: (id) => webhookTokens.remove(id),
    },
    addLabels(network, names) {
      const known = labels.namesOf(network, [...names.keys()])
      const added = [...names].filter(([address]) => !known.has(address))
      const rest = { network, note: '', changedAt: context.now() }
      labels.put(added.map(([address, name]) => ({ ...rest, address, name })))
      if (added.length > 0) events.emit('label.changed', { network })
    },
    // A file within the limits takes half of it.
    startFileWork: context.startWork(taskEntry, 2048),
    limits: createLearnedLimits(context.values, (network) => `subscribe.chunk.${network}`),
    captureCounts: createCaptureCounts(database, indexDatabase),
    sightings: createSightings(database, indexDatabase, captures),
    async sentenceOf(network, id) {
      const { trace } = await context.request('transaction.get', { network, id })
      return trace === null ? null : formatSentence(trace.sentence)
    },
    ledger: {
      arrivals: createArrivals(database, indexDatabase),
      async indexed() {
        await index.ask('reach', { id: writer.state().newestId ?? 0 })
      },
      async put(records, origin) {
        const count = await writer.put(records, origin)
        events.emit('captures.put', {})
        return count
      },
      chainNow: context.chainNow,
      takeDraft,
    },
    emit: (name, payload) => events.emit(name, payload),
    onBug: (error) => log.failure('subscriptions', error),
  })
  settings.on(
    ({ monitoring }) => monitoring,
    () => subscriptions.monitoringChanged(),
  )
  context.onForget('webhooks', (network) => subscriptions.forget(network))
  return subscriptions
}
