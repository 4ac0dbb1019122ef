export type Backoff = {
  pause(message: string, leastMs: number): void
  /** A request succeeded, so the next pause is short again. */
  answered(): void
  /** True after a failure until the next response. */
  isTried(): boolean
  leftMs(): number
  problem(): string | null
}

const firstPauseMs = 1000
const longestPauseMs = 30_000

export function createBackoff(now: () => number): Backoff {
  let pauses = 0
  let pause: { readonly message: string; readonly until: number } | null = null

  const leftMs = () => Math.max(0, (pause?.until ?? 0) - now())

  return {
    pause(message, leastMs) {
      if (leftMs() > 0) return
      const ms = Math.max(leastMs, Math.min(longestPauseMs, firstPauseMs * 2 ** pauses))
      pauses += 1
      pause = { message, until: now() + ms }
    },
    answered() {
      pause = null
      pauses = 0
    },
    isTried: () => pause !== null,
    leftMs,
    problem() {
      if (pause === null) return null
      const seconds = Math.ceil(leftMs() / 1000)
      const next = seconds > 0 ? `in ${seconds} s` : 'now'
      return `${pause.message} The job tries again by itself ${next}.`
    },
  }
}
