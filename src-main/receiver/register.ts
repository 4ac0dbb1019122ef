import { z } from 'zod'
import { responseRuleRoutes } from '../../src-preload/contract/response-rule.ts'
import type { Condition } from '../../src-preload/contract/incident.ts'
import type { ReceiverRefusals, ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { BaseContext } from '../app/context.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { maskHeader, maskTarget, redact } from '../../src-preload/domain/mask.ts'
import { type Host, relayRoutes, startThread } from '../threads/rpc.ts'
import type { ReceiverRequests, ReceiverCalls, ReceiverData } from '../threads/receiver-thread.ts'
import { receiverThread } from '../threads/threads.ts'
import type { Listener } from './listener.ts'
import { createReceiver } from './receiver.ts'

type WebhookTokens = Parameters<Listener['useWebhookTokens']>[0]

/** The pause after an internal error, so that a request that causes it cannot keep a core busy. */
const restartMs = 1_000
/** The heap fits into the processor's cache, like that of the main thread (docs/benchmarks.md). */
const resourceLimits = { maxYoungGenerationSizeMb: 12 }

const ruleRoutes = Object.keys(responseRuleRoutes) as (keyof typeof responseRuleRoutes)[]

const tokenInHex = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .nullable()

type RuleStore = {
  list(): unknown
  readonly add: ReceiverRequests['addRule']
  readonly change: ReceiverRequests['changeRule']
  readonly remove: ReceiverRequests['removeRule']
  readonly sort: ReceiverRequests['sortRules']
}

export function registerReceiver(context: BaseContext, captureLog: CaptureLog, rules: RuleStore) {
  const { config, events, incidents, log, paths, resources, settings, values } = context
  const { writer } = captureLog
  // Unreadable rules fail the start; after a restored backup the next start then reverts the restore.
  rules.list()
  let webhookTokens: WebhookTokens = []
  let pass: ReceiverRequests['pass'] = () => Promise.reject(new Error('Tondesk is starting'))
  let thread: Host<ReceiverCalls> | null = null
  let isClosing = false

  const asks: ReceiverRequests = {
    async keepTest(record) {
      const id = await writer.putOne(record, 'test', 'test delivery')
      events.emit('captures.put', {})
      return id
    },
    refused: () => events.emit('receiver.refused', {}),
    rulesChanged: (payload) => events.emit('responseRule.changed', payload),
    async answered(answered) {
      await writer.answered(answered)
      const ids = answered.statuses.map(({ capture }) => capture)
      if (ids.length === 0) return
      await captureLog.index.ask('reindex', { ids })
      captureLog.changed(ids)
    },
    addRule: (rule) => rules.add(rule),
    changeRule: (rule) => rules.change(rule),
    removeRule: (id) => rules.remove(id),
    sortRules: (ids) => rules.sort(ids),
    pass: (passing) => pass(passing),
  }

  function open(): Host<ReceiverCalls> {
    if (thread !== null) return thread
    if (isClosing) throw new Error('Tondesk is closing')
    const port = writer.connect()
    const workerData: ReceiverData = {
      database: paths.database,
      writer: port,
      settings: settings.get().receiver,
    }
    const options = { name: 'tondesk-receiver', workerData, transferList: [port], resourceLimits }
    thread = startThread<ReceiverCalls, ReceiverRequests>(receiverThread, options, asks, {
      onTrouble: (message, damage) => {
        log.write('error', 'an error in the receiver thread', { message })
        if (damage) events.emit('database.damageSuspected', { message })
      },
      onEnd: ({ message }) => {
        thread = null
        if (receiver.threadEnded(message)) setTimeout(() => void restart(), restartMs).unref()
      },
    })
    thread.notify('useWebhookTokens', webhookTokens)
    return thread
  }

  async function restart(): Promise<void> {
    if (!isClosing && receiver.state().status === 'failed') await receiver.start()
  }

  const receiver = createReceiver({
    // Each function has its own types, which one call for all functions cannot express.
    call: (async (name: keyof Listener, question: never) =>
      open().call(name, question)) as Parameters<typeof createReceiver>[0]['call'],
    settings: () => settings.get().receiver,
    memory: {
      token: () => values.get('receiver.token', tokenInHex, null),
      setToken: (token) => values.set('receiver.token', token),
    },
    onChanged(state) {
      events.emit('receiver.changed', state)
      reportState(state)
    },
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
  resources.defer(async () => {
    await stopByApp()
    isClosing = true
    await thread?.close()
  })
  let unwritable: Condition | null = null
  function reportState(state: ReceiverState): void {
    const isStopped = state.status === 'stopped'
    // The problem may persist; the next start shows it again.
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
    (now) => now.receiver,
    (now) => thread?.notify('useSettings', now),
  )
  events.on('webhook.changed', () => thread?.notify('reload'))
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
    tokens: {
      setTokens(known: WebhookTokens): void {
        webhookTokens = known
        thread?.notify('useWebhookTokens', known)
      },
    },
    handlers: {
      'receiver.state': () => receiver.currentState(),
      'receiver.refusals': async () => viewRefusals(await open().call('refusals')),
      'receiver.start': () => receiver.start(),
      'receiver.stop': () => receiver.stop(),
      'receiver.rotateToken': () => receiver.rotateToken(),
      // The receiver thread decides by these rules and counts their uses, so it handles their routes.
      ...relayRoutes(ruleRoutes, (...question) => open().call(...question)),
    } satisfies Partial<Handlers>,
    /** Call this when forwarding rules have changed. */
    reload: async () => thread?.call('reload'),
    passBy(passThrough: ReceiverRequests['pass']): void {
      pass = passThrough
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

const describeUnwritable = (problem: string, forGood: boolean): Condition => ({
  kind: 'unwritable',
  level: 'alarm',
  title: 'Captures cannot be written',
  cause: `The receiver responds with 503, so the gateway will retry each delivery. ${problem}.`,
  nextStep: forGood
    ? 'Restart Tondesk.'
    : 'Delete captures, free some space or repair the disk; Tondesk then continues automatically.',
  afterwards: 'Check your webhooks for missed events.',
})

function viewRefusals({ total, latest }: ReturnType<Listener['refusals']>): ReceiverRefusals {
  const shown = latest.map((refusal) => ({
    ...refusal,
    start: printable(maskStart(refusal.start)),
  }))
  return { total, latest: shown }
}

const maskStart = (start: string): string =>
  redact(start)
    .split(/\r?\n/)
    .map((line) => {
      const [, name, value] = /^([\w-]+): *(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined
        ? maskTarget(line)
        : maskHeader([name, value]).join(': ')
    })
    .join('\n')

const printable = (latin1: string): string =>
  latin1.replace(
    /[^\n\x20-\x7e]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
