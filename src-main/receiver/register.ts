import { z } from 'zod'
import type { ReceiverRefusals } from '../../src-preload/contract/receiver.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { BaseContext } from '../app/context.ts'
import { redact } from '../app/log.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { maskHeader, maskTarget } from '../captures/mask.ts'
import { type Receiver, createReceiver } from './receiver.ts'
import type { DecideAnswer } from './response-overrides.ts'
import { type TokenChecker, createTokenChecker } from './token-check.ts'

type ResponseRules = {
  /** Null while no rule changes the response. */
  decide(): DecideAnswer | null
  /** Reports a status that became known after its capture was written. */
  answered(capture: number, status: number | null): void
}

type RegisteredReceiver = {
  readonly receiver: Receiver
  readonly tokens: TokenChecker
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `receiver.${string}`>>
  respondBy(rules: ResponseRules): void
  start(): Promise<void>
}

const tokenInHex = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .nullable()

export function registerReceiver(
  context: BaseContext,
  { writer }: Pick<CaptureLog, 'writer'>,
): RegisteredReceiver {
  const { config, events, resources, settings, values } = context
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
    onChanged: (state) => events.emit('receiver.changed', state),
    onRequestRefused: () => events.emit('receiver.refused', {}),
  })
  resources.defer(async () => {
    await receiver.stop()
  })
  events.on('captures.writable', ({ problem }) => receiver.setWritable(problem === null))
  settings.on(
    ({ receiver: { port } }) => port,
    async () => {
      if (receiver.state().status === 'stopped') return
      await receiver.stop()
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
    },
    respondBy(given) {
      rules = given
    },
    async start() {
      if (!(config.receive ?? settings.get().receiver.listenAtStart)) return
      await receiver.start(config.receiverPort)
    },
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
