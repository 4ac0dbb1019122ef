/** Builds and emulates messages for a wallet to send. Tondesk has no private keys, so the wallet signs. */
import {
  type Cell,
  type MessageRelaxed,
  SendMode,
  Address,
  beginCell,
  external,
  internal,
  storeMessage,
  storeMessageRelaxed,
  storeOutList,
} from '@ton/core'
import type { BuiltMessage, MessageOrder } from '../../../src-preload/contract/message.ts'
import { requireUnits } from '../../../src-preload/domain/written-amount.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../../src-preload/domain/error-codes.ts'
import type { QueryOptions, QueryClient } from '../../gateway/query.ts'
import { formatFriendly } from '../../ton/address.ts'
import { formatCell } from '../../ton/boc.ts'
import { commentCell, jettonTransfer } from '../../ton/payload.ts'
import { type WalletVersion, walletVersionAmong } from '../../ton/wallet.ts'
import { requireAddress } from '../../chain/addresses.ts'
import { requireBoc } from '../../chain/cell-tree.ts'
import type { Dictionaries } from '../contracts/dictionaries.ts'
import { isNotFound } from '../../chain/access.ts'
import { flattenStack } from '../../chain/method-stack.ts'

const tonDecimals = 9
/** A coin amount has at most 120 bits on the chain. */
const maxCoins = 2n ** 120n - 1n
/** The number of seconds for which the wallet's order is valid, by the network's time. */
const validFor = 600

type Network = {
  readonly testOnly: boolean
  readonly query: QueryClient
  readonly asking: QueryOptions
  /** Encodes the body of a message that a dictionary describes. */
  readonly encode: Dictionaries['encode']
}

/** @throws AppError CHAIN_BAD_ARGUMENT, CHAIN_BAD_ADDRESS, CHAIN_BAD_BOC, or an error of the gateway */
export async function buildMessage(order: MessageOrder, network: Network): Promise<BuiltMessage> {
  const from = order.from === '' ? null : requireAddress(order.from, network.testOnly)
  const { to, body } = await describe(order, from, network)
  const value = readUnits('amount', order.amount, tonDecimals)
  const message = internal({
    to: Address.parseRaw(to),
    value,
    bounce: order.bounce,
    body: body ?? beginCell().endCell(),
  })
  const wallet = from === null ? null : await fetchWallet(from, network)
  const orderCell = beginCell().store(storeMessageRelaxed(message)).endCell()
  return {
    to,
    link: linkTo(to, order, { value, body, testOnly: network.testOnly }),
    body: body && formatCell(body),
    message: formatCell(orderCell),
    unsigned: wallet && formatCell(unsignedExternal(wallet, message, orderCell)),
  }
}

async function describe(order: MessageOrder, from: string | null, network: Network) {
  const to = requireAddress(order.to, network.testOnly)
  switch (order.kind) {
    case 'transfer':
      return { to, body: commentCell(order.comment) }
    case 'message':
      return { to, body: network.encode(order, network.testOnly) }
    case 'call':
      return { to, body: requireBoc(order.body) }
    case 'jetton':
      if (from === null) throw refuse('Enter the wallet that sends the jettons.')
      return orderJettons(order, { from, to }, network)
  }
}

async function orderJettons(
  order: MessageOrder,
  { from, to }: { readonly from: string; readonly to: string },
  { query, asking, testOnly }: Network,
) {
  const master = requireAddress(order.jetton, testOnly)
  const balance = await query.accountJetton(from, master, asking).catch((error: unknown) => {
    throw isNotFound(error) ? refuse('The wallet has none of this jetton.', error) : error
  })
  const units = readUnits('jettonAmount', order.jettonAmount, balance.jetton.decimals)
  const body = jettonTransfer(units, from, to, order.comment)
  return { to: balance.wallet_address.address, body }
}

const amountNames = { amount: 'Amount', jettonAmount: 'Amount of jettons' } as const

function readUnits(name: keyof typeof amountNames, text: string, decimals: number): bigint {
  let units: bigint
  try {
    units = requireUnits(text, decimals)
  } catch (error) {
    throw refuse(`${amountNames[name]}: ${(error as Error).message}`, error)
  }
  if (units < 0n || units > maxCoins) throw refuse(`${amountNames[name]}: The amount is too large.`)
  return units
}

const refuse = (message: string, cause?: unknown): AppError =>
  new AppError(chainCodes.badArgument, message, { cause })

/** Wallets ignore `text` if the link has `bin`, which is a body in base64url. */
function linkTo(
  to: string,
  { kind, comment, bounce }: MessageOrder,
  parts: { readonly value: bigint; readonly body: Cell | null; readonly testOnly: boolean },
): string {
  const { value, body, testOnly } = parts
  const search = [`amount=${value}`]
  if (kind === 'transfer' && comment !== '') search.push(`text=${encodeURIComponent(comment)}`)
  else if (body !== null) search.push(`bin=${body.toBoc().toString('base64url')}`)
  return `ton://transfer/${formatFriendly(to, { bounceable: bounce, testOnly })}?${search.join('&')}`
}

type Wallet = {
  readonly address: string
  readonly version: WalletVersion
  readonly seqno: number
  readonly subwalletId: number
  readonly validUntil: number
}

async function fetchWallet(address: string, { query, asking }: Network): Promise<Wallet> {
  const [{ interfaces, status }, head] = await Promise.all([
    query.account(address, asking),
    query.masterchainHead(asking),
  ])
  const version = walletVersionAmong(interfaces)
  if (version === null || status !== 'active') {
    throw refuse(
      'The sending account is no deployed wallet of version 3, 4 or 5, so the message cannot be emulated. Leave the wallet empty to build the message only.',
    )
  }
  const [seqno, subwalletId] = await Promise.all([
    readMethod(query, address, 'seqno', asking),
    // Version 3 has no get method for the subwallet's number, and wallets use one default number.
    version.startsWith('v3')
      ? defaultSubwallet
      : readMethod(query, address, 'get_subwallet_id', asking),
  ])
  return { address, version, seqno, subwalletId, validUntil: head.gen_utime + validFor }
}

const defaultSubwallet = 698983191

async function readMethod(
  query: QueryClient,
  address: string,
  method: string,
  queryOptions: QueryOptions,
) {
  const { success, stack } = await query.runMethod(address, method, [], queryOptions)
  const [item] = flattenStack(stack).items
  if (!success || item?.kind !== 'number') {
    throw refuse(`The wallet’s method ${method} returned no number.`)
  }
  return Number(item.value)
}

const signatureBytes = 64
const signedExternal = 0x7369676e
const v4Transfer = 0
const mode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS

/**
 * The message that the wallet would sign, with zeros for the signature, which the emulation does
 * not check.
 */
function unsignedExternal(wallet: Wallet, message: MessageRelaxed, order: Cell): Cell {
  const { address, version, seqno, subwalletId, validUntil } = wallet
  const signature = Buffer.alloc(signatureBytes)
  const head = beginCell()
    .storeUint(subwalletId >>> 0, 32)
    .storeUint(validUntil, 32)
    .storeUint(seqno, 32)
  const body =
    version === 'v5R1'
      ? beginCell()
          .storeUint(signedExternal, 32)
          .storeBuilder(head)
          .storeMaybeRef(
            beginCell().store(storeOutList([{ type: 'sendMsg', mode, outMsg: message }])),
          )
          .storeBit(0)
          .storeBuffer(signature)
      : beginCell()
          .storeBuffer(signature)
          .storeBuilder(version === 'v4R2' ? head.storeUint(v4Transfer, 8) : head)
          .storeUint(mode, 8)
          .storeRef(order)
  return beginCell()
    .store(storeMessage(external({ to: Address.parseRaw(address), body: body.endCell() })))
    .endCell()
}
