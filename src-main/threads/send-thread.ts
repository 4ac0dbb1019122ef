/**
 * The send thread forwards and replays captures. It writes results to tondesk.db in small batches
 * that never block a capture; a failure here cannot lose a capture.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { z } from 'zod'
import type { Events } from '../../src-preload/contract/routes.ts'
import { createForwardCalls, createForwardNotifier } from '../delivery/forwarding/forward-calls.ts'
import { type ForwardContext, createAttempter } from '../delivery/forwarding/attempt.ts'
import { createForwarder } from '../delivery/forwarding/forwarder.ts'
import { readDeliveryFilter } from '../captures/query/read-query.ts'
import type { Passing } from '../delivery/forwarding/pass-through.ts'
import { createDeliveryOf } from '../delivery/forwarding/watcher.ts'
import { createReplay } from '../delivery/replay/replay.ts'
import { createGuard, createTargetCalls, resolveBySystem } from '../delivery/sender/guard.ts'
import type { OwnAddresses } from '../app/self-addresses.ts'
import { createSender } from '../delivery/targets/targets.ts'
import { openDatabase } from '../database/database.ts'
import { createConfirmedHosts } from '../delivery/store/confirmed-hosts.ts'
import { createForwardLog } from '../delivery/store/forward-log.ts'
import { createForwardQueue } from '../delivery/store/forward-queue.ts'
import { createForwardRows } from '../delivery/store/forward-rows.ts'
import { createForwardRules } from '../delivery/store/forward-rules.ts'
import { createFactsReader } from '../captures/store/index/facts.ts'
import { createReplayCaptures } from '../delivery/store/replay-captures.ts'
import { createReplayJobs, createReplayPlans } from '../delivery/store/replay-jobs.ts'
import { createReplaySendings } from '../delivery/store/replay-sendings.ts'
import { createValues } from '../app/store/settings.ts'
import { createWebhookHooks } from '../webhooks/store/webhooks.ts'
import { handleUncaughtErrors } from '../app/uncaught-errors.ts'
import { createFilterNames } from './filter-names.ts'
import { serveCalls } from './rpc.ts'

export type SendData = { readonly database: string; readonly index: string }

type SendEvent = {
  [N in keyof Events]: { readonly name: N; readonly payload: Events[N] }
}[keyof Events]

export type SendRequests = {
  readonly queryIds: (question: {
    readonly text: string
    readonly after: number
    readonly limit: number
  }) => Promise<{ readonly ids: readonly number[]; readonly next: number | null }>
  readonly queryCount: (question: {
    readonly text: string
  }) => Promise<{ readonly count: number; readonly isExact: boolean }>
  readonly reach: (question: { readonly id: number }) => Promise<unknown>
  readonly event: (event: SendEvent) => void
}

const data = workerData as SendData

// NORMAL suffices: after a power cut a request is sent again with the same id.
const database = openDatabase(data.database, { synchronous: 'NORMAL' })

let own: OwnAddresses = { ports: [], publicUrls: [] }
const hosts = createConfirmedHosts(database)
const guard = createGuard({
  resolve: resolveBySystem,
  own: () => own,
  isConfirmed: (host) => hosts.has(host),
})
// Separate senders, because a replay of hundreds of requests must not delay forwarding.
const forwardSender = createSender(guard)
const replaySender = createSender(guard)

const nowMicroseconds = () => Math.round((performance.timeOrigin + performance.now()) * 1000)

// Two connections of this thread could wait for each other's lock forever, so all share one.
database.exec('PRAGMA wal_autocheckpoint = 16000')
const index = openDatabase(data.index, { readOnly: true })
const install = installOf()
const forwardRules = createForwardRules(database)
const forwardLog = createForwardLog(database, index)
const hooks = createWebhookHooks(database)
const names = createFilterNames(database)
const forwarding: ForwardContext = {
  rules: forwardRules,
  rows: createForwardRows(database),
  queue: createForwardQueue(database),
  log: forwardLog,
  guard,
  install,
  attempt: createAttempter(install, (...request) => forwardSender.send(...request)),
  deliveryOf: createDeliveryOf(forwardLog.body, () => hooks.list()),
  readFilter: (text, stage) => readDeliveryFilter(text, stage, Date.now(), names),
  now: nowMicroseconds,
  onChanged: (capture) => notifier.changed(capture),
  onTrouble: (problem) => app.report(problem),
}
const forwarder = createForwarder(forwarding)
const forward = createForwardCalls(forwarding, forwarder)
const notifier = createForwardNotifier(
  () => forward.list(),
  (rules) => emit({ name: 'forwardRule.changed', payload: { rules } }),
  (captures) => emit({ name: 'forward.changed', payload: { captures } }),
  forwarding.onTrouble,
)
const replay = createReplay({
  jobs: createReplayJobs(database),
  plans: createReplayPlans(database),
  sendings: createReplaySendings(database),
  captures: createReplayCaptures(database),
  factsOf: createFactsReader(index).byIds,
  finder: {
    ids: (text, after, limit) => app.call('queryIds', { text, after, limit }),
    count: (text) => app.call('queryCount', { text }),
  },
  classified: (id) => app.call('reach', { id }),
  forwardAnswer: (id) => forward.answerSide(id),
  guard,
  send: (request, target, options) => replaySender.send(request, target, options),
  now: () => performance.now(),
  unix: nowMicroseconds,
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
  events: { emit: (name, payload) => emit({ name, payload } as SendEvent) },
  onBug: (error) => app.report(error),
})

function guardChanged(): void {
  forwardSender.guardChanged()
  replaySender.guardChanged()
  forwarder.guardChanged()
}

function emit(event: SendEvent): void {
  app.notify('event', event)
}

/** A part of each delivery id that never changes and differs between computers. */
function installOf(): string {
  const values = createValues(database)
  const key = 'forward.install'
  const known = values.get(key, z.string().regex(/^[0-9a-f]{8}$/), '')
  if (known !== '') return known
  const made = randomBytes(4).toString('hex')
  values.set(key, made)
  return made
}

async function close(): Promise<void> {
  notifier.stop()
  await Promise.all([replay.stop(), forwarder.stop()])
  await Promise.all([forwardSender.close(), replaySender.close()])
  index.close()
  database.close()
}

handleUncaughtErrors({ onConnectionError: (error) => app.report(error) })

const functions = {
  start() {
    forwarder.start()
    replay.jobs.resumeAll()
  },
  own(now: OwnAddresses) {
    own = now
    guardChanged()
  },
  indexed: () => forwarder.wake(),
  deleted: () => forwarder.deleted(),
  ...replay.handlers,
  ...forward.calls,
  'forward.pass': (passing: Passing) => forwarder.pass(passing),
  ...createTargetCalls(guard, hosts, guardChanged, nowMicroseconds),
  close,
}

export type SendCalls = typeof functions

const app = serveCalls<SendRequests>(functions)
