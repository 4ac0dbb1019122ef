export type ChunkSize = ReturnType<typeof createChunkSize>

const firstTried = 1000
const maxEver = 10_000

/**
 * Learns the number of addresses that a gateway accepts per request.
 * @param known the stored size; null at first
 * @param remember called with each new size
 * @param most maximum size, whatever the gateway states
 */
export function createChunkSize(
  known: number | null,
  remember: (size: number) => void,
  most = maxEver,
) {
  let current = Math.min(most, known ?? firstTried)
  let isProven = known !== null
  let remembered = known

  return {
    current: () => current,
    /** True once a request has shown that the size is accepted. */
    isProven: () => isProven,
    accepted(length: number): void {
      isProven = true
      // A short last request does not prove the limit.
      if (length < current || remembered === current) return
      remembered = current
      remember(current)
    },
    /** The gateway has named its limit. */
    told(limit: number): void {
      current = Math.min(most, Math.max(1, limit))
      remembered = current
      remember(current)
    },
    /** A request of this length was refused, but its halves were accepted. */
    tooLarge(length: number): void {
      if (length > current) return
      current = Math.max(1, Math.ceil(length / 2))
    },
  }
}

/** Parses the limit from a refusal such as "the maximum number of accounts to request at once: 100". */
export function readLimit(message: string): number | null {
  const found = /maximum number of accounts[^.]*?:\s*(\d{1,6})/i.exec(message)?.[1]
  return found === undefined || Number(found) === 0 ? null : Number(found)
}
