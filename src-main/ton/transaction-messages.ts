import { type Cell, Dictionary } from '@ton/core'

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
