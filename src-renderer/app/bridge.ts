import {
  QueryClient,
  QueryObserver,
  type QueryKey,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { create } from 'zustand'
import type {
  Bridge,
  EventMessage,
  EventName,
  Events,
  Input,
  Output,
  RouteName,
} from '../../src-preload/contract/routes.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { type ConfirmOptions, confirm } from '../ui/dialog.tsx'
import { formatErrorDetails } from '../ui/loaded.tsx'
import { throttle } from '../ui/throttle.ts'
import { copyText, showToast } from '../ui/toast.tsx'

/**
 * `connecting`: before the first connection. `lost`: the app does not respond, and the window keeps
 * trying. `ended`: the session of this tab has ended, and only a new start URL helps.
 */
export type ConnectionStatus = 'connecting' | 'open' | 'lost' | 'ended'

/** The transport of requests and events: Electron's preload, or HTTP and a WebSocket in a browser. */
export type Transport = Bridge & {
  /** Connects and reports every change of the status. */
  start(onStatus: (status: ConnectionStatus) => void): void
  /** Tries at once, without waiting for the next attempt. */
  retry(): void
}

export const useConnection = create<{ status: ConnectionStatus }>(() => ({ status: 'connecting' }))

type Listener = (payload: never) => void

let transport: Transport | undefined
let confirmed = Promise.withResolvers<undefined>()
const listeners = new Map<EventName, Set<Listener>>()
const reconnectListeners = new Set<() => void>()

/** Called once, before the first component. Returns a function that stops listening, for tests. */
export function connect(chosen: Transport): () => void {
  transport = chosen
  confirmed = Promise.withResolvers()
  useConnection.setState({ status: 'connecting' })
  const stop = chosen.on((messages) => {
    for (const message of messages) hand(message)
  })
  chosen.start((status) => {
    const before = useConnection.getState().status
    useConnection.setState({ status })
    if (status !== 'connecting') confirmed.resolve(undefined)
    if (status === 'open' && before === 'lost')
      for (const listener of reconnectListeners) listener()
  })
  return stop
}

/** Uses the preload's two functions as a transport, which cannot lose its connection. */
export const createPreloadTransport = (bridge: Bridge): Transport => ({
  request: (name, input) => bridge.request(name, input),
  on: (listener) => bridge.on(listener),
  start: (onStatus) => onStatus('open'),
  retry: () => undefined,
})

type Arguments<N extends RouteName> = undefined extends Input<N> ? [] : [input: Input<N>]

/**
 * Sends a request to the main process. A route without input has no second argument. @throws
 * AppError for every failure
 */
export async function request<N extends RouteName>(
  name: N,
  ...[input]: Arguments<N>
): Promise<Output<N>> {
  if (transport === undefined) throw disconnected()
  // Without this, the window would miss changes between a response and the subscription to events.
  if (useConnection.getState().status === 'connecting') await confirmed.promise
  let envelope
  try {
    envelope = await transport.request(name, input)
  } catch (error) {
    throw error instanceof AppError ? error : disconnected(error)
  }
  if (!envelope.ok) throw AppError.fromBody(envelope.error)
  // The main process follows the same contract; its tests validate the outputs.
  return envelope.data as Output<N>
}

/** Listens to events of one name. Returns a function that stops listening. */
export function on<N extends EventName>(name: N, listener: (payload: Events[N]) => void) {
  const set = listeners.get(name) ?? new Set()
  listeners.set(name, set)
  set.add(listener)
  return () => void set.delete(listener)
}

/**
 * After a reconnection events may have been missed, so displayed data must be loaded again. Returns
 * a function that stops listening.
 */
export function onReconnect(listener: () => void): () => void {
  reconnectListeners.add(listener)
  return () => void reconnectListeners.delete(listener)
}

export function retryConnection(): void {
  transport?.retry()
}

/** Converts any error to the only kind that the window shows. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return new AppError(bridgeCodes.internal, 'An internal error occurred in this window.', {
    cause: error,
  })
}

function hand(message: EventMessage): void {
  for (const listener of listeners.get(message.name) ?? []) {
    // Each set contains only listeners of its own event, which the map's type cannot express.
    ;(listener as (payload: EventMessage['payload']) => void)(message.payload)
  }
}

const disconnected = (cause?: unknown): AppError =>
  new AppError(
    bridgeCodes.disconnected,
    'Tondesk is not responding. Tondesk may be closed or restarting.',
    { cause },
  )

/**
 * Runs the action of a button. If it fails, a toast names the action and the reason, and the result is
 * undefined.
 */
export async function attempt<T>(failure: string, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    const { message, code }: AppError = toAppError(error)
    const copied = formatErrorDetails(failure, message, code)
    const action = { label: 'Copy details', run: () => void copyText(copied, 'Error details') }
    showToast({ title: failure, detail: message, tone: 'bad', action })
    return undefined
  }
}

/**
 * Asks the user to confirm an irreversible action, then runs it as `attempt` does. The result is
 * undefined if the user cancelled or the action failed.
 */
export async function confirmAndRun<T>({
  failure,
  run,
  ...question
}: Omit<ConfirmOptions, 'destructive'> & {
  /** The message after a failure: “Could not remove the token”. */
  readonly failure: string
  readonly run: () => Promise<T>
}): Promise<T | undefined> {
  const yes = await confirm({ ...question, destructive: true })
  return yes ? attempt(failure, run) : undefined
}

const keptMs = 30 * 60_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: Infinity,
      retry: false,
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  },
})

/** A route without input has no second argument. */
type Asked<N extends RouteName> =
  undefined extends Input<N> ? [input?: Input<N>] : [input: Input<N>]

const keyOf = (name: RouteName, input: unknown) => (input === undefined ? [name] : [name, input])

function query<N extends RouteName>(name: N, ...[input]: Asked<N>) {
  const ask = request as (route: N, requested: unknown) => Promise<Output<N>>
  return queryOptions<Output<N>, AppError>({
    queryKey: keyOf(name, input),
    queryFn: () => ask(name, input),
    // Responses about single objects would fill the memory, so only those about the whole app or a
    // network are kept.
    gcTime: isOfWhole(input) ? Infinity : keptMs,
  })
}

function isOfWhole(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return true
  return Object.keys(input).every((key) => key === 'network' || key === 'kind')
}

/**
 * Returns the response of a route, which is fetched on first use and updated on changes; `data`,
 * `error` and `refetch` as in TanStack Query.
 */
export const useData = <N extends RouteName>(name: N, ...input: Asked<N>) =>
  useQuery(query(name, ...input), queries)

/**
 * Works like `useData`, but requests nothing until an input exists. The previous response is shown
 * until that of a new input arrives.
 */
export function useDataOf<N extends RouteName>(name: N, input: Input<N> | null) {
  const options = query(name, ...([input ?? undefined] as never))
  return useQuery<Output<N>, AppError>(
    { ...options, placeholderData: keepPreviousData, enabled: input !== null },
    queries,
  )
}

/**
 * Works like `useData` for a result that `load` combines from several requests, or from an input
 * with the present time. The previous result is shown until another `key` is loaded. `reload` finds
 * the result by the fields of its key.
 */
export function useDataBy<T>(
  name: RouteName,
  key: object,
  load: () => Promise<T>,
  /** The interval at which the result is loaded again. */
  { everyMs = false }: { everyMs?: number | false } = {},
) {
  return useQuery<T, AppError>(
    {
      queryKey: keyOf(name, key),
      queryFn: load,
      gcTime: keptMs,
      placeholderData: keepPreviousData,
      refetchInterval: everyMs,
    },
    queries,
  )
}

/**
 * Returns the responses of a list that is loaded page by page. After a change of the list
 * (`reload`) all loaded pages are fetched again, so that there is no gap between two pages.
 * @param inputOf returns the input of the page at a cursor, null for the first page
 * @param nextOf returns the cursor of the page after this one, null after the last
 */
export function usePages<N extends RouteName, C>(
  name: N,
  inputOf: (cursor: C | null) => Input<N>,
  nextOf: (page: Output<N>) => C | null,
) {
  const ask = request as (route: N, requested: unknown) => Promise<Output<N>>
  return useInfiniteQuery<Output<N>, AppError, { pages: Output<N>[] }, QueryKey, C | null>(
    {
      queryKey: [name, inputOf(null), 'pages'],
      queryFn: ({ pageParam }) => ask(name, inputOf(pageParam as C | null)),
      initialPageParam: null,
      getNextPageParam: nextOf,
      gcTime: keptMs,
    },
    queries,
  )
}

/** Returns the present response, for use outside components. */
export const peek = <N extends RouteName>(name: N, ...[input]: Asked<N>): Output<N> | undefined =>
  queries.getQueryData(keyOf(name, input))

/** Returns the response, and requests it unless it is loaded. @throws AppError */
export const fetchData = <N extends RouteName>(name: N, ...input: Asked<N>): Promise<Output<N>> =>
  queries.query(query(name, ...input))

/** Stores a newer response, from an event or from another route. */
export function put<N extends RouteName>(name: N, input: Input<N>, value: Output<N>): void {
  // A pending response was requested before this value existed.
  void queries.cancelQueries({ queryKey: keyOf(name, input), exact: true })
  queries.setQueryData(keyOf(name, input), value)
}

/**
 * Changes a loaded response. A response that was never requested stays absent, and a pending first
 * one is requested again.
 */
export function patchData<N extends RouteName>(
  name: N,
  input: Input<N>,
  change: (known: Output<N>) => Output<N>,
): void {
  const known = queries.getQueryData<Output<N>>(keyOf(name, input))
  if (known === undefined) reload(name, input)
  else put(name, input, change(known))
}

const dirty = new Set<string>()

/**
 * Marks these responses as outdated: visible ones are requested again, one request of each at a time.
 * @param input limits this to responses to inputs with these fields
 */
export function reload(name: RouteName, input?: unknown): void {
  void reloadAll(keyOf(name, input))
}

/**
 * Reloads all responses whose key begins like this. Resolves when those are loaded that were not
 * already pending.
 */
export async function reloadAll(beginning: readonly unknown[]): Promise<void> {
  const found = queries.getQueryCache().findAll({ queryKey: beginning })
  const free = found.filter(({ queryHash, state }) => {
    const isFetching = state.fetchStatus === 'fetching'
    if (isFetching) dirty.add(queryHash)
    return !isFetching
  })
  await Promise.all(
    free.map(({ queryKey }) => queries.invalidateQueries({ queryKey, exact: true })),
  )
}

/**
 * For responses that change several times a second: reloads visible ones at once, then less often
 * the longer reloading takes.
 * @param names the first elements of their keys
 */
export function createReloader(
  names: readonly string[],
  { minMs = 500, maxMs = 5000, timesLoading = 10 } = {},
): { call: () => void; cancel: () => void } {
  let tookMs = 0
  const load = async () => {
    const began = performance.now()
    await Promise.all(names.map((name) => reloadAll([name])))
    tookMs = performance.now() - began
  }
  return throttle(
    () => void load(),
    () => Math.min(maxMs, Math.max(minMs, timesLoading * tookMs)),
  )
}

/** Works like `reload`, for the inputs that `isMeant` selects, because some events name many objects. */
export function reloadWhere<N extends RouteName>(
  name: N,
  isMeant: (input: Input<N>, known: Output<N> | undefined) => boolean,
): void {
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: [name] })) {
    if (isMeant(queryKey[1] as Input<N>, state.data as Output<N>)) reload(name, queryKey[1])
  }
}

type Watcher = (now: never, before: never, input: never) => void
const watchers = new Map<RouteName, Watcher>()

/** Calls `watcher` at each change of a response of this route, for announcements. Use it once per route. */
export function watch<N extends RouteName>(
  name: N,
  watcher: (now: Output<N>, before: Output<N>, input: Input<N>) => void,
): void {
  watchers.set(name, watcher)
}

/** TanStack's own type uses `any` for the key and the data. */
type CacheEvent = {
  readonly type: string
  readonly query: {
    readonly queryKey: readonly unknown[]
    readonly queryHash: string
    readonly state: {
      readonly data: unknown
      readonly error: unknown
      readonly fetchStatus: 'idle' | 'fetching' | 'paused'
    }
  }
}

/**
 * Loads a response and watches its changes, for use outside components. Returns a function that
 * stops watching.
 */
export function watchRoute<N extends RouteName>(
  name: N,
  listener: (now: Output<N>) => void,
  ...input: Asked<N>
): () => void {
  return new QueryObserver(queries, query(name, ...input)).subscribe(({ data }) => {
    if (data !== undefined) listener(data)
  })
}

/** Called once, before the first component. */
export function startQueries(): void {
  const known = new Map<string, unknown>()
  queries.getQueryCache().subscribe((event) => {
    const { type, query: changed } = event as CacheEvent
    const { queryKey, queryHash, state } = changed
    if (type === 'removed') known.delete(queryHash)
    if (type !== 'updated') return
    if (state.fetchStatus === 'idle' && dirty.delete(queryHash)) {
      void queries.invalidateQueries({ queryKey, exact: true })
    }
    const before = known.get(queryHash)
    if (state.data === before) return
    known.set(queryHash, state.data)
    const watcher = watchers.get(queryKey[0] as RouteName)
    if (before !== undefined) {
      watcher?.(state.data as never, before as never, queryKey[1] as never)
    }
  })
  onReconnect(() => void queries.invalidateQueries())
}
