/**
 * The transport of browser mode: the same contract over loopback HTTP and one WebSocket. Threat
 * model: another page or another local program could send requests as this tab. There is therefore
 * no cookie. The start token is in the fragment (never sent to a server), is used once and is
 * removed from the address bar at once. The secret that replaces it is stored in this tab's
 * sessionStorage and is sent only as a header and as the socket's first message, to our own origin.
 */
import { AppError, bridgeCodes, type Envelope } from '../../src-preload/domain/app-error.ts'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import type { ConnectionStatus, Transport } from './bridge.ts'

type Socket = { send(text: string): void; close(): void }

export type SocketEvents = { opened(): void; message(data: unknown): void; closed(): void }

type WebTransportDeps = {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>
  readonly openSocket: (events: SocketEvents) => Socket
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** Returns the start token in this page's address, if there is one, and removes it from the address. */
  readonly takeStartToken: () => string | null
  /** Runs a function later; returns a function that cancels this. */
  readonly after: (ms: number, run: () => void) => () => void
}

const storageKey = 'tondesk.session'
const firstDelayMs = 250
const longestDelayMs = 4000

const sessionEnded = 'SESSION_ENDED'

/**
 * Manages the session of this tab: the start token is exchanged for a secret, which is stored and
 * sent with each request. `onEnd` is called when the secret is no longer valid.
 */
function createSession(deps: WebTransportDeps, onEnd: () => void) {
  const { storage } = deps
  let isEnded = false
  let startToken: string | null = null
  let exchange: Promise<string> | undefined

  function end(): AppError {
    storage.removeItem(storageKey)
    isEnded = true
    onEnd()
    return ended()
  }

  async function exchangeToken(token: string): Promise<string> {
    const response = await deps.fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ start: token }),
    })
    if (response.ok) {
      const { session } = (await response.json()) as { session: string }
      storage.setItem(storageKey, session)
      startToken = null
      return session
    }
    if (response.status !== 403) throw new Error(`/session answered ${response.status}`)
    // A link that is opened twice in one tab has a used token, but the tab may still have the session.
    startToken = null
    return stored()
  }

  function stored(): string {
    const secret = storage.getItem(storageKey)
    if (secret === null) throw end()
    return secret
  }

  async function secretOf(): Promise<string> {
    if (isEnded) throw end()
    if (startToken === null) return stored()
    exchange ??= exchangeToken(startToken).finally(() => (exchange = undefined))
    return exchange
  }

  return {
    secret: secretOf,
    start: () => void (startToken = deps.takeStartToken()),
    request: async (name: string, input: unknown): Promise<Envelope<unknown>> => {
      const secret = await secretOf()
      const response = await deps.fetch('/request', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-tondesk-session': secret },
        body: JSON.stringify({ name, input }),
      })
      // A newer session may have begun while this one was refused.
      if (response.status === 401) throw storage.getItem(storageKey) === secret ? end() : ended()
      const envelope: unknown = await response.json().catch(() => null)
      if (isEnvelope(envelope)) return envelope
      throw new AppError(bridgeCodes.internal, `Tondesk responded with status ${response.status}.`)
    },
  }
}

export function createWebTransport(deps: WebTransportDeps): Transport {
  const listeners = new Set<(messages: readonly EventMessage[]) => void>()
  let notify: (status: ConnectionStatus) => void = () => undefined
  let status: ConnectionStatus = 'connecting'
  let socket: Socket | undefined
  /** Increases with each attempt, so that later events of an older attempt are ignored. */
  let attempt = 0
  let delayMs = firstDelayMs
  let cancelRetry: (() => void) | undefined

  function become(next: ConnectionStatus): void {
    if (status === next || status === 'ended') return
    status = next
    notify(next)
  }

  const session = createSession(deps, () => {
    attempt += 1
    cancelRetry?.()
    socket?.close()
    become('ended')
  })

  async function open(): Promise<void> {
    attempt += 1
    const mine = attempt
    const current = () => mine === attempt
    let secret: string
    try {
      secret = await session.secret()
    } catch {
      if (current()) lose()
      return
    }
    if (!current()) return
    let isHeard = false
    const opened = deps.openSocket({
      opened() {
        opened.send(JSON.stringify({ session: secret }))
      },
      message(data) {
        if (!current()) return
        // The first message is empty and confirms that no later event is missed.
        if (!isHeard) {
          delayMs = firstDelayMs
          become('open')
        }
        isHeard = true
        const messages = parseMessages(data)
        if (messages.length > 0) for (const listener of listeners) listener(messages)
      },
      closed() {
        if (!current()) return
        if (isHeard) {
          lose()
          return
        }
        // A socket cannot distinguish a refused session from a stopped app, but a request can.
        const done = () => {
          if (current()) lose()
        }
        session.request('app.info', undefined).then(done, done)
      },
    })
    socket = opened
  }

  function lose(): void {
    if (status === 'ended') return
    attempt += 1
    socket = undefined
    become('lost')
    cancelRetry?.()
    cancelRetry = deps.after(delayMs, () => void open())
    delayMs = Math.min(delayMs * 2, longestDelayMs)
  }

  return {
    request: session.request,
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start(onStatus) {
      notify = onStatus
      session.start()
      void open()
    },
    retry() {
      if (status !== 'lost') return
      cancelRetry?.()
      delayMs = firstDelayMs
      void open()
    },
  }
}

const ended = (): AppError => new AppError(sessionEnded, 'This tab’s session has ended.')

/** Returns the events of one message of the socket; none if the message is not text. */
const parseMessages = (data: unknown): EventMessage[] =>
  typeof data === 'string' ? (JSON.parse(data) as EventMessage[]) : []

const isEnvelope = (value: unknown): value is Envelope<unknown> =>
  typeof value === 'object' && value !== null && 'ok' in value

const startFragment = /^#start=(.+)$/

/** A new start URL in an open tab changes only its fragment, so the page is loaded again. */
export function reloadOnStartLinks(window: Window): void {
  window.addEventListener('hashchange', () => {
    if (startFragment.test(window.location.hash)) window.location.reload()
  })
}

/** Provides the browser's own functions. */
export function browserDeps(window: Window & typeof globalThis): WebTransportDeps {
  return {
    fetch: (path, init) => window.fetch(path, { ...init, credentials: 'omit', cache: 'no-store' }),
    openSocket: (events) => {
      const url = new URL('/events', window.location.href)
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
      url.hash = ''
      const socket = new window.WebSocket(url)
      socket.addEventListener('open', () => events.opened())
      socket.addEventListener('message', ({ data }) => events.message(data))
      socket.addEventListener('close', () => events.closed())
      return socket
    },
    storage: window.sessionStorage,
    takeStartToken: () => {
      const token = startFragment.exec(window.location.hash)?.[1] ?? null
      if (token !== null) {
        window.history.replaceState(null, '', window.location.pathname)
      }
      return token
    },
    after: (ms, run) => {
      const timer = window.setTimeout(run, ms)
      return () => window.clearTimeout(timer)
    },
  }
}
