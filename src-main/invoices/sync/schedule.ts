/** Whether and when the list of a network is read. Pure. */
import type { Network } from '../../../src-preload/contract/network.ts'

const currentEveryMs = 60_000
/** Of networks that are not selected, while some of their invoices are open. */
const othersEveryMs = 5 * 60_000
const fullEveryMs = 24 * 3_600_000
const maxWaitMs = 10 * 60_000
/** The sandbox runs on this computer. */
const sandboxRetryMs = 5000
/** Reading takes a tenth of the time at most. */
const share = 10

/** An attempt to read the list. */
export type Attempt = {
  readonly endedAt: number
  /** The last successful reading. */
  readonly tookMs: number
  /** Attempts that failed one after another. */
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
  return endedAt + Math.max(slowed, Math.min(maxWaitMs, everyMs * 2 ** Math.min(failures, 10)))
}

export function isFullDue(fullAt: number | null, now: number): boolean {
  // A clock that was put back makes it due.
  return fullAt === null || now >= fullAt + fullEveryMs || now < fullAt
}

/** Why the invoices of a network cannot be requested, and what to do; null when they can. */
export function whyNotAsked(network: Network): string | null {
  const { name, kind, problem, urls, secrets } = network
  if (problem !== null) return problem
  if (urls === null) return `${name} has no address yet.`
  if (urls.console === null) {
    return `${name} has no address for invoices. Choose a network that has one.`
  }
  if (kind === 'sandbox' || secrets.invoices?.present === true) return null
  return secrets.invoices === null
    ? `There is no token for the invoices of ${name}. Add it under Invoices › Access.`
    : `The token for the invoices of ${name} is not in the keychain any more. Add it again under Invoices › Access.`
}
