import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { AppContext } from '../app/context.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import type { RegisteredCaptures } from '../captures/register.ts'
import type { JobHandlers } from '../jobs/routes.ts'
import type { SendRequests } from '../threads/send-thread.ts'
import { sendThread } from '../threads/threads.ts'
import { type OwnAddresses, isHere } from '../app/self-addresses.ts'
import { isPublicHost } from '../net/address.ts'
import { createTargetConditions } from './forwarding/conditions.ts'
import type { Passing } from './forwarding/pass-through.ts'
import { isOrphanedSessionRule } from './forwarding/session-rules.ts'
import { toReplaySending } from './replay/sending-view.ts'
import { createGuard, resolveBySystem } from './sender/guard.ts'
import { createSending, relaySendRoutes } from './sender/sending.ts'
import { createForwardRules } from './store/forward-rules.ts'
import { createReplayJobs } from './store/replay-jobs.ts'
import { createReplaySendings } from './store/replay-sendings.ts'
import { type TestedWebhook, createTestEvents } from './test-events.ts'
import { createTunnels } from './tunnels/tunnels.ts'

const sendingsOfCapture = 100

export function registerDelivery(
  context: AppContext,
  captureLog: CaptureLog,
  { finder }: RegisteredCaptures,
  {
    own,
    onRules,
    webhooks,
  }: {
    readonly own: () => OwnAddresses
    readonly onRules: () => Promise<void>
    readonly webhooks: {
      readonly known: (network: NetworkId) => readonly TestedWebhook[]
      /** @throws AppError WEBHOOK_UNKNOWN */
      readonly find: (network: NetworkId, id: string) => TestedWebhook
    }
  },
) {
  const { database, events, log, networks, now, paths, resources } = context
  const { index, pipeline } = captureLog
  const onBug = (error: unknown) => log.failure('delivery', error)

  const forwardRules = createForwardRules(database)
  const replayJobs = createReplayJobs(database)
  const sendings = createReplaySendings(database)
  const files = { database: paths.database, index: paths.index }
  const asks: SendRequests = {
    event: ({ name, payload }) => events.emit(name, payload),
    queryIds: ({ text, after, limit }) => finder.ids(text, after, limit),
    queryCount: ({ text }) => finder.count(text),
    reach: ({ id }) => index.ask('reach', { id }),
  }
  const sending = createSending(files, sendThread, asks, (message, damage) => {
    log.write('error', 'sending stopped', { message })
    if (damage) events.emit('database.damageSuspected', { message })
  })
  resources.defer(() => sending.close())
  const setOwn = () => sending.setOwn(own())
  setOwn()
  events.on('receiver.changed', setOwn)
  events.on('sandbox.changed', setOwn)
  events.on('settings.changed', setOwn)
  events.on('window.served', setOwn)
  const reportTargets = createTargetConditions(context.incidents)
  events.on('forwardRule.changed', ({ rules }) => reportTargets(rules))
  pipeline.on('forward', () => sending.indexed())
  pipeline.on('deletionsIndexed', () => sending.deleted())

  const guard = createGuard({ resolve: resolveBySystem, own, isConfirmed: () => false })
  const tunnels = createTunnels({ ...context, onBug }, guard, {
    isPublicHost,
    webhooksAt: (url) =>
      networks.state().networks.flatMap(({ id: network }) =>
        webhooks
          .known(network)
          .filter(({ endpoint }) => isHere(endpoint, { url, publicUrl: null }))
          .map(({ id: webhook }) => ({ network, webhook })),
      ),
  })
  resources.defer(() => tunnels.stop())
  return {
    handlers: {
      ...tunnels.handlers,
      ...createTestEvents(context, webhooks.find, own),
      ...relaySendRoutes(sending.ask, onRules),
      // The main thread handles this route, because the send thread may not be running.
      'replay.ofCapture': ({ id }) =>
        sendings.ofCapture(id, sendingsOfCapture).flatMap((sent) => {
          const job = replayJobs.get(sent.job)
          return job === null ? [] : toReplaySending(sent, job)
        }),
    } satisfies Partial<Handlers>,
    pass: (passing: Passing) => sending.ask('forward.pass', passing),
    /** Calls a job route for replays, whose jobs run in the send thread. */
    callReplays: sending.ask as (route: keyof JobHandlers, input: unknown) => Promise<unknown>,
    start(): void {
      tunnels.start()
      for (const { id, name } of forwardRules.list()) {
        if (isOrphanedSessionRule(name)) forwardRules.remove(id, now() * 1000)
      }
      const hasRules = forwardRules.list().length > 0
      if (!hasRules) reportTargets([])
      sending.start(hasRules || replayJobs.isAnyRunning())
    },
  }
}
