import { type Cell, type Message, beginCell, storeMessage } from '@ton/core'
import type { Context } from 'hono'
import { z } from 'zod'
import { BocError, readBytes, parseMessage } from '../../ton/boc.ts'
import { toAddress } from '../../ton/address.ts'
import { walletVersionOf } from '../../ton/wallet.ts'
import { type Emulation, NotAcceptedError, UnreadableMessageError } from '../chain/chain.ts'
import { answerJson } from '../http.ts'
import { codeHashOf } from './account-state.ts'
import { bocBody, int64, parseBody, readBody, readCell } from './bodies.ts'
import { serializeAccountEvent, serializeEvent, understandTrace } from './event-json.ts'
import { notAcceptable } from './message-routes.ts'
import { accountParameter, booleanQuery, malformed, readAccount, refusal } from './parameters.ts'
import type { QueryDeps } from './query-deps.ts'
import { fixedRatesHeader } from './rates.ts'
import { findRisk } from './risk.ts'
import type { Route } from './routes.ts'
import { serializeTrace } from './trace-json.ts'

const walletBody = bocBody.extend({
  params: z.array(z.object({ address: z.string(), balance: int64.optional() })).optional(),
  address_override: z.string().optional(),
})

type WalletRequest = z.infer<typeof walletBody>

export function emulationRoutes(deps: QueryDeps): Route[] {
  const { chain } = deps

  async function emulate(
    cell: Cell,
    options: Parameters<typeof chain.emulate>[1],
  ): Promise<Emulation> {
    try {
      return await chain.emulate(cell, options)
    } catch (error) {
      if (error instanceof NotAcceptedError) throw notAcceptable(error)
      if (error instanceof UnreadableMessageError) throw refusal(error.message)
      throw error
    }
  }

  async function emulateBody(context: Context): Promise<Emulation> {
    const { boc } = await readBody(context, bocBody)
    const cell = readCell(boc)
    externalOf(cell)
    return emulate(cell, { ignoreSignature: booleanQuery(context, 'ignore_signature_check') })
  }

  async function emulateEvent(context: Context): Promise<Response> {
    const eventDeps = deps.eventDeps(context)
    const { root } = await emulateBody(context)
    return answerJson(serializeEvent(await understandTrace(root, eventDeps), eventDeps))
  }

  async function emulateTrace(context: Context): Promise<Response> {
    const { root } = await emulateBody(context)
    return answerJson(serializeTrace(root, { chain, book: deps.book(), isEmulated: true }))
  }

  async function emulateAccountEvent(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const eventDeps = deps.eventDeps(context)
    const { root } = await emulateBody(context)
    const meaning = await understandTrace(root, eventDeps)
    return answerJson(serializeAccountEvent(meaning, account, eventDeps))
  }

  async function emulateWallet(context: Context, request: WalletRequest): Promise<Response> {
    const message = externalOf(readCell(request.boc))
    const wallet =
      request.address_override === undefined
        ? message.info.dest.toRawString()
        : readAccount(request.address_override)
    const balances = readBalances(request)
    const version = walletVersionAt(wallet, message)
    const currency = context.req.query('currency')?.toUpperCase()
    const risk = await findRisk({ version, wallet, body: message.body, currency }, deps)
    const { root } = await emulate(redirect(message, wallet), { ignoreSignature: true, balances })
    const eventDeps = deps.eventDeps(context)
    const meaning = await understandTrace(root, eventDeps)
    return answerJson(
      {
        trace: serializeTrace(root, { chain, book: eventDeps.book, isEmulated: true }),
        risk,
        event: serializeAccountEvent(meaning, wallet, eventDeps),
      },
      200,
      currency === undefined ? {} : fixedRatesHeader,
    )
  }

  /** By the code that is deployed, else by the code that comes along. */
  function walletVersionAt(wallet: string, { init }: Message) {
    const codeHash = codeHashOf(chain.account(wallet)) ?? init?.code?.hash().toString('hex')
    if (codeHash === undefined) throw refusal("code not found and message doesn't have init")
    const version = walletVersionOf(codeHash)
    if (version === null) throw refusal('unknown wallet version')
    return version
  }

  function getWalletEmulation(context: Context): Promise<Response> {
    // Of this form the specification says only that it is there; the body's fields are taken.
    const { boc: text, address_override } = context.req.query()
    if (text === undefined) throw malformed('query: "boc": it is required')
    // base64url is the natural form in a URL, and a plus sign that is not escaped arrives as a space.
    const plain = text.replace(/[ -]/g, '+').replaceAll('_', '/')
    const boc =
      readBytes(plain) === null ? plain.padEnd(Math.ceil(plain.length / 4) * 4, '=') : plain
    return emulateWallet(context, parseBody(walletBody, { boc, address_override }))
  }

  return [
    {
      path: '/wallet/emulate',
      get: getWalletEmulation,
      post: async (context) => emulateWallet(context, await readBody(context, walletBody)),
    },
    { path: '/events/emulate', post: emulateEvent },
    { path: '/traces/emulate', post: emulateTrace },
    { path: '/accounts/:account_id/events/emulate', post: emulateAccountEvent },
  ]
}

type External = Message & { readonly info: { readonly type: 'external-in' } }

/** @throws HttpProblem 400 for what is no message, and for messages of other kinds */
export function externalOf(cell: Cell): External {
  const message = readMessage(cell)
  if (message.info.type === 'external-in') return message as External
  throw refusal(`unsupported message type: ${message.info.type}`)
}

function readMessage(cell: Cell): Message {
  try {
    return parseMessage(cell)
  } catch (error) {
    if (error instanceof BocError) throw refusal(error.message)
    throw error
  }
}

function readBalances({ params = [] }: WalletRequest): ReadonlyMap<string, bigint> {
  const balances = new Map<string, bigint>()
  for (const { address, balance } of params) {
    if (balance === undefined) continue
    if (balance < 0n) throw refusal('balance must be greater than 0')
    balances.set(readAccount(address), balance)
  }
  return balances
}

function redirect(message: External, wallet: string): Cell {
  const info = { ...message.info, dest: toAddress(wallet) }
  return beginCell()
    .store(storeMessage({ ...message, info }))
    .endCell()
}
