/** Requests of the webhooks API. */
import type { Context } from 'hono'
import { z } from 'zod'
import { AddressError, parseAddress } from '../../ton/address.ts'
import { HttpProblem, parseInput, readJson } from '../http.ts'

const bodyLimit = 1024 * 1024
const maxAccounts = 10_000
const maxEndpointLength = 2048
const maxPage = 1000

const endpointBody = z.object({ endpoint: z.string() })
const accountId = z.object({ account_id: z.string() }).transform((entry) => entry.account_id)

export async function readEndpoint(context: Context): Promise<string> {
  const { endpoint } = await readBody(context, endpointBody)
  const refuse = (why: string) => new HttpProblem(400, `endpoint ${why}`)
  if (endpoint.length > maxEndpointLength) {
    throw refuse(`is longer than ${maxEndpointLength} characters`)
  }
  const url = /^https?:\/\/\S+$/i.test(endpoint) ? URL.parse(endpoint) : null
  if (url === null) throw refuse('must be an http or https URL')
  if (url.username !== '' || url.password !== '') {
    throw refuse('must not contain a user name or a password')
  }
  return endpoint
}

export const readSubscribedAccounts = (context: Context) => readAccounts(context, accountId)

export const readUnsubscribedAccounts = (context: Context) => readAccounts(context, z.string())

export function readOpcode(context: Context): number {
  const text = context.req.param('opcode') ?? ''
  if (!/^0x[0-9a-f]{1,8}$/i.test(text)) {
    throw new HttpProblem(400, 'opcode must be 0x and one to eight hexadecimal digits')
  }
  return Number.parseInt(text.slice(2), 16)
}

export function readWebhookId(context: Context): number {
  const text = context.req.param('id') ?? ''
  if (!/^\d+$/.test(text)) throw new HttpProblem(400, 'webhook_id must be a whole number')
  return Number(text)
}

export function readPage(context: Context): { offset: number; limit: number } {
  return {
    offset: readCount(context, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
    limit: readCount(context, 'limit', maxPage, 1, maxPage),
  }
}

export function readOffset(context: Context): number {
  return readCount(context, 'offset', 0, 0, Number.MAX_SAFE_INTEGER)
}

function readCount(context: Context, name: string, defaultValue: number, min: number, max: number) {
  const text = context.req.query(name)
  if (text === undefined) return defaultValue
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
  throw new HttpProblem(400, `${name} must be a whole number ${range}`)
}

async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return parseInput(schema, await readJson(context, bodyLimit), (path, problem) => {
    const field = z.core.toDotPath(path)
    return `${field === '' ? 'the body' : field}: ${problem}`
  })
}

async function readAccounts(context: Context, entry: z.ZodType<string>): Promise<string[]> {
  const { accounts } = await readBody(context, z.object({ accounts: z.array(entry) }))
  if (accounts.length > maxAccounts) {
    throw new HttpProblem(
      400,
      `accounts has ${accounts.length}, one call may have at most ${maxAccounts}`,
    )
  }
  const raw = accounts.map((text, index) => {
    try {
      return parseAddress(text).raw
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      throw new HttpProblem(400, `accounts[${index}]: ${error.message}`)
    }
  })
  return [...new Set(raw)]
}
