import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Envelope, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Dispatch } from './dispatch.ts'
import {
  type WebSessions,
  contentTypes,
  isOurHost,
  isOurOrigin,
  rawPath,
  securityHeaders,
} from './web-guard.ts'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

type WebRoutesOptions = {
  readonly port: () => number
  readonly sessions: WebSessions
  readonly files: StaticFiles
  /** Waits while the app restarts; null if that takes too long. */
  readonly dispatch: () => Promise<Dispatch | null>
  readonly onStartSpent?: ((start: string) => void) | undefined
}

type Env = { Bindings: HttpBindings }

const requestLimitBytes = 1024 * 1024
const sessionLimitBytes = 1024

export function createWebRoutes(options: WebRoutesOptions): Hono<Env> {
  const { port, sessions, files, dispatch, onStartSpent } = options
  const app = new Hono<Env>()

  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value)
    context.header('Cache-Control', 'no-store')
    const { incoming } = context.env
    if (!isOurHost(incoming, port())) return refuse(context, 403, 'This host name is not served.')
    if (context.req.method === 'POST' && !isOurOrigin(incoming, port())) {
      return refuse(context, 403, 'Only the page of this app may send requests.')
    }
    await next()
    return undefined
  })

  app.post('/session', limit(sessionLimitBytes), async (context) => {
    const body = await readJson(context)
    if (!body) return refuse(context, 400, 'The request does not come from the page.')
    const start = body['start']
    const session = typeof start === 'string' ? sessions.exchange(start) : null
    if (typeof start !== 'string' || session === null) {
      return refuse(context, 403, 'This start URL has been used or has expired.')
    }
    onStartSpent?.(start)
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
      if (!body) return refuse(context, 400, 'The request does not come from the page.')
      const current = await dispatch()
      if (!current) return refuse(context, 503, 'Tondesk is restarting.')
      return context.json(await current(body['name'], body['input']))
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

  // Includes CORS preflights: without a response that allows them, no page of another origin can send
  // requests.
  app.all('*', (context) => refuse(context, 405, 'This method is not supported.'))
  app.onError((_error, context) => refuse(context, 500, 'An internal error occurred.'))
  return app
}

function limit(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: (context) => refuse(context as Context<Env>, 413, 'The request is too large.'),
  })
}

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

type StaticFiles = ReturnType<typeof createStaticFiles>

const hashedName = /^\/assets\/[^/]+-[\w-]{8}\.\w+$/

/**
 * Threat model: the path may come from an attacker. It is never joined to a folder's name but looked
 * up, undecoded, among the scanned files, so no path outside can be reached. Symbolic links are not
 * followed.
 */
export function createStaticFiles(directory: string) {
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
        // A build has removed the file since the scan.
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
