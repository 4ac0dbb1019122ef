import { type Message, beginCell, storeMessage, type Cell, Dictionary } from '@ton/core'

const hexForm = /^[0-9a-fA-F]{64}$/
const base64Form = /^(?:[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/

/** A 32-byte hash in hex, base64 or base64url, as 64 lower-case hex digits. @returns null for anything else */
export function readHash(text: string): string | null {
  if (hexForm.test(text)) return text.toLowerCase()
  return base64Form.test(text) ? Buffer.from(text, 'base64url').toString('hex') : null
}

/** @ton/core gives hashes of states and transactions as numbers. */
export function hashOfBigint(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

/** 64 lower-case hex digits. */
export function messageHash(message: Message): string {
  return beginCell().store(storeMessage(message)).endCell().hash().toString('hex')
}

/**
 * An external message may reach the chain laid out otherwise than its sender has built it; this hash
 * is of one agreed layout, so that both find the same: no source, no import fee, no init, the body in
 * a reference. Of other messages it is their own.
 */
export function normalizedMessageHash(message: Message): string {
  const { info } = message
  if (info.type !== 'external-in') return messageHash(message)
  return beginCell()
    .storeUint(2, 2)
    .storeAddress(null)
    .storeAddress(info.dest)
    .storeCoins(0)
    .storeBit(false)
    .storeBit(true)
    .storeRef(message.body)
    .endCell()
    .hash()
    .toString('hex')
}

/** Hashes of a transaction's messages: 64 hex. */
type TransactionMessageHashes = {
  readonly incoming: string | null
  /** In the order they were sent. */
  readonly outgoing: readonly string[]
}

/**
 * Reads them off the transaction's own cell. To build a message anew would not do: there are several
 * layouts of the same one, with as many hashes.
 */
export function messageHashesOf(transaction: Cell): TransactionMessageHashes {
  const slice = transaction.beginParse().loadRef().beginParse()
  const incoming = slice.loadMaybeRef()
  const outgoing = slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())
  return {
    incoming: incoming === null ? null : hashOf(incoming),
    outgoing: outgoing.values().map(hashOf),
  }
}

function hashOf(cell: Cell): string {
  return cell.hash().toString('hex')
}
