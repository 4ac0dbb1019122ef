/** The deliveries of webhooks in the last 24 hours, as data and in words. */
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { WebhookHealth } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { useCountedData } from '../../../components/charts/counted.ts'
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatShare,
  fromMs,
} from '../../../ui/format.ts'

export function useHealth(network: NetworkId) {
  return useCountedData(
    'webhook.health',
    { network },
    () => request('webhook.health', { network }),
    2000,
  )
}

export function healthOf(loaded: Output<'webhook.health'> | undefined) {
  const known = new Map(loaded?.webhooks.map((each) => [each.webhook, each]))
  return (id: string): WebhookHealth | undefined => known.get(id)
}

/** Returns the number of attempts; null if the number of accepted ones is unknown. */
export function attemptsOf(health: WebhookHealth | undefined): number | null {
  return health === undefined || health.accepted === null ? null : health.accepted + health.failed
}

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

export function describeDelay({ delay }: WebhookHealth): string {
  if (delay === null) {
    return 'Unknown: no delivery with a known block time in the last 24 hours, or the clock of the chain differs from the clock of this computer.'
  }
  const { deliveries, p50, p95 } = delay
  return `From the time of the block until the receiver stored the delivery: half of the deliveries within ${formatDuration(fromMs(p50))}, 95 % within ${formatDuration(fromMs(p95))}. Measured on ${formatCount(deliveries, 'accepted delivery', 'accepted deliveries')} in the last 24 hours.`
}
