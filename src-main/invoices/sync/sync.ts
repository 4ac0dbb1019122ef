/** Keeps the ledger of each active network equal to the gateway's list and the chain. */
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import type { InvoicesRoom } from '../invoices-room.ts'
import { createExpiredInvoices } from './expired.ts'
import { createListProgress } from './list-progress.ts'
import { createSyncStates } from './model.ts'
import { createReading } from './reading.ts'
import type { ReportedInvoices } from './reported-invoices.ts'
import { dueAt, syncProblem } from './schedule.ts'

/** Finding networks with open invoices has a cost. */
const inUseEveryMs = 15_000
const dayMs = 24 * 3_600_000

export function createSync(
  context: InvoicesContext,
  parts: Pick<InvoicesRoom, 'chain' | 'clock' | 'ledger' | 'requests'>,
  reported: ReportedInvoices,
  applicationIds: ApplicationIds,
) {
  const { access, events, now, onBug, store, wait } = context
  const { chain, clock, requests } = parts
  const states = createSyncStates()
  const progress = createListProgress(context, parts.ledger, applicationIds)
  const expired = createExpiredInvoices(context, parts)
  let inUse: { readonly at: number; readonly ids: readonly NetworkId[] } | null = null
  const notifier = createChangeNotifier<NetworkId>({
    wait,
    onBug,
    running: () => [],
    emit(ids) {
      for (const network of ids) {
        if (find(network) !== undefined) events.emit('invoiceSync.changed', state(network))
      }
    },
  })

  const allNetworks = () => context.networks.state().networks

  const find = (network: NetworkId): Network | undefined =>
    allNetworks().find(({ id }) => id === network)

  const whyNot = (network: NetworkId): string | null => syncProblem(find(network))

  const accessOf = (network: NetworkId) =>
    JSON.stringify([whyNot(network), find(network)?.secrets.invoices])

  const readings = createReading(context, parts, {
    states,
    progress,
    expired,
    find,
    accessOf,
    onChanged: (network) => notifier.tell(network),
  })

  function nextReadingAt(network: NetworkId): number | null {
    const { last } = states.of(network)
    return last && dueAt(last, network === access.current(), network === 'sandbox')
  }

  function state(network: NetworkId): InvoiceSync {
    const { reading, problem, unread } = states.of(network)
    const recorded = store.ledgers.get(network)
    const off = whyNot(network)
    const isIdle = off === null && reading === null
    return {
      network,
      status: off !== null ? 'off' : isIdle ? 'waiting' : 'reading',
      problem: off ?? problem ?? requests.problem(network) ?? progress.problem(network),
      lastAt: recorded?.listedAt ?? null,
      fullAt: recorded?.fullAt ?? null,
      nextAt: isIdle ? nextReadingAt(network) : null,
      reading: reading?.progress ?? null,
      reportsWaiting: store.reports.countWaiting(network),
      unread: [...unread],
      chain: chain.state(network),
      clockOffset: Math.round(clock.now(network) - now()),
    }
  }

  /** Without a response the previous offset stays. */
  const readClock = (network: NetworkId) => clock.read(network).catch(() => undefined)

  function networksInUse(): readonly NetworkId[] {
    const at = now()
    if (inUse === null || Math.abs(at - inUse.at) >= inUseEveryMs) {
      const ids = allNetworks().map(({ id }) => id)
      const isOpen = (id: NetworkId) =>
        store.rows.hasUnsettled(id) || store.reports.open(id).waiting
      inUse = { at, ids: ids.filter(isOpen) }
      // The sandbox's clock may change at any moment.
      if (find('sandbox')?.urls) void readClock('sandbox')
    }
    return [...new Set([access.current(), ...inUse.ids])].filter(find)
  }

  function tick(): void {
    for (const network of networksInUse()) {
      const accessNow = accessOf(network)
      if (states.of(network).access !== accessNow) {
        states.update(network, (sync) => ({ ...sync, access: accessNow, last: null }))
        notifier.tell(network)
      }
      if (whyNot(network) !== null) continue
      const { last, reading } = states.of(network)
      const due = nextReadingAt(network)
      // A clock that was put back makes the list due.
      const isDue = due === null || now() >= due || now() < (last?.endedAt ?? 0)
      if ((isDue && reading === null) || expired.request(network)) readings.startScheduled(network)
    }
    for (const { id } of allNetworks()) {
      // Also of networks that are not in use: an earlier run may have left an incident open.
      if (whyNot(id) !== null) context.incidents.keepOnly(id, 'invoices')
      if (reported.promote(id)) requests.run(id)
    }
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceSync.${string}`>> = {
    async 'invoiceSync.state'({ network }) {
      access.info(network)
      if (whyNot(network) === null) await readClock(network)
      return state(network)
    },
    async 'invoiceSync.run'({ network, full }) {
      access.info(network)
      if (whyNot(network) === null) await readings.run(network, full ? 'full' : 'recent')
      return state(network)
    },
    async 'invoiceSync.stop'({ network }) {
      access.info(network)
      if (requests.isRunning(network, 'list')) {
        states.update(network, (sync) => ({ ...sync, fullNotBefore: now() + dayMs }))
        await requests.cancel(network, 'list')
      }
      return state(network)
    },
  }

  return {
    handlers,
    tick,
    notify: (network: NetworkId) => notifier.tell(network),
    accessChanged(network: NetworkId): void {
      const hasFailed = (states.of(network).last?.failures ?? 0) > 0
      if (hasFailed) states.update(network, (sync) => ({ ...sync, last: null }))
    },
    forget(network: NetworkId): void {
      progress.forget(network)
      states.forget(network)
      expired.forget(network)
      context.incidents.keepOnly(network, 'invoices')
    },
    stop: () => notifier.stop(),
  }
}
