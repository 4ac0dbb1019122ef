import { type Address, type Cell, type Message, comment, internal } from '@ton/core'
import { faucetWallet } from './wallets.ts'

/**
 * For `chain.inject`: money that the faucet has not lost.
 * @param gifts values in nanotons; the text becomes a comment
 */
export function faucetMessages(
  gifts: readonly { readonly to: Address; readonly value: bigint; readonly text?: string }[],
): Message[] {
  return gifts.map(({ to, value, text }) =>
    fromFaucet({
      to,
      value,
      bounce: false,
      ...(text === undefined ? {} : { body: comment(text) }),
    }),
  )
}

export function fromFaucet(message: {
  readonly to: Address
  readonly value: bigint
  readonly bounce: boolean
  readonly body?: Cell
  readonly init?: Message['init']
}): Message {
  const { to, value, bounce, body, init } = message
  const made = internal({ to, value, bounce, body: body ?? null })
  if (made.info.type !== 'internal') throw new Error('a gift is an internal message')
  return { ...made, init: init ?? null, info: { ...made.info, src: faucetWallet.address } }
}
