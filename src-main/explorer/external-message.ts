/** An external message as one pastes it: where it goes, by which hash it is followed, until when it holds. */
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
  /** Of its normal form, which the chain keeps. */
  readonly hash: string
  /** As it is laid out here; a gateway may know it by this one only. */
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

/** What the wallet is ordered to do; null when it is no wallet known here. */
export function ordersOf(
  { message }: ExternalMessage,
  /** Of the destination's contract, as the gateway names them. */
  interfaces: readonly string[],
): WalletOrders | null {
  const version = versionIn(message) ?? walletVersionAmong(interfaces)
  return version === null ? null : decodeWalletOrders(version, message.body)
}

/** Unix ms; null where the wallet's order never runs out. */
export function validUntilOf(orders: WalletOrders | null): number | null {
  const forever = 0xffffffff
  return orders === null || orders.validUntil >= forever ? null : orders.validUntil * 1000
}

/** Its code comes along with a wallet's first message. */
function versionIn({ init }: Message): WalletVersion | null {
  const code = init?.code
  return code ? walletVersionOf(code.hash().toString('hex')) : null
}

const versions: readonly WalletVersion[] = ['v3R1', 'v3R2', 'v4R2', 'v5R1']

/** Null for what is no wallet, or none whose orders can be read. */
export function walletVersionAmong(interfaces: readonly string[]): WalletVersion | null {
  return versions.find((version) => interfaces.includes(walletInterface(version))) ?? null
}
