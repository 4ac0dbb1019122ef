/**
 * Reports each incident to each destination once: an alert is stored in the table `alerts` as the incident
 * opens, grows or closes, and sent until it arrives, also after a kill. See docs/webhooks.md.
 */
import { randomUUID } from 'node:crypto'
import type { AlertEvent } from '../../src-preload/contract/alert.ts'
import type { Incident } from '../../src-preload/contract/incident.ts'
import type { Notice } from '../../src-preload/contract/app.ts'
import { type Backoff, createBackoff } from '../jobs/backoff.ts'
import { createBackgroundLoop } from '../jobs/background-loop.ts'
import { toPayload } from './message.ts'
import type { Attempt } from './senders.ts'
import type { Alert, AlertStore, Destination } from './store/alerts.ts'

export type Alerts = ReturnType<typeof createAlerts>

const longestPauseMs = 10 * 60_000
const hourMs = 3_600_000
/** Both must be reached, because the app may have been closed, or the clock set, since the incident. */
const giveUpAfter = { ms: 12 * hourMs, attempts: 10 }
/** A notice is shown after this many failed attempts. */
const attemptsBeforeNotice = 5

/** One per destination, so that a destination that hangs delays no other. */
type Worker = {
  readonly loop: ReturnType<typeof createBackgroundLoop>
  readonly backoff: Backoff
  /** Ends the pause between two attempts. */
  wake: AbortController
}

export function createAlerts({
  store,
  send,
  networkName,
  notices,
  now,
  wait,
  onBug,
  onChanged,
}: {
  readonly store: AlertStore
  /** @throws only if the signal is aborted */
  readonly send: (
    destination: Destination,
    alert: Pick<Alert, 'messageId' | 'payload'>,
    signal: AbortSignal,
  ) => Promise<Attempt>
  readonly networkName: (id: string) => string
  readonly notices: {
    raise(notice: Omit<Notice, 'raisedAt'>): void
    clear(id: string): void
  }
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
  readonly onChanged: () => void
}) {
  let destinations = new Map(store.destinations().map((each) => [each.id, each]))
  /** What is sent, in order. The table has the same rows, unless it cannot be written. */
  let waiting: Alert[] = store.waiting()
  const unsaved: (() => void)[] = []
  const workers = new Map<string, Worker>()
  let isStarted = false
  let isBlocked = false
  let hasFailed = false

  /** An incident may be about the database itself, so a failed write does not keep an alert from being sent. */
  function write(change: () => void): void {
    unsaved.push(change)
    flush()
  }

  function flush(): void {
    // A write to a locked database would block this thread.
    if (isBlocked) return
    try {
      for (const change of [...unsaved]) {
        change()
        unsaved.shift()
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed) onBug(error)
      hasFailed = true
    }
  }

  function isKnown(destination: string, subject: string): boolean {
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
    for (const { id, enabled, events, networks } of destinations.values()) {
      const { network } = incident
      const isChosen = networks === null || network === null || networks.includes(network)
      if (!enabled || !events.includes(event) || !isChosen) continue
      const subject = subjectOf(event, incident)
      if (isKnown(id, subject)) continue
      const createdAt = now()
      const name = network === null ? null : networkName(network)
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
      runWorker(id)
    }
    onChanged()
  }

  function runWorker(id: string): void {
    if (!isStarted) return
    let worker = workers.get(id)
    if (worker === undefined) {
      // The time since the start, which does not change when the clock is set.
      const backoff = createBackoff(() => performance.now(), longestPauseMs)
      const loop = createBackgroundLoop((signal) => sendAll(id, signal), onBug)
      worker = { loop, backoff, wake: new AbortController() }
      workers.set(id, worker)
    }
    worker.loop.run()
  }

  async function sendAll(id: string, stopped: AbortSignal): Promise<void> {
    for (;;) {
      const worker = workers.get(id)
      if (worker === undefined) return
      worker.wake = new AbortController()
      const pauseMs = worker.backoff.leftMs()
      if (pauseMs > 0) {
        await wait(pauseMs, AbortSignal.any([stopped, worker.wake.signal])).catch(() => undefined)
      }
      stopped.throwIfAborted()
      const alert = waiting.find((each) => each.destination === id)
      const destination = destinations.get(id)
      if (alert === undefined || destination?.enabled !== true) return
      const attempt = await send(destination, alert, stopped)
      settle(worker, destination, alert, attempt)
    }
  }

  function settle(
    { backoff }: Worker,
    { id, target }: Destination,
    alert: Alert,
    { problem, retryAfterMs = 0 }: Attempt,
  ): void {
    const tried = { ...alert, attempts: alert.attempts + 1 }
    const at = now()
    const noticeId = `alert.failing.${id}`
    if (problem === null) {
      waiting = waiting.filter((each) => each !== alert)
      backoff.answered()
      notices.clear(noticeId)
      write(() => store.settle(tried, 'sent', null, at))
    } else {
      const isGivenUp =
        tried.attempts >= giveUpAfter.attempts && at - alert.createdAt >= giveUpAfter.ms
      waiting = isGivenUp
        ? waiting.filter((each) => each !== alert)
        : waiting.map((each) => (each === alert ? tried : each))
      backoff.pause(problem, retryAfterMs)
      write(() => store.settle(tried, isGivenUp ? 'failed' : 'waiting', problem, at))
      if (isGivenUp || tried.attempts >= attemptsBeforeNotice) {
        const result = isGivenUp
          ? `Tondesk gave up the alert “${alert.payload.data.title}” after ${tried.attempts} attempts.`
          : 'Tondesk tries again for 12 hours.'
        notices.raise({
          id: noticeId,
          level: 'warning',
          title: `Alerts do not arrive: ${describeTarget(target)}`,
          detail: `${problem} ${result} Settings, Alerts shows the destination and has a test.`,
          dismissible: true,
        })
      }
    }
    onChanged()
  }

  /** Reads the destinations again after a change, and tries at once what waits. */
  function reload(): void {
    flush()
    destinations = new Map(store.destinations().map((each) => [each.id, each]))
    for (const [id, worker] of workers) {
      if (destinations.has(id)) continue
      workers.delete(id)
      void worker.loop.stop()
    }
    retryNow()
    onChanged()
  }

  function retryNow(): void {
    for (const id of new Set(waiting.map(({ destination }) => destination))) {
      const worker = workers.get(id)
      worker?.backoff.answered()
      worker?.wake.abort()
      runWorker(id)
    }
  }

  return {
    report,
    retryNow,
    get: (id: string) => destinations.get(id) ?? null,
    list: () => [...destinations.values()],
    save(destination: Destination): void {
      store.save(destination, now())
      if (!destination.enabled) drop(destination.id)
      reload()
    },
    remove(id: string): void {
      waiting = waiting.filter(({ destination }) => destination !== id)
      flush()
      store.remove(id)
      notices.clear(`alert.failing.${id}`)
      reload()
    },
    /** Sends also what was given up. */
    retry(id: string): void {
      flush()
      store.retry(id)
      if (unsaved.length === 0) waiting = store.waiting()
      notices.clear(`alert.failing.${id}`)
      retryNow()
      onChanged()
    },
    /** While the database is locked or its disk full, alerts are sent without being stored. */
    setBlocked(is: boolean): void {
      isBlocked = is
      flush()
    },
    start(): void {
      isStarted = true
      retryNow()
    },
    async stop(): Promise<void> {
      isStarted = false
      await Promise.all([...workers.values()].map(({ loop }) => loop.stop()))
      flush()
    },
  }

  function drop(id: string): void {
    waiting = waiting.filter(({ destination }) => destination !== id)
    flush()
    store.dropWaiting(id)
    notices.clear(`alert.failing.${id}`)
  }
}

/** An incident grows once to each kind. The id alone may be used again after a kill. */
function subjectOf(event: AlertEvent, { id, network, subject, kind }: Incident): string {
  return [id, network ?? 'app', subject, event, ...(event === 'grown' ? [kind] : [])].join(' ')
}

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
