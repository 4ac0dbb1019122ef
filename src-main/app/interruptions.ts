/**
 * Detects times in which this computer could not receive because it slept or was offline. The user gets one
 * notice for each, and the work that may have failed meanwhile is repeated. A changed clock is reported too.
 */
import { networkInterfaces, uptime } from 'node:os'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { describeSpan } from '../../src-preload/domain/time-span.ts'
import type { BaseContext } from './context.ts'
import type { Notices } from './notices.ts'

export type Interruptions = Pick<ReturnType<typeof createInterruptions>, 'suspended' | 'resumed'>

const tickMs = 5000
/** A longer gap between two ticks means sleep, because a busy computer delays a tick by seconds only. */
const sleepMs = 60_000
/** Time synchronization moves the clock by less. */
const clockChangeMs = 60_000
/** A sleeping computer may wake for moments, so sleeps within this time are reported as one. */
const joinMs = 15 * 60_000
/** The network needs some time after the computer wakes. */
const settleMs = 10_000

const sleepNotice = 'computer.slept'
const offlineNotice = 'computer.offline'
const clockNotice = 'computer.clock'

type Deps = {
  /**
   * Both functions return milliseconds. The uptime includes sleep, and setting the clock does not
   * change it.
   */
  readonly clock: { readonly now: () => number; readonly uptime: () => number }
  readonly network: () => { readonly isOnline: boolean; readonly addresses: string }
  readonly notices: Notices
  readonly describePeriod: (from: number, to: number) => string
  /** Called after sleep, and when the computer is online again or has new addresses. */
  readonly recover: () => void
}

export function createInterruptions({ clock, network, notices, describePeriod, recover }: Deps) {
  const read = () => ({ now: clock.now(), uptime: clock.uptime() })
  let seen = read()
  let seenNetwork = network()
  let suspendedAt: number | null = null
  let offlineSince: number | null = null
  let lastSleep: { readonly from: number; readonly to: number } | null = null

  function raise(id: string, title: string, detail: string): void {
    // The notice is raised again so that its time is that of the last cause.
    notices.clear(id)
    notices.raise({ id, level: 'info', title, detail, dismissible: true })
  }

  function reportSleep(began: number, to: number): void {
    const isShown = notices.list().some(({ id }) => id === sleepNotice)
    const isJoined = isShown && lastSleep !== null && began - lastSleep.to <= joinMs
    const from = isJoined && lastSleep !== null ? Math.min(lastSleep.from, began) : began
    lastSleep = { from, to }
    raise(sleepNotice, `The computer slept ${describePeriod(from, to)}`, missed)
    recover()
  }

  function checkClock(): void {
    const now = read()
    const passedMs = Math.max(0, now.uptime - seen.uptime)
    const changeMs = now.now - seen.now - passedMs
    seen = now
    if (Math.abs(changeMs) > clockChangeMs) {
      const span = describeSpan(Math.abs(changeMs))
      const direction = changeMs > 0 ? 'forward' : 'back'
      raise(clockNotice, `The clock of this computer was set ${direction} by ${span}`, clockDetail)
    }
    if (passedMs > sleepMs) {
      reportSleep(suspendedAt ?? now.now - passedMs, now.now)
      suspendedAt = null
    }
  }

  function checkNetwork(): void {
    const before = seenNetwork
    const now = network()
    seenNetwork = now
    if (before.isOnline && !now.isOnline) {
      offlineSince = clock.now()
      notices.raise({
        id: offlineNotice,
        level: 'warning',
        title: 'This computer is offline',
        detail:
          'Webhooks from the internet do not reach the receiver. Webhooks from this computer, such as those of the sandbox, are still received.',
        dismissible: true,
      })
    }
    if (offlineSince !== null && now.isOnline) {
      const [from, to] = [offlineSince, clock.now()]
      offlineSince = null
      notices.clear(offlineNotice)
      // A shorter break needs no notice, because it ends before the gateway retries.
      if (to - from > sleepMs) {
        raise(offlineNotice, `The computer was offline ${describePeriod(from, to)}`, missed)
      }
    }
    if (now.isOnline && now.addresses !== before.addresses) recover()
    else if (now.isOnline && !before.isOnline) recover()
  }

  return {
    /** Called by the timer. */
    tick(): void {
      checkClock()
      checkNetwork()
    },
    /** Call this when the system is about to sleep. */
    suspended(): void {
      checkClock()
      suspendedAt = clock.now()
    },
    /** Call this when the system has woken up, so that a sleep too short for the timer is reported too. */
    resumed(): void {
      checkClock()
      if (suspendedAt !== null) reportSleep(suspendedAt, clock.now())
      suspendedAt = null
    },
  }
}

const missed =
  'Webhooks sent in that time were not received. The gateway retries failed deliveries. Check your webhooks for missed events.'
const clockDetail =
  'Captures keep the times at which they arrived by the clock of that moment. Times before and after the change do not match.'

export function registerInterruptions(context: BaseContext) {
  const { config, now, onBug, resources, settings } = context
  let timer: NodeJS.Timeout | undefined
  let settling: NodeJS.Timeout | undefined
  resources.defer(() => {
    clearInterval(timer)
    clearTimeout(settling)
  })

  /** Restarts a receiver or sandbox that failed, but not one that the user stopped. */
  async function restartFailed(): Promise<void> {
    if ((await context.request('receiver.state', undefined)).status === 'failed') {
      await context.request('receiver.start', undefined)
    }
    if ((await context.request('sandbox.state', undefined)).status === 'failed') {
      await context.request('sandbox.start', undefined)
    }
  }

  async function checkTunnel(): Promise<void> {
    if (settings.get().receiver.publicUrl === null) return
    await context.request('tunnel.detect', undefined)
    const { status } = await context.request('receiver.state', undefined)
    if (status === 'listening') await context.request('tunnel.check', undefined)
  }

  function recover(): void {
    restartFailed().catch(onBug)
    clearTimeout(settling)
    settling = setTimeout(() => void checkTunnel().catch(onBug), settleMs)
    settling.unref()
  }

  const interruptions = createInterruptions({
    clock: { now, uptime: () => uptime() * 1000 },
    network() {
      const addresses = outerAddresses()
      return { isOnline: config.isOnline?.() ?? addresses !== '', addresses }
    },
    notices: context.notices,
    describePeriod: (from, to) => describePeriod(from, to, settings.get().appearance),
    recover,
  })
  return {
    ...interruptions,
    start(): void {
      timer = setInterval(() => interruptions.tick(), tickMs)
      timer.unref()
    },
  }
}

/** The addresses by which other computers reach this one; empty without a network. */
const outerAddresses = (): string =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
    .sort()
    .join(' ')

/** Formats “from 12:00 to 14:00”, with the days if they differ. */
export function describePeriod(
  from: number,
  to: number,
  { timeZone, clock }: Pick<Settings['appearance'], 'timeZone' | 'clock'>,
): string {
  const zone = timeZone === 'utc' ? { timeZone: 'UTC' } : {}
  const format = (options: Intl.DateTimeFormatOptions, at: number) =>
    new Intl.DateTimeFormat('en-GB', { ...options, ...zone }).format(at)
  const day = (at: number) => format({ day: 'numeric', month: 'short' }, at)
  const time = (at: number) =>
    format({ hour: '2-digit', minute: '2-digit', hour12: clock === '12h' }, at)
  const isOneDay = day(from) === day(to)
  const moment = (at: number) => (isOneDay ? time(at) : `${time(at)} on ${day(at)}`)
  return `from ${moment(from)} to ${moment(to)}${timeZone === 'utc' ? ' UTC' : ''}`
}
