import type { HttpBindings } from '@hono/node-server'
import type { IncomingMessage } from 'node:http'
import { type Context, type MiddlewareHandler, Hono } from 'hono'
import type { z } from 'zod'
import { formatJson, parseJson } from '../ton/lossless-json.ts'
import { toSnakeCase } from '../ton/opcodes.ts'
import { jsonExcess } from '../../src-preload/domain/json-size.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'

export class HttpProblem extends Error {
  readonly status: number
  /** True for a malformed request, false for a refused one. */
  readonly isMalformed: boolean
  constructor(status: number, message: string, isMalformed = false) {
    super(message)
    this.status = status
    this.isMalformed = isMalformed
  }
}

const jsonType = 'application/json; charset=utf-8'

/** Serializes a bigint as a JSON number. */
export function jsonResponse(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(formatJson(value), {
    status,
    headers: { 'Content-Type': jsonType, ...headers },
  })
}

/** Converts fields to the services' JSON: names in snake case, without null values. */
export function toServiceFields(fields: Readonly<Record<string, unknown>>) {
  const present = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(present.map(([name, value]) => [toSnakeCase(name), value]))
}

/** The limit is above any valid request and far below the stack limit. */
const maxDepth = 200
const bodyLimitBytes = 1024 * 1024

/**
 * Parses the body as JSON with exact int64.
 * @throws HttpProblem 413 if it is longer than the limit, 400 if it is not JSON or nested too deeply
 */
export async function readJson(context: Context): Promise<unknown> {
  const text = await readText(context, bodyLimitBytes)
  if (text.trim() === '') throw new HttpProblem(400, 'the body is empty, JSON is expected', true)
  if (jsonExcess(text, { values: Infinity, depth: maxDepth }) !== null) {
    throw new HttpProblem(400, `the JSON is nested more than ${maxDepth} deep`, true)
  }
  try {
    return parseJson(text)
  } catch (error) {
    throw new HttpProblem(400, `the body is not valid JSON: ${messageOf(error)}`, true)
  }
}

/** The bodies that the APIs have read, for the call log. */
export const bodies = new WeakMap<IncomingMessage, string>()

export async function readText({ req, env }: Context, limitBytes: number): Promise<string> {
  const declared = Number(req.header('content-length') ?? 0)
  const tooLong = () => new HttpProblem(413, `the body is longer than ${limitBytes} bytes`, true)
  if (declared > limitBytes) throw tooLong()
  const { body } = req.raw
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > limitBytes) throw tooLong()
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  const incoming = (env as Partial<HttpBindings> | undefined)?.incoming
  if (incoming !== undefined) bodies.set(incoming, text)
  return text
}

/**
 * @param describe formats the error text from the first issue
 * @param error describes problems for which the schema has no text
 */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  describe: (path: PropertyKey[], problem: string) => string,
  error?: z.core.$ZodErrorMap,
): T {
  const parsed = schema.safeParse(value, error && { error })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new HttpProblem(400, describe(issue?.path ?? [], issue?.message ?? 'is not valid'), true)
}

/** The Bearer key, else the query parameter; null if there is no key. */
export function keyOf(request: Request, parameter: string | null): string | null {
  const header = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.get('authorization') ?? '')
  if (header?.[1] !== undefined) return header[1]
  return parameter === null ? null : new URL(request.url).searchParams.get(parameter)
}

export const hasOtherAuthorization = (request: Request): boolean =>
  (request.headers.get('authorization') ?? '').trim() !== '' && keyOf(request, null) === null

export type Dialect = (
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
) => Response

/** The service's framework writes `Error`, its handlers `error`. */
export const queryDialect: Dialect = (status, message, headers) =>
  jsonResponse(
    [400, 413, 429].includes(status) ? { Error: message } : { error: message },
    status,
    headers,
  )

export const plainDialect: Dialect = (status, message, headers) =>
  jsonResponse({ error: message }, status, headers)

export const invoicesDialect: Dialect = (status, message, headers) =>
  jsonResponse({ error: message, code: status }, status, headers)

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** A returned Response is sent unchanged, other values are sent as JSON. */
export type Handler<Input = Context> = (input: Input) => unknown
type Handlers<Input> = Handler<Input> | Readonly<Partial<Record<Method, Handler<Input>>>>

/** Handlers by path and method; a single handler is for GET. The first matching path is used. */
export type Routes<Input = Context> = Readonly<Record<string, Handlers<Input>>>

/** @param refuse responds if a path does not support the method */
export function addRoutes<Input>(
  app: Hono,
  table: Routes<Input>,
  inputOf: (context: Context) => Input,
  refuse: (method: string, allowed: readonly string[]) => Response,
): void {
  for (const [path, entry] of Object.entries(table)) {
    const methods = typeof entry === 'function' ? { GET: entry } : entry
    for (const [method, handler] of Object.entries(methods)) {
      app.on(method, path, async (context) => {
        const result = await handler(inputOf(context))
        return result instanceof Response ? result : jsonResponse(result)
      })
    }
    app.all(path, ({ req }) => refuse(req.method, Object.keys(methods)))
  }
}

/**
 * @param before runs before each handler
 * @throws any error other than HttpProblem
 */
export function createRoutes(table: Routes, dialect: Dialect, before?: MiddlewareHandler): Hono {
  const app = new Hono()
  if (before !== undefined) app.use('*', before)
  const sameContext = (context: Context) => context
  addRoutes(app, table, sameContext, (method, allowed) => {
    const allow = allowed.join(', ').replace('GET', 'GET, HEAD')
    return dialect(405, `${method} is not allowed here`, { Allow: allow })
  })
  app.notFound(() => dialect(404, 'not found'))
  app.onError((error) => {
    if (!(error instanceof HttpProblem)) throw error
    const { status, message } = error
    return dialect(status, message, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {})
  })
  return app
}
