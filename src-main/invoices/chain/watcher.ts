/** Follows the addresses that invoices name, and keeps what they receive and send. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { TransactionAnswer } from '../../gateway/query-answers.ts'
import type { Asking, QueryClient } from '../../gateway/query.ts'
import type { InvoiceAccount } from '../store/invoice-accounts.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { GatewayClock } from '../reconciliation/gateway-clock.ts'
import type { LocalReconciler } from '../reconciliation/reconciler.ts'
import type { ChainFollower, GatewayAccess } from '../parts.ts'
import type { AccountBook } from './accounts.ts'
import { readAccount } from './read-account.ts'
import { type Usdt, incomingOf, notifierOf, ordersJettons, outgoingOf } from './transfers.ts'
import { findUsdt } from './usdt.ts'

type WatcherDeps = {
  readonly access: Pick<GatewayAccess, 'query' | 'info'>
  readonly store: Pick<InvoiceStore, 'transaction' | 'payments' | 'outgoing' | 'accounts'>
  readonly book: AccountBook
  readonly reconciler: Pick<LocalReconciler, 'place' | 'placeAgain' | 'weighOwn' | 'settle'>
  readonly clock: GatewayClock
  readonly now: () => number
  /** Something that an address has sent was not known yet: a refund may be seen. */
  readonly onSent: (network: NetworkId) => void
  readonly onBug: (error: unknown) => void
}

type LocalFollower = ChainFollower & {
  /** Ends what is being read. */
  stop(): Promise<void>
}

type Followed = {
  /** To be read before anything else. */
  readonly wanted: Set<string>
  /** Rounds one after another. */
  tail: Promise<void>
  rounds: number
  problem: string | null
  halt: AbortController
  /** As it was counted last: of many addresses that takes a while. */
  reach: { readonly at: number; readonly accounts: number; readonly readTo: number | null } | null
}

/**
 * Every invoice may have an address of its own: a round goes on to the next for as long, those read
 * longest ago first, and leaves the rest to the one after it.
 */
const roundMs = 60_000
const manyAccounts = 1000
const countedEveryMs = 5000

export function createWatcher(deps: WatcherDeps): LocalFollower {
  const { store, book, reconciler, clock } = deps
  const networks = new Map<NetworkId, Followed>()
  const forgetting = new Set<NetworkId>()
  let isStopped = false

  function of(network: NetworkId): Followed {
    const known = networks.get(network)
    if (known !== undefined) return known
    const fresh: Followed = {
      wanted: new Set(),
      tail: Promise.resolve(),
      rounds: 0,
      problem: null,
      halt: new AbortController(),
      reach: null,
    }
    networks.set(network, fresh)
    return fresh
  }

  /** One round at a time: two would read the same pages. */
  function queue(network: NetworkId, isAll: boolean, signal: AbortSignal | null): Promise<void> {
    const followed = of(network)
    const halts = [followed.halt.signal, ...(signal === null ? [] : [signal])]
    const run = followed.tail.then(() => round(network, followed, isAll, AbortSignal.any(halts)))
    followed.rounds += 1
    followed.tail = run
      .catch(() => undefined)
      .finally(() => {
        followed.rounds -= 1
      })
    return run
  }

  async function round(
    network: NetworkId,
    followed: Followed,
    isAll: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted()
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
        const [wanted] = followed.wanted
        current = wanted ?? due.shift() ?? null
        if (current === null) break
        if (wanted === undefined && deps.now() - began > roundMs) break
        followed.wanted.delete(current)
        // What was asked for meanwhile is read once more, the rest only once.
        if (wanted === undefined && done.has(current)) continue
        done.add(current)
        refused = (await read(network, current, { query, asking, readTo })) ?? refused
      }
      await reconciler.settle(network, signal)
      followed.problem = refused
    } catch (error) {
      signal.throwIfAborted()
      if (current !== null && !isAll) followed.wanted.add(current)
      followed.problem =
        error instanceof AppError ? error.message : 'Reading the chain failed; see the log.'
      if (!(error instanceof AppError)) deps.onBug(error)
      throw error
    }
  }

  /** Up to which block time the gateway knows the chain for sure. */
  async function reachOf(network: NetworkId, query: QueryClient, asking: Asking): Promise<number> {
    const at = await clock.read(network)
    // The sandbox's clock stands still between blocks, and dates them.
    if (network === 'sandbox') return at
    return (await query.masterchainHead(asking)).gen_utime * 1000
  }

  type Reading = { readonly query: QueryClient; readonly asking: Asking; readonly readTo: number }

  /** @returns why the gateway would not tell of this one */
  async function read(
    network: NetworkId,
    address: string,
    { query, asking, readTo }: Reading,
  ): Promise<string | null> {
    const account = store.accounts.get(network, address)
    if (account === null) return null
    const usdt = createUsdtLook(network, account, query, asking)
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
            // What an address of one's own makes certain is known once all of it was read.
            if (state.readFrom !== null && account.readFrom === null) {
              reconciler.placeAgain(network, address)
            }
          })
          await breathe()
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

  /** Looked for only where somebody says that jettons moved, and once a reading. */
  function createUsdtLook(
    network: NetworkId,
    account: InvoiceAccount,
    query: QueryClient,
    asking: Asking,
  ) {
    let found: Usdt | null | undefined
    return async (transactions: readonly TransactionAnswer[]): Promise<Usdt | null> => {
      const isAsked = transactions.some((each) => notifierOf(each) !== null || ordersJettons(each))
      if (!isAsked) return found ?? null
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

  function counted(network: NetworkId, followed: Followed): NonNullable<Followed['reach']> {
    const at = deps.now()
    const { reach } = followed
    const isMany = reach !== null && reach.accounts > manyAccounts
    if (isMany && Math.abs(at - reach.at) < countedEveryMs) return reach
    return (followed.reach = { at, ...store.accounts.reach(network, clock.now(network)) })
  }

  async function end(network: NetworkId): Promise<void> {
    const followed = networks.get(network)
    if (followed === undefined) return
    followed.wanted.clear()
    followed.halt.abort()
    await followed.tail
    followed.halt = new AbortController()
  }

  return {
    async read(network, signal) {
      if (isStopped || forgetting.has(network)) return
      await queue(network, true, signal)
    },
    nudge(network, accounts) {
      if (isStopped || forgetting.has(network)) return
      const followed = of(network)
      for (const account of accounts) {
        if (book.of(network, account) !== null) followed.wanted.add(account)
      }
      // One under way looks at what is wanted by itself; one more makes sure of the last moment.
      if (followed.wanted.size === 0 || followed.rounds > 1) return
      queue(network, false, null).catch(() => undefined)
    },
    state(network) {
      const followed = of(network)
      const { accounts, readTo } = counted(network, followed)
      return {
        addresses: accounts,
        readTo,
        isReading: followed.rounds > 0,
        problem: followed.problem,
      } satisfies InvoiceSync['chain']
    },
    async forget(network) {
      forgetting.add(network)
      try {
        await end(network)
        networks.delete(network)
        store.accounts.forget(network)
        book.forget()
        while (store.outgoing.forgetSome(network)) await breathe()
      } finally {
        forgetting.delete(network)
      }
    },
    async stop() {
      isStopped = true
      await Promise.all([...networks.keys()].map(end))
    },
  }
}
