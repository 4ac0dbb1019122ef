/** Parses a pasted external message: its destination, its hashes, and until when it is valid. */
import type { Message } from '@ton/core'
import type { AppError } from '../../src-preload/domain/app-error.ts'
import { BocError, formatCell, parseMessage } from '../ton/boc.ts'
import { messageHash, normalizedMessageHash } from '../ton/hash.ts'
import {
  type WalletOrders,
  decodeWalletOrders,
  type WalletVersion,
  walletInterface,
  walletVersionOf,
} from '../ton/wallet.ts'
import { badBoc, requireBoc } from './cell-tree.ts'

export type ExternalMessage = {
  /** The normalized hash, which the chain stores. */
  readonly hash: string
  /** The hash of this serialization; some gateways know only this one. */
  readonly ownHash: string
  /** Raw. */
  readonly destination: string
  /** The form a gateway takes. */
  readonly base64: string
  readonly message: Message
}

/** @throws AppError CHAIN_BAD_BOC */
export function readExternalMessage(text: string): ExternalMessage {
  const cell = requireBoc(text)
  const message = readMessage(() => parseMessage(cell))
  if (message.info.type !== 'external-in') {
    throw badBoc(
      'This is a message between contracts. What can be sent is an external message: a wallet makes ' +
        'one when it signs an order.',
    )
  }
  return {
    hash: normalizedMessageHash(message),
    ownHash: messageHash(message),
    destination: message.info.dest.toRawString(),
    base64: Buffer.from(formatCell(cell), 'hex').toString('base64'),
    message,
  }
}

function readMessage(read: () => Message): Message {
  try {
    return read()
  } catch (error) {
    throw error instanceof BocError ? noMessage() : error
  }
}

function noMessage(): AppError {
  return badBoc('This BOC holds no message. Paste the whole of what the wallet signed.')
}

/** The orders to the wallet; null if its version is unknown. */
export function ordersOf(
  { message }: ExternalMessage,
  /** Interfaces of the destination's contract, as the gateway names them. */
  interfaces: readonly string[],
): WalletOrders | null {
  const version = versionIn(message) ?? walletVersionAmong(interfaces)
  return version === null ? null : decodeWalletOrders(version, message.body)
}

/** Unix ms; null for an order that never expires. */
export function validUntilOf(orders: WalletOrders | null): number | null {
  const forever = 0xffffffff
  return orders === null || orders.validUntil >= forever ? null : orders.validUntil * 1000
}

/** The first message of a wallet contains its code. */
function versionIn({ init }: Message): WalletVersion | null {
  const code = init?.code
  return code ? walletVersionOf(code.hash().toString('hex')) : null
}

const versions: readonly WalletVersion[] = ['v3R1', 'v3R2', 'v4R2', 'v5R1']

/** Null for other contracts and for wallets whose orders cannot be read. */
export function walletVersionAmong(interfaces: readonly string[]): WalletVersion | null {
  return versions.find((version) => interfaces.includes(walletInterface(version))) ?? null
}
