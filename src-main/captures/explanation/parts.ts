/** What this room needs of others. */
import type { HistoryRow, TransactionAnswer } from '../../../src-preload/contract/chain.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Asking } from '../../gateway/query.ts'

/** A transaction as it is shown, and as a line of its account's history. */
export type TransactionRead = {
  readonly answer: TransactionAnswer
  readonly line: HistoryRow
  /** False where it could not be learnt which jettons it moved: the line tells of TON only then. */
  readonly isSure: boolean
}

/** By the hash of a transaction, or of a message that belongs to one. */
export type TransactionReader = {
  /**
   * Asks the gateway, and stores what it tells.
   * @throws AppError CHAIN_NOT_FOUND, CHAIN_AMBIGUOUS; as the query client does; the signal's reason
   */
  read(
    network: NetworkId,
    id: string,
    asking: Asking & { readonly signal: AbortSignal },
  ): Promise<TransactionRead>
  /** What is stored of it with its trace, asking nobody; null where that is not there. */
  kept(network: NetworkId, id: string): TransactionRead | null
}

export type LabelsOf = (
  network: NetworkId,
  addresses: readonly string[],
) => ReadonlyMap<string, string>

/** Rejects when aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>
