import type { Asset } from '../../src-preload/contract/chain.ts'
import type { ReadMessage } from './read-message.ts'

/**
 * What the jetton wallet at an address holds; null for what is known to be none, undefined while it
 * could not be learned.
 */
export type AssetOf = (wallet: string) => Asset | null | undefined

/** A number of jettons in a message, before it is known of what. */
type JettonAmount = {
  /** The jetton wallet that tells which jetton it is. */
  readonly wallet: string
  readonly units: bigint
}

/** Jettons a message orders to be moved, moves or tells of. */
export function jettonsIn({ body, answer }: ReadMessage): JettonAmount | null {
  const wallet = body === null ? undefined : walletOf(body.name, answer)?.address
  return wallet !== undefined && body !== null && 'amount' in body
    ? { wallet, units: body.amount }
    : null
}

function walletOf(operation: string, { source, destination }: ReadMessage['answer']) {
  switch (operation) {
    case 'jetton_transfer':
    case 'jetton_internal_transfer':
    case 'jetton_burn':
      return destination
    case 'jetton_notify':
    case 'jetton_burn_notification':
      return source
    default:
      return null
  }
}
