import type { Cell, Message } from '@ton/core'
import type { Context } from 'hono'
import { z } from 'zod'
import { AddressError, parseAddress } from '../../ton/address.ts'
import { BocError, parseMessage, readBytes } from '../../ton/boc.ts'
import { readHash } from '../../ton/hash.ts'
import { NotAcceptedError, UnreadableMessageError } from '../chain/chain.ts'
import { HttpProblem, parseInput, readJson } from '../http.ts'

export const refusal = (message: string, status = 400): HttpProblem =>
  new HttpProblem(status, message)

export const notFound = (what = 'entity not found') => refusal(what, 404)

export function readAccount(text: string): string {
  // The sandbox has no DNS.
  if (text.includes('.')) throw refusal(`can't decode address ${shorten(text)}: address not found`)
  return parseAddress(text).raw
}

const integer = /^[+-]?\d{1,19}$/
const leastInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n
type Range = { readonly least: number; readonly most: number; readonly preset?: number | undefined }

export type Language = 'en' | 'ru'

/** Reads the parameters and the body of a request. A wrong type is malformed, an invalid id is a `refusal`. */
export class QueryRequest {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  get operation(): string {
    const { method, path } = this.#context.req
    return `${method} /v2${path}`
  }

  account(name = 'account_id'): string {
    return readAccount(this.parameter(name))
  }

  hash(name: string): string {
    const text = this.parameter(name)
    const hash = readHash(text)
    if (hash !== null) return hash
    throw refusal(`can't decode hash ${shorten(text)}: 32 bytes in hex or base64 are expected`)
  }

  /** Returns a part of the path. */
  parameter(name: string): string {
    return this.#context.req.param(name) ?? ''
  }

  optional(name: string): string | undefined {
    return this.#context.req.query(name)
  }

  required(name: string): string {
    const text = this.#context.req.query(name)
    if (text === undefined) throw queryProblem(name, 'it is required')
    return text
  }

  /** Returns all values of a parameter. */
  texts(name: string): readonly string[] {
    return this.#context.req.queries(name) ?? []
  }

  list(name: string): string[] {
    return this.texts(name)
      .flatMap((text) => text.split(','))
      .filter(Boolean)
  }

  int64(name: string): bigint | undefined {
    const text = this.#context.req.query(name)
    if (text === undefined) return undefined
    const value = integer.test(text) ? BigInt(text.replace('+', '')) : null
    if (value === null || value < leastInt64 || value > maxInt64) {
      throw queryProblem(name, `${shorten(text)} is not an int64`)
    }
    return value
  }

  int(name: string, { least, most, preset }: Range): number {
    const value = this.int64(name)
    if (value === undefined) {
      if (preset === undefined) throw queryProblem(name, 'it is required')
      return preset
    }
    if (value < BigInt(least) || value > BigInt(most)) {
      throw queryProblem(name, `${value} is not between ${least} and ${most}`)
    }
    return Number(value)
  }

  limit(most: number, preset?: number): number {
    return this.int('limit', { least: 1, most, preset })
  }

  /** Reads `limit` and `offset` of a list. */
  page(preset: number, mostOffset: number = 2 ** 31 - 1) {
    const limit = this.limit(1_000, preset)
    return { limit, offset: this.int('offset', { least: 0, most: mostOffset, preset: 0 }) }
  }

  boolean(name: string): boolean {
    const text = this.#context.req.query(name)
    if (text === undefined) return false
    if (/^(true|t|1)$/i.test(text)) return true
    if (/^(false|f|0)$/i.test(text)) return false
    throw queryProblem(name, `${shorten(text)} is not a boolean`)
  }

  order(): 'desc' | 'asc' {
    const text = this.#context.req.query('sort_order') ?? 'desc'
    if (text === 'desc' || text === 'asc') return text
    throw queryProblem('sort_order', `${shorten(text)} is neither desc nor asc`)
  }

  language(): Language {
    const [first = ''] = (this.#context.req.header('accept-language') ?? '').split(',')
    return /^\s*ru\b/i.test(first) ? 'ru' : 'en'
  }

  async body<T>(schema: z.ZodType<T>): Promise<T> {
    return parseBody(schema, await readJson(this.#context))
  }

  async accounts(): Promise<string[]> {
    return readAccounts((await this.body(accountsBody)).account_ids)
  }
}

export const queryProblem = (name: string, why: string): HttpProblem =>
  new HttpProblem(400, `query: "${name}": ${why}`, true)

export const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

const bulkLimit = 1_000

export function readAccounts(texts: readonly string[]): string[] {
  if (texts.length === 0) throw refusal('empty list of ids')
  if (texts.length > bulkLimit) {
    throw refusal(`the maximum number of accounts to request at once: ${bulkLimit}`)
  }
  return texts.map(readAccount)
}

export const parseBody = <T>(schema: z.ZodType<T>, value: unknown): T =>
  parseInput(
    schema,
    value,
    (path, problem) =>
      `decode request: ${path.length === 0 ? '' : `"${path.join('.')}": `}${problem}`,
  )

/** Integers beyond 2^53 arrive as bigint. */
export const int64 = z
  .union([z.int(), z.bigint()])
  .transform((value) => BigInt(value))
  .refine((value) => value >= -(2n ** 63n) && value < 2n ** 63n, 'not an int64')

export const bocBody = z.object({ boc: z.string() })

const accountsBody = z.object({ account_ids: z.array(z.string()) })

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

/** Converts errors of the parsers and the chain to a response. @throws other errors */
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
