/**
 * Reports each incident to each destination once. An alert is stored in the table `alerts` when the
 * incident opens, grows or closes, and is sent until it arrives, also after a kill. See docs/webhooks.md.
 */
import { randomUUID } from 'node:crypto'
import type { AlertEvent } from '../../src-preload/contract/alert.ts'
import type { Incident } from '../../src-preload/contract/incident.ts'
import type { AppContext } from '../app/context.ts'
import { type Backoff, createBackoff } from '../jobs/backoff.ts'
import { createDeferredWrites } from '../database/deferred-writes.ts'
import { createBackgroundLoop } from '../jobs/background-loop.ts'
import { toPayload } from './message.ts'
import type { Attempt } from './senders.ts'
import type { Alert, AlertStore, Destination } from './store/alerts.ts'

const longestPauseMs = 10 * 60_000
const hourMs = 3_600_000
/**
 * An alert is given up only when both limits are reached, because the app may have been closed, or
 * the clock set, since the incident.
 */
const giveUpAfter = { ms: 12 * hourMs, attempts: 10 }
/** After this many failed attempts the app shows a notice. */
const attemptsBeforeNotice = 5

/** Each destination has its own worker, so that a destination that hangs delays no other. */
type Worker = {
  readonly loop: ReturnType<typeof createBackgroundLoop>
  readonly backoff: Backoff
  /** Ends the pause between two attempts. */
  wake: AbortController
}

type AlertsDeps = Pick<AppContext, 'now' | 'onBug' | 'wait'> & {
  readonly store: AlertStore
  /** @throws only if the signal is aborted */
  readonly send: (
    destination: Destination,
    alert: Pick<Alert, 'messageId' | 'payload'>,
    signal: AbortSignal,
  ) => Promise<Attempt>
  readonly networkName: (id: string) => string
  readonly notices: Pick<AppContext['notices'], 'raise' | 'clear'>
  readonly onChanged: () => void
}

export function createAlerts(deps: AlertsDeps) {
  const { store, notices, now, onBug, onChanged } = deps
  let destinations = new Map(store.destinations().map((each) => [each.id, each]))
  /** Unsent alerts in order. The table has the same rows, unless the database cannot be written. */
  let waiting: Alert[] = store.waiting()
  const workers = createWorkers(deps, nextFor, settle)
  let isBlocked = false
  /** An incident may be about the database itself, so an alert is sent even if a write fails. */
  const writes = createDeferredWrites(() => isBlocked, onBug)

  function write(change: () => void): void {
    writes.write(Symbol('change'), change)
    writes.flush()
  }

  function isReported(destination: string, subject: string): boolean {
    const isWaiting = waiting.some(
      (each) => each.destination === destination && each.subject === subject,
    )
    try {
      return isWaiting || store.has(destination, subject)
    } catch {
      return false
    }
  }

  function report(event: AlertEvent, incident: Incident): void {
    if (incident.snoozedUntil !== null) return
    if (incident.kind === 'unwritable' && event !== 'closed') isBlocked = true
    const name = incident.network === null ? null : deps.networkName(incident.network)
    const subject = subjectOf(event, incident)
    for (const destination of destinations.values()) {
      const { id } = destination
      if (!isChosen(destination, event, incident) || isReported(id, subject)) continue
      const createdAt = now()
      const alert: Alert = {
        messageId: `msg_${randomUUID().replaceAll('-', '')}`,
        destination: id,
        subject,
        payload: toPayload(event, incident, name, createdAt),
        createdAt,
        attempts: 0,
      }
      waiting.push(alert)
      write(() => store.add(alert))
      workers.run(id)
    }
    onChanged()
  }

  function nextFor(id: string): Sending | null {
    const alert = waiting.find((each) => each.destination === id)
    const destination = destinations.get(id)
    return alert && destination?.enabled === true ? { alert, destination } : null
  }

  function settle(
    { alert, destination }: Sending,
    backoff: Backoff,
    { problem, retryAfterMs = 0 }: Attempt,
  ): void {
    const tried = { ...alert, attempts: alert.attempts + 1 }
    const at = now()
    const state = problem === null ? 'sent' : isOverdue(tried, at) ? 'failed' : 'waiting'
    waiting = waiting
      .filter((each) => each !== alert || state === 'waiting')
      .map((each) => (each === alert ? tried : each))
    write(() => store.settle(tried, state, problem, at))
    if (problem === null) {
      backoff.answered()
      notices.clear(noticeIdOf(destination.id))
    } else {
      backoff.pause(problem, retryAfterMs)
      if (state === 'failed' || tried.attempts >= attemptsBeforeNotice) {
        raiseFailing(notices, destination, tried, state === 'failed', problem)
      }
    }
    onChanged()
  }

  /** Loads the changed destinations and sends their waiting alerts at once. */
  function reload(): void {
    writes.flush()
    destinations = new Map(store.destinations().map((each) => [each.id, each]))
    workers.keepOnly((id) => destinations.has(id))
    retryNow()
    onChanged()
  }

  function retryNow(): void {
    for (const id of new Set(waiting.map(({ destination }) => destination))) workers.run(id, true)
  }

  /** Pending writes come first, because the store then deletes the rows of the destination. */
  function forget(id: string): void {
    waiting = waiting.filter(({ destination }) => destination !== id)
    writes.flush()
    notices.clear(noticeIdOf(id))
  }

  return {
    report,
    retryNow,
    get: (id: string) => destinations.get(id) ?? null,
    list: () => [...destinations.values()],
    save(destination: Destination): void {
      store.save(destination, now())
      if (!destination.enabled) {
        forget(destination.id)
        store.dropWaiting(destination.id)
      }
      reload()
    },
    remove(id: string): void {
      forget(id)
      store.remove(id)
      reload()
    },
    /** Also sends alerts that were given up. */
    retry(id: string): void {
      writes.flush()
      store.retry(id)
      if (writes.isEmpty()) waiting = store.waiting()
      notices.clear(noticeIdOf(id))
      retryNow()
      onChanged()
    },
    /** While the database is locked or its disk full, alerts are sent without being stored. */
    setBlocked(is: boolean): void {
      isBlocked = is
      writes.flush()
    },
    start(): void {
      workers.start()
      retryNow()
    },
    async stop(): Promise<void> {
      await workers.stop()
      writes.flush()
    },
  }
}

type Sending = { readonly alert: Alert; readonly destination: Destination }

/** Sends the alerts of each destination in order, and pauses after a failure. */
function createWorkers(
  { send, wait, onBug }: Pick<AlertsDeps, 'send' | 'wait' | 'onBug'>,
  next: (destination: string) => Sending | null,
  settle: (sending: Sending, backoff: Backoff, attempt: Attempt) => void,
) {
  const workers = new Map<string, Worker>()
  let isStarted = false

  function workerOf(id: string): Worker {
    const existing = workers.get(id)
    if (existing !== undefined) return existing
    const worker: Worker = {
      // A clock of the time since the start, because the system's clock may be set.
      backoff: createBackoff(() => performance.now(), longestPauseMs),
      loop: createBackgroundLoop((signal) => sendAll(id, worker, signal), onBug),
      wake: new AbortController(),
    }
    workers.set(id, worker)
    return worker
  }

  async function sendAll(id: string, worker: Worker, stopped: AbortSignal): Promise<void> {
    while (workers.has(id)) {
      worker.wake = new AbortController()
      const pauseMs = worker.backoff.leftMs()
      if (pauseMs > 0) {
        await wait(pauseMs, AbortSignal.any([stopped, worker.wake.signal])).catch(() => undefined)
      }
      stopped.throwIfAborted()
      const sending = next(id)
      if (sending === null) return
      settle(sending, worker.backoff, await send(sending.destination, sending.alert, stopped))
    }
  }

  return {
    /** @param now true to ignore the pause after an earlier failure */
    run(id: string, now = false): void {
      const worker = workers.get(id)
      if (now) {
        worker?.backoff.answered()
        worker?.wake.abort()
      }
      if (isStarted) workerOf(id).loop.run()
    },
    keepOnly(isWanted: (id: string) => boolean): void {
      for (const [id, { loop }] of workers) {
        if (isWanted(id)) continue
        workers.delete(id)
        void loop.stop()
      }
    },
    start: () => void (isStarted = true),
    async stop(): Promise<void> {
      isStarted = false
      await Promise.all([...workers.values()].map(({ loop }) => loop.stop()))
    },
  }
}

const noticeIdOf = (destination: string) => `alert.failing.${destination}`

function isChosen(
  { enabled, events, networks }: Destination,
  event: AlertEvent,
  { network }: Incident,
): boolean {
  const isOfNetwork = networks === null || network === null || networks.includes(network)
  return enabled && events.includes(event) && isOfNetwork
}

const isOverdue = ({ attempts, createdAt }: Alert, at: number): boolean =>
  attempts >= giveUpAfter.attempts && at - createdAt >= giveUpAfter.ms

function raiseFailing(
  notices: AlertsDeps['notices'],
  { id, target }: Destination,
  { attempts, payload }: Alert,
  isGivenUp: boolean,
  problem: string,
): void {
  const result = isGivenUp
    ? `Tondesk gave up the alert “${payload.data.title}” after ${attempts} attempts.`
    : 'Tondesk tries again for 12 hours.'
  notices.raise({
    id: noticeIdOf(id),
    level: 'warning',
    title: `Alerts do not arrive: ${describeTarget(target)}`,
    detail: `${problem} ${result} Settings, Alerts shows the destination and has a test.`,
    dismissible: true,
  })
}

/**
 * An incident grows at most once to each kind. The key contains more than the id, which may be used
 * again after a kill.
 */
const subjectOf = (event: AlertEvent, { id, network, subject, kind }: Incident): string =>
  [id, network ?? 'app', subject, event, ...(event === 'grown' ? [kind] : [])].join(' ')

function describeTarget(target: Destination['target']): string {
  switch (target.kind) {
    case 'telegram':
      return `Telegram chat ${target.chatId}`
    case 'webhook':
      return `webhook at ${URL.parse(target.url)?.host ?? target.url}`
    case 'command':
      return `program ${target.program}`
  }
}
