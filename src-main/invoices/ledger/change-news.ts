/** Tells of invoices that changed, at most four times a second. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'

type ChangeNews = {
  /** Null: many. */
  tell(network: NetworkId, ids: readonly string[] | null): void
  stop(): void
}

/** Beyond, whoever shows some asks again anyway. */
const maxIds = 200

export function createChangeNews(deps: {
  readonly emit: (network: NetworkId, ids: readonly string[] | null) => void
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
}): ChangeNews {
  const changed = new Map<NetworkId, Set<string> | null>()
  const notifier = createChangeNotifier<NetworkId>({
    wait: deps.wait,
    onBug: deps.onBug,
    running: () => [],
    emit(networks) {
      for (const network of networks) {
        const ids = changed.get(network) ?? null
        changed.delete(network)
        deps.emit(network, ids === null ? null : [...ids])
      }
    },
  })
  return {
    tell(network, ids) {
      const known = changed.get(network)
      const all = known === null || ids === null ? null : new Set([...(known ?? []), ...ids])
      changed.set(network, all !== null && all.size > maxIds ? null : all)
      notifier.tell(network)
    },
    stop: () => notifier.stop(),
  }
}
