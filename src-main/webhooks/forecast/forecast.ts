/** Pure rules: when a failing webhook goes offline, from what the gateway showed so far (docs/webhooks.md). */
import { countOf, describeSpan } from '../../../src-preload/domain/time-span.ts'

/** Milliseconds; both ends are included. */
export type Range = { readonly from: number; readonly to: number }

/** Failures of a webhook since its last success, in milliseconds of the gateway's clock. */
export type Outage = {
  /** The first failed attempt lies in this range. */
  readonly firstFrom: number
  readonly firstTo: number
  readonly attempts: number
  /** Newest failed attempt after which the webhook stayed online. */
  readonly survivedAt: number
  /** Null: ongoing. */
  readonly outcome: 'offline' | 'recovered' | null
  /** The gateway took the webhook offline in this range. */
  readonly offlineFrom: number | null
  readonly offlineTo: number | null
  /** The last attempt came sooner than its retry was due, which only a deadline explains. */
  readonly isCutShort: boolean
}

/** An account whose deliveries fail; `retryMs`: between its last two attempts, 0 after the first. */
export type Retry = { readonly failedAt: number; readonly retryMs: number | null }
/** After two attempts `afterMs` apart, the next came `delayMs` later. */
export type RetryDelay = { readonly afterMs: number; readonly delayMs: number }

type Forecast = { readonly offline: Range | null; readonly reason: string }

/** For the time that an attempt takes, and for the precision of timestamps. */
const toleranceOf = (ms: number) => 2_000 + 0.005 * ms

/** Attempts under way together may exceed a limit of attempts. */
const isSameCount = (one: number, other: number) =>
  Math.abs(one - other) <= Math.max(1, 0.05 * Math.max(one, other))

type Offline = Outage & { readonly offlineFrom: number; readonly offlineTo: number }

const isOffline = (outage: Outage): outage is Offline =>
  outage.outcome === 'offline' && outage.offlineFrom !== null && outage.offlineTo !== null

const survivedMs = ({ survivedAt, firstTo }: Outage) => Math.max(0, survivedAt - firstTo)
const lastedMs = (outage: Offline): Range => ({
  from: Math.max(0, outage.offlineFrom - outage.firstTo),
  to: outage.offlineTo - outage.firstFrom,
})

/** The gateway takes a webhook offline at the first attempt `limit` after the first failed one. */
type TimeRule = {
  readonly limit: Range
  /** The gateway makes an attempt at the limit itself, so that no retry delay is added. */
  readonly isDeadline: boolean
  readonly outages: number
}
/** The gateway takes a webhook offline after this many failed attempts. */
type CountRule = { readonly limit: number; readonly outages: number }

/** The same span within what the readings leave open. */
function isSameSpan(one: Offline, other: Offline, precisionMs: number): boolean {
  const [a, b] = [lastedMs(one), lastedMs(other)]
  return a.from <= b.to + precisionMs && b.from <= a.to + precisionMs
}

/** Only a deadline ends outages after the same time although their attempts were made at different ones. */
function showDeadline(one: Offline, other: Offline): boolean {
  const precisionMs = 1_000 + 0.001 * lastedMs(one).to
  const isSameSchedule = Math.abs(survivedMs(one) - survivedMs(other)) <= 3 * precisionMs
  return isSameSpan(one, other, precisionMs) && !isSameSchedule
}

/** Explains the newest outages, as far back as one limit of time fits. */
function fitTime(newestFirst: readonly Outage[], ongoing: Outage): TimeRule | null {
  let rule = null as TimeRule | null
  let survived = survivedMs(ongoing)
  const explained: Offline[] = []
  for (const outage of newestFirst) {
    if (!isOffline(outage)) {
      survived = Math.max(survived, survivedMs(outage))
      continue
    }
    const lasted = lastedMs(outage)
    const tolerance = toleranceOf(lasted.to)
    // A longer outage since then shows that the gateway's limit has changed.
    if (survived > lasted.to + tolerance) return rule
    const isDeadline =
      outage.isCutShort ||
      rule?.isDeadline === true ||
      explained.some((newer) => showDeadline(outage, newer))
    const newest = explained[0] ?? outage
    const limit = isDeadline
      ? lastedMs(newest)
      : {
          from: Math.max(survivedMs(outage), rule?.limit.from ?? 0),
          to: Math.min(lasted.to, rule?.limit.to ?? Infinity),
        }
    const fits = isDeadline ? isSameSpan(outage, newest, tolerance) : limit.from <= limit.to
    if (!fits) return rule
    explained.push(outage)
    rule = { limit, isDeadline, outages: explained.length }
  }
  return rule
}

function fitCount(newestFirst: readonly Outage[], ongoing: Outage): CountRule | null {
  let rule = null as CountRule | null
  let survived = ongoing.attempts
  for (const outage of newestFirst) {
    if (!isOffline(outage)) {
      survived = Math.max(survived, outage.attempts)
      continue
    }
    const { attempts, isCutShort } = outage
    if (isCutShort || survived >= attempts) return rule
    if (rule !== null && !isSameCount(rule.limit, attempts)) return rule
    rule = { limit: Math.max(attempts, rule?.limit ?? 0), outages: (rule?.outages ?? 0) + 1 }
  }
  return rule
}

/**
 * @param ended outages of the network's webhooks, newest first
 * @param recent times of the newest failed attempts, newest first
 */
export function forecastOffline(
  ongoing: Outage,
  ended: readonly Outage[],
  { recent, now }: { readonly recent: readonly number[]; readonly now: number },
): Forecast {
  const seen = ended.filter(isOffline)
  if (seen[0] === undefined) return { offline: null, reason: neverSeen(ended) }
  let time = fitTime(ended, ongoing)
  let count = fitCount(ended, ongoing)
  // The rule that explains more outages is the gateway's.
  if (time !== null && count !== null) {
    if (time.isDeadline || time.outages > count.outages) count = null
    else if (count.outages > time.outages) time = null
  }
  const byTime = time && rangeByTime(time, ongoing, now)
  const byCount = count && rangeByCount(count, ongoing, recent, now)
  if (byTime === null && byCount === null) {
    const lasted = describeSpan(lastedMs(seen[0]).to)
    return {
      offline: null,
      reason: `The last time, the gateway took a webhook offline ${lasted} and ${countOf(seen[0].attempts, 'failed attempt')} after its first failed attempt. This outage does not follow that rule, so the gateway’s limit seems to have changed.`,
    }
  }
  return {
    offline: {
      from: Math.min(byTime?.from ?? Infinity, byCount?.from ?? Infinity),
      to: Math.max(byTime?.to ?? 0, byCount?.to ?? 0),
    },
    reason: reasonOf(byTime && time, byCount && count),
  }
}

function rangeByTime(
  { limit, isDeadline, outages }: TimeRule,
  { firstFrom, firstTo }: Outage,
  now: number,
): Range | null {
  const tolerance = toleranceOf(limit.to)
  // With another schedule of attempts, the first attempt after the limit may come later than it did.
  const later = isDeadline || outages > 1 ? 0 : limit.to - limit.from
  const to = firstTo + limit.to + later + tolerance
  if (to < now) return null
  return { from: Math.max(now, firstFrom + limit.from - tolerance), to }
}

/** Attempts become rarer as retry delays grow, and more frequent as more accounts fail. */
const [fastest, slowest] = [0.7, 2]

function rangeByCount(
  { limit }: CountRule,
  { attempts, survivedAt }: Outage,
  recent: readonly number[],
  now: number,
): Range | null {
  const [newest, oldest] = [recent[0], recent.at(-1)]
  if (newest === undefined || oldest === undefined || newest === oldest) return null
  const perAttempt = (newest - oldest) / (recent.length - 1)
  const ms = (limit - attempts) * perAttempt
  const to = survivedAt + slowest * ms
  return to < now ? null : { from: Math.max(now, survivedAt + fastest * ms), to }
}

function neverSeen(ended: readonly Outage[]): string {
  const longest = Math.max(0, ...ended.map(survivedMs))
  const survived =
    longest < 60_000
      ? ''
      : ` Webhooks stayed online through outages of up to ${describeSpan(longest)}.`
  return `Tondesk has not yet seen this gateway take a failing webhook offline, so the gateway’s limit is unknown.${survived}`
}

function reasonOf(time: TimeRule | null, count: CountRule | null): string {
  const outages = Math.max(time?.outages ?? 0, count?.outages ?? 0)
  const when = outages === 1 ? 'In the last outage' : `In each of the last ${outages} outages`
  const limits = [
    time && describeLimit(time),
    count && `after ${countOf(count.limit, 'failed attempt')}`,
  ].filter((limit) => limit !== null)
  const unsure = limits.length > 1 ? ' Either can be its limit.' : ''
  return `${when} on this network, the gateway took the webhook offline ${limits.join(' and ')}.${unsure}`
}

function describeLimit({ limit }: TimeRule): string {
  const [from, to] = [describeSpan(limit.from), describeSpan(limit.to)]
  const span = from === to ? to : `between ${from} and ${to}`
  return `${span} after the first failed attempt`
}

/** A sentence in local time, with a space before it; empty if nothing is known. */
export function describeForecast(forecast: { offline: Range | null } | null, now: number): string {
  if (!forecast?.offline) return ''
  const { from, to } = forecast.offline
  const [begin, end] = [formatTime(from, now), formatTime(to, now)]
  const when = begin === end || from <= now ? `by ${end}` : `between ${begin} and ${end}`
  return ` If deliveries keep failing, the gateway takes the webhook offline ${when}.`
}

/** Hours and minutes; the date too if it is not today. */
function formatTime(ms: number, now: number): string {
  const [at, today] = [new Date(ms), new Date(now)]
  const time = at.toTimeString().slice(0, 5)
  if (at.toDateString() === today.toDateString()) return time
  const date = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return `${time} on ${date}`
}

/** Null where no retry delay that fits was observed. */
export function forecastRetry(
  retries: readonly Retry[],
  delays: readonly RetryDelay[],
  { now, readEveryMs }: { readonly now: number; readonly readEveryMs: number },
): Range | null {
  const all = retries.map((retry) => nextOf(retry, delays))
  // A retry that no reading shows long after its time follows another delay than the learned one.
  const known = all.filter((range) => range !== null).filter(({ to }) => to + readEveryMs >= now)
  if (known.length === 0) return null
  const from = Math.min(...known.map((range) => range.from))
  const to = Math.min(...known.map((range) => Math.max(range.to, now)))
  return {
    // The retry of an account with an unknown delay can come first.
    from: known.length < all.length ? now : Math.max(now, from),
    // It was made and the next reading shows it, or it is late.
    to: to > now ? to : now + readEveryMs,
  }
}

function nextOf({ failedAt, retryMs }: Retry, delays: readonly RetryDelay[]): Range | null {
  if (retryMs === null) return null
  const next = delays.find(({ afterMs }) => Math.abs(afterMs - retryMs) <= 0.05 * retryMs)?.delayMs
  // Delays do not shrink, so the next longer one is the upper end.
  const longer = delays.map(({ delayMs }) => delayMs).filter((delayMs) => delayMs >= retryMs)
  const to = next ?? (longer.length === 0 ? null : Math.min(...longer))
  if (to === null) return null
  const from = next ?? retryMs
  return { from: failedAt + from - toleranceOf(from), to: failedAt + to + toleranceOf(to) }
}
