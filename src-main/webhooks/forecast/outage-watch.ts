import type { OfflineForecast } from '../../../src-preload/contract/failure.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Asking } from '../../gateway/query.ts'
import type { Room } from '../room.ts'
import type { StoredOutage } from '../store/outages.ts'
import type { WebhookRecord } from '../store/webhooks.ts'
import { type Outage, type Range, forecastOffline, forecastRetry } from './forecast.ts'

/** The gateway logs an attempt and the change to offline at nearly the same time. */
const sameMomentMs = 2_000
/** A log page holds at least this many entries. */
const halfPage = 50
const recentAttempts = 10

type OutageRoom = Room<'access' | 'chainNow' | 'now' | 'settings' | 'store'>

export type OutageWatch = ReturnType<typeof createOutageWatch>

/** Records outages as the gateway dates them, from what each round of the sampler reads. */
export function createOutageWatch({ access, chainNow, now, settings, store }: OutageRoom) {
  const { outages } = store
  /** When each webhook was last seen without failures, in this computer's time. */
  const wellAt = new Map<number, number>()

  /**
   * The log lists failures newest first, so the first one of this outage has the position of the webhook's own
   * count of failed attempts.
   */
  async function findFirst(webhook: WebhookRecord, at: number, asking: Asking): Promise<Range> {
    const { key, network, id, lastOnlineAt } = webhook
    const failed = webhook.failedAttempts ?? 0
    // `wellAt` is this computer's time.
    const well = (wellAt.get(key) ?? -Infinity) - now() + at
    const range = { from: Math.min(Math.max(lastOnlineAt ?? 0, well), at), to: at }
    const offset = Math.max(0, failed - halfPage)
    const page = await access
      .webhooks(network)
      .logs(id, offset, asking)
      .catch(() => null)
    asking.signal?.throwIfAborted()
    if (page === null) return range
    const times = page.logs.flatMap((log) => log.at ?? [])
    // Failures logged since the webhook was listed shift the positions, but not the last success.
    const since = times.filter((time) => time >= (lastOnlineAt ?? 0))
    const counted = times[failed - 1 - offset]
    const shifted = since.slice(failed - 1 - offset).filter((time) => time > (lastOnlineAt ?? 0))
    const first = (lastOnlineAt === null ? undefined : shifted.at(-1)) ?? counted
    return first === undefined ? range : { from: first, to: first }
  }

  /** True when a delivery succeeded between two rounds and the webhook fails again. */
  function mayBeAnew(before: Outage, webhook: WebhookRecord): boolean {
    const { failedAttempts, lastOnlineAt } = webhook
    return (
      (failedAttempts ?? 0) < before.attempts ||
      (lastOnlineAt !== null && lastOnlineAt > before.firstTo)
    )
  }

  async function begin(webhook: WebhookRecord, at: number, asking: Asking): Promise<StoredOutage> {
    const { network, id } = webhook
    const last = outages.last(network, id)
    const ongoing = last?.outcome === null ? last : null
    if (ongoing !== null && !mayBeAnew(ongoing, webhook)) return ongoing
    const first = await findFirst(webhook, at, asking)
    if (ongoing !== null && first.from <= ongoing.firstTo) return ongoing
    if (ongoing !== null) outages.end(network, ongoing.id, { outcome: 'recovered' })
    const outage: Outage = {
      firstFrom: first.from,
      firstTo: first.to,
      attempts: webhook.failedAttempts ?? 0,
      survivedAt: first.to,
      outcome: null,
      offlineFrom: null,
      offlineTo: null,
      isCutShort: false,
    }
    return { ...outage, id: outages.add(network, id, outage) }
  }

  function goOffline(webhook: WebhookRecord, outage: StoredOutage, at: number): void {
    const { key, statusSince, network } = webhook
    const attempts = Math.max(outage.attempts, webhook.failedAttempts ?? 0)
    const isDated = statusSince !== null && statusSince >= outage.firstFrom && statusSince <= at
    const offlineFrom = isDated ? statusSince : Math.max(outage.survivedAt, outage.firstTo)
    const offlineTo = isDated ? statusSince : at
    const before = { from: outage.firstFrom, to: offlineFrom - sameMomentMs }
    const [last] = isDated ? outages.attempts(key, before, 1) : []
    const survivedAt = last ?? Math.min(outage.survivedAt, offlineFrom)
    const ended = { outcome: 'offline', attempts, offlineFrom, offlineTo } as const
    outages.end(network, outage.id, { ...ended, survivedAt })
  }

  async function observeFailing(webhook: WebhookRecord, at: number, asking: Asking): Promise<void> {
    const { key, network, id, status, statusSince } = webhook
    const last = outages.last(network, id)
    if (status === 'suspended') {
      // The balance is used up, which shows nothing about the limit.
      if (last?.outcome === null) outages.remove(last.id)
    } else if (status === 'offline') {
      const isRecorded = last?.outcome === 'offline' && (last.offlineTo ?? 0) >= (statusSince ?? 0)
      if (isRecorded || (webhook.failedAttempts ?? 0) === 0) return
      goOffline(webhook, await begin(webhook, at, asking), at)
    } else {
      const outage = await begin(webhook, at, asking)
      const logged = outages.attempts(key, { from: outage.firstFrom, to: at }, 1)
      const tried = Math.max(outage.survivedAt, ...logged, outages.lastFailedAt(key) ?? 0)
      const attempts = webhook.failedAttempts ?? 0
      outages.update(outage.id, { attempts, survivedAt: Math.min(tried, at) })
    }
  }

  function observeWell({ key, network, id }: WebhookRecord): void {
    wellAt.set(key, now())
    const last = outages.last(network, id)
    if (last?.outcome === null) outages.end(network, last.id, { outcome: 'recovered' })
  }

  /** Not earlier than what the gateway dates: this computer's clock may be slow. */
  async function gatewayNow(network: NetworkId, webhooks: readonly WebhookRecord[]) {
    const at = await chainNow(network).catch(now)
    const dated = webhooks.flatMap(({ key, statusSince }) => [
      statusSince ?? 0,
      outages.lastFailedAt(key) ?? 0,
    ])
    return Math.max(at, ...dated)
  }

  return {
    async observe(network: NetworkId, asking: Asking): Promise<void> {
      const webhooks = store.webhooks.list(network)
      const failing = webhooks.filter(
        ({ status, failedAttempts }) =>
          (status !== null && status !== 'online') || (failedAttempts ?? 0) > 0,
      )
      for (const webhook of webhooks) if (!failing.includes(webhook)) observeWell(webhook)
      if (failing.length === 0) return
      const at = await gatewayNow(network, failing)
      for (const webhook of failing) await observeFailing(webhook, at, asking)
    },
    /** Times are those of this computer's clock. Null unless the webhook fails and is still online. */
    async forecast(network: NetworkId, id: string): Promise<OfflineForecast | null> {
      const webhook = store.webhooks.get(network, id)
      const last = outages.last(network, id)
      const isOnline = webhook?.status === 'online' || webhook?.status === null
      if (webhook === null || !isOnline || last?.outcome !== null) return null
      const { key } = webhook
      const readEveryMs = settings.get().monitoring.everySeconds * 1000
      const at = await gatewayNow(network, [webhook])
      const here = (range: Range | null) =>
        range && { from: range.from - at + now(), to: range.to - at + now() }
      const recent = outages.attempts(key, { from: last.firstFrom, to: at }, recentAttempts)
      const { offline, reason } = forecastOffline(last, outages.ended(network), {
        recent,
        now: at,
      })
      const retry = forecastRetry(outages.retries(key), outages.delays(network), {
        now: at,
        readEveryMs,
      })
      // The gateway makes an attempt at its limit too.
      const nextRetry = retry &&
        offline && {
          from: Math.min(retry.from, offline.from),
          to: Math.min(retry.to, offline.to),
        }
      return { offline: here(offline), nextRetry: here(nextRetry ?? retry), reason }
    },
    forget(network: NetworkId): void {
      outages.forget(network)
    },
  }
}
