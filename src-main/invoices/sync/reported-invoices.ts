/** Requests the invoices that deliveries report: docs/decisions/0020-request-queue.md */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, gatewayCodes } from '../../../src-preload/domain/app-error.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { Backoff } from '../../jobs/backoff.ts'
import type { RequestTask, RunningKeys } from '../../jobs/background-requests.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { InvoicesContext } from '../context.ts'
import { syncProblem } from './schedule.ts'

const burst = 100
const everyMs = 100

/** Limits useless requests, because anyone can send deliveries of invoices that do not exist. */
export function createMissBudget(now: () => number) {
  let left = burst
  let at = now()

  function refill(): void {
    const elapsed = Math.max(0, now() - at)
    left = Math.min(burst, left + elapsed / everyMs)
    at = now()
  }
  return {
    /** The number of milliseconds until the next possibly useless request is allowed; 0 for now. */
    waitMs(): number {
      refill()
      return left >= 1 ? 0 : Math.ceil((1 - left) * everyMs)
    },
    missed(): void {
      refill()
      left -= 1
    },
  }
}

export type ReportedInvoices = ReturnType<typeof createReportedInvoices>

/** The limit in memory, for each kind, and for each reading of the disk. */
const maxQueued = 500
const maxReadings = 10
const retryMs = 60_000

/** All waiting reports are on disk; only a part is in memory. */
class Backlog {
  readonly misses
  readonly retryAt = new Map<string, number>()
  // Ids in order of arrival. Invoices of the ledger come before those that may not exist.
  readonly #inLedger = new Set<string>()
  readonly #unconfirmed = new Set<string>()
  hasMoreOnDisk = true

  constructor(now: () => number) {
    this.misses = createMissBudget(now)
  }

  isEmpty(): boolean {
    return this.#inLedger.size + this.#unconfirmed.size === 0
  }

  add(id: string, isInLedger: () => boolean): void {
    if (this.#inLedger.has(id) || this.#unconfirmed.has(id)) return
    const queue = isInLedger() ? this.#inLedger : this.#unconfirmed
    if (queue.size < maxQueued) queue.add(id)
    else this.hasMoreOnDisk = true
  }

  take(running: RunningKeys, isWaiting: (id: string) => boolean): string | null {
    const queues = [this.#inLedger, ...(this.misses.waitMs() > 0 ? [] : [this.#unconfirmed])]
    for (const queue of queues) {
      for (const id of queue) {
        if (running.has(id)) continue
        queue.delete(id)
        // A reading of the list may have settled the report.
        if (isWaiting(id)) return id
      }
    }
    return null
  }

  retryDue(now: number): void {
    for (const [id, at] of this.retryAt) {
      if (at > now) continue
      this.retryAt.delete(id)
      this.hasMoreOnDisk = true
    }
  }
}

export function createReportedInvoices(
  { networks, now, onBug, store }: InvoicesContext,
  ledger: Ledger,
) {
  const backlogs = new Map<NetworkId, Backlog>()

  function backlogOf(network: NetworkId): Backlog {
    const backlog = backlogs.get(network) ?? new Backlog(now)
    backlogs.set(network, backlog)
    return backlog
  }

  const isInLedger = (network: NetworkId, id: string): boolean =>
    (ledger.find(network, id)?.confirmedAt ?? null) !== null

  function add(network: NetworkId, id: string): void {
    backlogOf(network).add(id, () => isInLedger(network, id))
  }

  function refill(network: NetworkId, running: RunningKeys): void {
    const backlog = backlogOf(network)
    let after = 0
    for (let reading = 0; reading < maxReadings; reading += 1) {
      if (!backlog.hasMoreOnDisk || !backlog.isEmpty()) return
      const rows = store.reports.waiting(network, after, maxQueued)
      for (const { invoice } of rows) {
        if (!running.has(invoice) && !backlog.retryAt.has(invoice)) add(network, invoice)
      }
      after = rows.at(-1)?.capture ?? after
      backlog.hasMoreOnDisk = rows.length === maxQueued
    }
  }

  async function fetchReported(
    network: NetworkId,
    id: string,
    queryOptions: QueryOptions,
  ): Promise<void> {
    const askedAt = now()
    if ((await ledger.fetch(network, id, 'webhook', queryOptions)) !== null) return
    backlogOf(network).misses.missed()
    const others = isInLedger(network, id) ? [] : networks.state().networks
    for (const other of others.filter((each) => each.id !== network)) {
      if (syncProblem(other) !== null) continue
      if ((await ledger.fetch(other.id, id, 'webhook', queryOptions)) === null) continue
      ledger.adopt(other.id, id, network, askedAt)
      return
    }
    ledger.missing(network, id, askedAt)
  }

  async function request(
    network: NetworkId,
    id: string,
    signal: AbortSignal,
    backoff: Backoff,
  ): Promise<void> {
    const backlog = backlogOf(network)
    try {
      await fetchReported(network, id, { signal, priority: 'job', owner: 'deliveries' })
      backoff.answered()
      // After the clock was set back, the response seems to be older than the delivery.
      if (store.reports.isWaiting(network, id)) backlog.retryAt.set(id, now() + retryMs)
      else backlog.retryAt.delete(id)
    } catch (error) {
      if (signal.aborted) return
      const isAppError = error instanceof AppError
      if (!isAppError) onBug(error)
      if (isAppError && !aboutInvoice.has(error.code)) backoff.pause(error.message, 0)
      else backlog.retryAt.set(id, now() + retryMs)
      backlog.hasMoreOnDisk = true
    }
  }

  return {
    add,
    next(network: NetworkId, running: RunningKeys): RequestTask | null {
      refill(network, running)
      const isWaiting = (id: string) => store.reports.isWaiting(network, id)
      const id = backlogOf(network).take(running, isWaiting)
      if (id === null) return null
      return { key: id, run: (signal, backoff) => request(network, id, signal, backoff) }
    },
    promote(network: NetworkId): boolean {
      if (!store.reports.open(network).waiting) return false
      backlogOf(network).retryDue(now())
      return true
    },
    forget: (network: NetworkId) => void backlogs.delete(network),
  }
}

const aboutInvoice: ReadonlySet<string> = new Set([gatewayCodes.refused, gatewayCodes.badAnswer])
