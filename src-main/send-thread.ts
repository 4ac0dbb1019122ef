/**
 * The thread that sends what was captured to targets: forwarding and replay. Like the index thread an
 * entry of its own, composing the store with the rooms. It writes what it has sent and learnt to
 * tondesk.db in small batches that no capture has to wait for, and nothing that happens here can
 * lose one.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../src-preload/contract/index.ts'
import { createGuard } from './inspector/send/guard.ts'
import { resolveBySystem } from './inspector/send/resolve.ts'
import { createSender } from './inspector/send/sender.ts'
import { createTargetCalls } from './inspector/send/target-calls.ts'
import type { OwnPlaces, SendCalls, SendData, SendReport, SendRequest } from './send-messages.ts'
import { isDamage, openDatabase } from './store/database.ts'
import { createConfirmedHosts } from './store/forwarding/confirmed-hosts.ts'

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

const calls: {
  [N in keyof SendCalls]: (
    question: SendCalls[N]['question'],
  ) => SendCalls[N]['answer'] | Promise<SendCalls[N]['answer']>
} = {
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
  await sender.close()
  database.close()
  report({ type: 'closed' })
  port.close()
}

port.on('message', (request: SendRequest) => {
  switch (request.type) {
    case 'start':
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
