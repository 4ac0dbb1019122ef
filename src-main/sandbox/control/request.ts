import type { Context } from 'hono'
import type { z } from 'zod'
import { toAddress } from '../../ton/address.ts'
import { type DevelopmentWallet, developmentWallets } from '../chain/wallets.ts'
import { type Handler, HttpProblem, parseInput, readJson } from '../http.ts'

/** An empty body counts as an empty object. */
export function withBody<T>(
  schema: z.ZodType<T>,
  handle: (body: T, context: Context) => unknown,
): Handler {
  return async (context) => {
    const isEmpty = context.req.header('content-length') === '0' || context.req.raw.body === null
    const body = isEmpty ? {} : await readJson(context)
    return handle(parseInput(schema, body, describeProblem), context)
  }
}

export const postBody = <T>(...input: Parameters<typeof withBody<T>>) => ({
  POST: withBody(...input),
})

export const putBody = <T>(...input: Parameters<typeof withBody<T>>) => ({
  PUT: withBody(...input),
})

export const withQuery =
  <T>(schema: z.ZodType<T>, handle: (query: T) => unknown): Handler =>
  (context) =>
    handle(parseInput(schema, context.req.query(), describeProblem))

const describeProblem = (path: readonly PropertyKey[], problem: string): string =>
  path.length === 0 ? problem : `${path.join('.')}: ${problem}`

export function walletOf(name: string): DevelopmentWallet {
  const wallet = developmentWallets.find((candidate) => candidate.name === name)
  if (wallet === undefined) throw new HttpProblem(404, `unknown wallet "${name}"`)
  return wallet
}

/** @param text the name of a development wallet or an address */
export function readReceiver(text: string) {
  const wallet = developmentWallets.find(({ name }) => name === text.trim())
  if (wallet !== undefined) return wallet.address
  try {
    return toAddress(text)
  } catch (error) {
    throw new HttpProblem(400, error instanceof Error ? error.message : String(error), true)
  }
}

export function webhookIdOf(context: Context): number {
  const text = context.req.param('id') ?? ''
  if (!/^\d{1,15}$/.test(text)) throw noWebhook()
  return Number(text)
}

export const noWebhook = (): HttpProblem => new HttpProblem(404, 'webhook not found')
