/** Detects silent causes of missing deliveries, repairs them if possible, and reports them. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Session } from './session.ts'

type WatchOptions = {
  readonly session: Session
  readonly note: (text: string) => void
  readonly hasTunnel: boolean
  readonly now?: () => number
  readonly interfaces?: () => unknown
  readonly connects?: (port: number) => Promise<boolean>
}

const tickMs = 5_000
/** A timer this late means that the computer slept. */
const sleptMs = 20_000
const tunnelEveryMs = 60_000
const connectMs = 30_000

export function watchListening(options: WatchOptions) {
  const { session, note, hasTunnel, now = Date.now } = options
  const { interfaces = addresses, connects = canConnect } = options
  let seenAt = now()
  let seenNetwork = JSON.stringify(interfaces())
  let isDeaf = false
  let tunnelProblem: string | null = null
  let tunnelAskedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null
  let isStopped = false

  async function look(): Promise<void> {
    const slept = now() - seenAt - tickMs
    seenAt = now()
    const network = JSON.stringify(interfaces())
    const hasMoved = network !== seenNetwork
    seenNetwork = network
    if (slept > sleptMs)
      note(`This computer slept for ${length(slept)}. Checking the receiver and the tunnel.`)
    if (hasMoved) note('The network has changed. Checking the receiver and the tunnel.')
    const isOdd = slept > sleptMs || hasMoved
    await lookAtReceiver(isOdd)
    if (hasTunnel && (isOdd || now() - tunnelAskedAt > tunnelEveryMs)) await lookAtTunnel(isOdd)
  }

  /** The reported state may be wrong, so the receiver's port is tested by a connection. */
  async function lookAtReceiver(isOdd: boolean): Promise<void> {
    let state = await session.call('receiver.state')
    const answers = state.port !== null && (await connects(state.port))
    if (state.status === 'listening' && answers) {
      if (isDeaf || isOdd) note(`The receiver listens on ${state.url ?? ''}`)
      isDeaf = false
      return
    }
    if (!isDeaf)
      note(
        `The receiver is not listening${state.problem === null ? '' : `: ${state.problem}`}. Starting the receiver.`,
      )
    isDeaf = true
    if (state.status === 'listening') await session.call('receiver.stop')
    state = await session.call('receiver.start')
    if (state.status !== 'listening') return
    isDeaf = false
    note(`The receiver is listening again, on ${state.url ?? ''}`)
  }

  async function lookAtTunnel(isOdd: boolean): Promise<void> {
    tunnelAskedAt = now()
    const { check } = await session.call('tunnel.check')
    if (check === null) return
    const problem = check.ok ? null : (check.problem ?? 'requests to this URL do not arrive')
    if (problem !== null && problem !== tunnelProblem) {
      note(`Deliveries do not arrive through ${check.url}: ${problem}`)
    } else if (problem === null && (isOdd || tunnelProblem !== null)) {
      note(`Deliveries arrive through ${check.url}.`)
    }
    tunnelProblem = problem
  }

  function lookOnce(): Promise<void> {
    looking ??= look()
      .catch((error: unknown) => {
        // If the app is ending, its watcher reports that.
        if (!isStopped) note(error instanceof Error ? error.message : String(error))
      })
      .finally(() => {
        looking = null
      })
    return looking
  }

  const timer = setInterval(() => void lookOnce(), tickMs)
  if (hasTunnel) void lookOnce()
  return {
    look: lookOnce,
    stop(): void {
      isStopped = true
      clearInterval(timer)
    },
  }
}

const addresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
    .sort()

function canConnect(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' })
  return once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

function length(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes === 0
    ? `${Math.round(ms / 1000)} s`
    : minutes < 120
      ? `${minutes} min`
      : `${Math.round(minutes / 60)} h`
}
