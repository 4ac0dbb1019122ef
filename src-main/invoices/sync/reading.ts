import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoicesRoom } from '../invoices-room.ts'
import type { ExpiredInvoices } from './expired.ts'
import type { ListProgress } from './list-progress.ts'
import { type SyncStates, addWish, beginReading, conditionOf, setProgress } from './model.ts'
import type { Reading } from './read-list.ts'
import { isFullDue, syncProblem } from './schedule.ts'

const maxUnread = 20

/** Reads the gateway's list and the chain, and reports whether that works. */
export function createReading(
  { incidents, now, onBug, store }: InvoicesContext,
  { chain, clock, requests }: Pick<InvoicesRoom, 'chain' | 'clock' | 'requests'>,
  deps: {
    readonly states: SyncStates
    readonly progress: ListProgress
    readonly expired: ExpiredInvoices
    readonly find: (network: NetworkId) => Network | undefined
    readonly accessOf: (network: NetworkId) => string
    readonly onChanged: (network: NetworkId) => void
  },
) {
  const { states, progress, expired, find, accessOf, onChanged } = deps

  async function read(network: NetworkId, signal: AbortSignal): Promise<void> {
    const { wish, last } = states.of(network)
    states.update(network, (sync) => beginReading(sync, accessOf(network)))
    onChanged(network)
    const isWished = wish !== 'scheduled'
    const unread = new Set<string>()
    let { tookMs, failures } = last ?? { tookMs: 0, failures: 0 }
    try {
      if (wish === 'full') progress.beginAnew(network)
      // Without a response the previous offset of the clock stays.
      await clock.read(network).catch(() => undefined)
      signal.throwIfAborted()
      expired.begin(network)
      const began = now()
      const options: Reading = {
        asking: { signal, priority: isWished ? 'interactive' : 'job', owner: 'invoices' },
        onRead(done, expected) {
          states.update(network, (sync) => setProgress(sync, { read: done, expected }))
          onChanged(network)
        },
        onUnread(some) {
          for (const each of some) if (unread.size < maxUnread) unread.add(each)
        },
      }
      await progress.readRecent(network, isWished, options)
      tookMs = Math.max(0, now() - began)
      requests.retryNow(network)
      const isDue = isFullDue(store.ledgers.get(network)?.fullAt ?? null, now())
      if (wish === 'full' || (isDue && now() >= states.of(network).fullNotBefore)) {
        await progress.readAll(network, isWished, options)
      }
      states.update(network, (sync) => ({
        ...setProgress(sync, null),
        unread: [...unread],
        problem: null,
      }))
      failures = 0
      await chain.read(network, signal).catch((error: unknown) => {
        if (!(error instanceof AppError) || signal.aborted) throw error
      })
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) onBug(error)
      const problem =
        error instanceof AppError
          ? error.message
          : 'Loading the invoices failed. The log has the details.'
      // A removed network did not fail: its list is due when it returns.
      const isRemoved = syncProblem(find(network)) !== null
      if (!isRemoved) failures += 1
      states.update(network, (sync) => ({
        ...sync,
        problem,
        access: isRemoved ? '' : sync.access,
      }))
    } finally {
      const ended = { endedAt: now(), tookMs, failures }
      states.update(network, (sync) => ({ ...sync, last: ended, reading: null }))
      onChanged(network)
      report(network)
    }
  }

  function report(network: NetworkId): void {
    const found = find(network)
    // A network that cannot be queried, as a stopped sandbox, has no incident.
    if (found === undefined || syncProblem(found) !== null) incidents.keepOnly(network, 'invoices')
    else {
      const condition = conditionOf(found.name, states.of(network).problem)
      incidents.report(network, 'invoices', { condition, failures: 1 })
    }
  }

  const start = (network: NetworkId): Promise<void> =>
    requests.start(network, { key: 'list', run: (signal) => read(network, signal) })

  return {
    startScheduled(network: NetworkId): void {
      if (!requests.isRunning(network, 'list')) start(network).catch(onBug)
    },
    /** Reads the list for a user, who expects the state at the time of the request. */
    async run(network: NetworkId, wish: 'recent' | 'full'): Promise<void> {
      states.update(network, (sync) => addWish(sync, wish))
      // Invoices that a background reading has already stored remain.
      if (states.of(network).reading?.wish === 'scheduled') await requests.cancel(network, 'list')
      await start(network)
    },
  }
}
