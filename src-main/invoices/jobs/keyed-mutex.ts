import type { NetworkId } from '../../../src-preload/contract/network.ts'

/** One piece of work of a network after another, in the order asked for. */
export type KeyedMutex = {
  /** @throws what the work throws */
  take<T>(network: NetworkId, work: () => Promise<T>): Promise<T>
}

/**
 * Two jobs that issue invoices alike must not have requests under way at once: what one looks for after
 * an unclear answer could be what the other is just being given.
 */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<NetworkId, Promise<unknown>>()
  return {
    take(network, work) {
      const mine = (last.get(network) ?? Promise.resolve()).then(work)
      last.set(
        network,
        mine.catch(() => undefined),
      )
      return mine
    },
  }
}
