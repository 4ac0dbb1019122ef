import {
  type Cell,
  type Message,
  type MessageRelaxed,
  beginCell,
  loadMessageRelaxed,
  storeMessage,
} from '@ton/core'
import type { Context } from 'hono'
import { z } from 'zod'
import { toAddress } from '../../ton/address.ts'
import { readBytes } from '../../ton/boc.ts'
import { decodeBody } from '../../ton/decode-body.ts'
import {
  type WalletVersion,
  decodeWalletOrders,
  sendMode,
  walletVersionOf,
} from '../../ton/wallet.ts'
import { NotAcceptedError, UnreadableMessageError } from '../chain/chain.ts'
import { answerJson } from '../http.ts'
import { balanceOf, codeHashOf } from './accounts.ts'
import { explainTrace } from './event-routes.ts'
import { serializeJettonPreview } from './jettons.ts'
import { notAcceptable } from './message-routes.ts'
import { fixedRatesHeader, tonRates, usdtRate } from './rates.ts'
import {
  type External,
  accountParameter,
  bocBody,
  booleanQuery,
  externalOf,
  int64,
  languageOf,
  malformed,
  parseBody,
  readAccount,
  readBody,
  readCell,
  refusal,
} from './request.ts'
import type { QueryDeps, Route } from './routes.ts'
import { serializeTrace } from './transaction-json.ts'

const walletBody = bocBody.extend({
  params: z.array(z.object({ address: z.string(), balance: int64.optional() })).optional(),
  address_override: z.string().optional(),
})

type WalletRequest = z.infer<typeof walletBody>

export function emulationRoutes(deps: QueryDeps): Route[] {
  const { chain } = deps

  async function emulate(cell: Cell, options: Parameters<typeof chain.emulate>[1]) {
    try {
      return await chain.emulate(cell, options)
    } catch (error) {
      if (error instanceof NotAcceptedError) throw notAcceptable(error)
      if (error instanceof UnreadableMessageError) throw refusal(error.message)
      throw error
    }
  }

  async function emulateBody(context: Context) {
    const { boc } = await readBody(context, bocBody)
    const cell = readCell(boc)
    externalOf(cell)
    return emulate(cell, { ignoreSignature: booleanQuery(context, 'ignore_signature_check') })
  }

  async function emulateEvent(context: Context): Promise<Response> {
    const { root } = await emulateBody(context)
    return answerJson((await explainTrace(root, deps, languageOf(context))).event())
  }

  async function emulateTrace(context: Context): Promise<Response> {
    const { root } = await emulateBody(context)
    return answerJson(serializeTrace(root, { chain, book: deps.book, isEmulated: true }))
  }

  async function emulateAccountEvent(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const { root } = await emulateBody(context)
    return answerJson((await explainTrace(root, deps, languageOf(context))).accountEvent(account))
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
    const trace = await explainTrace(root, deps, languageOf(context))
    return answerJson(
      {
        trace: serializeTrace(root, { chain, book: deps.book, isEmulated: true }),
        risk,
        event: trace.accountEvent(wallet),
      },
      200,
      currency === undefined ? {} : fixedRatesHeader,
    )
  }

  function walletVersionAt(wallet: string, { init }: Message) {
    const codeHash = codeHashOf(chain.account(wallet)) ?? init?.code?.hash().toString('hex')
    if (codeHash === undefined) throw refusal("code not found and message doesn't have init")
    const version = walletVersionOf(codeHash)
    if (version === null) throw refusal('unknown wallet version')
    return version
  }

  function getWalletEmulation(context: Context): Promise<Response> {
    // The specification does not describe the fields of this form; it takes the body's.
    const { boc: text, address_override } = context.req.query()
    if (text === undefined) throw malformed('query: "boc": it is required')
    // base64url in a URL; an unescaped plus sign arrives as a space.
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

/** Risk of the service: the maximum loss of a wallet. */
async function findRisk(
  order: {
    readonly version: WalletVersion
    readonly wallet: string
    readonly body: Cell
    readonly currency: string | undefined
  },
  deps: QueryDeps,
): Promise<object> {
  const orders = decodeWalletOrders(order.version, order.body)?.orders ?? []
  let grams = 0n
  let isAll = false
  const jettons = new Map<string, bigint>()
  for (const { mode, message } of orders) {
    if ((mode & sendMode.allBalance) !== 0) isAll = true
    const relaxed = readRelaxed(message)
    if (relaxed?.info.type !== 'internal') continue
    grams += relaxed.info.value.coins
    const body = decodeBody(relaxed.body)
    if (body?.name !== 'jetton_transfer' && body?.name !== 'jetton_burn') continue
    const wallet = relaxed.info.dest.toRawString()
    jettons.set(wallet, (jettons.get(wallet) ?? 0n) + body.amount)
  }
  const found = await serializeJettons(order.wallet, jettons, deps)
  const { currency } = order
  const balance = balanceOf(deps.chain.account(order.wallet))
  const total = equivalent(isAll && balance > grams ? balance : grams, found.usdt, currency)
  return {
    transfer_all_remaining_balance: isAll,
    ton: grams,
    gram: grams,
    jettons: found.quantities,
    nfts: [],
    ...(total === null ? {} : { total_equivalent: total }),
  }
}

function readRelaxed(message: Cell): MessageRelaxed | null {
  try {
    return loadMessageRelaxed(message.beginParse())
  } catch {
    return null
  }
}

/** Orders to other owners' jetton wallets have no effect. */
async function serializeJettons(
  owner: string,
  amounts: ReadonlyMap<string, bigint>,
  { contracts, jettons, usdt, book }: QueryDeps,
) {
  const quantities: object[] = []
  let usdtAmount = 0n
  for (const [address, amount] of amounts) {
    const wallet = await contracts.jettonWallet(address)
    const jetton = wallet?.owner === owner ? await jettons.find(wallet.master) : null
    if (jetton === null) continue
    if (jetton.address === usdt) usdtAmount += amount
    quantities.push({
      quantity: amount.toString(),
      wallet_address: book.describe(address),
      jetton: serializeJettonPreview(jetton),
    })
  }
  return { quantities, usdt: usdtAmount }
}

function equivalent(grams: bigint, usdt: bigint, currency: string | undefined): number | null {
  const rate = currency === undefined ? undefined : tonRates.get(currency)
  if (currency === undefined || rate === undefined) return null
  return (Number(grams) / 1e9) * rate + (Number(usdt) / 1e6) * (usdtRate(currency) ?? 0)
}
