/**
 * Browser mode's transport: the same window and contract as Electron's, over loopback HTTP. Threat
 * model: every program on this computer and, through the user's browser, every web page can reach the
 * port. The server therefore listens on 127.0.0.1 only; Host and Origin must be exactly ours; no
 * cookie is used (a browser would send it to every port of 127.0.0.1) and no CORS header is sent; each
 * call carries the secret of a tab that was opened with a single-use start URL. Another program of the
 * same user can read the terminal and the data directory anyway.
 */
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError, type Envelope, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Dispatch } from './dispatch.ts'
import type { EventHub } from './events.ts'
import { createWebEvents } from './web-events.ts'
import {
  createWebSessions,
  type StoredSessions,
  contentTypes,
  isOurHost,
  isOurOrigin,
  rawPath,
  securityHeaders,
} from './web-guard.ts'
import { closeServer, limitConnections, listenOnce } from '../net/server.ts'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

const webCodes = { listenFailed: 'WEB_LISTEN_FAILED' } as const

export type WebHostOptions = {
  /** The first port to try; the next free one is used. 0 means any. */
  readonly port: number
  readonly rendererDirectory: string
  readonly onStartSpent?: (start: string) => void
  readonly sessions?: StoredSessions
  readonly now?: () => number
  readonly limits?: {
    readonly firstMessageMs?: number
    readonly unreadLimitBytes?: number
    readonly restartMs?: number
    readonly requestMs?: number
    readonly maxConnections?: number
  }
}

export type WebHost = Awaited<ReturnType<typeof createWebHost>>

const drainMs = 1000
const portsToTry = 50
/** A tab uses one connection for events and up to six for requests. */
const maxConnections = 512

export async function createWebHost(options: WebHostOptions) {
  const { limits = {} } = options
  const sessions = createWebSessions(options.now, options.sessions)
  const current = createCurrentApp(limits.restartMs ?? 600_000)
  let port = 0

  const events = createWebEvents({
    port: () => port,
    sessions,
    firstMessageMs: limits.firstMessageMs,
    unreadLimitBytes: limits.unreadLimitBytes,
  })
  const files = createStaticFiles(options.rendererDirectory)

  function createRoutes(): Hono<Env> {
    const app = new Hono<Env>()

    app.use(async (context, next) => {
      for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value)
      context.header('Cache-Control', 'no-store')
      const { incoming } = context.env
      if (!isOurHost(incoming, port)) return refuse(context, 403, 'This host name is not accepted.')
      if (context.req.method === 'POST' && !isOurOrigin(incoming, port)) {
        return refuse(context, 403, 'Only Tondesk’s own window may send requests.')
      }
      await next()
      return undefined
    })

    app.post('/session', limit(sessionLimitBytes), async (context) => {
      const body = await readJson(context)
      if (!body) return refuse(context, 400, 'The request was not sent by Tondesk’s own window.')
      const start = body['start']
      const session = typeof start === 'string' ? sessions.exchange(start) : null
      if (typeof start !== 'string' || session === null) {
        return refuse(context, 403, 'This start URL has been used or has expired.')
      }
      options.onStartSpent?.(start)
      return context.json({ session })
    })

    app.post(
      '/request',
      async (context, next) => {
        const session = context.req.header('X-Tondesk-Session')
        // The session is checked before the body is read.
        if (session === undefined || !sessions.isKnown(session)) {
          return refuse(context, 401, 'This tab’s session has ended.')
        }
        await next()
        return undefined
      },
      limit(requestLimitBytes),
      async (context) => {
        const body = await readJson(context)
        if (!body) return refuse(context, 400, 'The request was not sent by Tondesk’s own window.')
        const dispatch = await current.wait()
        if (!dispatch) return refuse(context, 503, 'Tondesk is restarting.')
        return context.json(await dispatch(body['name'], body['input']))
      },
    )

    app.on(['GET'], '*', async (context) => {
      const path = rawPath(context.env.incoming)
      const file = path === null ? null : await files.read(path)
      if (!file) return refuse(context, 404, 'Not found.')
      context.header('Content-Type', file.type)
      context.header(
        'Cache-Control',
        file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      return context.body(file.bytes)
    })

    // The refusal covers CORS preflights: without a response that allows them, no page of another
    // origin can send requests.
    app.all('*', (context) => refuse(context, 405, 'This method is not supported.'))
    app.onError((_error, context) => refuse(context, 500, 'An internal error occurred.'))
    return app
  }

  const requestMs = limits.requestMs ?? 30_000
  const listener = getRequestListener(createRoutes().fetch, { overrideGlobalObjects: false })
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
  limitConnections(server, limits.maxConnections ?? maxConnections)
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
    /** Connects an app. Tabs keep their sessions when the app restarts. */
    attach(app: { readonly dispatch: Dispatch; readonly events: EventHub }): void {
      stopEvents()
      stopEvents = app.events.subscribe((messages) => events.send(messages))
      current.set(app.dispatch)
    },
    detach(): void {
      stopEvents()
      current.set(null)
      // A page that reconnects loads everything again.
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
    const problem = await listenOnce(server, { port, host: '127.0.0.1' })
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

type Env = { Bindings: HttpBindings }

const requestLimitBytes = 1024 * 1024
const sessionLimitBytes = 1024

const limit = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: (context) => refuse(context as Context<Env>, 413, 'The request is too large.'),
  })

async function readJson(context: Context<Env>): Promise<Record<string, unknown> | null> {
  // Without a CORS preflight a foreign page can send only a form's content types.
  const type = context.req.header('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') return null
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(await context.req.text()))
  } catch {
    return null
  }
}

const codeByStatus: Readonly<Record<number, string>> = {
  400: bridgeCodes.invalidInput,
  401: bridgeCodes.forbiddenSender,
  403: bridgeCodes.forbiddenSender,
  404: bridgeCodes.unknownRoute,
  405: bridgeCodes.unknownRoute,
  413: bridgeCodes.invalidInput,
  503: bridgeCodes.disconnected,
}

function refuse(context: Context<Env>, status: ContentfulStatusCode, message: string): Response {
  const code = codeByStatus[status] ?? bridgeCodes.internal
  const envelope: Envelope<never> = { ok: false, error: { code, message } }
  return context.json(envelope, status)
}

const hashedName = /^\/assets\/[^/]+-[\w-]{8}\.\w+$/

/**
 * Threat model: the path may come from an attacker. It is never joined to a folder's name but looked
 * up, undecoded, among the scanned files, so no path outside can be reached. Symbolic links are not
 * followed.
 */
function createStaticFiles(directory: string) {
  let found: Promise<Map<string, string>> | undefined

  return {
    /** @param path the request's path exactly as sent, without its query */
    async read(path: string) {
      const name = path === '/' ? '/index.html' : path
      // Each visit to the page scans the folder again, so that a new build is served without a
      // restart.
      if (name === '/index.html') found = undefined
      found ??= walk(directory)
      const file = (await found).get(name)
      const type = contentTypes[extname(name)]
      if (file === undefined || type === undefined) return null
      try {
        const bytes = new Uint8Array(await readFile(file))
        return { bytes, type, immutable: hashedName.test(name) }
      } catch {
        // A build has removed the file since the last scan.
        return null
      }
    },
  }
}

async function walk(directory: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    files.set(`/${relative(directory, file).split(sep).join('/')}`, file)
  }
  return files
}
