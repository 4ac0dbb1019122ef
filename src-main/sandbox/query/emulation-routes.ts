import { type Cell, type Message, beginCell, storeMessage } from '@ton/core'
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
import type { Chain } from '../chain/create-chain.ts'
import type { Routes } from '../http.ts'
import { balanceOf, codeHashOf } from './accounts.ts'
import { explainTrace } from './event-routes.ts'
import { type QueryDeps, serializeJettonPreview } from './jettons.ts'
import { ratesResponse, tonRates, usdtRate } from './rates.ts'
import {
  type QueryRequest,
  type External,
  bocBody,
  externalOf,
  int64,
  parseBody,
  readAccount,
  readBoc,
  refusal,
} from './request.ts'
import { serializeTrace } from './transaction-json.ts'

const walletBody = bocBody.extend({
  params: z.array(z.object({ address: z.string(), balance: int64.optional() })).optional(),
  address_override: z.string().optional(),
})

type WalletRequest = z.infer<typeof walletBody>

export function emulationRoutes(deps: QueryDeps): Routes<QueryRequest> {
  const { chain, book } = deps

  async function emulateBody(request: QueryRequest) {
    const { boc } = await request.body(bocBody)
    const cell = parseBoc(readBoc(boc))
    externalOf(cell)
    const ignoreSignature = request.boolean('ignore_signature_check')
    return (await chain.emulate(cell, { ignoreSignature })).root
  }

  return {
    '/wallet/emulate': {
      GET: (request) => emulateWallet(request, readWalletQuery(request), deps),
      POST: async (request) => emulateWallet(request, await request.body(walletBody), deps),
    },
    '/events/emulate': {
      POST: async (request) =>
        (await explainTrace(await emulateBody(request), deps, request.language())).event(),
    },
    '/traces/emulate': {
      POST: async (request) =>
        serializeTrace(await emulateBody(request), { chain, book, isEmulated: true }),
    },
    '/accounts/:account_id/events/emulate': {
      async POST(request) {
        const account = request.account()
        const root = await emulateBody(request)
        return (await explainTrace(root, deps, request.language())).accountEvent(account)
      },
    },
  }
}

async function emulateWallet(request: QueryRequest, body: WalletRequest, deps: QueryDeps) {
  const { chain, book } = deps
  const message = externalOf(parseBoc(readBoc(body.boc)))
  const wallet =
    body.address_override === undefined
      ? message.info.dest.toRawString()
      : readAccount(body.address_override)
  const balances = readBalances(body)
  const version = walletVersionAt(chain, wallet, message)
  const currency = request.optional('currency')?.toUpperCase()
  const orders = decodeWalletOrders(version, message.body)?.orders ?? []
  const risk = await findRisk(wallet, orders, currency, deps)
  const emulation = { ignoreSignature: true, balances }
  const { root } = await chain.emulate(redirect(message, wallet), emulation)
  const explained = await explainTrace(root, deps, request.language())
  const trace = serializeTrace(root, { chain, book, isEmulated: true })
  const event = explained.accountEvent(wallet)
  return ratesResponse({ trace, risk, event }, currency !== undefined)
}

function walletVersionAt(chain: Chain, wallet: string, { init }: Message) {
  const codeHash = codeHashOf(chain.account(wallet)) ?? init?.code?.hash().toString('hex')
  if (codeHash === undefined) throw refusal("code not found and message doesn't have init")
  const version = walletVersionOf(codeHash)
  if (version === null) throw refusal('unknown wallet version')
  return version
}

/** The specification does not describe the fields of this form, so those of the body are used. */
function readWalletQuery(request: QueryRequest): WalletRequest {
  // A URL contains base64url, and an unescaped plus sign arrives as a space.
  const plain = request.required('boc').replace(/[ -]/g, '+').replaceAll('_', '/')
  const boc = readBytes(plain) === null ? plain.padEnd(Math.ceil(plain.length / 4) * 4, '=') : plain
  return parseBody(walletBody, { boc, address_override: request.optional('address_override') })
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

/** Returns the service's Risk: the maximum loss of a wallet. */
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
    // An order to the jetton wallet of another owner has no effect.
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
