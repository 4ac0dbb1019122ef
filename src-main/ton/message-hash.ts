import { type Message, beginCell, storeMessage } from '@ton/core'

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
