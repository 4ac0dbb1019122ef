import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { Append } from '../captures/store/capture-appender.ts'
import { closeServer, listenOnce } from '../net/server.ts'
import { createCommitQueue } from './commit-queue.ts'
import { type ExpectedProbe, type ProbeKind, createProbes } from './probes.ts'
import { createRefusals } from './refusals.ts'
import { createOverriddenResponses } from './overridden-responses.ts'
import { createReceiverServer } from './server.ts'
import { createTokenChecker } from './token-check.ts'

type ServerDeps = Parameters<typeof createReceiverServer>[0]

type ListenerDeps = Pick<
  ServerDeps,
  'decide' | 'onAnswered' | 'keepTest' | 'times' | 'maxConnections'
> & {
  readonly append: Append
  readonly settings: Settings['receiver']
  /** A lower limit for tests. */
  readonly maxBodyBytes?: number
  readonly onRequestRefused: () => void
}

/** The calls from the main thread to the receiver thread. */
export type Listener = ReturnType<typeof createListener>

/** The receiver listens on loopback only: requests from elsewhere arrive through a tunnel. */
export const loopbackHost = '127.0.0.1'
/** Ports tried after the configured one, before any free port. */
const nearbyPorts = 20
const drainMs = 2_000
/** A sender that is refused thousands of times a second must not occupy the main thread. */
const refusedEveryMs = 100

/** Handles everything between a sender and the writer thread, in a thread of its own. */
export function createListener(deps: ListenerDeps) {
  let { settings } = deps
  let expected = Buffer.alloc(0)
  let server: Server | null = null
  const counts = { captured: 0, refused: 0 }
  const tokens = createTokenChecker()
  let refusedTimer: NodeJS.Timeout | undefined
  const refusals = createRefusals(() => {
    refusedTimer ??= setTimeout(() => {
      refusedTimer = undefined
      deps.onRequestRefused()
    }, refusedEveryMs)
  })
  const queue = createCommitQueue(deps.append, deps.maxBodyBytes)
  const others = createOverriddenResponses(() => server?.listening ?? false)
  const probes = createProbes()

  async function close(): Promise<void> {
    const stopping = server
    server = null
    if (stopping === null) return
    others.release()
    await closeServer(stopping, drainMs, () => !queue.isEmpty())
    // A request that broke off is captured too, but only after its connection has closed.
    await new Promise<void>((resolve) => setImmediate(() => queue.settled(resolve)))
  }

  return {
    /**
     * @param wanted the port; 0 takes any free port
     * @returns the port in use
     */
    async listen(wanted: number): Promise<number> {
      const candidate = createReceiverServer({
        ...deps,
        tokens,
        queue,
        others,
        probes,
        refusals,
        counts,
        settings: () => settings,
        expectedToken: () => expected,
      })
      await listenNear(candidate, wanted)
      server = candidate
      return (candidate.address() as AddressInfo).port
    },
    /** Stops accepting connections, responds to the requests already read, then closes. */
    closePort: close,
    useToken(token: string): void {
      expected = Buffer.from(token, 'latin1')
    },
    useSettings(now: Settings['receiver']): void {
      settings = now
    },
    useWebhookTokens: (known: Parameters<typeof tokens.setTokens>[0]) => tokens.setTokens(known),
    counts: () => ({ ...counts }),
    refusals: () => ({ total: refusals.total(), latest: refusals.latest() }),
    expectProbe: ({ kind, ofWebhook }: { readonly kind: ProbeKind; readonly ofWebhook: boolean }) =>
      probes.expect(kind, ofWebhook),
    endProbe: (probe: ExpectedProbe) => probes.end(probe),
  }
}

async function listenNear(server: Server, wanted: number): Promise<void> {
  const nearby = Array.from({ length: nearbyPorts }, (_, index) => wanted + index)
  const ports = wanted === 0 ? [0] : [...nearby.filter((port) => port <= 65_535), 0]
  for (const port of ports) {
    // Without `exclusive`, another process on the port could take deliveries.
    const problem = await listenOnce(server, { host: loopbackHost, port, exclusive: true })
    if (problem === null) return
    // Some systems reserve port ranges and refuse them with EACCES.
    if (problem.code !== 'EADDRINUSE' && problem.code !== 'EACCES') throw problem
  }
  throw new Error('no free port')
}
