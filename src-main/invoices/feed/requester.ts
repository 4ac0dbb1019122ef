/** Asks the gateway for what deliveries have told of, with patience: rows are on disk, few in memory. */
import type { AppContext } from '../../app/context.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Asking } from '../../gateway/query.ts'
import { type Question, createNetworkQueues } from '../../jobs/network-queues.ts'
import type { Backoff } from '../../jobs/backoff.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { LocalLedger } from '../ledger/ledger.ts'

/** How often a gateway may be asked in vain: anybody can tell the receiver of invoices that do not exist. */
type MissBudget = {
  /** Milliseconds until the next question that may be in vain; 0 for now. */
  waitMs(): number
  missed(): void
}

const burst = 100
const everyMs = 100

export function createMissBudget(now: () => number): MissBudget {
  let left = burst
  let at = now()

  function refill(): void {
    const elapsed = Math.max(0, now() - at)
    left = Math.min(burst, left + elapsed / everyMs)
    at = now()
  }
  return {
    waitMs() {
      refill()
      return left >= 1 ? 0 : Math.ceil((1 - left) * everyMs)
    },
    missed() {
      refill()
      left -= 1
    },
  }
}

export type RequesterDeps = Pick<AppContext, 'now' | 'onBug' | 'wait'> & {
  readonly ledger: Pick<LocalLedger, 'find' | 'fetch' | 'missing' | 'adopt'>
  readonly store: Pick<InvoiceStore, 'reports'>
  /** Null when it can be asked. */
  readonly whyNotAsked: (network: NetworkId) => string | null
  /** Other networks whose gateway may have an invoice that this one's does not know. */
  readonly othersThan: (network: NetworkId) => readonly NetworkId[]
  readonly networkIds: () => readonly NetworkId[]
  /** How many wait, or why, is another now. */
  readonly onChanged: (network: NetworkId) => void
}

export type Requester = {
  /** A delivery has told of it. */
  ask(network: NetworkId, id: string): void
  /** Goes on where it can: after a start, and with every second. */
  tick(): void
  /** Why what waits is not asked for now; null when it is. */
  problem(network: NetworkId): string | null
  /** The gateway answers again: nobody waits for the next try. */
  answered(network: NetworkId): void
  /** Its invoices are another's from now on: none is asked for until `rest` is forgotten too. */
  forget(network: NetworkId, rest: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** What is known in memory of what is to be asked for. */
type Backlog = {
  /** In the order of arrival; those that the ledger knows go ahead of those that nobody may know. */
  readonly known: Set<string>
  readonly unknown: Set<string>
  /** Could not be answered by themselves: when to ask for them again. */
  readonly put: Map<string, number>
  /** There are more on disk. */
  hasMore: boolean
  readonly misses: MissBudget
}

/** In memory, of each kind; the rest is read again from the disk. */
const maxQueued = 500
/** Readings of the disk for more, in one go. */
const maxSteps = 10
const againMs = 60_000

export function createRequester(deps: RequesterDeps): Requester {
  const { ledger, store, now } = deps
  const backlogs = new Map<NetworkId, Backlog>()
  const queues = createNetworkQueues({
    next: nextQuestion,
    whyNotAsked: deps.whyNotAsked,
    onSettled: deps.onChanged,
    now,
    onBug: deps.onBug,
  })

  function backlogOf(network: NetworkId): Backlog {
    const known = backlogs.get(network)
    if (known !== undefined) return known
    const fresh: Backlog = {
      known: new Set(),
      unknown: new Set(),
      put: new Map(),
      hasMore: true,
      misses: createMissBudget(now),
    }
    backlogs.set(network, fresh)
    return fresh
  }

  function isKnown(network: NetworkId, id: string): boolean {
    return (ledger.find(network, id)?.confirmedAt ?? null) !== null
  }

  function add(network: NetworkId, backlog: Backlog, id: string): void {
    if (backlog.known.has(id) || backlog.unknown.has(id)) return
    const line = isKnown(network, id) ? backlog.known : backlog.unknown
    if (line.size < maxQueued) line.add(id)
    else backlog.hasMore = true
  }

  function refill(network: NetworkId, backlog: Backlog, asked: ReadonlySet<string>): void {
    if (!backlog.hasMore || backlog.known.size + backlog.unknown.size > 0) return
    let after = 0
    for (let step = 0; step < maxSteps; step += 1) {
      const rows = store.reports.waiting(network, after, maxQueued)
      for (const { invoice } of rows) {
        if (!asked.has(invoice) && !backlog.put.has(invoice)) add(network, backlog, invoice)
      }
      after = rows.at(-1)?.capture ?? after
      backlog.hasMore = rows.length === maxQueued
      if (!backlog.hasMore || backlog.known.size + backlog.unknown.size > 0) return
    }
  }

  /** The next to be asked for; null while there is none, or none may be asked for. */
  function next(network: NetworkId, asked: ReadonlySet<string>): string | null {
    const backlog = backlogOf(network)
    refill(network, backlog, asked)
    const take = (line: Set<string>): string | undefined => {
      for (const id of line) {
        if (asked.has(id)) continue
        line.delete(id)
        // A listing may have told of it meanwhile.
        if (store.reports.isWaiting(network, id)) return id
      }
      return undefined
    }
    const known = take(backlog.known)
    if (known !== undefined) return known
    return backlog.misses.waitMs() > 0 ? null : (take(backlog.unknown) ?? null)
  }

  async function askFor(network: NetworkId, id: string, asking: Asking): Promise<void> {
    const { misses } = backlogOf(network)
    const askedAt = now()
    if ((await ledger.fetch(network, id, 'webhook', asking)) !== null) return
    misses.missed()
    for (const other of isKnown(network, id) ? [] : deps.othersThan(network)) {
      if ((await ledger.fetch(other, id, 'webhook', asking)) === null) continue
      ledger.adopt(other, id, network, askedAt)
      return
    }
    ledger.missing(network, id, askedAt)
  }

  async function askOne(
    network: NetworkId,
    id: string,
    backoff: Backoff,
    signal: AbortSignal,
  ): Promise<void> {
    const backlog = backlogOf(network)
    try {
      await askFor(network, id, { signal, priority: 'job', owner: 'deliveries' })
      backoff.answered()
      // By a clock that was put back, what was asked before it came: not again at once.
      if (store.reports.isWaiting(network, id)) backlog.put.set(id, now() + againMs)
      else backlog.put.delete(id)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) deps.onBug(error)
      // Of this one only: the others are not to wait for it.
      if (!(error instanceof AppError) || ofOne.has(error.code))
        backlog.put.set(id, now() + againMs)
      else backoff.pause(error.message, 0)
      backlog.hasMore = true
    }
  }

  function nextQuestion(network: NetworkId, asked: ReadonlySet<string>): Question<string> | null {
    const id = next(network, asked)
    if (id === null) return null
    return { key: id, ask: (backoff, signal) => askOne(network, id, backoff, signal) }
  }

  return {
    ask(network, id) {
      add(network, backlogOf(network), id)
      deps.onChanged(network)
      queues.run(network)
    },
    tick() {
      for (const network of deps.networkIds()) {
        if (!store.reports.open(network).waiting) continue
        const backlog = backlogOf(network)
        const at = now()
        for (const [id, until] of backlog.put) {
          if (until > at) continue
          backlog.put.delete(id)
          backlog.hasMore = true
        }
        queues.run(network)
      }
    },
    problem: (network) => queues.backoff(network)?.problem() ?? null,
    answered(network) {
      const backoff = queues.backoff(network)
      if (backoff?.isTried() !== true) return
      backoff.answered()
      queues.run(network)
    },
    forget: (network, rest) =>
      queues.forget(network, async () => {
        backlogs.delete(network)
        await rest()
      }),
    stop: () => queues.stop(),
  }
}

/** What the gateway has against one invoice, not against being asked. */
const ofOne: ReadonlySet<string> = new Set([gatewayCodes.refused, gatewayCodes.badAnswer])
