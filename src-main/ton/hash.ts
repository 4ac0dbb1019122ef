import { type Message, beginCell, storeMessage, type Cell, Dictionary } from '@ton/core'

const hexForm = /^[0-9a-fA-F]{64}$/
const base64Form = /^(?:[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/

/**
 * Parses a 32-byte hash in hex, base64 or base64url to 64 lower-case hex digits. @returns null for
 * other text
 */
export function readHash(text: string): string | null {
  if (hexForm.test(text)) return text.toLowerCase()
  return base64Form.test(text) ? Buffer.from(text, 'base64url').toString('hex') : null
}

/** @ton/core returns hashes of states and transactions as numbers. */
export const hashOfBigint = (value: bigint): string => value.toString(16).padStart(64, '0')

/** Returns 64 lower-case hex digits. */
export const messageHash = (message: Message): string =>
  beginCell().store(storeMessage(message)).endCell().hash().toString('hex')

/**
 * The hash of an external message in its normalized form (TEP-467): no source, no import fee, no
 * init, the body in a reference. This hash does not depend on the serialization, which may change
 * on the way to the chain. Other messages have only their own hash.
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

/**
 * Reads the message hashes from the transaction's cell, because serializing a message again may
 * change its layout and hash.
 */
export function messageHashesOf(transaction: Cell) {
  const slice = transaction.beginParse().loadRef().beginParse()
  const incoming = slice.loadMaybeRef()
  const outgoing = slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())
  const hashOf = (cell: Cell) => cell.hash().toString('hex')
  return { incoming: incoming && hashOf(incoming), outgoing: outgoing.values().map(hashOf) }
}
