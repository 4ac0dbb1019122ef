import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { AppContext } from '../../app/context.ts'
import type { BackgroundRequests } from '../../jobs/background-requests.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { TransactionAnswer } from '../../gateway/query-answers.ts'
import type { Asking, QueryClient } from '../../gateway/query.ts'
import type { InvoiceAccount } from '../store/invoice-accounts.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { GatewayClock } from '../reconciliation/gateway-clock.ts'
import type { LocalReconciler } from '../reconciliation/reconciler.ts'
import type { ChainWatcher, GatewayAccess } from '../parts.ts'
import type { AccountBook } from './accounts.ts'
import { readAccount } from './read-account.ts'
import {
  type Usdt,
  incomingOf,
  notifierOf,
  ordersJettons,
  outgoingOf,
  findUsdt,
} from './transfers.ts'

type WatcherDeps = Pick<AppContext, 'now' | 'onBug'> & {
  readonly access: Pick<GatewayAccess, 'query' | 'info'>
  readonly store: Pick<InvoiceStore, 'transaction' | 'payments' | 'outgoing' | 'accounts'>
  readonly book: AccountBook
  readonly reconciler: Pick<LocalReconciler, 'place' | 'placeAgain' | 'weighOwn' | 'settle'>
  readonly clock: GatewayClock
  readonly requests: Pick<BackgroundRequests, 'cancel' | 'isRunning' | 'start'>
  /** A new outgoing transfer may be a refund. */
  readonly onSent: (network: NetworkId) => void
}

type WatchedNetwork = {
  readonly wanted: Set<string>
  wantsAll: boolean
  problem: string | null
  /** Cached, because counting many accounts takes a while. */
  reach: { readonly at: number; readonly accounts: number; readonly readTo: number | null } | null
}

/** A round starts no address after this time, because every invoice may have an address of its own. */
const roundMs = 60_000
const manyAccounts = 1000
const countedEveryMs = 5000

export function createWatcher(deps: WatcherDeps): ChainWatcher {
  const { store, book, reconciler, clock, requests } = deps
  const networks = new Map<NetworkId, WatchedNetwork>()

  function of(network: NetworkId): WatchedNetwork {
    const existing = networks.get(network)
    if (existing !== undefined) return existing
    const watched: WatchedNetwork = {
      wanted: new Set(),
      wantsAll: false,
      problem: null,
      reach: null,
    }
    networks.set(network, watched)
    return watched
  }

  /** Rounds never overlap, because two would read the same pages. */
  const startRound = (network: NetworkId): Promise<void> =>
    requests.start(network, { key: 'chain', run: (signal) => round(network, of(network), signal) })

  async function round(
    network: NetworkId,
    watched: WatchedNetwork,
    signal: AbortSignal,
  ): Promise<void> {
    const isAll = watched.wantsAll
    watched.wantsAll = false
    let current: string | null = null
    try {
      const query = deps.access.query(network)
      const asking: Asking = { priority: 'job', owner: 'invoices/chain', signal }
      const readTo = await reachOf(network, query, asking)
      const due = isAll ? store.accounts.followed(network, clock.now(network)) : []
      const done = new Set<string>()
      const began = deps.now()
      let refused: string | null = null
      for (;;) {
        const [wanted] = watched.wanted
        current = wanted ?? due.shift() ?? null
        if (current === null) break
        if (wanted === undefined && deps.now() - began > roundMs) break
        watched.wanted.delete(current)
        if (wanted === undefined && done.has(current)) continue
        done.add(current)
        refused = (await read(network, current, { query, asking, readTo })) ?? refused
      }
      await reconciler.settle(network, signal)
      watched.problem = refused
    } catch (error) {
      signal.throwIfAborted()
      if (current !== null && !isAll) watched.wanted.add(current)
      watched.problem =
        error instanceof AppError ? error.message : 'Reading the chain failed; see the log.'
      if (!(error instanceof AppError)) deps.onBug(error)
      throw error
    }
  }

  async function reachOf(network: NetworkId, query: QueryClient, asking: Asking): Promise<number> {
    const at = await clock.read(network)
    // The sandbox's clock dates its blocks and stands still between them.
    if (network === 'sandbox') return at
    return (await query.masterchainHead(asking)).gen_utime * 1000
  }

  type Reading = { readonly query: QueryClient; readonly asking: Asking; readonly readTo: number }

  /** @returns why the gateway refuses to list the account's transactions; null when it does not */
  async function read(
    network: NetworkId,
    address: string,
    { query, asking, readTo }: Reading,
  ): Promise<string | null> {
    const account = store.accounts.get(network, address)
    if (account === null) return null
    const usdt = createUsdtFinder(network, account, query, asking)
    try {
      await readAccount(account, {
        query,
        asking,
        readTo,
        async keep(transactions, { wasUsed, ...state }) {
          const own = await usdt(transactions)
          asking.signal?.throwIfAborted()
          store.transaction(() => {
            keepAll(network, address, transactions, own)
            store.accounts.setRead(network, address, state)
            if (wasUsed) store.accounts.setShared(network, address)
            book.changed(network, address)
            // Payments at an invoice's own address are certain once the whole address was read.
            if (state.readFrom !== null && account.readFrom === null) {
              reconciler.placeAgain(network, address)
            }
          })
          await yieldToEventLoop()
        },
      })
      reconciler.weighOwn(network, address)
      return null
    } catch (error) {
      if (error instanceof AppError && error.code === gatewayCodes.refused) return error.message
      throw error
    }
  }

  function keepAll(
    network: NetworkId,
    address: string,
    transactions: readonly TransactionAnswer[],
    usdt: Usdt | null,
  ): void {
    const added: number[] = []
    let hasSent = false
    for (const transaction of transactions) {
      const incoming = incomingOf(transaction, usdt)
      const key = incoming === null ? null : store.payments.add(network, incoming)
      if (key !== null) added.push(key)
      for (const sent of outgoingOf(transaction, usdt)) {
        if (store.outgoing.add(network, address, sent)) hasSent = true
      }
    }
    reconciler.place(network, added)
    if (hasSent) deps.onSent(network)
  }

  /** Requests the account's USDT wallet once per reading, and only where jettons moved. */
  function createUsdtFinder(
    network: NetworkId,
    account: InvoiceAccount,
    query: QueryClient,
    asking: Asking,
  ) {
    let found: Usdt | null | undefined
    return async (transactions: readonly TransactionAnswer[]): Promise<Usdt | null> => {
      const isNeeded = transactions.some((each) => notifierOf(each) !== null || ordersJettons(each))
      if (!isNeeded) return found ?? null
      if (found === undefined) {
        const { kind } = deps.access.info(network)
        const master = store.accounts.usdtMaster(network)
        found = await findUsdt(account, { kind, master }, query, asking)
        if (found !== null) {
          store.accounts.setUsdtWallet(network, account.account, found.wallet)
          book.changed(network, account.account)
        }
      }
      return found
    }
  }

  function counted(network: NetworkId, watched: WatchedNetwork) {
    const at = deps.now()
    const { reach } = watched
    const isMany = reach !== null && reach.accounts > manyAccounts
    if (isMany && Math.abs(at - reach.at) < countedEveryMs) return reach
    return (watched.reach = { at, ...store.accounts.reach(network, clock.now(network)) })
  }

  return {
    async read(network, signal) {
      of(network).wantsAll = true
      const cancel = () => void requests.cancel(network, 'chain')
      signal.addEventListener('abort', cancel, { once: true })
      try {
        await startRound(network)
        signal.throwIfAborted()
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
    nudge(network, accounts) {
      const { wanted } = of(network)
      for (const account of accounts) if (book.of(network, account) !== null) wanted.add(account)
      if (wanted.size > 0) startRound(network).catch(() => undefined)
    },
    state(network) {
      const watched = of(network)
      const { accounts, readTo } = counted(network, watched)
      return {
        addresses: accounts,
        readTo,
        isReading: requests.isRunning(network, 'chain'),
        problem: watched.problem,
      }
    },
    async forget(network) {
      networks.delete(network)
      store.accounts.forget(network)
      book.forget()
      while (store.outgoing.forgetSome(network)) await yieldToEventLoop()
    },
  }
}
