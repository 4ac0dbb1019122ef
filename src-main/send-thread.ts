/**
 * The thread that sends what was captured to targets: forwarding and replay. Like the index thread an
 * entry of its own, composing the store with the rooms. It writes what it has sent and learnt to
 * tondesk.db in small batches that no capture has to wait for, and nothing that happens here can
 * lose one.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../src-preload/contract/index.ts'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReplay } from './inspector/replay/replay.ts'
import { createAsking } from './inspector/send/asking.ts'
import { createGuard } from './inspector/send/guard.ts'
import { resolveBySystem } from './inspector/send/resolve.ts'
import { createSender } from './inspector/send/sender.ts'
import { createTargetCalls } from './inspector/send/target-calls.ts'
import type {
  OwnPlaces,
  SendCalls,
  SendData,
  SendEvent,
  SendReport,
  SendRequest,
} from './send-messages.ts'
import { subpathOf } from './receiver/hook-path.ts'
import { isDamage, openDatabase } from './store/database.ts'
import { createConfirmedHosts } from './store/forwarding/confirmed-hosts.ts'
import { createReplayCaptures } from './store/replays/replay-captures.ts'
import { createReplayFacts } from './store/replays/replay-facts.ts'
import { createReplayJobs } from './store/replays/replay-jobs.ts'
import { createReplayPlans } from './store/replays/replay-plans.ts'
import { createReplaySendings } from './store/replays/replay-sendings.ts'

if (parentPort === null) throw new Error('Sending runs as a worker thread.')
const port = parentPort
const data = workerData as SendData

// Not FULL: what a power cut takes back is sent once more, under the same id.
const database = openDatabase(data.database, { synchronous: 'NORMAL' })

let own: OwnPlaces = { ports: [], publicUrls: [] }
const hosts = createConfirmedHosts(database)
const guard = createGuard({
  resolve: resolveBySystem,
  own: () => own,
  isConfirmed: (host) => hosts.has(host),
})
const sender = createSender(guard)

const nowMicroseconds = () => Math.round((performance.timeOrigin + performance.now()) * 1000)

const asking = createAsking(report)
const replay = createReplay({
  jobs: createReplayJobs(database),
  plans: createReplayPlans(database),
  sendings: createReplaySendings(database),
  captures: createReplayCaptures(database),
  factsOf(ids) {
    using index = openDatabase(data.index, { readOnly: true })
    return createReplayFacts(index)(ids)
  },
  finder: {
    ids: (text, after, limit) => asking.ask('query.ids', { text, after, limit }),
    count: (text) => asking.ask('query.count', { text }),
  },
  classified: (id) => asking.ask('index.reach', { id }),
  forwardAnswer: () => null,
  verdict: (url) => guard.verdict(url),
  send: (request, target, options) => sender.send(request, target, options),
  subpathOf,
  newSeed: () => randomInt(2 ** 31),
  now: () => performance.now(),
  unix: nowMicroseconds,
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
  onChanged: (jobs) => emit({ name: 'replay.changed', payload: { jobs } }),
  onRemoved: (id) => emit({ name: 'replay.removed', payload: { id } }),
  onBug: (error) => fail(null, error),
})

const calls: {
  [N in keyof SendCalls]: (
    question: SendCalls[N]['question'],
  ) => SendCalls[N]['answer'] | Promise<SendCalls[N]['answer']>
} = {
  ...replay.handlers,
  ...createTargetCalls({
    guard,
    hosts,
    onChanged: () => sender.guardChanged(),
    now: nowMicroseconds,
  }),
}

function report(message: SendReport): void {
  port.postMessage(message)
}

function emit(event: SendEvent): void {
  report({ type: 'event', event })
}

function fail(call: number | null, error: unknown): void {
  report({
    type: 'failed',
    call,
    message: error instanceof Error ? error.message : String(error),
    error: error instanceof AppError ? error.toBody() : null,
    damage: isDamage(error),
  })
}

async function answer(request: Extract<SendRequest, { type: 'call' }>): Promise<unknown> {
  // The channel pairs each name with its own question.
  const handle = calls[request.name] as (question: unknown) => unknown
  return await handle(request.question)
}

async function close(): Promise<void> {
  await replay.stop()
  await sender.close()
  database.close()
  report({ type: 'closed' })
  port.close()
}

port.on('message', (request: SendRequest) => {
  switch (request.type) {
    case 'start':
      replay.resumeAll()
      return
    case 'told':
      asking.told(request)
      return
    case 'own':
      own = request.own
      sender.guardChanged()
      return
    case 'indexed':
      return
    case 'deleted':
      return
    case 'call':
      answer(request).then(
        (answered) => report({ type: 'answer', call: request.call, answer: answered }),
        (error: unknown) => fail(request.call, error),
      )
      return
    case 'close':
      void close()
      return
  }
})

report({ type: 'ready' })
