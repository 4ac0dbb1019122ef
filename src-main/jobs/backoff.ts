import { doubledPause } from '../../src-preload/domain/time-span.ts'

export type Backoff = ReturnType<typeof createBackoff>

const firstPauseMs = 1000
const defaultLongestPauseMs = 30_000

export function createBackoff(now: () => number, longestPauseMs = defaultLongestPauseMs) {
  let pauses = 0
  let pause: { readonly message: string; readonly until: number } | null = null

  const leftMs = () => Math.max(0, (pause?.until ?? 0) - now())

  return {
    pause(message: string, leastMs: number): void {
      if (leftMs() > 0) return
      pauses += 1
      const ms = Math.max(leastMs, doubledPause(pauses, firstPauseMs, longestPauseMs))
      pause = { message, until: now() + ms }
    },
    /** A successful request makes the next pause short again. */
    answered(): void {
      pause = null
      pauses = 0
    },
    /** True after a failure until the next response. */
    isTried: () => pause !== null,
    leftMs,
    problem(): string | null {
      if (pause === null) return null
      const seconds = Math.ceil(leftMs() / 1000)
      const next = seconds > 0 ? `in ${seconds} s` : 'now'
      return `${pause.message} The job retries automatically ${next}.`
    },
  }
}
