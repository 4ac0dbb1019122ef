import type { NetworkId } from '../../src-preload/contract/network.ts'
import { createChangeNotifier } from '../jobs/change-notifier.ts'
import type { InvoicesContext } from './context.ts'

/** Beyond this number the event names no ids, and lists are loaded again. */
const maxIds = 200

export type Changes = ReturnType<typeof createChanges>

export function createChanges({ events, onBug, store, wait }: InvoicesContext) {
  const changedIds = new Map<NetworkId, Set<string> | null>()
  const versions = new Map<NetworkId, number>()
  const soon = new Set<string>()
  let isStopped = false
  const notifier = createChangeNotifier<NetworkId>({
    wait,
    onBug,
    emit(networks) {
      for (const network of networks) {
        const ids = changedIds.get(network) ?? null
        changedIds.delete(network)
        events.emit('invoice.changed', { network, ids: ids && [...ids] })
      }
    },
  })
  const version = (network: NetworkId) => versions.get(network) ?? 0

  /** Emits once per turn of the event loop, after the transaction that wrote the change. */
  function emitSoon(name: string, network: NetworkId, emit: () => void): void {
    versions.set(network, version(network) + 1)
    const key = `${name} ${network}`
    if (soon.has(key)) return
    soon.add(key)
    setImmediate(() => {
      soon.delete(key)
      if (isStopped) return
      // An error must be handled here, because a damaged database would end the app otherwise.
      try {
        emit()
      } catch (error) {
        onBug(error)
      }
    })
  }

  return {
    /** The version increases with each change of the network's invoices and payments. */
    version,
    /** Emits changes of these invoices at most four times a second; null means many. */
    invoices(network: NetworkId, ids: readonly string[] | null): void {
      if (ids?.length === 0) return
      versions.set(network, version(network) + 1)
      const earlier = changedIds.get(network)
      const all = earlier === null || ids === null ? null : new Set([...(earlier ?? []), ...ids])
      changedIds.set(network, all !== null && all.size > maxIds ? null : all)
      notifier.tell(network)
    },
    payments: (network: NetworkId) =>
      emitSoon('payments', network, () => events.emit('payment.changed', { network })),
    matters: (network: NetworkId) =>
      emitSoon('matters', network, () =>
        events.emit('discrepancy.changed', { network, open: store.matters.open(network) }),
      ),
    stop(): void {
      isStopped = true
      notifier.stop()
    },
  }
}
