/** What a request of the query API is asked with. Wrong types are the framework's errors, wrong ids the handler's. */
import type { Context } from 'hono'
import { AddressError, parseAddress } from '../../ton/address.ts'
import { readHash } from '../../ton/hash.ts'
import { HttpProblem } from '../http.ts'

/** Understood, and refused. */
export function refusal(message: string, status = 400): HttpProblem {
  return new HttpProblem(status, message)
}

/** Not understood. */
export function malformed(message: string): HttpProblem {
  return new HttpProblem(400, message, true)
}

export const notFound = (what = 'entity not found') => refusal(what, 404)

/** Raw, of any form it is given in. @throws HttpProblem saying which address and why */
export function readAccount(text: string): string {
  // A domain: there is no DNS in the sandbox for it to be found in.
  if (text.includes('.')) throw refusal(`can't decode address ${shorten(text)}: address not found`)
  try {
    return parseAddress(text).raw
  } catch (error) {
    if (error instanceof AddressError) throw refusal(error.message)
    throw error
  }
}

export function accountParameter(context: Context, name = 'account_id'): string {
  return readAccount(pathParameter(context, name))
}

/** 64 lower-case hex digits. @throws HttpProblem */
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

/** An int64 of the query string; undefined when it is not there. @throws HttpProblem */
export function int64Query(context: Context, name: string): bigint | undefined {
  const text = context.req.query(name)
  if (text === undefined) return undefined
  const value = integer.test(text) ? BigInt(text.replace('+', '')) : null
  if (value === null || value < leastInt64 || value > maxInt64) {
    throw queryProblem(name, `${shorten(text)} is not an int64`)
  }
  return value
}

/** @throws HttpProblem when it is out of range, or missing with no default */
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

/** Comma separated, or repeated. Empty entries are left out. */
export function listQuery(context: Context, name: string): string[] {
  return (context.req.queries(name) ?? []).flatMap((text) => text.split(',')).filter(Boolean)
}

export function queryProblem(name: string, why: string): HttpProblem {
  return malformed(`query: "${name}": ${why}`)
}

/** What is said of a request is never longer than what is worth reading. */
export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
