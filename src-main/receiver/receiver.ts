import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { hookPath, newReceiverToken } from '../captures/hook-path.ts'
import { type Listener, loopbackHost } from './listener.ts'
import type { Arrival, ProbeKind } from './probes.ts'

type ReceiverDeps = {
  /** Calls a function of the receiver thread. */
  readonly call: <N extends keyof Listener>(
    name: N,
    ...question: Parameters<Listener[N]>
  ) => Promise<Awaited<ReturnType<Listener[N]>>>
  readonly settings: () => Settings['receiver']
  readonly memory: {
    token(): string | null
    setToken(token: string): void
  }
  readonly onChanged: (state: ReceiverState) => void
}

export type Receiver = ReturnType<typeof createReceiver>

/** The app's view of its receiver, which runs in a thread of its own. */
export function createReceiver({ call, settings, memory, onChanged }: ReceiverDeps) {
  let token = memory.token() ?? newReceiverToken()
  memory.setToken(token)
  let port: number | null = null
  let problem: string | null = null
  let wantedPort: number | null = null
  let override: { readonly port: number; readonly insteadOf: number } | null = null
  let listened: { readonly wanted: number; readonly port: number } | null = null
  /** The port on which the receiver listened when its thread ended. */
  let resumeAt: number | null = null
  let writable = true
  let counts = { captured: 0, refused: 0 }

  /** Starts and stops run one at a time: two at once would open two listeners and lose one. */
  const { run: inTurn } = createMutex()

  const urlAt = (listening: number) => `http://${loopbackHost}:${listening}${hookPath(token)}`

  function portToTake(): number {
    const wanted = settings().port
    return override?.insteadOf === wanted ? override.port : wanted
  }

  const state = (): ReceiverState => ({
    status: port !== null ? 'listening' : problem === null ? 'stopped' : 'failed',
    url: port === null ? null : urlAt(port),
    port,
    wantedPort: port === null || port === wantedPort ? null : wantedPort,
    isPortForRun: override?.insteadOf === settings().port,
    problem,
    writable,
    ...counts,
  })

  function changed(): ReceiverState {
    const now = state()
    onChanged(now)
    return now
  }

  async function start(requested: number | undefined): Promise<ReceiverState> {
    if (port !== null) return state()
    if (requested !== undefined) override = { port: requested, insteadOf: settings().port }
    const wanted = portToTake()
    wantedPort = wanted === 0 ? null : wanted
    problem = null
    try {
      await call('useToken', token)
      port = await call('listen', resumeAt ?? wanted)
      resumeAt = null
      listened = { wanted, port }
    } catch (error) {
      problem = `The receiver cannot listen on port ${wanted} (${messageOf(error)}). Choose another port in Settings.`
    }
    return changed()
  }

  async function stop(): Promise<ReceiverState> {
    const wasListening = port !== null
    port = null
    resumeAt = null
    problem = null
    if (wasListening) await call('closePort')
    return changed()
  }

  return {
    state,
    /** Returns the state with the current counts. */
    async currentState(): Promise<ReceiverState> {
      if (port !== null) counts = await call('counts')
      return state()
    },
    /** The full URL; while the receiver is stopped, the last or the configured URL. */
    url(): string {
      const wanted = portToTake()
      const usual = listened?.wanted === wanted ? listened.port : wanted
      return urlAt(port ?? usual)
    },
    /** @param port replaces the port of the settings until that changes; 0 takes any free port */
    start: (requested?: number) => inTurn(() => start(requested)),
    /** Stops accepting connections, responds to the requests already read, then closes. */
    stop: () => inTurn(stop),
    async rotateToken(): Promise<ReceiverState> {
      const next = newReceiverToken()
      // The token is stored first, because a URL given out must stay valid after a restart.
      memory.setToken(next)
      token = next
      await call('useToken', next)
      return changed()
    },
    async expectProbe(kind: ProbeKind, ofWebhook = false) {
      const probe = await call('expectProbe', { kind, ofWebhook })
      let arrival: Promise<Arrival | null> | null = null
      return {
        ...probe,
        /** Returns the probe as it arrived, or null, and ends the probe: a later request is a delivery. */
        arrived: () => (arrival ??= call('endProbe', probe)),
      }
    },
    /** @param now false while captures cannot be stored and deliveries get 503 */
    setWritable(now: boolean): void {
      if (writable === now) return
      writable = now
      changed()
    },
    /** The thread ended unexpectedly. @returns true if it was listening */
    threadEnded(message: string): boolean {
      if (port === null) return false
      resumeAt = port
      port = null
      problem = `The receiver’s thread ended (${message}). Tondesk starts it again.`
      changed()
      return true
    },
  }
}
