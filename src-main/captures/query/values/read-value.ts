import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Piece } from '../parts.ts'
import type { Test } from '../value-test.ts'

/** What a person calls by a name of their own. Each answers with none for a name nobody gave. */
export type Names = {
  /** Raw addresses that carry this name, on any network: a label, or what a gateway calls them. */
  readonly addresses: (name: string) => readonly string[]
  /** Those whose name has these words, or else begins a word with the last of them. */
  readonly addressesLike: (text: string) => readonly string[]
  readonly networks: (name: string) => readonly NetworkId[]
  /** Ids of the webhook tokens with this label. */
  readonly webhooks: (label: string) => readonly string[]
}

export const noNames: Names = {
  addresses: () => [],
  addressesLike: () => [],
  networks: () => [],
  webhooks: () => [],
}

type ReadContext = {
  /** Milliseconds since the epoch: what `today` is told from. */
  readonly now: number
  readonly names: Names
  /** As a person types it; a rule has to name an account whole. */
  readonly typing: boolean
}

/** Tests, one of which must hold; or in a sentence, what is meant to stand there. */
export type ReadValue = (piece: Piece, context: ReadContext) => readonly Test[] | string
