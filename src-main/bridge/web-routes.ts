/** Browser mode's HTTP side: the page, the exchange of a start token, and requests. */
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type Envelope, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Dispatch } from './dispatch.ts'
import type { StaticFiles } from './static-files.ts'
import { isOurHost, isOurOrigin, rawPath, securityHeaders } from './web-guard.ts'
import type { WebSessions } from './web-sessions.ts'

type WebRoutesOptions = {
  readonly port: () => number
  readonly sessions: WebSessions
  readonly files: StaticFiles
  /** The app of the moment; waits while one is being started again, then gives up with null. */
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
    if (!isOurHost(incoming, port()))
      return refuse(context, 403, 'This address is not served here.')
    if (context.req.method === 'POST' && !isOurOrigin(incoming, port())) {
      return refuse(context, 403, 'Only the page of this app may ask.')
    }
    await next()
    return undefined
  })

  app.post('/session', limit(sessionLimitBytes), async (context) => {
    const body = await readJson(context)
    if (!body) return refuse(context, 400, 'This is not a request of the page.')
    const start = body['start']
    const session = typeof start === 'string' ? sessions.exchange(start) : null
    if (typeof start !== 'string' || session === null) {
      return refuse(context, 403, 'This start address has been used or is too old.')
    }
    onStartSpent?.(start)
    return context.json({ session })
  })

  app.post(
    '/request',
    async (context, next) => {
      const session = context.req.header('X-Tondesk-Session')
      // Before the body is read: a stranger gets no further.
      if (session === undefined || !sessions.isKnown(session)) {
        return refuse(context, 401, 'The session of this tab has ended.')
      }
      await next()
      return undefined
    },
    limit(requestLimitBytes),
    async (context) => {
      const body = await readJson(context)
      if (!body) return refuse(context, 400, 'This is not a request of the page.')
      const current = await dispatch()
      if (!current) return refuse(context, 503, 'Tondesk is starting again.')
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

  // Preflights included: without an answer that allows it, no other origin's page may ask.
  app.all('*', (context) => refuse(context, 405, 'This method is not served here.'))
  app.onError((_error, context) => refuse(context, 500, 'Something went wrong inside Tondesk.'))
  return app
}

function limit(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: (context) => refuse(context as Context<Env>, 413, 'The request is too large.'),
  })
}

async function readJson(context: Context<Env>): Promise<Record<string, unknown> | null> {
  // A form's content types are the only ones a foreign page can send without asking first.
  const type = context.req.header('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') return null
  try {
    const body: unknown = JSON.parse(await context.req.text())
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    return isObject ? (body as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const codes: Readonly<Record<number, string>> = {
  400: bridgeCodes.invalidInput,
  401: bridgeCodes.forbiddenSender,
  403: bridgeCodes.forbiddenSender,
  404: bridgeCodes.unknownRoute,
  405: bridgeCodes.unknownRoute,
  413: bridgeCodes.invalidInput,
  503: bridgeCodes.disconnected,
}

function refuse(context: Context<Env>, status: ContentfulStatusCode, message: string): Response {
  const code = codes[status] ?? bridgeCodes.internal
  const envelope: Envelope<never> = { ok: false, error: { code, message } }
  return context.json(envelope, status)
}
