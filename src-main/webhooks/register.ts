import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { EventHub } from '../bridge/events.ts'
import type { Lookup } from '../lookups/lookup.ts'
import { formatSentence } from '../explorer/sentence-parts.ts'
import type { ExportFiles } from '../exports/export-files.ts'
import type { CaptureIndex } from '../captures/capture-index.ts'
import type { Networks } from '../networks/networks.ts'
import type { Notices } from '../app/notices.ts'
import type { Receiver } from '../receiver/receiver.ts'
import { type WebhookTokenKeeper, webhookTokenId } from '../secrets/webhook-tokens.ts'
import { createCaptureCounts } from '../captures/store/capture-counts.ts'
import { createSightings } from '../captures/store/capture-sightings.ts'
import type { CaptureWriter } from '../captures/store/capture-writer.ts'
import type { Captures } from '../captures/store/captures.ts'
import type { Database } from '../database/database.ts'
import type { Labels } from '../explorer/store/labels.ts'
import type { Values } from '../app/store/settings.ts'
import { createArrivals } from './store/arrivals.ts'
import { createSubscriptionStore } from './store/subscription-store.ts'
import { type Subscriptions, createSubscriptions } from './subscriptions.ts'
import type { StartWork } from '../jobs/work-process.ts'
import { fileEntry } from '../threads/threads.ts'

type SubscriptionParts = {
  readonly startWork: (entry: URL, maxHeapMb: number) => StartWork
  readonly database: Database
  readonly indexDatabase: Database
  readonly values: Values
  readonly settings: () => Settings
  readonly networks: Networks
  readonly receiver: Receiver
  readonly webhookTokens: WebhookTokenKeeper
  readonly labels: Labels
  readonly files: ExportFiles
  readonly notices: Notices
  readonly captures: Captures
  readonly writer: CaptureWriter
  readonly index: CaptureIndex
  readonly getTransaction: Handlers['transaction.get']
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly takeDraft: Lookup['takeDraft']
  /** Captures came that nobody delivered. */
  readonly onPut: () => void
  readonly events: EventHub
  readonly onBug: (error: unknown) => void
}

/** Webhooks and what they are subscribed to, wired for `compose.ts`. */
export function composeSubscriptions(parts: SubscriptionParts): Subscriptions {
  const { database, indexDatabase, values, networks, receiver, webhookTokens } = parts
  const { labels, captures, writer, events } = parts
  const chunkKey = (network: string) => `subscribe.chunk.${network}`
  return createSubscriptions({
    access: networks.access,
    store: createSubscriptionStore(database),
    settings: parts.settings,
    receiver: () => receiver.state(),
    receiverUrl: () => receiver.url(),
    tokens: {
      idOf: webhookTokenId,
      get: (id) => webhookTokens.get(id),
      keep: (kept) => webhookTokens.keep(kept),
      remove: (id) => webhookTokens.remove(id),
    },
    labelsOf: (network, addresses) => labels.namesOf(network, addresses),
    addLabels(network, names) {
      const known = labels.namesOf(network, [...names.keys()])
      const added = [...names].filter(([address]) => !known.has(address))
      const rest = { network, note: '', changedAt: Date.now() }
      labels.put(added.map(([address, name]) => ({ ...rest, address, name })))
      if (added.length > 0) events.emit('label.changed', { network })
    },
    files: parts.files,
    // A file within the limits takes half of it.
    startFileWork: parts.startWork(fileEntry, 2048),
    limits: {
      get: (network) => values.get(chunkKey(network), z.int().positive().nullable(), null),
      set: (network, limit) => values.set(chunkKey(network), limit),
    },
    notices: parts.notices,
    captureCounts: createCaptureCounts(database, indexDatabase),
    sightings: createSightings(database, indexDatabase, captures),
    async sentenceOf(network, hash) {
      const { trace } = await parts.getTransaction({ network, id: hash })
      return trace === null ? null : formatSentence(trace.sentence)
    },
    ledger: {
      arrivals: createArrivals(database, indexDatabase),
      async indexed() {
        await parts.index.ask('reach', { id: writer.state().newestId ?? 0 })
      },
      async put(records, origin) {
        const count = await writer.put(records, origin)
        parts.onPut()
        return count
      },
      chainNow: parts.chainNow,
      takeDraft: parts.takeDraft,
    },
    emit: (name, payload) => events.emit(name, payload),
    now: Date.now,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    onBug: parts.onBug,
  })
}
