import type { Context } from 'hono'
import { formatJson, parseJson } from '../ton/lossless-json.ts'

/** Each root formats it in its own way. */
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

/** Writes bigint as a JSON number. */
export function answerJson(
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(formatJson(value), {
    status,
    headers: { 'Content-Type': jsonType, ...headers },
  })
}

/** Deeper than any valid request, far below the stack limit. */
const deepest = 200

/**
 * The body as JSON, int64 kept.
 * @throws HttpProblem 413 when it is longer than the limit, 400 when it is no JSON or nested too deep
 */
export async function readJson(context: Context, limitBytes: number): Promise<unknown> {
  const text = await readText(context, limitBytes)
  if (text.trim() === '') throw new HttpProblem(400, 'the body is empty, JSON is expected', true)
  if (depthOf(text) > deepest) {
    throw new HttpProblem(400, `the JSON is nested more than ${deepest} deep`, true)
  }
  try {
    return parseJson(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new HttpProblem(400, `the body is not valid JSON: ${why}`, true)
  }
}

export async function readText(context: Context, limitBytes: number): Promise<string> {
  const declared = Number(context.req.header('content-length') ?? 0)
  const tooLong = () => new HttpProblem(413, `the body is longer than ${limitBytes} bytes`, true)
  if (declared > limitBytes) throw tooLong()
  const { body } = context.req.raw
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > limitBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function depthOf(text: string): number {
  let depth = 0
  let most = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index]
    if (inString) {
      if (char === '\\') index += 1
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') most = Math.max(most, (depth += 1))
    else if (char === '}' || char === ']') depth -= 1
  }
  return most
}

/** The Bearer key, else the query parameter; null for none. */
export function keyOf(request: Request, parameter: string | null): string | null {
  const header = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.get('authorization') ?? '')
  if (header?.[1] !== undefined) return header[1]
  return parameter === null ? null : new URL(request.url).searchParams.get(parameter)
}

export function hasOtherAuthorization(request: Request): boolean {
  return (request.headers.get('authorization') ?? '').trim() !== '' && keyOf(request, null) === null
}

/** Error formats for requests that are refused before a root handles them. */

export type Dialect = (status: number, message: string) => Response

/** The service's framework writes `Error`, its handlers `error`. */
export const queryDialect: Dialect = (status, message) =>
  answerJson(isFrameworks(status) ? { Error: message } : { error: message }, status)

export const webhooksDialect: Dialect = (status, message) => answerJson({ error: message }, status)

export const invoicesDialect: Dialect = (status, message) =>
  answerJson({ error: message, code: status }, status)

export const controlDialect: Dialect = webhooksDialect

function isFrameworks(status: number): boolean {
  return status === 400 || status === 413 || status === 429
}
