import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { CaptureRecord } from '../captures/store/capture-record.ts'
import { classify } from './classify.ts'
import { type Append, createCommitQueue } from './commit-queue.ts'
import { hookPath, newReceiverToken } from './hook-path.ts'
import { type DecideAnswer, createOtherAnswers } from './response-overrides.ts'
import { type Probe, type ProbeKind, createProbes } from './probes.ts'
import { type ReceiverTimes, createReceiverServer } from './server.ts'
import { type Refusals, createRefusals } from './refusals.ts'
import type { TokenChecker } from './token-check.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { closeServer, tryListen } from '../net/server.ts'

type ReceiverDeps = {
  readonly append: Append
  readonly tokens: TokenChecker
  readonly settings: () => Settings['receiver']
  readonly memory: {
    token(): string | null
    setToken(token: string): void
  }
  readonly onChanged: (state: ReceiverState) => void
  /** Null while no rule changes the response. */
  readonly decide?: () => DecideAnswer | null
  readonly onAnswered?: (capture: number, status: number | null) => void
  readonly keepTest?: (record: CaptureRecord) => Promise<number>
  readonly times?: ReceiverTimes
  /** For tests. */
  readonly maxBodyBytes?: number
  /** For tests. */
  readonly maxConnections?: number
  readonly onRequestRefused?: () => void
}

export type Receiver = {
  state(): ReceiverState
  refusals(): Pick<Refusals, 'total' | 'latest'>
  /** @param port replaces the port of the settings until that changes; 0 takes any free port */
  start(port?: number): Promise<ReceiverState>
  /** Stops accepting connections, responds to the requests already read, then closes. */
  stop(): Promise<ReceiverState>
  rotateToken(): ReceiverState
  /** The full URL; while stopped, the last or the configured one. */
  url(): string
  expectProbe(kind: ProbeKind): Probe
  /** @param writable false while captures cannot be stored and deliveries get 503 */
  setWritable(writable: boolean): void
}

/** Only loopback: requests from elsewhere arrive through a tunnel. */
const host = '127.0.0.1'
/** Ports tried after the configured one, before any free port. */
const nearbyPorts = 20
const drainMs = 2_000

export function createReceiver(deps: ReceiverDeps): Receiver {
  let token = deps.memory.token() ?? newReceiverToken()
  let expected = Buffer.from(token, 'latin1')
  deps.memory.setToken(token)
  let server: Server | null = null
  let problem: string | null = null
  let wantedPort: number | null = null
  let override: { readonly port: number; readonly insteadOf: number } | null = null
  let listened: { readonly wanted: number; readonly port: number } | null = null
  let writable = true
  let captured = 0
  let refused = 0

  /** Starts and stops run one at a time: two at once would open two listeners and lose one. */
  const { run: inTurn } = createMutex()

  const refusals = createRefusals(() => deps.onRequestRefused?.())
  const queue = createCommitQueue(deps.append, deps.maxBodyBytes)
  const others = createOtherAnswers(() => server?.listening ?? false)
  const probes = createProbes()

  const urlAt = (port: number) => `http://${host}:${port}${hookPath(token)}`

  function portToTake(): number {
    const { port } = deps.settings()
    return override?.insteadOf === port ? override.port : port
  }

  function state(): ReceiverState {
    const port = server === null ? null : ((server.address() as AddressInfo | null)?.port ?? null)
    return {
      status: port !== null ? 'listening' : problem === null ? 'stopped' : 'failed',
      url: port === null ? null : urlAt(port),
      port,
      wantedPort: port === null || port === wantedPort ? null : wantedPort,
      isPortForRun: override?.insteadOf === deps.settings().port,
      problem,
      writable,
      captured,
      refused,
    }
  }

  function changed(): ReceiverState {
    const now = state()
    deps.onChanged(now)
    return now
  }

  function newServer(): Server {
    return createReceiverServer({
      queue,
      tokens: deps.tokens,
      expectedToken: () => expected,
      bodyLimitBytes: () => deps.settings().bodyLimitBytes,
      rejectWrongToken: () => deps.settings().rejectWrongToken,
      isInvoice: (body) => classify(body, null).kind === 'invoice',
      decide: deps.decide ?? (() => null),
      others,
      onAnswered: deps.onAnswered ?? (() => undefined),
      probes,
      keepTest: deps.keepTest ?? (() => Promise.reject(new Error('Nobody keeps tests here.'))),
      onCaptured: () => {
        captured += 1
      },
      onRefused: () => {
        refused += 1
      },
      refusals,
      maxConnections: deps.maxConnections,
      times: deps.times,
    })
  }

  async function start(port: number | undefined): Promise<ReceiverState> {
    if (server !== null) return state()
    if (port !== undefined) override = { port, insteadOf: deps.settings().port }
    const wanted = portToTake()
    wantedPort = wanted === 0 ? null : wanted
    problem = null
    const candidate = newServer()
    try {
      await listenNear(candidate, wanted)
      server = candidate
      listened = { wanted, port: (candidate.address() as AddressInfo).port }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      problem = `The receiver cannot listen on port ${wanted} (${reason}). Choose another port in Settings.`
    }
    return changed()
  }

  async function stop(): Promise<ReceiverState> {
    const stopping = server
    server = null
    problem = null
    if (stopping !== null) {
      others.release()
      await closeServer(stopping, drainMs)
    }
    return changed()
  }

  return {
    state,
    refusals: () => refusals,
    url() {
      const wanted = portToTake()
      const usual = listened?.wanted === wanted ? listened.port : wanted
      return urlAt(state().port ?? usual)
    },
    start: (port) => inTurn(() => start(port)),
    stop: () => inTurn(stop),
    rotateToken() {
      const next = newReceiverToken()
      // The token is stored first, because a URL given out must stay valid after a restart.
      deps.memory.setToken(next)
      token = next
      expected = Buffer.from(token, 'latin1')
      return changed()
    },
    expectProbe: (kind) => probes.expect(kind),
    setWritable(now) {
      if (writable === now) return
      writable = now
      changed()
    },
  }
}

async function listenNear(server: Server, wanted: number): Promise<void> {
  const nearby = Array.from({ length: nearbyPorts }, (_, index) => wanted + index)
  const ports = wanted === 0 ? [0] : [...nearby.filter((port) => port <= 65_535), 0]
  for (const port of ports) {
    // Without `exclusive`, another process on the port could take deliveries.
    const problem = await tryListen(server, { host, port, exclusive: true })
    if (problem === null) return
    // Some systems reserve port ranges and refuse them with EACCES.
    if (problem.code !== 'EADDRINUSE' && problem.code !== 'EACCES') throw problem
  }
  throw new Error('no free port')
}
