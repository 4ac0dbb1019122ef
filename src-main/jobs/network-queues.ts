/** What a network's gateway is to be asked, a few questions at a time: rows are on disk, few in memory. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { type Backoff, createBackoff } from './backoff.ts'

export type Question<K> = {
  /** Of what is asked: not asked for again while it is under way. */
  readonly key: K
  /** Takes the answer, or what speaks against it; throws for a bug only. */
  readonly ask: (backoff: Backoff, signal: AbortSignal) => Promise<void>
}

type NetworkQueuesDeps<K> = {
  /** Null while there is nothing to be asked for. */
  readonly next: (network: NetworkId, underWay: ReadonlySet<K>) => Question<K> | null
  /** Null when it can be asked. */
  readonly whyNotAsked: (network: NetworkId) => string | null
  /** How many wait, or why, is another now. */
  readonly onSettled: (network: NetworkId) => void
  readonly now: () => number
  readonly onBug: (error: unknown) => void
}

type NetworkQueues = {
  /** Goes on where it can. */
  run(network: NetworkId): void
  /** Null where nothing was asked yet. */
  backoff(network: NetworkId): Backoff | null
  /** The gateway answers again: nobody waits for the next try. */
  answered(): void
  /** Ends what is under way there; nothing is asked until `rest` is done. */
  forget(network: NetworkId, rest: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

type Queue<K> = {
  readonly underWay: Set<K>
  readonly running: Set<Promise<void>>
  readonly backoff: Backoff
  readonly halt: AbortController
  /** Of `halt`, and of the end of all. */
  readonly signal: AbortSignal
}

const atOnce = 4

export function createNetworkQueues<K>(deps: NetworkQueuesDeps<K>): NetworkQueues {
  const queues = new Map<NetworkId, Queue<K>>()
  const forgetting = new Set<NetworkId>()
  const stopped = new AbortController()

  function queueOf(network: NetworkId): Queue<K> {
    const known = queues.get(network)
    if (known !== undefined) return known
    const halt = new AbortController()
    const fresh: Queue<K> = {
      underWay: new Set(),
      running: new Set(),
      backoff: createBackoff(deps.now),
      halt,
      signal: AbortSignal.any([halt.signal, stopped.signal]),
    }
    queues.set(network, fresh)
    return fresh
  }

  function run(network: NetworkId): void {
    if (forgetting.has(network)) return
    const queue = queueOf(network)
    const { underWay, running, backoff, signal } = queue
    if (signal.aborted) return
    while (running.size < atOnce && backoff.leftMs() === 0) {
      if (deps.whyNotAsked(network) !== null) return
      const next = deps.next(network, underWay)
      if (next === null) return
      underWay.add(next.key)
      const done: Promise<void> = next
        .ask(backoff, signal)
        .catch(deps.onBug)
        // What was stored is read at once: deliveries come in between all the same.
        .then(() => breathe())
        .finally(() => {
          underWay.delete(next.key)
          running.delete(done)
          deps.onSettled(network)
          if (queues.get(network) === queue) run(network)
        })
      running.add(done)
      // One alone while it is not known whether anybody answers.
      if (backoff.isTried()) return
    }
  }

  return {
    run,
    backoff: (network) => queues.get(network)?.backoff ?? null,
    answered() {
      for (const { backoff } of queues.values()) backoff.answered()
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
