/** The deliveries of webhooks in the last 24 hours, as data and in words. */
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { FailureSummary } from '../../../../src-preload/contract/failure.ts'
import type { Webhook, WebhookHealth } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { useCountedData } from '../../../components/charts/counted.ts'
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatShare,
  formatSince,
  fromMs,
} from '../../../ui/format.ts'

export const useHealth = (network: NetworkId) =>
  useCountedData('webhook.health', { network }, () => request('webhook.health', { network }), 2000)

export function healthOf(loaded: Output<'webhook.health'> | undefined) {
  const known = new Map(loaded?.webhooks.map((each) => [each.webhook, each]))
  return (id: string): WebhookHealth | undefined => known.get(id)
}

/** Returns the number of attempts; null if the number of accepted ones is unknown. */
export const attemptsOf = (health: WebhookHealth | undefined): number | null =>
  health === undefined || health.accepted === null ? null : health.accepted + health.failed

/** Returns the share of accepted attempts from 0 to 1; null if there were no attempts. */
export function successOf(health: WebhookHealth | undefined): number | null {
  const attempts = attemptsOf(health)
  return attempts === null || attempts === 0 ? null : (health?.accepted ?? 0) / attempts
}

/** Formats the share of accepted attempts; null if there were no attempts. */
export function formatSuccess(health: WebhookHealth): string | null {
  if (health.accepted === null) return 'unknown'
  return formatShare(BigInt(health.accepted), BigInt(attemptsOf(health) ?? 0))
}

export function describeSuccess(health: WebhookHealth): string {
  const { accepted, failed } = health
  if (accepted === null) {
    const failures =
      failed === 0 ? '' : ` The gateway counted ${formatCount(failed, 'failed attempt')}.`
    return `The deliveries do not arrive at this receiver, so Tondesk does not know how many succeed.${failures}`
  }
  if (accepted + failed === 0) return 'No deliveries in the last 24 hours.'
  return `${formatNumber(accepted)} of ${formatCount(accepted + failed, 'attempt')} in the last 24 hours succeeded.`
}

/**
 * One sentence about failing deliveries: the last error, the host, how many attempts failed since when; null while
 * nothing fails. The gateway's counters count the attempts.
 */
export function describeFailing(
  { endpoint, accounts }: Pick<Webhook, 'endpoint' | 'accounts'>,
  { current, failing, began }: Pick<FailureSummary, 'current' | 'failing' | 'began'>,
  lastError: WebhookHealth['lastError'],
  now: number,
): string | null {
  const ofAccounts = current.filter(({ account }) => account !== null)
  const outages = ofAccounts.length > 0 ? ofAccounts : current
  const [first] = outages
  if (first === undefined) return null
  const host = URL.parse(endpoint)?.host ?? endpoint
  const preposition = /^\d|^No response/.test(lastError?.text ?? '') ? 'from' : 'at'
  const what =
    lastError === null ? `Deliveries to ${host} fail` : `${lastError.text} ${preposition} ${host}`
  const attempts = outages.reduce((sum, { failedAttempts }) => sum + failedAttempts, 0)
  const isWhole = failing <= outages.length
  // An account that began to fail later may have received deliveries after the first one failed.
  const areAll = isWhole && outages.every(({ from }) => from === first.from)
  const many = areAll
    ? `all ${formatCount(attempts, 'attempt')}`
    : `${isWhole ? '' : 'at least '}${formatCount(attempts, 'failed attempt')}`
  const some =
    accounts !== null && failing > 0 && failing < accounts
      ? ` for ${formatNumber(failing)} of ${formatCount(accounts, 'account')}`
      : ''
  return `${what}, ${many}${some} since ${formatSince(fromMs(Math.min(began ?? first.from, first.from)), now)}`
}

export function describeDelay({ delay }: WebhookHealth): string {
  if (delay === null) {
    return 'The delay is unknown: no delivery with a known block time arrived in the last 24 hours, or the clocks of the chain and of this computer differ.'
  }
  const { deliveries, p50, p95 } = delay
  return `From the time of the block until the receiver stored the delivery: half of the deliveries within ${formatDuration(fromMs(p50))}, 95 % within ${formatDuration(fromMs(p95))}. Measured on ${formatCount(deliveries, 'accepted delivery', 'accepted deliveries')} in the last 24 hours.`
}
