import { create } from 'zustand'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type {
  Bridge,
  EventMessage,
  EventName,
  Events,
  Input,
  Output,
  RouteName,
} from '../../src-preload/contract/routes.ts'

/**
 * `connecting`: the first time. `lost`: the app went away, we keep trying. `ended`: this tab's
 * session is over for good; only a new start URL helps.
 */
export type ConnectionStatus = 'connecting' | 'open' | 'lost' | 'ended'

/** What carries requests and events: Electron's preload, or HTTP and a WebSocket in a browser. */
export type Transport = Bridge & {
  /** Begins; tells of every change of status. */
  start(onStatus: (status: ConnectionStatus) => void): void
  /** Does not wait for the next attempt. */
  retry(): void
}

export const useConnection = create<{ status: ConnectionStatus }>(() => ({ status: 'connecting' }))

type Listener = (payload: never) => void

let transport: Transport | undefined
const listeners = new Map<EventName, Set<Listener>>()
const reconnectListeners = new Set<() => void>()

/** Called once, before the first component. Returns the way to stop listening, for tests. */
export function connect(chosen: Transport): () => void {
  transport = chosen
  const stop = chosen.on((messages) => {
    for (const message of messages) hand(message)
  })
  chosen.start((status) => {
    const before = useConnection.getState().status
    useConnection.setState({ status })
    if (status === 'open' && before === 'lost')
      for (const listener of reconnectListeners) listener()
  })
  return stop
}

/** The preload's two functions as a transport: there is nothing to lose between the two. */
export function createPreloadTransport(bridge: Bridge): Transport {
  return {
    request: (name, input) => bridge.request(name, input),
    on: (listener) => bridge.on(listener),
    start: (onStatus) => onStatus('open'),
    retry: () => undefined,
  }
}

type Arguments<N extends RouteName> = undefined extends Input<N> ? [] : [input: Input<N>]

/**
 * Asks the main process. Routes without input take no second argument.
 * @throws AppError always, whatever went wrong
 */
export async function request<N extends RouteName>(
  name: N,
  ...[input]: Arguments<N>
): Promise<Output<N>> {
  if (transport === undefined) throw disconnected()
  let envelope
  try {
    envelope = await transport.request(name, input)
  } catch (error) {
    throw error instanceof AppError ? error : disconnected(error)
  }
  if (!envelope.ok) throw AppError.fromBody(envelope.error)
  // The main process answers by the same contract; its outputs are parsed in its own tests.
  return envelope.data as Output<N>
}

/** Listens to one kind of event. Returns the way to stop. */
export function on<N extends EventName>(name: N, listener: (payload: Events[N]) => void) {
  const set = listeners.get(name) ?? new Set()
  listeners.set(name, set)
  set.add(listener)
  return () => void set.delete(listener)
}

/** Events may have been missed: whoever shows something fetches it again. Returns the way to stop. */
export function onReconnect(listener: () => void): () => void {
  reconnectListeners.add(listener)
  return () => void reconnectListeners.delete(listener)
}

export function retryConnection(): void {
  transport?.retry()
}

/** Any error as the one kind the window shows. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError(bridgeCodes.internal, 'Something went wrong in this window.', {
    cause: error,
  })
}

function hand(message: EventMessage): void {
  for (const listener of listeners.get(message.name) ?? []) {
    // A set holds listeners of its own event only; the map's type cannot say so.
    ;(listener as (payload: EventMessage['payload']) => void)(message.payload)
  }
}

function disconnected(cause?: unknown): AppError {
  return new AppError(
    bridgeCodes.disconnected,
    'Tondesk cannot be reached. It may have been closed, or is starting again.',
    { cause },
  )
}
