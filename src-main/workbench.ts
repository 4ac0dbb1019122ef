import type { EventName, Events } from '../src-preload/contract/index.ts'
import type { AnswersDeps } from './inspector/answers/answers.ts'
import { createAnswers } from './inspector/answers/answers.ts'
import { createNetworkOf } from './inspector/meaning/network-of.ts'
import { readDeliveryFilter } from './inspector/query/delivery-filter.ts'
import type { ExchangeDeps } from './inspector/exchange/exchange.ts'
import { createExchange } from './inspector/exchange/exchange.ts'
import { createSending } from './inspector/send/sending.ts'
import { createTargetHandlers } from './inspector/send/target-handlers.ts'
import type { TunnelsDeps } from './inspector/tunnels/tunnels.ts'
import { createTunnels } from './inspector/tunnels/tunnels.ts'
import { notBuilt } from './not-built.ts'
import type { OwnPlaces } from './send-messages.ts'
import { exchangeThread, sendThread } from './threads.ts'

export type WorkbenchDeps = {
  readonly paths: { readonly database: string; readonly index: string }
  /** Where this app itself listens: nothing is sent there. */
  readonly own: () => OwnPlaces
  readonly answers: Omit<
    AnswersDeps,
    'readFilter' | 'networkOf' | 'passThrough' | 'onChanged' | 'now' | 'onBug'
  >
  readonly tunnels: Omit<TunnelsDeps, 'onChanged' | 'now' | 'onBug'>
  readonly onBug: (error: unknown) => void
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
  readonly exchange: Omit<ExchangeDeps, 'thread' | 'paths' | 'onExports' | 'onImport'>
  /** Something in a thread of the workbench went wrong. */
  readonly onTrouble: (what: string, message: string, damage: boolean) => void
}

/**
 * What is done with captures once they are on disk: their meaning, queries, forwarding, replay,
 * answers, tunnels and exchange, wired to each other as `compose.ts` wires the rooms.
 */
export function createWorkbench(deps: WorkbenchDeps) {
  const sending = createSending(deps.paths, sendThread, {
    onEvent: ({ name, payload }) => deps.emit(name, payload),
    onTrouble: (message, damage) => deps.onTrouble('sending stopped', message, damage),
  })
  sending.setOwn(deps.own())

  const exchange = createExchange({
    ...deps.exchange,
    paths: deps.paths,
    thread: exchangeThread,
    onExports: (exports) => deps.emit('exchange.exportChanged', { exports }),
    onImport: (state) => deps.emit('exchange.importChanged', state),
  })

  const networkOf = createNetworkOf([])
  const answers = createAnswers({
    ...deps.answers,
    readFilter: (text, now) => readDeliveryFilter(text, 'arrival', now),
    networkOf: (arrived) => networkOf(arrived)?.network ?? null,
    passThrough: null,
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
    ...notBuilt,
    ...answers.handlers,
    ...tunnels.handlers,
    ...exchange.handlers,
    ...createTargetHandlers(sending),
  }
  return {
    handlers,
    /** What the receiver answers by: null while no rule is on. */
    decide: () => answers.decide(),
    /** What was answered became known after the capture was written. */
    answered: (capture: number, status: number | null) => answers.answered(capture, status),
    publicUrlChanged: (before: string | null) => tunnels.publicUrlChanged(before),
    /** Captures up to this id have been classified. */
    classified: (upTo: number) => sending.indexed(upTo),
    /** Captures were deleted, and the index has followed. */
    deleted: () => sending.deleted(),
    /** What `own` says may have changed. */
    ownChanged: () => sending.setOwn(deps.own()),
    start(): void {
      tunnels.start()
      exchange.start()
      sending.start(false)
    },
    async stop(): Promise<void> {
      tunnels.stop()
      await answers.stop()
      await exchange.stop()
      await sending.close()
    },
  }
}
