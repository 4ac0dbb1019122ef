import { doubledPause } from '../../../src-preload/domain/time-span.ts'
import type { Network } from '../../../src-preload/contract/network.ts'

const currentEveryMs = 60_000
const othersEveryMs = 5 * 60_000
const fullEveryMs = 24 * 3_600_000
const maxWaitMs = 10 * 60_000
/** The sandbox runs on this computer, so a retry costs nothing. */
const sandboxRetryMs = 5000
/** Readings take at most a tenth of the time. */
const share = 10

export type Attempt = {
  readonly endedAt: number
  readonly tookMs: number
  readonly failures: number
}

export function dueAt(
  { endedAt, tookMs, failures }: Attempt,
  isCurrent: boolean,
  isSandbox = false,
): number {
  if (isSandbox && failures > 0) return endedAt + sandboxRetryMs
  const everyMs = isCurrent ? currentEveryMs : othersEveryMs
  const slowed = Math.max(everyMs, Math.min(maxWaitMs, tookMs * share))
  return endedAt + Math.max(slowed, doubledPause(failures + 1, everyMs, maxWaitMs))
}

export function isFullDue(fullAt: number | null, now: number): boolean {
  // After the clock was set back, the reading is due.
  return fullAt === null || now >= fullAt + fullEveryMs || now < fullAt
}

/** Returns why a network's invoices cannot be requested and what to do; null if they can. */
export function syncProblem(network: Network | undefined): string | null {
  if (network === undefined) return 'Network not found. It may have been removed.'
  const { name, kind, problem, urls, secrets } = network
  if (problem !== null) return problem
  if (urls === null) return `${name} has no URL yet.`
  if (urls.console === null) {
    return `${name} has no URL for invoices. Choose a network that has one.`
  }
  if (kind === 'sandbox' || secrets.invoices?.present === true) return null
  return secrets.invoices === null
    ? `The invoices API token of ${name} is missing. Add it in Invoices › Set up.`
    : `The invoices API token of ${name} is no longer in the keychain. Add it again in Invoices › Set up.`
}
