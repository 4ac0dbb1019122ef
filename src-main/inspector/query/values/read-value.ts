import type { NetworkId } from '../../../../src-preload/contract/index.ts'
import type { Piece } from '../parts.ts'
import type { Test } from '../value-test.ts'

/** What a person calls by a name of their own. Each answers with none for a name nobody gave. */
export type Names = {
  /** Raw addresses that carry this label, on any network. */
  readonly addresses: (label: string) => readonly string[]
  readonly networks: (name: string) => readonly NetworkId[]
  /** Ids of the webhook tokens with this label. */
  readonly webhooks: (label: string) => readonly string[]
}

export const noNames: Names = { addresses: () => [], networks: () => [], webhooks: () => [] }

export type ReadContext = {
  /** Milliseconds since the epoch: what `today` is told from. */
  readonly now: number
  readonly names: Names
}

/** Tests, one of which must hold; or in a sentence, what is meant to stand there. */
export type ReadValue = (piece: Piece, context: ReadContext) => readonly Test[] | string
