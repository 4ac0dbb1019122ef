/** How often a gateway may be asked in vain: anybody can tell the receiver of invoices that do not exist. */
export type MissBudget = {
  /** Milliseconds until the next question that may be in vain; 0 for now. */
  waitMs(): number
  missed(): void
}

const burst = 100
const everyMs = 100

export function createMissBudget(now: () => number): MissBudget {
  let left = burst
  let at = now()

  function refill(): void {
    const elapsed = Math.max(0, now() - at)
    left = Math.min(burst, left + elapsed / everyMs)
    at = now()
  }
  return {
    waitMs() {
      refill()
      return left >= 1 ? 0 : Math.ceil((1 - left) * everyMs)
    },
    missed() {
      refill()
      left -= 1
    },
  }
}
