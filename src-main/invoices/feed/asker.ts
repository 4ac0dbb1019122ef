/** Asks the gateway for what deliveries have told of, with patience: rows are on disk, few in memory. */
import type { NetworkId } from '../../../src-preload/contract/index.ts'
import { AppError, gatewayCodes } from '../../../src-preload/contract/index.ts'
import type { Asking } from '../../gateway/query.ts'
import type { Patience } from '../../jobs/patience.ts'
import { createPatience } from '../../jobs/patience.ts'
import type { InvoiceStore } from '../../store/invoices/invoice-store.ts'
import type { LocalLedger } from '../ledger/ledger.ts'
import type { MissBudget } from './pace.ts'
import { createMissBudget } from './pace.ts'

export type AskerDeps = {
  readonly ledger: Pick<LocalLedger, 'find' | 'fetch' | 'missing' | 'adopt'>
  readonly store: Pick<InvoiceStore, 'reports'>
  /** Null when it can be asked. */
  readonly whyNotAsked: (network: NetworkId) => string | null
  /** Other networks whose gateway may have an invoice that this one's does not know. */
  readonly othersThan: (network: NetworkId) => readonly NetworkId[]
  readonly networkIds: () => readonly NetworkId[]
  /** How many wait, or why, is another now. */
  readonly onChanged: (network: NetworkId) => void
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
}

export type Asker = {
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

type Queue = {
  /** In the order of arrival; those that the ledger knows go ahead of those that nobody may know. */
  readonly known: Set<string>
  readonly unknown: Set<string>
  readonly asked: Set<string>
  /** Could not be answered by themselves: when to ask for them again. */
  readonly put: Map<string, number>
  /** There are more on disk. */
  hasMore: boolean
  readonly patience: Patience
  readonly misses: MissBudget
  readonly halt: AbortController
  running: Set<Promise<void>>
}

/** In memory, of each kind; the rest is read again from the disk. */
const mostQueued = 500
/** Readings of the disk for more, in one go. */
const mostSteps = 10
const atOnce = 4
const againMs = 60_000

export function createAsker(deps: AskerDeps): Asker {
  const { ledger, store, now } = deps
  const queues = new Map<NetworkId, Queue>()
  const forgetting = new Set<NetworkId>()
  const stopped = new AbortController()

  function queueOf(network: NetworkId): Queue {
    const known = queues.get(network)
    if (known !== undefined) return known
    const fresh: Queue = {
      known: new Set(),
      unknown: new Set(),
      asked: new Set(),
      put: new Map(),
      hasMore: true,
      patience: createPatience(now),
      misses: createMissBudget(now),
      halt: new AbortController(),
      running: new Set(),
    }
    queues.set(network, fresh)
    return fresh
  }

  function isKnown(network: NetworkId, id: string): boolean {
    return (ledger.find(network, id)?.confirmedAt ?? null) !== null
  }

  function add(network: NetworkId, queue: Queue, id: string): void {
    if (queue.known.has(id) || queue.unknown.has(id)) return
    const line = isKnown(network, id) ? queue.known : queue.unknown
    if (line.size < mostQueued) line.add(id)
    else queue.hasMore = true
  }

  function refill(network: NetworkId, queue: Queue): void {
    if (!queue.hasMore || queue.known.size + queue.unknown.size > 0) return
    let after = 0
    for (let step = 0; step < mostSteps; step += 1) {
      const rows = store.reports.waiting(network, after, mostQueued)
      for (const { invoice } of rows) {
        if (!queue.asked.has(invoice) && !queue.put.has(invoice)) add(network, queue, invoice)
      }
      after = rows.at(-1)?.capture ?? after
      queue.hasMore = rows.length === mostQueued
      if (!queue.hasMore || queue.known.size + queue.unknown.size > 0) return
    }
  }

  /** The next to be asked for; null while there is none, or none may be asked for. */
  function next(network: NetworkId, queue: Queue): string | null {
    refill(network, queue)
    const take = (line: Set<string>): string | undefined => {
      for (const id of line) {
        if (queue.asked.has(id)) continue
        line.delete(id)
        // A listing may have told of it meanwhile.
        if (store.reports.isWaiting(network, id)) return id
      }
      return undefined
    }
    const known = take(queue.known)
    if (known !== undefined) return known
    return queue.misses.waitMs() > 0 ? null : (take(queue.unknown) ?? null)
  }

  async function askFor(network: NetworkId, id: string, asking: Asking): Promise<void> {
    const { misses } = queueOf(network)
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

  async function askOne(network: NetworkId, queue: Queue, id: string): Promise<void> {
    const signal = AbortSignal.any([queue.halt.signal, stopped.signal])
    try {
      await askFor(network, id, { signal, priority: 'job', owner: 'deliveries' })
      queue.patience.answered()
      // By a clock that was put back, what was asked before it came: not again at once.
      if (store.reports.isWaiting(network, id)) queue.put.set(id, now() + againMs)
      else queue.put.delete(id)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) deps.onBug(error)
      // Of this one only: the others are not to wait for it.
      if (!(error instanceof AppError) || ofOne.has(error.code)) queue.put.set(id, now() + againMs)
      else queue.patience.pause(error.message, 0)
      queue.hasMore = true
    }
  }

  function run(network: NetworkId, queue: Queue): void {
    if (stopped.signal.aborted || queue.halt.signal.aborted || forgetting.has(network)) return
    while (queue.running.size < atOnce && queue.patience.leftMs() === 0) {
      if (deps.whyNotAsked(network) !== null) return
      const id = next(network, queue)
      if (id === null) return
      queue.asked.add(id)
      const done: Promise<void> = askOne(network, queue, id)
        .catch(deps.onBug)
        .finally(() => {
          queue.asked.delete(id)
          queue.running.delete(done)
          deps.onChanged(network)
          run(network, queue)
        })
      queue.running.add(done)
      // One alone while it is not known whether anybody answers.
      if (queue.patience.isTried()) return
    }
  }

  return {
    ask(network, id) {
      const queue = queueOf(network)
      add(network, queue, id)
      deps.onChanged(network)
      run(network, queue)
    },
    tick() {
      for (const network of deps.networkIds()) {
        if (!store.reports.open(network).waiting) continue
        const queue = queueOf(network)
        const at = now()
        for (const [id, until] of queue.put) {
          if (until > at) continue
          queue.put.delete(id)
          queue.hasMore = true
        }
        run(network, queue)
      }
    },
    problem: (network) => queues.get(network)?.patience.problem() ?? null,
    answered(network) {
      const queue = queues.get(network)
      if (queue === undefined || !queue.patience.isTried()) return
      queue.patience.answered()
      run(network, queue)
    },
    async forget(network, rest) {
      forgetting.add(network)
      try {
        const queue = queues.get(network)
        queue?.halt.abort()
        await Promise.all([...(queue?.running ?? [])])
        queues.delete(network)
        await rest()
      } finally {
        forgetting.delete(network)
      }
    },
    async stop() {
      stopped.abort()
      await Promise.all([...queues.values()].flatMap(({ running }) => [...running]))
    },
  }
}

/** What the gateway has against one invoice, not against being asked. */
const ofOne: ReadonlySet<string> = new Set([gatewayCodes.refused, gatewayCodes.badAnswer])
