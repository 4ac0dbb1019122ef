import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { createCommitQueue } from './commit-queue.ts'
import { hookPath, newReceiverToken } from './hook-path.ts'
import { createOtherAnswers } from './response-overrides.ts'
import { type ProbeKind, createProbes } from './probes.ts'
import { type ReceiverDeps, createReceiverServer } from './server.ts'
import { createRefusals } from './refusals.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'
import { closeServer, tryListen } from '../net/server.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'

export type Receiver = ReturnType<typeof createReceiver>

/** Only loopback: requests from elsewhere arrive through a tunnel. */
const host = '127.0.0.1'
/** Ports tried after the configured one, before any free port. */
const nearbyPorts = 20
const drainMs = 2_000

export function createReceiver(deps: ReceiverDeps) {
  let token = deps.memory.token() ?? newReceiverToken()
  let expected = Buffer.from(token, 'latin1')
  deps.memory.setToken(token)
  let server: Server | null = null
  let problem: string | null = null
  let wantedPort: number | null = null
  let override: { readonly port: number; readonly insteadOf: number } | null = null
  let listened: { readonly wanted: number; readonly port: number } | null = null
  let writable = true
  const counts = { captured: 0, refused: 0 }

  /** Starts and stops run one at a time: two at once would open two listeners and lose one. */
  const { run: inTurn } = createMutex()

  const refusals = createRefusals(deps.onRequestRefused)
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
      ...counts,
    }
  }

  function changed(): ReceiverState {
    const now = state()
    deps.onChanged(now)
    return now
  }

  async function start(port: number | undefined): Promise<ReceiverState> {
    if (server !== null) return state()
    if (port !== undefined) override = { port, insteadOf: deps.settings().port }
    const wanted = portToTake()
    wantedPort = wanted === 0 ? null : wanted
    problem = null
    const expectedToken = () => expected
    const context = { ...deps, queue, others, probes, refusals, counts, expectedToken }
    const candidate = createReceiverServer(context)
    try {
      await listenNear(candidate, wanted)
      server = candidate
      listened = { wanted, port: (candidate.address() as AddressInfo).port }
    } catch (error) {
      problem = `The receiver cannot listen on port ${wanted} (${messageOf(error)}). Choose another port in Settings.`
    }
    return changed()
  }

  async function stop(): Promise<ReceiverState> {
    const stopping = server
    server = null
    problem = null
    if (stopping !== null) {
      others.release()
      await closeServer(stopping, drainMs, () => !queue.isEmpty())
    }
    return changed()
  }

  return {
    state,
    refusals: () => refusals,
    /** The full URL; while stopped, the last or the configured one. */
    url(): string {
      const wanted = portToTake()
      const usual = listened?.wanted === wanted ? listened.port : wanted
      return urlAt(state().port ?? usual)
    },
    /** @param port replaces the port of the settings until that changes; 0 takes any free port */
    start: (port?: number) => inTurn(() => start(port)),
    /** Stops accepting connections, responds to the requests already read, then closes. */
    stop: () => inTurn(stop),
    rotateToken(): ReceiverState {
      const next = newReceiverToken()
      // The token is stored first, because a URL given out must stay valid after a restart.
      deps.memory.setToken(next)
      token = next
      expected = Buffer.from(token, 'latin1')
      return changed()
    },
    expectProbe: (kind: ProbeKind, ofWebhook?: boolean) => probes.expect(kind, ofWebhook),
    /** @param now false while captures cannot be stored and deliveries get 503 */
    setWritable(now: boolean): void {
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
