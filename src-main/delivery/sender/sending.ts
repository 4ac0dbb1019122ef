import { isDeepStrictEqual } from 'node:util'
import { forwardRoutes } from '../../../src-preload/contract/forward.ts'
import { replayRoutes } from '../../../src-preload/contract/replay.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { targetRoutes } from '../../../src-preload/contract/target.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import { type Host, relayRoutes, startThread } from '../../threads/rpc.ts'
import type { SendRequests, SendCalls, SendData } from '../../threads/send-thread.ts'
import type { OwnAddresses } from '../../app/self-addresses.ts'

const notifyEveryMs = 20
/**
 * A thread that hangs must not keep the app from ending; the next start sends its unfinished
 * deliveries again.
 */
const maxClosingMs = 60_000
/** In a smaller young generation, short-lived requests and responses would reach the old generation. */
const resourceLimits = { maxYoungGenerationSizeMb: 48 }

/** The main thread's side of the send thread, which is started when first needed. */
export function createSending(
  data: SendData,
  entry: URL,
  asks: SendRequests,
  /** The send thread ended or failed: nothing is sent any more, but receiving continues. */
  onTrouble: (message: string, damage: boolean) => void,
) {
  let thread: Host<SendCalls> | null = null
  let isClosed = false
  let hasStarted = false
  let own: OwnAddresses = { ports: [], publicUrls: [] }
  let timer: NodeJS.Timeout | undefined

  function open(): Host<SendCalls> {
    if (thread !== null) return thread
    thread = startThread<SendCalls, SendRequests>(
      entry,
      { workerData: data, name: 'tondesk-send', resourceLimits },
      asks,
      { onTrouble, toEnded: stopped },
    )
    thread.notify('own', own)
    if (hasStarted) thread.notify('start')
    thread.notify('indexed')
    return thread
  }

  const ask: Host<SendCalls>['call'] = (name, ...args) =>
    isClosed && thread === null
      ? Promise.reject(stopped(new Error('Tondesk is closing')))
      : open().call(name, ...args)

  return {
    ask,
    start(hasWork: boolean): void {
      hasStarted = true
      if (thread !== null) thread.notify('start')
      else if (hasWork) open()
    },
    setOwn(now: OwnAddresses): void {
      if (isDeepStrictEqual(now, own)) return
      own = now
      thread?.notify('own', own)
    },
    indexed(): void {
      if (thread === null) return
      timer ??= setTimeout(() => {
        timer = undefined
        thread?.notify('indexed')
      }, notifyEveryMs)
    },
    deleted: () => thread?.notify('deleted'),
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await thread?.close(maxClosingMs)
    },
  }
}

function stopped({ message }: Error): AppError {
  return new AppError(
    bridgeCodes.internal,
    `Forwarding and replays have stopped (${message}). Captures are still stored; restart Tondesk to forward and replay them.`,
  )
}

/** The send thread handles all of these routes; the exception works without it. */
type SendRoute = Exclude<
  keyof typeof forwardRoutes | keyof typeof replayRoutes | keyof typeof targetRoutes,
  'replay.ofCapture'
>

const sendRoutes = Object.keys({ ...forwardRoutes, ...replayRoutes, ...targetRoutes }).filter(
  (name) => name !== 'replay.ofCapture',
) as SendRoute[]

export function relaySendRoutes(
  ask: Host<SendCalls>['call'],
  onRules: () => Promise<void>,
): Pick<Handlers, SendRoute> {
  const changesRules = /^forwardRule\.(remove|save|setEnabled)$/
  return relayRoutes(sendRoutes, async (name, question) => {
    try {
      return await ask(name, question)
    } finally {
      if (changesRules.test(name)) await onRules()
    }
  })
}
