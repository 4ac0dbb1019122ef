import { z } from 'zod'
import type { Condition } from '../../src-preload/contract/incident.ts'
import type { ReceiverRefusals, ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { BaseContext } from '../app/context.ts'
import { redact } from '../app/log.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { maskHeader, maskTarget } from '../captures/mask.ts'
import { type Receiver, createReceiver } from './receiver.ts'
import type { ReceiverDeps } from './server.ts'
import { createTokenChecker } from './token-check.ts'

type ResponseRules = Pick<ReceiverDeps, 'decide'> & {
  readonly answered: ReceiverDeps['onAnswered']
}

const tokenInHex = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .nullable()

export function registerReceiver(context: BaseContext, { writer }: Pick<CaptureLog, 'writer'>) {
  const { config, events, incidents, resources, settings, values } = context
  const tokens = createTokenChecker()
  let rules: ResponseRules | null = null
  const receiver = createReceiver({
    append: (records, onWritten) => writer.append(records, onWritten),
    tokens,
    settings: () => settings.get().receiver,
    memory: {
      token: () => values.get('receiver.token', tokenInHex, null),
      setToken: (token) => values.set('receiver.token', token),
    },
    decide: () => rules?.decide() ?? null,
    onAnswered: (capture, status) => rules?.answered(capture, status),
    async keepTest(record) {
      const id = await writer.putOne(record, 'test', 'test delivery')
      events.emit('captures.put', {})
      return id
    },
    onChanged(state) {
      events.emit('receiver.changed', state)
      reportState(state)
    },
    onRequestRefused: () => events.emit('receiver.refused', {}),
  })
  /** True while the app itself stops the receiver: to change the port, or because the app ends. */
  let isStoppedByApp = false
  async function stopByApp(): Promise<void> {
    isStoppedByApp = true
    try {
      await receiver.stop()
    } finally {
      isStoppedByApp = false
    }
  }
  resources.defer(stopByApp)
  let unwritable: Condition | null = null
  function reportState(state: ReceiverState): void {
    const isStopped = state.status === 'stopped'
    // What was wrong is not over: the next start tells.
    if (isStopped && isStoppedByApp) return
    // A receiver that the user stopped is no incident.
    if (isStopped && unwritable === null) incidents.keepOnly(null, 'receiver')
    else incidents.report(null, 'receiver', { condition: describeStop(state) ?? unwritable })
  }
  events.on('captures.writable', ({ problem, forGood }) => {
    unwritable = problem === null ? null : describeUnwritable(problem, forGood)
    receiver.setWritable(problem === null)
    if (problem !== null) incidents.report(null, 'receiver', { condition: unwritable, failures: 1 })
  })
  settings.on(
    ({ receiver: { port } }) => port,
    async () => {
      if (receiver.state().status === 'stopped') return
      await stopByApp()
      await receiver.start()
    },
  )
  return {
    receiver,
    tokens,
    handlers: {
      'receiver.state': () => receiver.state(),
      'receiver.refusals': () => refusalsOf(receiver),
      'receiver.start': () => receiver.start(),
      'receiver.stop': () => receiver.stop(),
      'receiver.rotateToken': () => receiver.rotateToken(),
    } satisfies Partial<Handlers>,
    respondBy(given: ResponseRules): void {
      rules = given
    },
    async start(): Promise<void> {
      if (config.receive ?? settings.get().receiver.listenAtStart) {
        await receiver.start(config.receiverPort)
      } else incidents.keepOnly(null, 'receiver')
    },
  }
}

function describeStop({ problem }: ReceiverState): Condition | null {
  if (problem === null) return null
  return {
    kind: 'stopped',
    level: 'alarm',
    title: 'The receiver is not listening',
    cause: problem,
    nextStep:
      'Stop the program that uses the port, or choose another port in Settings. Then start the receiver.',
    afterwards: 'Check your webhooks for missed events.',
  }
}

function describeUnwritable(problem: string, forGood: boolean): Condition {
  return {
    kind: 'unwritable',
    level: 'alarm',
    title: 'Captures cannot be written',
    cause: `The receiver responds with 503, so the gateway will retry each delivery. ${problem}.`,
    nextStep: forGood
      ? 'Restart Tondesk.'
      : 'Free some space or repair the disk; Tondesk then continues automatically.',
    afterwards: 'Check your webhooks for missed events.',
  }
}

function refusalsOf(receiver: Receiver): ReceiverRefusals {
  const { total, latest } = receiver.refusals()
  return {
    total: total(),
    latest: latest().map((refusal) => ({ ...refusal, start: printable(maskStart(refusal.start)) })),
  }
}

function maskStart(start: string): string {
  return redact(start)
    .split(/\r?\n/)
    .map((line) => {
      const [, name, value] = /^([\w-]+): *(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined
        ? maskTarget(line)
        : maskHeader([name, value]).join(': ')
    })
    .join('\n')
}

function printable(latin1: string): string {
  return latin1.replace(
    /[^\n\x20-\x7e]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
