import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { AppContext } from '../app/context.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import type { RegisteredCaptures } from '../captures/register.ts'
import type { SendAsks } from '../threads/send-thread.ts'
import { sendThread } from '../threads/threads.ts'
import { isHere, isPublicHost } from '../webhooks/endpoint.ts'
import { createWebhooks, unknownWebhook } from '../webhooks/store/webhooks.ts'
import { createTargetConditions } from './forwarding/conditions.ts'
import { isOrphanedSessionRule } from './forwarding/session-rules.ts'
import { createPassThrough } from './forwarding/pass-through.ts'
import { toReplaySending } from './replay/sending-view.ts'
import { createAnswers } from './response-rules/answers.ts'
import { type OwnPlaces, createGuard, resolveBySystem } from './sender/guard.ts'
import { createSending, relaySendRoutes } from './sender/sending.ts'
import { createAnswerRules } from './store/response-rules.ts'
import { createForwardRules } from './store/forward-rules.ts'
import { createReplayJobs } from './store/replay-jobs.ts'
import { createReplaySendings } from './store/replay-sendings.ts'
import { createTestEvents } from './test-events.ts'
import { createTunnels } from './tunnels/tunnels.ts'

const sendingsOfCapture = 100

export function registerDelivery(
  context: AppContext,
  captureLog: CaptureLog,
  { finder, networkOf, readArrivalFilter }: RegisteredCaptures,
  own: () => OwnPlaces,
) {
  const { database, events, log, networks, now, paths, resources } = context
  const { index, pipeline, writer } = captureLog
  const onBug = (error: unknown) => log.failure('workbench', error)

  const forwardRules = createForwardRules(database)
  const replayJobs = createReplayJobs(database)
  const sendings = createReplaySendings(database)
  const files = { database: paths.database, index: paths.index }
  const asks: SendAsks = {
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
  captureLog.onDeletionsIndexed(() => sending.deleted())

  const passThrough = createPassThrough(
    () => forwardRules.list(),
    (text) => readArrivalFilter(text, now()),
    (passing) => sending.ask('forward.pass', passing),
    now,
  )
  const answers = createAnswers({
    rules: createAnswerRules(database),
    readFilter: readArrivalFilter,
    networkOf: (arrived) => networkOf(arrived)?.network ?? null,
    passThrough,
    write: (answered) => writer.answered(answered),
    async onStatuses(ids) {
      await index.ask('reindex', { ids })
      captureLog.changed(ids)
    },
    onChanged: (rules) => events.emit('answerRule.changed', { rules }),
    now,
    onBug,
  })
  resources.defer(() => answers.stop())

  const webhooks = createWebhooks(database)
  const guard = createGuard({ resolve: resolveBySystem, own, isConfirmed: () => false })
  const tunnels = createTunnels({ ...context, onBug }, guard, {
    isPublicHost,
    webhooksAt: (url) =>
      networks.state().networks.flatMap(({ id: network }) =>
        webhooks
          .list(network)
          .filter(({ endpoint }) => isHere(endpoint, { url, publicUrl: null }))
          .map(({ id: webhook }) => ({ network, webhook })),
      ),
  })
  resources.defer(() => tunnels.stop())
  function findWebhook(network: NetworkId, id: string) {
    const webhook = webhooks.get(network, id)
    if (webhook === null || webhook.goneAt !== null) throw unknownWebhook(id)
    const { endpoint, tokenHint } = webhook
    const { receiver, settings } = context
    const here = { url: receiver.url(), publicUrl: settings.get().receiver.publicUrl }
    return { endpoint, tokenHint, isHere: isHere(endpoint, here) }
  }
  return {
    handlers: {
      ...answers.handlers,
      ...tunnels.handlers,
      ...createTestEvents(context, findWebhook, own),
      ...relaySendRoutes(sending.ask, () => passThrough.reload()),
      // Answered here, because the send thread may not run.
      'replay.ofCapture': ({ id }) =>
        sendings.ofCapture(id, sendingsOfCapture).flatMap((sent) => {
          const job = replayJobs.get(sent.job)
          return job === null ? [] : toReplaySending(sent, job)
        }),
    } satisfies Partial<Handlers>,
    responses: answers,
    start(): void {
      tunnels.start()
      for (const { id, name } of forwardRules.list()) {
        if (isOrphanedSessionRule(name)) forwardRules.remove(id, now() * 1000)
      }
      passThrough.reload()
      const hasRules = forwardRules.list().length > 0
      if (!hasRules) reportTargets([])
      sending.start(hasRules || replayJobs.isAnyRunning())
    },
  }
}
