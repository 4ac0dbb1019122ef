import { setImmediate as breathe } from 'node:timers/promises'
import type { AppContext } from '../app/context.ts'
import { createBackgroundLoop } from '../jobs/background-loop.ts'
import type { BackgroundRequests } from '../jobs/background-requests.ts'
import type { EventName, Events, Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { InvoiceStore } from './store/invoice-store.ts'
import type { TouchedAccounts } from './store/invoice-arrivals.ts'
import { createAccountBook } from './chain/accounts.ts'
import { createWatcher } from './chain/watcher.ts'
import { createClosing } from './closing/closing.ts'
import { type GatewayClock, createGatewayClock } from './reconciliation/gateway-clock.ts'
import { createReconciler } from './reconciliation/reconciler.ts'
import { createLinker } from './reconciliation/linker.ts'
import { createPaymentRoutes } from './reconciliation/payment-routes.ts'
import { createPaymentView, createUncountedPayments } from './reconciliation/uncounted.ts'
import {
  createDiscrepancyRoutes,
  createDiscrepancyView,
} from './reconciliation/discrepancy-routes.ts'
import type { ChainWatcher, ClosingReader, Reconciler, Ledger, Networks } from './parts.ts'
import { createRefundRoute } from './reconciliation/refund-route.ts'
import { readAddress } from '../ton/address.ts'

/**
 * A delivery about an address of invoices triggers a reading, at most once a second. This finds payments
 * that the gateway does not report: partial ones and those without an invoice.
 */

type TouchedDeps = Pick<AppContext, 'onBug' | 'wait'> & {
  readonly accounts: TouchedAccounts
  readonly networks: Networks
  readonly chain: Pick<ChainWatcher, 'nudge'>
}

const everyMs = 1000

function createTouched(deps: TouchedDeps) {
  const waiting = new Set<string>()
  let reached = deps.accounts.newest()

  const loop = createBackgroundLoop(async (signal) => {
    while (waiting.size > 0) {
      const accounts = [...waiting]
      waiting.clear()
      for (const { id } of deps.networks()) deps.chain.nudge(id satisfies NetworkId, accounts)
      await deps.wait(everyMs, signal)
    }
  }, deps.onBug)

  return {
    classified(upTo: number): void {
      // The index reports its last slices while the app ends, after its reader was closed.
      if (loop.signal.aborted) return
      for (const account of deps.accounts.between(reached, upTo)) {
        const raw = readAddress(account)?.raw
        if (raw !== undefined) waiting.add(raw)
      }
      reached = Math.max(reached, upTo)
      if (waiting.size > 0) loop.run()
    },
    stop: loop.stop,
  }
}

type ChainDeskDeps = Pick<AppContext, 'access' | 'labelsOf' | 'now' | 'onBug' | 'wait'> & {
  readonly store: InvoiceStore
  /** A function, because the ledger needs the reconciler of this desk. */
  readonly ledger: () => Ledger
  readonly networks: Networks
  readonly touched: TouchedAccounts
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly requests: BackgroundRequests
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
}

type Domain = 'payment' | 'matter' | 'refund' | 'closing'

type ChainDesk = {
  readonly reconciler: Reconciler
  readonly chain: ChainWatcher
  readonly closing: ClosingReader
  readonly clock: GatewayClock
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>>
  classified(upTo: number): void
  /** Must be called before the ledger's rows are deleted. */
  forget(network: NetworkId): Promise<void>
  stop(): void
}

export function createChainDesk(deps: ChainDeskDeps): ChainDesk {
  const { store, emit } = deps
  const ledger: Pick<Ledger, 'find' | 'addEvent' | 'view' | 'tell'> = {
    find: (...asked) => deps.ledger().find(...asked),
    addEvent: (...told) => deps.ledger().addEvent(...told),
    view: (...asked) => deps.ledger().view(...asked),
    tell: (...told) => deps.ledger().tell(...told),
  }
  const changed = createNotifier((network, what) => {
    if (what === 'payments') emit('payment.changed', { network })
    else emit('matter.changed', { network, open: store.matters.open(network) })
  })
  const versions = new Map<NetworkId, number>()

  function tell(network: NetworkId, what: 'payments' | 'matters'): void {
    versions.set(network, (versions.get(network) ?? 0) + 1)
    changed.tell(network, what)
  }

  const clock = createGatewayClock(deps)
  const book = createAccountBook(store.accounts)
  const uncounted = createUncountedPayments({
    store,
    accountOf: (network, account) => book.of(network, account),
  })
  const view = createPaymentView({ ...deps, uncounted })
  const linker = createLinker({ store, book, addEvent: ledger.addEvent })
  const reconciler = createReconciler({
    store,
    book,
    linker,
    uncounted,
    view,
    clock,
    tell: ledger.tell,
    nudge: (network, accounts) => chain.nudge(network, accounts),
    onChanged: tell,
  })
  const chain = createWatcher({
    ...deps,
    book,
    reconciler,
    clock,
    onSent: (network) => changed.tell(network, 'matters'),
  })
  const touched = createTouched({ ...deps, accounts: deps.touched, chain })
  const closing = createClosing({
    store,
    ledger,
    view,
    chain: (network) => chain.state(network),
    version: (network) => versions.get(network) ?? 0,
    now: (network) => clock.now(network),
  })
  const discrepancyView = createDiscrepancyView({ store, ledger, reconciler, uncounted, view })
  return {
    reconciler: {
      ...reconciler,
      reconcile(network, keys) {
        versions.set(network, (versions.get(network) ?? 0) + 1)
        reconciler.reconcile(network, keys)
      },
    },
    chain,
    closing,
    clock,
    handlers: {
      ...createPaymentRoutes({ store, ledger, linker, reconciler, view, clock }),
      ...createDiscrepancyRoutes({
        store,
        ledger,
        reconciler,
        view: discrepancyView,
        clock,
        onChanged: (network) => tell(network, 'matters'),
      }),
      ...createRefundRoute({ ...deps, view: discrepancyView, clock }),
      'closing.read': (span) => closing.read(span),
      'closing.rows': ({ onlyDifferences, offset, limit, ...span }) =>
        closing.page(span, { onlyDifferences, offset, limit }),
    },
    classified: (upTo) => touched.classified(upTo),
    async forget(network) {
      await chain.forget(network)
      while (store.matters.forgetSome(network)) await breathe()
      while (store.payments.forgetSome(network)) await breathe()
      tell(network, 'payments')
      tell(network, 'matters')
    },
    stop() {
      void touched.stop()
      changed.stop()
    },
  }
}

/** Emits once per turn of the event loop, after the transaction that wrote the change. */
function createNotifier(emit: (network: NetworkId, what: 'payments' | 'matters') => void) {
  const waiting = new Set<string>()
  let isStopped = false
  return {
    tell(network: NetworkId, what: 'payments' | 'matters'): void {
      const key = `${what} ${network}`
      if (waiting.has(key)) return
      waiting.add(key)
      setImmediate(() => {
        waiting.delete(key)
        if (!isStopped) emit(network, what)
      })
    },
    stop: () => {
      isStopped = true
    },
  }
}
