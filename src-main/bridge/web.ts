/**
 * Browser mode's transport: the same window and contract as Electron's, over loopback HTTP. Threat
 * model: every program on this computer and, through the user's browser, every web page can reach the
 * port. The server therefore listens on 127.0.0.1 only; Host and Origin must be exactly ours; no
 * cookie is used (a browser would send it to every port of 127.0.0.1) and no CORS header is sent; each
 * call carries the secret of a tab that was opened with a single-use start URL. Another program of the
 * same user can read the terminal and the data directory anyway.
 */
import { getRequestListener } from '@hono/node-server'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Dispatch } from './dispatch.ts'
import type { EventHub } from './events.ts'
import { createStaticFiles, createWebRoutes } from './web-routes.ts'
import { createWebEvents } from './web-events.ts'
import { createWebSessions } from './web-guard.ts'
import { closeServer, tryListen } from '../net/server.ts'

const webCodes = { listenFailed: 'WEB_LISTEN_FAILED' } as const

export type WebHostOptions = {
  /** The first port to try; the next free one is used. 0 means any. */
  readonly port: number
  readonly rendererDirectory: string
  readonly onStartSpent?: (start: string) => void
  readonly now?: () => number
  readonly limits?: {
    readonly firstMessageMs?: number
    readonly unreadLimitBytes?: number
    readonly restartMs?: number
    readonly requestMs?: number
  }
}

export type WebHost = Awaited<ReturnType<typeof createWebHost>>

const drainMs = 1000
const portsToTry = 50

export async function createWebHost(options: WebHostOptions) {
  const { limits = {} } = options
  const sessions = createWebSessions(options.now)
  const current = createCurrentApp(limits.restartMs ?? 10_000)
  let port = 0

  const events = createWebEvents({
    port: () => port,
    sessions,
    firstMessageMs: limits.firstMessageMs,
    unreadLimitBytes: limits.unreadLimitBytes,
  })
  const routes = createWebRoutes({
    port: () => port,
    sessions,
    files: createStaticFiles(options.rendererDirectory),
    dispatch: () => current.wait(),
    onStartSpent: options.onStartSpent,
  })

  const requestMs = limits.requestMs ?? 30_000
  const listener = getRequestListener(routes.fetch, { overrideGlobalObjects: false })
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: Math.min(requestMs, 10_000),
      connectionsCheckingInterval: Math.min(requestMs, 5000),
    },
    (request, response) => void listener(request, response),
  )
  // Node removes its own error listener from a socket that requests CONNECT or an upgrade.
  server.on('connection', (socket) => socket.on('error', () => undefined))
  server.on('upgrade', (...upgrade) => events.upgrade(...upgrade))
  port = await listen(server, options.port)

  let stopEvents = () => {}
  let ended: Promise<void> | undefined
  const url = `http://127.0.0.1:${port}/`

  return {
    port,
    url,
    /** Returns a URL for one tab: single use, valid for ten minutes. */
    mintStartUrl: () => `${url}#start=${sessions.mintStart()}`,
    /** Tabs keep their sessions from one app to the next. */
    attach(app: { readonly dispatch: Dispatch; readonly events: EventHub }): void {
      stopEvents()
      stopEvents = app.events.subscribe((messages) => events.send(messages))
      current.set(app.dispatch)
    },
    detach(): void {
      stopEvents()
      current.set(null)
      // A page that reconnects fetches everything again.
      events.close('restart')
    },
    [Symbol.asyncDispose](): Promise<void> {
      if (ended !== undefined) return ended
      stopEvents()
      current.end()
      events.close('end')
      ended = closeServer(server, drainMs)
      return ended
    },
  }
}

function createCurrentApp(restartMs: number) {
  let dispatch: Dispatch | null = null
  let isEnding = false
  const waiting = new Set<(dispatch: Dispatch | null) => void>()

  function settle(value: Dispatch | null): void {
    for (const resolve of waiting) resolve(value)
    waiting.clear()
  }

  return {
    set(next: Dispatch | null): void {
      dispatch = next
      if (next) settle(next)
    },
    end(): void {
      isEnding = true
      settle(null)
    },
    async wait(): Promise<Dispatch | null> {
      if (dispatch || isEnding) return dispatch
      return new Promise((resolve) => {
        const timer = setTimeout(() => done(null), restartMs)
        function done(value: Dispatch | null): void {
          clearTimeout(timer)
          waiting.delete(done)
          resolve(value)
        }
        waiting.add(done)
      })
    },
  }
}

async function listen(server: ReturnType<typeof createServer>, wanted: number): Promise<number> {
  const last = wanted === 0 ? 0 : Math.min(wanted + portsToTry, 65_535)
  for (let port = wanted; port <= last; port += 1) {
    const problem = await tryListen(server, { port, host: '127.0.0.1' })
    if (problem === null) return (server.address() as AddressInfo).port
    if (problem.code !== 'EADDRINUSE') {
      const why = problem.code === 'EACCES' ? 'The system does not permit it' : problem.message
      throw new AppError(
        webCodes.listenFailed,
        `Cannot listen on port ${port}. ${why}. Choose another port with --port.`,
        { cause: problem },
      )
    }
  }
  throw new AppError(
    webCodes.listenFailed,
    `The ports ${wanted} to ${last} are all taken. Choose another port with --port.`,
  )
}
