/** Above this rate the disk and the cores serve only captures, and other work waits. */
export const burstPerSecond = 5_000

const windowMs = 100

/** @param now milliseconds */
export function createArrivalRate(now: () => number = () => performance.now()) {
  let from = now()
  let count = 0
  let perSecond = 0
  return {
    add(more: number): void {
      count += more
    },
    perSecond(): number {
      const elapsed = now() - from
      if (elapsed >= windowMs) {
        perSecond = (count * 1000) / elapsed
        from += elapsed
        count = 0
      }
      return perSecond
    },
  }
}
