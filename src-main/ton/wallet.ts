import {
  type Cell,
  type Message,
  type MessageRelaxed,
  type Slice,
  Dictionary,
  loadMessageRelaxed,
} from '@ton/core'
import catalogue from './catalogue.json' with { type: 'json' }

/** Wallet contracts: their versions, and the orders in external messages that their owners sign. */

const codeHashes = catalogue.walletCodes

export type WalletVersion = keyof typeof codeHashes

const versions = Object.keys(codeHashes) as WalletVersion[]

/** @param codeHash 64 lower-case hex digits @returns null for an unknown contract */
export const walletVersionOf = (codeHash: string): WalletVersion | null =>
  versions.find((version) => codeHashes[version] === codeHash) ?? null

/** The wallet's name among a contract's interfaces, such as `wallet_v4r2`. */
export const walletInterface = (version: WalletVersion): string =>
  `wallet_${version.toLowerCase().replace('beta', '_beta')}`

export type WalletOrder = {
  readonly mode: number
  /** The message that the wallet must send; its source is still empty. */
  readonly message: Cell
}

export type WalletOrders = NonNullable<ReturnType<typeof decodeWalletOrders>>

const signatureBits = 512
const signedExternal = 0x7369676e

const withOrders: readonly WalletVersion[] = ['v3R1', 'v3R2', 'v4R2', 'v5R1']

/** Null for other contracts and for wallets whose orders cannot be parsed. */
export const walletVersionAmong = (interfaces: readonly string[]): WalletVersion | null =>
  withOrders.find((version) => interfaces.includes(walletInterface(version))) ?? null

/**
 * @param body the body of the external message
 * @returns null if the orders of the version are unknown, or if the body does not fit the version
 */
export function decodeWalletOrders(version: WalletVersion, body: Cell) {
  if (!withOrders.includes(version)) return null
  const isV5 = version === 'v5R1'
  try {
    const slice = body.beginParse()
    if (!isV5) slice.skip(signatureBits)
    else if (slice.loadUint(32) !== signedExternal) return null
    const subwalletId = slice.loadUint(32)
    // Unix seconds; 0xffffffff for a wallet's very first message.
    const validUntil = slice.loadUint(32)
    const seqno = slice.loadUint(32)
    const operation = version === 'v4R2' ? slice.loadUint(8) : null
    // Operations other than 0 install and remove plugins, and send no message that the owner has specified.
    const isTransfer = operation === null || operation === 0
    const orders = isV5 ? loadActions(slice.loadMaybeRef()) : isTransfer ? loadOrders(slice) : []
    return { version, subwalletId, validUntil, seqno, operation, orders }
  } catch {
    return null
  }
}

/**
 * Decodes orders as `decodeWalletOrders` does, for an unknown wallet version. The layouts differ so
 * much that a body which is completely valid for one version is valid for no other.
 */
export function guessWalletOrders(body: Cell): WalletOrders | null {
  const headBits = signatureBits + 3 * 32
  const orderBits = 8 * body.refs.length
  const { length } = body.bits
  const version =
    length === headBits + orderBits ? 'v3R2' : length === headBits + 8 + orderBits ? 'v4R2' : 'v5R1'
  const orders = decodeWalletOrders(version, body)
  return orders === null || orders.orders.length === 0 ? null : orders
}

/** The changes that a v5 wallet makes to itself. */
type WalletChange =
  | { readonly kind: 'add' | 'remove'; readonly extension: string }
  | { readonly kind: 'signature'; readonly allowed: boolean }

/**
 * Returns the changes in order. A v5 wallet accepts them in signed messages, and in messages of its
 * extensions.
 */
export function decodeWalletChanges(body: Cell): WalletChange[] {
  try {
    const slice = body.beginParse()
    const head = changeHeads.get(slice.loadUint(32))
    if (head === undefined) return []
    slice.skip(head).loadMaybeRef()
    const changes: WalletChange[] = []
    for (let next = slice.loadBit() ? slice : null; next !== null;) {
      const operation = next.loadUint(8)
      if (operation === 4) changes.push({ kind: 'signature', allowed: next.loadBit() })
      else if (operation === 2 || operation === 3) {
        const extension = next.loadAddress().toRawString()
        changes.push({ kind: operation === 2 ? 'add' : 'remove', extension })
      } else return changes
      next = next.remainingRefs > 0 ? next.loadRef().beginParse() : null
    }
    return changes
  } catch {
    return []
  }
}

/**
 * Number of bits between the opcode and the orders: wallet, expiry and number, or the query id of
 * an extension's message.
 */
const changeHeads: ReadonlyMap<number, number> = new Map([
  [signedExternal, 3 * 32],
  [0x73696e74, 3 * 32],
  [0x6578746e, 64],
])

function loadOrders(slice: Slice): WalletOrder[] {
  const orders: WalletOrder[] = []
  while (slice.remainingRefs > 0) {
    orders.push({ mode: slice.loadUint(8), message: slice.loadRef() })
  }
  return orders
}

/** Loads the orders of a v5 wallet, which are an action list of the TVM. */
function loadActions(list: Cell | null): WalletOrder[] {
  const orders: WalletOrder[] = []
  // The list is linked backwards, with the last action outside.
  for (let cell = list; cell !== null && cell.bits.length > 0;) {
    const slice = cell.beginParse()
    const rest = slice.loadRef()
    if (slice.loadUint(32) === sendMessage) {
      orders.unshift({ mode: slice.loadUint(8), message: slice.loadRef() })
    }
    cell = rest
  }
  return orders
}

const sendMessage = 0x0ec3c86d

/** The content that a wallet's owner signed, for every kind of wallet. */
export type SignedOrders = {
  /** The wallet's name among a contract's interfaces, such as `wallet_v4r2`. */
  readonly wallet: string
  readonly subwalletId: number
  /** Unix seconds; 0xffffffff for no limit. */
  readonly validUntil: number
  /** Null for highload wallets, which number their orders by `queryId`. */
  readonly seqno: number | null
  readonly queryId: bigint | null
  readonly orders: readonly WalletOrder[]
  /** True if the wallet sends the messages later, in its own next transaction. */
  readonly isDeferred: boolean
}

/**
 * @param interfaces the wallet's interfaces; if empty, the wallet is recognized by the body
 * @param body the body of the external message
 * @returns null if the body is no order, or the order of an unknown wallet
 */
export function readSignedOrders(interfaces: readonly string[], body: Cell): SignedOrders | null {
  const highload = interfaces.find((name) => /^wallet_highload_v[23]/.test(name))
  try {
    if (highload?.startsWith('wallet_highload_v2')) return loadHighloadV2(highload, body)
    if (highload !== undefined) return loadHighloadV3(highload, body)
  } catch {
    return null
  }
  const version = walletVersionAmong(interfaces)
  const isUnknown = version === null && !interfaces.some((name) => name.startsWith('wallet_'))
  const read =
    version !== null
      ? decodeWalletOrders(version, body)
      : isUnknown
        ? guessWalletOrders(body)
        : null
  if (read === null) return null
  const { subwalletId, validUntil, seqno, orders } = read
  const wallet = walletInterface(read.version)
  return { wallet, subwalletId, validUntil, seqno, orders, queryId: null, isDeferred: false }
}

/**
 * Loads a signature, the subwallet, a query id whose upper half is the expiry, and up to 254 orders
 * in a dictionary.
 */
function loadHighloadV2(wallet: string, body: Cell): SignedOrders {
  const slice = body.beginParse()
  slice.skip(signatureBits)
  const subwalletId = slice.loadUint(32)
  const queryId = slice.loadUintBig(64)
  const listed = slice.loadDict(Dictionary.Keys.Int(16), {
    serialize: () => undefined,
    parse: (order): WalletOrder => ({ mode: order.loadUint(8), message: order.loadRef() }),
  })
  const orders = [...listed].toSorted(([one], [other]) => one - other).map(([, order]) => order)
  const validUntil = Number(queryId >> 32n)
  return { wallet, subwalletId, validUntil, queryId, orders, seqno: null, isDeferred: false }
}

const highloadActions = 0xae42e5a4

/**
 * Loads one signed message. If it is addressed to the wallet itself, it contains a list of actions
 * for the next transaction.
 */
function loadHighloadV3(wallet: string, body: Cell): SignedOrders {
  const slice = body.beginParse()
  slice.skip(signatureBits)
  const signed = slice.loadRef().beginParse()
  const subwalletId = signed.loadUint(32)
  const message = signed.loadRef()
  const mode = signed.loadUint(8)
  const queryId = signed.loadUintBig(23)
  const createdAt = Number(signed.loadUintBig(64))
  const validUntil = createdAt + signed.loadUint(22)
  const inner = readOrder(message)?.body.beginParse()
  const isList =
    inner !== undefined && inner.remainingBits >= 96 && inner.loadUint(32) === highloadActions
  const orders = isList ? loadActions(inner.skip(64).loadRef()) : [{ mode, message }]
  return { wallet, subwalletId, validUntil, queryId, orders, seqno: null, isDeferred: isList }
}

export type InternalOrder = MessageRelaxed & { readonly info: { readonly type: 'internal' } }

/** Null for a message that the wallet cannot send to a contract. */
export function readOrder(message: Cell): InternalOrder | null {
  try {
    const read = loadMessageRelaxed(message.beginParse())
    return read.info.type === 'internal' ? (read as InternalOrder) : null
  } catch {
    return null
  }
}

/**
 * Finds the message that each order became. The wallet sends in the order of its orders and omits
 * those that it cannot send.
 */
export function matchOrders(orders: readonly WalletOrder[], outMessages: readonly Message[]) {
  const sent = [...outMessages]
  return orders.map(({ mode, message }) => {
    const order = readOrder(message)
    const next = sent.find(({ info }) => info.type === 'internal')
    const isSent = order !== null && next !== undefined && isSentBy(order, mode, next)
    if (isSent) sent.splice(0, sent.indexOf(next) + 1)
    return { mode, order, isSent }
  })
}

/** `first_frac` of the configuration (parameters 24 and 25), as a fraction of 65536. */
const firstShare = 21845n

/**
 * Unless the wallet pays fees separately, the forward fee is taken out of the value. The message
 * itself carries only the destination validators' share of the fee.
 */
function isSentBy(order: InternalOrder, mode: number, { info, body }: Message): boolean {
  if (info.type !== 'internal') return false
  if (!info.dest.equals(order.info.dest) || !body.equals(order.body)) return false
  if (mode >= sendMode.remainingValue) return true
  const fee = order.info.value.coins - info.value.coins
  if ((mode & sendMode.feesSeparately) !== 0) return fee === 0n
  return fee - ((fee * firstShare) >> 16n) === info.forwardFee
}

/** Bits of the mode of a sent message. */
export const sendMode = {
  /** If this bit is set, the sender pays the forward fee in addition to the value. */
  feesSeparately: 1,
  /** From this mode on, the message's value differs from the amount sent. */
  remainingValue: 64,
  allBalance: 128,
} as const

/** The wallet's name among the interfaces of a contract; null for other contracts. */
export const walletKindOf = (interfaces: readonly string[]): string | null =>
  interfaces.find((name) => /^(preprocessed_)?wallet_/.test(name)) ?? null
