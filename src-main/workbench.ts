import { setTimeout as sleep } from 'node:timers/promises'
import type { EventMessage, EventName, Events, NetworkId } from '../src-preload/contract/index.ts'
import type { AnswersDeps } from './inspector/answers/answers.ts'
import { createAnswers } from './inspector/answers/answers.ts'
import type { MeaningDeps } from './inspector/meaning/meaning.ts'
import { createMeaning } from './inspector/meaning/meaning.ts'
import { replayMoments } from './inspector/meaning/replay-moments.ts'
import type { CaptureQueriesDeps } from './inspector/query/capture-queries.ts'
import { createCaptureQueries } from './inspector/query/capture-queries.ts'
import { readDeliveryFilter } from './inspector/query/delivery-filter.ts'
import { createNames } from './inspector/query/names.ts'
import type { ExchangeDeps } from './inspector/exchange/exchange.ts'
import { createExchange } from './inspector/exchange/exchange.ts'
import { createForwardHandlers, forwardMoments } from './inspector/forward/forward-handlers.ts'
import { isLeftOver } from './inspector/forward/rule-of-a-run.ts'
import { createThrough } from './inspector/forward/through.ts'
import { createReplayHandlers } from './inspector/replay/handlers.ts'
import { createSending } from './inspector/send/sending.ts'
import { createTargetHandlers } from './inspector/send/target-handlers.ts'
import type { TunnelsDeps } from './inspector/tunnels/tunnels.ts'
import { createTunnels } from './inspector/tunnels/tunnels.ts'
import type { OwnPlaces } from './send-messages.ts'
import type { ForwardRows } from './store/forwarding/forward-rows.ts'
import type { ForwardRules } from './store/forwarding/forward-rules.ts'
import type { ReplayJobs } from './store/replays/replay-jobs.ts'
import type { ReplaySendings } from './store/replays/replay-sendings.ts'
import { exchangeThread, sendThread } from './threads.ts'

export type WorkbenchDeps = {
  readonly paths: { readonly database: string; readonly index: string }
  /** Where this app itself listens: nothing is sent there. */
  readonly own: () => OwnPlaces
  readonly meaning: Omit<MeaningDeps, 'otherMoments' | 'onProgress' | 'now' | 'wait' | 'onBug'>
  /** Every event there is, in batches. Returns the way to stop. */
  readonly listen: (listener: (messages: readonly EventMessage[]) => void) => () => void
  readonly answers: Omit<
    AnswersDeps,
    'readFilter' | 'networkOf' | 'passThrough' | 'onChanged' | 'now' | 'onBug'
  >
  readonly tunnels: Omit<TunnelsDeps, 'onChanged' | 'now' | 'onBug'>
  readonly queries: Omit<CaptureQueriesDeps, 'onViewsChanged' | 'now'>
  readonly onBug: (error: unknown) => void
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
  readonly exchange: Omit<ExchangeDeps, 'thread' | 'paths' | 'finder' | 'onExports' | 'onImport'>
  readonly forward: { readonly rules: ForwardRules; readonly rows: ForwardRows }
  readonly replay: {
    readonly jobs: ReplayJobs
    readonly sendings: ReplaySendings
    /** Resolves when captures up to this id have been classified. */
    readonly reach: (id: number) => Promise<null>
  }
  /** Something in a thread of the workbench went wrong. */
  readonly onTrouble: (what: string, message: string, damage: boolean) => void
}

/**
 * What is done with captures once they are on disk: their meaning, queries, forwarding, replay,
 * answers, tunnels and exchange, wired to each other as `compose.ts` wires the rooms.
 */
export function createWorkbench(deps: WorkbenchDeps) {
  const queries = createCaptureQueries({
    ...deps.queries,
    onViewsChanged: () => deps.emit('captureView.changed', {}),
    now: Date.now,
  })
  const sending = createSending(deps.paths, sendThread, {
    onEvent: ({ name, payload }) => deps.emit(name, payload),
    onTrouble: (message, damage) => deps.onTrouble('sending stopped', message, damage),
    answers: {
      'query.ids': ({ text, after, limit }) => queries.finder.ids(text, after, limit),
      'query.count': ({ text }) => queries.finder.count(text),
      'index.reach': ({ id }) => deps.replay.reach(id),
    },
  })
  sending.setOwn(deps.own())

  const exchange = createExchange({
    ...deps.exchange,
    finder: queries.finder,
    paths: deps.paths,
    thread: exchangeThread,
    onExports: (exports) => deps.emit('exchange.exportChanged', { exports }),
    onImport: (state) => deps.emit('exchange.importChanged', state),
  })

  const meaning = createMeaning({
    ...deps.meaning,
    otherMoments: async (id) => [
      ...forwardMoments(deps.forward.rows, id),
      ...replayMoments(await handlers['replay.ofCapture']({ id })),
    ],
    onProgress: (progress) => deps.emit('meaning.progress', progress),
    now: Date.now,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    onBug: deps.onBug,
  })
  let deaf: (() => void) | null = null
  const { names } = createNames(deps.queries)
  const through = createThrough({
    rules: () => deps.forward.rules.list(),
    readFilter: (text) => readDeliveryFilter(text, 'arrival', Date.now(), names),
    sending,
    now: Date.now,
  })
  const answers = createAnswers({
    ...deps.answers,
    readFilter: (text, now) => readDeliveryFilter(text, 'arrival', now, names),
    networkOf: (arrived) => meaning.networkOf(arrived)?.network ?? null,
    passThrough: through,
    onChanged: (rules) => deps.emit('answerRule.changed', { rules }),
    now: Date.now,
    onBug: deps.onBug,
  })
  const tunnels = createTunnels({
    ...deps.tunnels,
    onChanged: (state) => deps.emit('tunnel.changed', state),
    now: Date.now,
    onBug: deps.onBug,
  })

  const handlers = {
    ...meaning.handlers,
    ...queries.handlers,
    ...answers.handlers,
    ...tunnels.handlers,
    ...exchange.handlers,
    ...createTargetHandlers(sending),
    ...createForwardHandlers({ sending, onRules: () => through.reload() }),
    ...createReplayHandlers({ sending, ...deps.replay }),
  }
  return {
    handlers,
    /** @throws AppError QUERY_INVALID */
    readQuery: queries.read,
    /** What the receiver answers by: null while no rule is on. */
    decide: () => answers.decide(),
    /** What was answered became known after the capture was written. */
    answered: (capture: number, status: number | null) => answers.answered(capture, status),
    publicUrlChanged: (before: string | null) => tunnels.publicUrlChanged(before),
    /** Captures up to this id have been classified. */
    classified(upTo: number): void {
      meaning.classified(upTo)
      sending.indexed(upTo)
    },
    /** Whose a page of captures is, and what they are about. */
    meaningOf: meaning.of,
    networksChanged: () => meaning.networksChanged(),
    settingsChanged: () => meaning.settingsChanged(),
    /** Its chain is another from now on. @param rest what else is to be forgotten of it meanwhile */
    forget: (network: NetworkId, rest: () => Promise<void>) => meaning.forget(network, rest),
    /** Captures were deleted, and the index has followed. */
    deleted: () => sending.deleted(),
    /** What `own` says may have changed. */
    ownChanged: () => sending.setOwn(deps.own()),
    start(): void {
      meaning.start()
      deaf = deps.listen((messages) => {
        for (const { name, payload } of messages) {
          if (name === 'invoice.changed') meaning.invoicesChanged(payload.network, payload.ids)
          if (name === 'webhook.changed') meaning.hooksChanged()
        }
      })
      tunnels.start()
      exchange.start()
      for (const { id, name } of deps.forward.rules.list()) {
        if (isLeftOver(name)) deps.forward.rules.remove(id, Date.now() * 1000)
      }
      through.reload()
      const hasRules = deps.forward.rules.list().length > 0
      sending.start(hasRules || deps.replay.jobs.isAnyRunning())
    },
    async stop(): Promise<void> {
      deaf?.()
      await meaning.stop()
      tunnels.stop()
      await answers.stop()
      await exchange.stop()
      await sending.close()
    },
  }
}
