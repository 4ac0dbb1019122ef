import type { ChunkSize } from '../../jobs/chunk-size.ts'

/** Items one after another in chunks: where a chunk is refused, smaller ones find out why. */
type Narrowing = {
  /** Items that the next request may hold. */
  size(): number
  /** Refused as a whole, and no item is known to be the reason. @param last index of its last item */
  refused(length: number, last: number): void
  /** An item was refused on its own: the length was not the reason. */
  spoilt(): void
  taken(length: number, last: number): void
}

export function createNarrowing(chunk: ChunkSize): Narrowing {
  let most = Infinity
  /** The chunk that was refused; taken whole in smaller ones, it was too large. */
  let suspect: { readonly length: number; readonly last: number; isClean: boolean } | null = null

  return {
    size: () => Math.max(1, Math.min(chunk.current(), most)),
    refused(length, last) {
      if (suspect === null || last > suspect.last) suspect = { length, last, isClean: true }
      most = Math.ceil(length / 2)
    },
    spoilt() {
      if (suspect !== null) suspect.isClean = false
    },
    taken(length, last) {
      chunk.accepted(length)
      if (suspect === null) return
      most = Math.min(most * 2, Math.ceil(suspect.length / 2))
      if (last < suspect.last) return
      if (suspect.isClean) chunk.tooLarge(suspect.length)
      suspect = null
      most = Infinity
    },
  }
}
