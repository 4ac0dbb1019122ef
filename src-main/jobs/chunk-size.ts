/** How many addresses a request may hold, as far as that is known of a gateway. */
export type ChunkSize = {
  current(): number
  /** A request has shown that so many are taken. */
  isProven(): boolean
  accepted(length: number): void
  /** The gateway has named its limit. */
  told(most: number): void
  /** So many were refused where the same addresses in two requests were not. */
  tooLarge(length: number): void
}

const firstTried = 1000
const maxEver = 10_000

/**
 * @param known what was remembered of the gateway; null at first
 * @param remember called when there is something new to remember
 * @param most never more, whatever the gateway says
 */
export function createChunkSize(
  known: number | null,
  remember: (size: number) => void,
  most = maxEver,
): ChunkSize {
  let current = Math.min(most, known ?? firstTried)
  let isProven = known !== null
  let remembered = known

  return {
    current: () => current,
    isProven: () => isProven,
    accepted(length) {
      isProven = true
      // The end of a list says nothing of the limit.
      if (length < current || remembered === current) return
      remembered = current
      remember(current)
    },
    told(limit) {
      current = Math.min(most, Math.max(1, limit))
      remembered = current
      remember(current)
    },
    tooLarge(length) {
      if (length > current) return
      current = Math.max(1, Math.ceil(length / 2))
    },
  }
}

/** The limit that a refusal names, as in "the maximum number of accounts to request at once: 100". */
export function readLimit(message: string): number | null {
  const found = /maximum number of accounts[^.]*?:\s*(\d{1,6})/i.exec(message)?.[1]
  return found === undefined || Number(found) === 0 ? null : Number(found)
}
