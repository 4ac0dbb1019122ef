import type { Cell, Message } from '@ton/core'
import type { Context } from 'hono'
import { z } from 'zod'
import { AddressError, parseAddress } from '../../ton/address.ts'
import { BocError, parseMessage, readBytes } from '../../ton/boc.ts'
import { readHash } from '../../ton/hash.ts'
import { NotAcceptedError, UnreadableMessageError } from '../chain/chain.ts'
import { HttpProblem, parseInput, readJson } from '../http.ts'

/** Parameters and bodies. A wrong type is `malformed`, an invalid id a `refusal`. */

export function refusal(message: string, status = 400): HttpProblem {
  return new HttpProblem(status, message)
}

export function malformed(message: string): HttpProblem {
  return new HttpProblem(400, message, true)
}

export const notFound = (what = 'entity not found') => refusal(what, 404)

export function readAccount(text: string): string {
  // The sandbox has no DNS.
  if (text.includes('.')) throw refusal(`can't decode address ${shorten(text)}: address not found`)
  return parseAddress(text).raw
}

export function accountParameter(context: Context, name = 'account_id'): string {
  return readAccount(pathParameter(context, name))
}

export function hashParameter(context: Context, name: string): string {
  const text = pathParameter(context, name)
  const hash = readHash(text)
  if (hash === null) {
    throw refusal(`can't decode hash ${shorten(text)}: 32 bytes in hex or base64 are expected`)
  }
  return hash
}

export function pathParameter(context: Context, name: string): string {
  return context.req.param(name) ?? ''
}

const integer = /^[+-]?\d{1,19}$/
const leastInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

export function int64Query(context: Context, name: string): bigint | undefined {
  const text = context.req.query(name)
  if (text === undefined) return undefined
  const value = integer.test(text) ? BigInt(text.replace('+', '')) : null
  if (value === null || value < leastInt64 || value > maxInt64) {
    throw queryProblem(name, `${shorten(text)} is not an int64`)
  }
  return value
}

export function limitQuery(
  context: Context,
  range: { readonly most: number; readonly preset?: number },
): number {
  return intQuery(context, 'limit', { least: 1, ...range })
}

export function intQuery(
  context: Context,
  name: string,
  range: { readonly least: number; readonly most: number; readonly preset?: number },
): number {
  const value = int64Query(context, name)
  if (value === undefined) {
    if (range.preset === undefined) throw queryProblem(name, 'it is required')
    return range.preset
  }
  if (value < BigInt(range.least) || value > BigInt(range.most)) {
    throw queryProblem(name, `${value} is not between ${range.least} and ${range.most}`)
  }
  return Number(value)
}

export function booleanQuery(context: Context, name: string): boolean {
  const text = context.req.query(name)
  if (text === undefined) return false
  if (/^(true|t|1)$/i.test(text)) return true
  if (/^(false|f|0)$/i.test(text)) return false
  throw queryProblem(name, `${shorten(text)} is not a boolean`)
}

export function orderQuery(context: Context): 'desc' | 'asc' {
  const text = context.req.query('sort_order') ?? 'desc'
  if (text !== 'desc' && text !== 'asc') {
    throw queryProblem('sort_order', `${shorten(text)} is neither desc nor asc`)
  }
  return text
}

export function listQuery(context: Context, name: string): string[] {
  return (context.req.queries(name) ?? []).flatMap((text) => text.split(',')).filter(Boolean)
}

export type Language = 'en' | 'ru'

export function languageOf(context: Context): Language {
  const [first = ''] = (context.req.header('accept-language') ?? '').split(',')
  return /^\s*ru\b/i.test(first) ? 'ru' : 'en'
}

export function queryProblem(name: string, why: string): HttpProblem {
  return malformed(`query: "${name}": ${why}`)
}

export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const bulkLimit = 1_000

export function readAccounts(texts: readonly string[]): string[] {
  if (texts.length === 0) throw refusal('empty list of ids')
  if (texts.length > bulkLimit) {
    throw refusal(`the maximum number of accounts to request at once: ${bulkLimit}`)
  }
  return texts.map(readAccount)
}

const bodyLimitBytes = 1024 * 1024

export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return parseBody(schema, await readJson(context, bodyLimitBytes))
}

export function parseBody<T>(schema: z.ZodType<T>, value: unknown): T {
  return parseInput(
    schema,
    value,
    (path, problem) =>
      `decode request: ${path.length === 0 ? '' : `"${path.join('.')}": `}${problem}`,
  )
}

/** Integers beyond 2^53 arrive as bigint. */
export const int64 = z
  .union([z.int(), z.bigint()])
  .transform((value) => BigInt(value))
  .refine((value) => value >= -(2n ** 63n) && value < 2n ** 63n, 'not an int64')

export const bocBody = z.object({ boc: z.string() })

export const accountsBody = z.object({ account_ids: z.array(z.string()) })

export function readBoc(text: string): Buffer {
  const bytes = readBytes(text)
  if (bytes === null) throw refusal('boc must be a base64 encoded string or hex string')
  return bytes
}

export type External = Message & { readonly info: { readonly type: 'external-in' } }

export function externalOf(cell: Cell): External {
  const message = parseMessage(cell)
  if (message.info.type === 'external-in') return message as External
  throw refusal(`unsupported message type: ${message.info.type}`)
}

const refused = [AddressError, BocError, UnreadableMessageError]

/** The response to what the parsers and the chain refuse. @throws other errors */
export function problemOf(error: Error): HttpProblem {
  if (error instanceof HttpProblem) return error
  if (error instanceof NotAcceptedError) return notAcceptable(error)
  if (refused.some((type) => error instanceof type)) return refusal(error.message)
  throw error
}

/** Clients search for this text and the exit code. */
function notAcceptable({ message, exitCode }: NotAcceptedError) {
  const code = exitCode === null ? '' : `\nexitcode=${exitCode}`
  return refusal(
    `error code: 0 message: cannot apply external message to current state : External message was not accepted\n${message}${code}`,
    406,
  )
}
