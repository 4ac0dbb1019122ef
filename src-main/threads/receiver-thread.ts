/**
 * The receiver thread accepts deliveries and responds after the writer thread's commit. No work of
 * the main thread delays a delivery: large responses of a gateway, imports, exports and pictures
 * are handled elsewhere. Its steps handle a bounded number of bytes, and it writes no file.
 */
import { type MessagePort, workerData } from 'node:worker_threads'
import type { Events } from '../../src-preload/contract/routes.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { handleUncaughtErrors } from '../app/uncaught-errors.ts'
import { createNetworkOf } from '../captures/explanation/network-of.ts'
import { readDeliveryFilter } from '../captures/query/read-query.ts'
import { createAppender } from '../captures/store/capture-appender.ts'
import type { CaptureRecord } from '../captures/store/capture-record.ts'
import { openDatabase } from '../database/database.ts'
import {
  type PassThrough,
  type Passed,
  type Passing,
  createPassThrough,
} from '../delivery/forwarding/pass-through.ts'
import { createResponseOverrides } from '../delivery/response-rules/response-overrides.ts'
import { createForwardRules } from '../delivery/store/forward-rules.ts'
import { type StoredResponseRule, createResponseRules } from '../delivery/store/response-rules.ts'
import { createListener } from '../receiver/listener.ts'
import type { ResponseUpdates } from './writer-messages.ts'
import { createWebhookHooks } from '../webhooks/store/webhooks.ts'
import { createFilterNames } from './filter-names.ts'
import { serveCalls } from './rpc.ts'

export type ReceiverData = {
  readonly database: string
  readonly writer: MessagePort
  readonly settings: Settings['receiver']
}

export type ReceiverRequests = {
  readonly keepTest: (record: CaptureRecord) => Promise<number>
  readonly refused: () => void
  readonly rulesChanged: (payload: Events['responseRule.changed']) => void
  /** Writes response statuses and uses of rules. */
  readonly answered: (answered: ResponseUpdates) => Promise<void>
  readonly addRule: (rule: Omit<StoredResponseRule, 'id'>) => number
  readonly changeRule: (rule: StoredResponseRule) => void
  readonly removeRule: (id: number) => void
  readonly sortRules: (ids: readonly number[]) => void
  readonly pass: (passing: Passing) => Promise<Passed>
}

const data = workerData as ReceiverData
const database = openDatabase(data.database, { readOnly: true })
const forwardRules = createForwardRules(database)
const hooks = createWebhookHooks(database)
const names = createFilterNames(database)
const readFilter = (text: string, at: number) => readDeliveryFilter(text, 'arrival', at, names)

let networkOf = createNetworkOf(hooks.list())
const passThrough: PassThrough = createPassThrough(
  () => forwardRules.list(),
  (text) => readFilter(text, Date.now()),
  (passing) => app.call('pass', passing),
  () => Date.now(),
)
const answers = createResponseOverrides({
  stored: createResponseRules(database).list(),
  store: {
    add: (rule) => app.call('addRule', rule),
    change: (rule) => app.call('changeRule', rule),
    remove: (id) => app.call('removeRule', id),
    sort: (ids) => app.call('sortRules', ids),
  },
  readFilter,
  networkOf: (arrived) => networkOf(arrived)?.network ?? null,
  passThrough,
  write: (answered) => app.call('answered', answered),
  onChanged: (rules) => app.notify('rulesChanged', { rules: [...rules] }),
  now: () => Date.now(),
  onBug: (error) => app.report(error),
})
passThrough.reload()

const listener = createListener({
  append: createAppender(data.writer),
  settings: data.settings,
  decide: () => answers.decide(),
  onAnswered: (capture, status) => answers.answered(capture, status),
  keepTest: (record) => app.call('keepTest', record),
  onRequestRefused: () => app.notify('refused'),
})

handleUncaughtErrors({ onConnectionError: (error) => app.report(error) })

const functions = {
  ...listener,
  ...answers.handlers,
  /** Call this when rules of forwarding or webhooks have changed. */
  reload(): void {
    passThrough.reload()
    networkOf = createNetworkOf(hooks.list())
  },
  async close(): Promise<void> {
    await listener.closePort()
    await answers.stop()
    data.writer.close()
    database.close()
  },
}

export type ReceiverCalls = typeof functions

const app = serveCalls<ReceiverRequests>(functions)
