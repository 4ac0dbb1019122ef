import { type Cell, type Message, beginCell, storeMessage } from '@ton/core'
import type { Context } from 'hono'
import { z } from 'zod'
import { toAddress } from '../../ton/address.ts'
import { parseBoc, readBytes } from '../../ton/boc.ts'
import { decodeBody } from '../../ton/decode-body.ts'
import {
  type WalletOrder,
  decodeWalletOrders,
  readOrder,
  sendMode,
  walletVersionOf,
} from '../../ton/wallet.ts'
import { jsonResponse } from '../http.ts'
import { balanceOf, codeHashOf } from './accounts.ts'
import { explainTrace } from './event-routes.ts'
import { serializeJettonPreview } from './jettons.ts'
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
  readBoc,
  readBody,
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

  async function emulateBody(context: Context) {
    const { boc } = await readBody(context, bocBody)
    const cell = parseBoc(readBoc(boc))
    externalOf(cell)
    return chain.emulate(cell, { ignoreSignature: booleanQuery(context, 'ignore_signature_check') })
  }

  async function emulateEvent(context: Context): Promise<Response> {
    const { root } = await emulateBody(context)
    return jsonResponse((await explainTrace(root, deps, languageOf(context))).event())
  }

  async function emulateTrace(context: Context): Promise<Response> {
    const { root } = await emulateBody(context)
    return jsonResponse(serializeTrace(root, { chain, book: deps.book, isEmulated: true }))
  }

  async function emulateAccountEvent(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const { root } = await emulateBody(context)
    return jsonResponse((await explainTrace(root, deps, languageOf(context))).accountEvent(account))
  }

  async function emulateWallet(context: Context, request: WalletRequest): Promise<Response> {
    const message = externalOf(parseBoc(readBoc(request.boc)))
    const wallet =
      request.address_override === undefined
        ? message.info.dest.toRawString()
        : readAccount(request.address_override)
    const balances = readBalances(request)
    const version = walletVersionAt(wallet, message)
    const currency = context.req.query('currency')?.toUpperCase()
    const orders = decodeWalletOrders(version, message.body)?.orders ?? []
    const risk = await findRisk(wallet, orders, currency, deps)
    const { root } = await chain.emulate(redirect(message, wallet), {
      ignoreSignature: true,
      balances,
    })
    const trace = await explainTrace(root, deps, languageOf(context))
    return jsonResponse(
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
  wallet: string,
  orders: readonly WalletOrder[],
  currency: string | undefined,
  { chain, contracts, jettons, usdt, book }: QueryDeps,
) {
  const isAll = orders.some(({ mode }) => (mode & sendMode.allBalance) !== 0)
  let grams = 0n
  const amounts = new Map<string, bigint>()
  for (const { message } of orders) {
    const order = readOrder(message)
    if (order === null) continue
    grams += order.info.value.coins
    const body = decodeBody(order.body)
    if (body?.name !== 'jetton_transfer' && body?.name !== 'jetton_burn') continue
    const address = order.info.dest.toRawString()
    amounts.set(address, (amounts.get(address) ?? 0n) + body.amount)
  }
  const quantities: object[] = []
  let usdtAmount = 0n
  for (const [address, amount] of amounts) {
    const contract = await contracts.jettonWallet(address)
    // Orders to other owners' jetton wallets have no effect.
    const jetton = contract?.owner === wallet ? await jettons.find(contract.master) : null
    if (jetton === null) continue
    if (jetton.address === usdt) usdtAmount += amount
    quantities.push({
      quantity: amount.toString(),
      wallet_address: book.describe(address),
      jetton: serializeJettonPreview(jetton),
    })
  }
  const balance = balanceOf(chain.account(wallet))
  const total = isAll && balance > grams ? balance : grams
  const rate = tonRates.get(currency ?? '')
  const usdtPrice = usdtRate(currency ?? '') ?? 0
  return {
    transfer_all_remaining_balance: isAll,
    ton: grams,
    gram: grams,
    jettons: quantities,
    nfts: [],
    total_equivalent: rate && (Number(total) / 1e9) * rate + (Number(usdtAmount) / 1e6) * usdtPrice,
  }
}
