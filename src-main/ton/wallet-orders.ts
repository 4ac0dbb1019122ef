/** What a wallet is told to do by the external message its owner has signed. */
import type { Cell, Slice } from '@ton/core'
import type { WalletVersion } from './wallet-version.ts'

export type WalletOrder = {
  readonly mode: number
  /** The message the wallet is to send; relaxed: its source is left to the chain. */
  readonly message: Cell
}

export type WalletOrders = {
  readonly version: WalletVersion
  readonly subwalletId: number | null
  /** Seconds; 0xffffffff for a wallet's very first message. */
  readonly validUntil: number
  readonly seqno: number
  /** v4 only: 0 is a plain transfer. */
  readonly operation: number | null
  readonly orders: readonly WalletOrder[]
}

const signatureBits = 512
const signedExternal = 0x7369676e

/**
 * @param body of the external message
 * @returns null when the version has no orders known here, or the body is not what it expects
 */
export function decodeWalletOrders(version: WalletVersion, body: Cell): WalletOrders | null {
  try {
    switch (version) {
      case 'v3R1':
      case 'v3R2':
        return decodeV3(version, body.beginParse())
      case 'v4R2':
        return decodeV4(version, body.beginParse())
      case 'v5R1':
        return decodeV5(version, body.beginParse())
      case 'v1R1':
      case 'v1R2':
      case 'v1R3':
      case 'v2R1':
      case 'v2R2':
      case 'v5Beta':
        return null
    }
  } catch {
    return null
  }
}

/**
 * As `decodeWalletOrders`, where it is not known which wallet it is: the versions lay out what they are
 * told so differently that a body which is one's to the last bit is no other's.
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

function decodeV3(version: WalletVersion, slice: Slice): WalletOrders {
  slice.skip(signatureBits)
  const subwalletId = slice.loadUint(32)
  const validUntil = slice.loadUint(32)
  const seqno = slice.loadUint(32)
  return { version, subwalletId, validUntil, seqno, operation: null, orders: loadOrders(slice) }
}

function decodeV4(version: WalletVersion, slice: Slice): WalletOrders {
  slice.skip(signatureBits)
  const subwalletId = slice.loadUint(32)
  const validUntil = slice.loadUint(32)
  const seqno = slice.loadUint(32)
  const operation = slice.loadUint(8)
  // The others install and remove plugins: they send, but not what the owner has written out.
  const orders = operation === 0 ? loadOrders(slice) : []
  return { version, subwalletId, validUntil, seqno, operation, orders }
}

function decodeV5(version: WalletVersion, slice: Slice): WalletOrders | null {
  if (slice.loadUint(32) !== signedExternal) return null
  const subwalletId = slice.loadUint(32)
  const validUntil = slice.loadUint(32)
  const seqno = slice.loadUint(32)
  const actions = slice.loadMaybeRef()
  const orders = actions === null ? [] : loadActions(actions)
  return { version, subwalletId, validUntil, seqno, operation: null, orders }
}

function loadOrders(slice: Slice): WalletOrder[] {
  const orders: WalletOrder[] = []
  while (slice.remainingRefs > 0) {
    orders.push({ mode: slice.loadUint(8), message: slice.loadRef() })
  }
  return orders
}

/** v5 carries the TVM's own list of actions. */
function loadActions(list: Cell): WalletOrder[] {
  const orders: WalletOrder[] = []
  // The list is linked backwards, the last action on the outside.
  for (let cell = list; cell.bits.length > 0;) {
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
