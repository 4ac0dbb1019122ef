import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { withLabels } from '../base-room.ts'
import type { Room, WebhookRoom } from '../room.ts'
import { type CheckRunDeps, createCheckWork } from './check-run.ts'
import { readListText } from '../../ton/list-text.ts'
import { createMutex } from '../../../src-preload/domain/mutex.ts'
import { AppError, missedEventCodes } from '../../../src-preload/domain/app-error.ts'
import type {
  CheckRecord,
  NewCheck,
  RebuildableEvent,
  ScheduleRecord,
} from '../store/missed-event-checks.ts'
import { hostOf } from '../webhooks.ts'
import { pagesOf, slicesOf } from '../../database/pages.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import {
  type DeliveryShape,
  documentedForm,
  learnForm,
  rebuildDelivery,
} from '../../chain/rebuild-delivery.ts'
import type { PutOrigin } from '../../threads/writer-messages.ts'
import type { Arrivals } from '../../captures/store/arrivals.ts'

/** Runs missed-event checks on a schedule and raises a notice if events are missing. */

const tickMs = 1000
const hourMs = 3_600_000
const retryMs = 5 * 60_000
const keptChecks = 30

type CheckJobs = {
  /** @throws AppError WEBHOOK_UNKNOWN */
  begin(check: Pick<NewCheck, 'network' | 'webhook' | 'from' | 'to' | 'lateAfterMs'>): void
  retry(id: number): Promise<void>
  remove(id: number): void
}

function createSchedules(
  deps: Room<'book' | 'chainNow' | 'notices' | 'now' | 'onBug' | 'store' | 'wait'>,
  jobs: CheckJobs,
) {
  const { now } = deps
  const { ledgerChecks: checks, ledgerSchedules: schedules } = deps.store
  const starting = new Set<string>()

  const scheduled = (where: { network: NetworkId; webhook?: string }) =>
    checks.list(where).filter(({ isScheduled }) => isScheduled)

  async function begin(schedule: ScheduleRecord): Promise<void> {
    const { network, webhook, everyHours, lateAfterMs, checkedTo } = schedule
    const nextAt = now() + everyHours * hourMs
    const [last] = scheduled({ network, webhook })
    try {
      if (last?.state === 'running' || last?.state === 'paused') {
        put(schedule, nextAt)
        if (last.state === 'paused') await jobs.retry(last.id)
        return
      }
      const to = await deps.chainNow(network)
      // The period overlaps the previous one by the grace period, whose events were too new to verify then.
      const from = Math.min(to - 1, (checkedTo ?? to - everyHours * hourMs) - lateAfterMs)
      jobs.begin({ network, webhook, from, to, lateAfterMs })
      put(schedule, nextAt)
    } catch (error) {
      if (!(error instanceof AppError)) deps.onBug(error)
      put(schedule, now() + retryMs)
    }
  }

  function put({ network, webhook, everyHours }: ScheduleRecord, nextAt: number): void {
    const current = schedules.get(network, webhook)
    if (current?.everyHours === everyHours) schedules.put({ ...current, nextAt })
  }

  async function runDue(): Promise<void> {
    for (const schedule of schedules.list()) {
      const key = `${schedule.network}/${schedule.webhook}`
      if (!isDue(schedule, now()) || starting.has(key)) continue
      starting.add(key)
      await begin(schedule).finally(() => starting.delete(key))
    }
  }

  const ticking = createBackgroundLoop(async (signal) => {
    while (!signal.aborted) {
      await runDue()
      await deps.wait(tickMs, signal)
    }
  }, deps.onBug)

  return {
    handlers: {
      'missedEvents.schedules': ({ network }) => schedules.list(network),
      'missedEvents.setSchedule'({ network, webhook, everyHours, lateAfterMs }) {
        deps.book.find(network, webhook)
        const nextAt = now() + everyHours * hourMs
        const checkedTo = schedules.get(network, webhook)?.checkedTo ?? null
        const schedule = { network, webhook, everyHours, lateAfterMs, checkedTo, nextAt }
        schedules.put(schedule)
        return schedule
      },
      'missedEvents.removeSchedule'({ network, webhook }) {
        schedules.remove(network, webhook)
        return {}
      },
    } satisfies Partial<Handlers>,
    start: ticking.run,
    runDue,
    ended(check: CheckRecord): void {
      const { network, webhook, isScheduled } = check
      const schedule = schedules.get(network, webhook)
      if (!isScheduled) return
      raiseMissing(deps.notices, check)
      const oldest = checks.oldestWaiting(check.id) ?? check.to
      if (schedule !== null) schedules.put({ ...schedule, checkedTo: Math.min(oldest, check.to) })
      for (const { id } of scheduled({ network, webhook }).slice(keptChecks)) jobs.remove(id)
    },
    moved(network: NetworkId, from: string, to: string): void {
      const schedule = schedules.get(network, from)
      if (schedule !== null) {
        schedules.remove(network, from)
        schedules.put({ ...schedule, webhook: to })
      }
      const last = scheduled({ network, webhook: to }).find(({ counts }) => counts.missing > 0)
      moveNotice(deps.notices, noticeOf(network, from), last)
    },
    forget(network: NetworkId): void {
      for (const { webhook } of scheduled({ network })) {
        deps.notices.clear(noticeOf(network, webhook))
      }
      schedules.forget(network)
    },
    stop: () => void ticking.stop(),
  }
}

/** A clock that was set back must not delay the check by the same time. */
const isDue = ({ nextAt, everyHours }: ScheduleRecord, now: number) =>
  nextAt <= now || nextAt > now + everyHours * hourMs

type Notices = Room<'notices'>['notices']

const noticeOf = (network: NetworkId, webhook: string) => `webhook.${network}.${webhook}.missed`

function raiseMissing(
  notices: Notices,
  { network, webhook, endpoint, counts, isHere }: CheckRecord,
): void {
  const { missing } = counts
  if (missing === 0 || !isHere) return
  const events = missing === 1 ? 'An event' : `${missing} events`
  const verb = missing === 1 ? 'was' : 'were'
  notices.raise({
    id: noticeOf(network, webhook),
    level: 'warning',
    title: `${events} did not reach this computer`,
    detail: `${events} of webhook ${webhook} (${hostOf(endpoint)}) ${verb} not delivered. The webhook’s Missed tab has the details.`,
    dismissible: true,
  })
}

function moveNotice(notices: Notices, notice: string, last: CheckRecord | undefined): void {
  const isShown = notices.list().some(({ id }) => id === notice)
  notices.clear(notice)
  if (isShown && last !== undefined) raiseMissing(notices, last)
}

const accountsAtOnce = 2000
const noAccounts = (message: string) => new AppError(missedEventCodes.noAccounts, message)

export type MissedEvents = ReturnType<typeof createMissedEvents>

export function createMissedEvents(
  deps: CheckRunDeps & RebuildDeps & Omit<WebhookRoom, 'files' | 'refuseWhileMoving' | 'settings'>,
) {
  const { book, store } = deps
  const { ledgerChecks: checks, ledgerFindings: findings } = store
  /** Rebuilds run in sequence, so that each one skips events that earlier ones rebuilt. */
  const rebuilds = createMutex()
  const jobs = deps.jobs.add('missedEvents', {
    noun: 'check',
    unknownCode: missedEventCodes.unknown,
    table: checks,
    items: checks,
    work: (check: CheckRecord, control) => createCheckWork(check, control, deps),
    left: ({ accounts, checked }) => accounts - checked,
    show({ isWhole, scope, ...check }) {
      return { ...check, secondsLeft: isWhole || scope === 'list' ? check.secondsLeft : null }
    },
    onEnd(check) {
      if (check.state === 'done') schedules.ended(check)
    },
    beforeResume({ id, state, unread }) {
      if (state === 'done' && unread === 0) {
        throw new AppError(
          missedEventCodes.notNow,
          'This check is finished and cannot continue. To check later deliveries, start a new check.',
        )
      }
      checks.retry(id)
      return true
    },
  })

  /** @throws AppError WEBHOOK_UNKNOWN */
  function add(check: Omit<NewCheck, 'endpoint' | 'isHere' | 'createdAt'>): number {
    const { endpoint, isHere } = book.find(check.network, check.webhook)
    // Block times are whole seconds, so the span is extended to them.
    const from = Math.floor(check.from / 1000) * 1000
    const to = Math.ceil(check.to / 1000) * 1000
    return checks.begin({ ...check, from, to, endpoint, isHere, createdAt: deps.now() })
  }

  const schedules = createSchedules(deps, {
    begin: (check) =>
      void jobs.begin(add({ ...check, scope: 'all', isScheduled: true })).catch(deps.onBug),
    retry: (id) => jobs.restart(id),
    remove: (id) => void jobs.remove(id).catch(deps.onBug),
  })
  const handlers: Pick<Handlers, Extract<keyof Handlers, `missedEvents.${string}`>> = {
    ...schedules.handlers,
    async 'missedEvents.start'({ network, webhook, accounts, from, to, lateAfterMs }) {
      deps.access.info(network)
      book.find(network, webhook)
      const end = to ?? (await deps.chainNow(network))
      if (from >= end) {
        throw new AppError(missedEventCodes.notNow, 'The end of the period is before its start.')
      }
      const span = { network, webhook, from, to: end, lateAfterMs, isScheduled: false }
      if ('all' in accounts || 'failing' in accounts) {
        return jobs.begin(add({ ...span, scope: 'all' in accounts ? 'all' : 'failing' }))
      }
      const list = await listOf(network, accounts, deps.takeDraft)
      const id = add({ ...span, scope: 'list' })
      function* writing(): Generator<void, void> {
        for (const slice of slicesOf(list, accountsAtOnce)) {
          checks.addAccounts(id, slice)
          yield
        }
        checks.finish(id)
      }
      return jobs.begin(id, writing())
    },
    'missedEvents.events'({ id, filter, ...page }) {
      const { network, events, counts } = jobs.find(id)
      const { verdict, account, text } = filter
      const sought = text.trim() === '' ? null : readListText(text)
      const requested = { check: id, network, verdict, account, text: sought }
      const isCounted = account === null && sought === null
      const known = verdict === null ? events : counts[verdict]
      return {
        total: isCounted ? known : findings.count(requested),
        events: withLabels(deps, network, findings.events(requested, page)),
      }
    },
    'missedEvents.histogram': ({ id, steps }) => findings.histogram(jobs.find(id), steps),
    'missedEvents.accounts'({ id, only, ...page }) {
      const { network } = jobs.find(id)
      return {
        total: findings.countAccounts(id, only),
        accounts: withLabels(deps, network, findings.accounts(id, only, page)),
      }
    },
    'missedEvents.rebuild'({ id, events }) {
      const check = jobs.find(id)
      return rebuilds.run(() => rebuild(check, 'all' in events ? null : events, deps))
    },
  }
  return {
    handlers,
    start: schedules.start,
    /** Starts due checks at once, without waiting for the timer. */
    runDue: schedules.runDue,
    moved(network: NetworkId, from: string, to: string): void {
      const moved = checks.list({ network, webhook: from })
      checks.move(network, from, to)
      for (const { id } of moved) {
        // A running check still queries by the old id.
        if (jobs.isRunning(id)) jobs.restart(id).catch(deps.onBug)
        jobs.notify(id)
      }
      schedules.moved(network, from, to)
    },
    async forget(network: NetworkId): Promise<void> {
      schedules.forget(network)
      await jobs.removeAll({ network })
    },
    stop: schedules.stop,
  }
}

async function listOf(
  network: NetworkId,
  accounts: { readonly list: readonly string[] } | { readonly draft: string },
  takeDraft: WebhookRoom['takeDraft'],
): Promise<readonly string[]> {
  if ('list' in accounts) return [...new Set(accounts.list)]
  const taken = await takeDraft(accounts.draft)
  if (taken.network !== network) {
    throw noAccounts('This list is for another network. Create one for this network.')
  }
  if (taken.addresses.length > 0) return [...new Set(taken.addresses)]
  throw noAccounts('There are no accounts to check: no line has a valid address.')
}

type RebuildDeps = Room<'now' | 'receiver' | 'store'> & {
  readonly arrivals: Arrivals
  /** Skips captures that were rebuilt before. @returns the number of new captures */
  readonly put: (records: readonly CaptureRecord[], origin: PutOrigin) => Promise<number>
}

const eventsAtOnce = 200
const samplesLooked = 20
const latestLooked = 2000
const largestSample = 64 * 1024
const maxIds = 10_000

/** @param wanted indexes of events; null for all missing events */
async function rebuild(check: CheckRecord, wanted: readonly number[] | null, deps: RebuildDeps) {
  const findings = deps.store.ledgerFindings
  const shape = learnShape(check, deps)
  let rebuilt = 0
  const captures: number[] = []

  const pages =
    wanted === null
      ? pagesOf<RebuildableEvent>((last) =>
          findings.toRebuild(check.id, last ?? null, eventsAtOnce),
        )
      : slicesOf(wanted, eventsAtOnce).map((slice) => findings.toRebuildOf(check.id, slice))
  for await (const events of pages) {
    if (events.length === 0) continue
    const madeFrom = events.map((event) => event.madeFrom)
    const records = events.map((event) => rebuildDelivery(event, shape, deps.now()))
    rebuilt += await deps.put(records, { origin: 'rebuilt', madeFrom })
    if (captures.length < maxIds) captures.push(...findings.rebuilt(madeFrom))
  }
  return { rebuilt, captures: captures.slice(0, maxIds) }
}

function learnShape(check: CheckRecord, deps: RebuildDeps): DeliveryShape {
  const { arrivals, store } = deps
  const { network, webhook } = check
  const findings = store.ledgerFindings
  const here = new URL(deps.receiver.url())
  // A gateway may have accepted an endpoint that is not a URL.
  const endpoint = URL.parse(check.endpoint) ?? here
  const { host } = endpoint
  const hook = check.isHere ? endpoint : here
  const delivered = findings.deliveries(network, webhook, samplesLooked)
  for (const id of [...delivered, ...arrivals.latest(latestLooked)]) {
    const sample = arrivals.sample(id, largestSample)
    // A capture without a known token may belong to another webhook.
    if (sample?.token !== 'right') continue
    if (store.webhooks.isTokenOfAnother(sample.tokenId, network, webhook)) continue
    const form = learnForm(sample.body)
    if (form !== null) return { form, target: sample.target, host }
  }
  return { form: documentedForm, target: hook.pathname + hook.search, host }
}
