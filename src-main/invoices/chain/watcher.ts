import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { TransactionResponse } from '../../gateway/query-responses.ts'
import type { QueryOptions, QueryClient } from '../../gateway/query.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import type { BackgroundRequests } from '../../jobs/background-requests.ts'
import { readAddress } from '../../ton/address.ts'
import type { InvoicesContext } from '../context.ts'
import type { GatewayClock } from '../matching/gateway-clock.ts'
import type { Reconciler } from '../matching/reconciler.ts'
import type { OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { TouchedAccounts } from '../store/invoice-arrivals.ts'
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

/** A round starts no address after this time, because every invoice may have an address of its own. */
const roundMs = 60_000
const manyAccounts = 1000
const countedEveryMs = 5000
const nudgedEveryMs = 1000

type WatchedNetwork = {
  readonly wanted: Set<string>
  wantsAll: boolean
  problem: string | null
  reach: { readonly at: number; readonly accounts: number; readonly readTo: number | null } | null
}

type Reading = {
  readonly query: QueryClient
  readonly asking: QueryOptions
  readonly readTo: number
}

export type ChainWatcher = ReturnType<typeof createWatcher>

export function createWatcher(
  { access, nameAccount, networks, now, onBug, store, wait }: InvoicesContext,
  parts: {
    readonly book: AccountBook
    readonly clock: GatewayClock
    readonly reconciler: Reconciler
    readonly requests: BackgroundRequests
  },
  touched: TouchedAccounts,
) {
  const { book, clock, reconciler, requests } = parts
  const watchedNetworks = new Map<NetworkId, WatchedNetwork>()
  const delivered = new Set<string>()
  let deliveredTo = touched.newest()

  function of(network: NetworkId): WatchedNetwork {
    const existing = watchedNetworks.get(network)
    if (existing !== undefined) return existing
    const watched = { wanted: new Set<string>(), wantsAll: false, problem: null, reach: null }
    watchedNetworks.set(network, watched)
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
      const query = access.query(network)
      const queryOptions: QueryOptions = { priority: 'job', owner: 'invoices/chain', signal }
      const time = await clock.read(network)
      // The sandbox's clock dates its blocks and stands still between them.
      const readTo =
        network === 'sandbox' ? time : (await query.masterchainHead(queryOptions)).gen_utime * 1000
      const due = isAll ? store.accounts.followed(network, clock.now(network)) : []
      const done = new Set<string>()
      const began = now()
      let refused: string | null = null
      for (;;) {
        const [wanted] = watched.wanted
        current = wanted ?? due.shift() ?? null
        if (current === null) break
        if (wanted === undefined && now() - began > roundMs) break
        watched.wanted.delete(current)
        if (wanted === undefined && done.has(current)) continue
        done.add(current)
        refused = (await read(network, current, { query, asking: queryOptions, readTo })) ?? refused
      }
      await reconciler.settle(network, signal)
      watched.problem = refused
    } catch (error) {
      signal.throwIfAborted()
      if (current !== null && !isAll) watched.wanted.add(current)
      watched.problem =
        error instanceof AppError
          ? error.message
          : 'Loading payments from the chain failed. The log has the details.'
      if (!(error instanceof AppError)) onBug(error)
      throw error
    }
  }

  /** @returns why the gateway refuses to list the account's transactions; null when it does not */
  async function read(
    network: NetworkId,
    address: string,
    { query, asking, readTo }: Reading,
  ): Promise<string | null> {
    const account = store.accounts.get(network, address)
    if (account === null) return null
    let usdt: Usdt | null | undefined

    /** Requests the account's USDT wallet once per reading, and only where jettons moved. */
    const usdtOf = async (transactions: readonly TransactionResponse[]): Promise<Usdt | null> => {
      const isNeeded = transactions.some((each) => notifierOf(each) !== null || ordersJettons(each))
      if (!isNeeded || usdt !== undefined) return usdt ?? null
      const { kind } = access.info(network)
      const master = store.accounts.usdtMaster(network)
      usdt = await findUsdt(account, { kind, master }, () => query, asking)
      if (usdt === null) return null
      store.accounts.setUsdtWallet(network, address, usdt.wallet)
      book.changed(network, address)
      return usdt
    }

    try {
      await readAccount(account, {
        query,
        asking,
        readTo,
        async keep(transactions, { wasUsed, ...state }) {
          const own = await usdtOf(transactions)
          asking.signal?.throwIfAborted()
          store.transaction(() => {
            addTransfers(network, address, transactions, own)
            store.accounts.setRead(network, address, state)
            if (wasUsed) store.accounts.setShared(network, address)
            book.changed(network, address)
            // Payments at an invoice's own address are certain once the whole address was read.
            if (state.readFrom !== null && account.readFrom === null) {
              reconciler.linkAccount(network, address)
            }
          })
          await yieldToEventLoop()
        },
      })
      reconciler.updateOwner(network, address)
      return null
    } catch (error) {
      if (error instanceof AppError && error.code === gatewayCodes.refused) return error.message
      throw error
    }
  }

  function addTransfers(
    network: NetworkId,
    address: string,
    transactions: readonly TransactionResponse[],
    usdt: Usdt | null,
  ): void {
    const added: number[] = []
    const sent: OutgoingTransfer[] = []
    for (const transaction of transactions) {
      const incoming = incomingOf(transaction, usdt)
      const key = incoming && store.payments.add(network, incoming)
      if (key !== null) added.push(key)
      sent.push(
        ...outgoingOf(transaction, usdt).filter((each) =>
          store.outgoing.add(network, address, each),
        ),
      )
    }
    if (added.length > 0) reconciler.link(network, store.payments.some(added))
    // A new outgoing transfer may be a refund.
    if (sent.length > 0) reconciler.sent(network, address, sent)
  }

  /** The reader must know that payments may be missing, however long ago the addresses were read. */
  function gapIn(network: NetworkId): string | null {
    const found = store.accounts.gap(network)
    if (found === null) return null
    const name = nameAccount(network, { address: found.account, isWallet: true })
    return `${found.gap} Payments to ${name} may be missing.`
  }

  function reachOf(network: NetworkId, watched: WatchedNetwork) {
    const at = now()
    const { reach } = watched
    const isMany = reach !== null && reach.accounts > manyAccounts
    if (isMany && Math.abs(at - reach.at) < countedEveryMs) return reach
    return (watched.reach = { at, ...store.accounts.reach(network, clock.now(network)) })
  }

  /** Reads these raw addresses soon, in the background; ignores accounts without invoices. */
  function nudge(network: NetworkId, accounts: Iterable<string>): void {
    const { wanted } = of(network)
    for (const account of accounts) if (book.of(network, account) !== null) wanted.add(account)
    if (wanted.size > 0) startRound(network).catch(() => undefined)
  }

  const nudging = createBackgroundLoop(async (signal) => {
    while (delivered.size > 0) {
      for (const { id } of networks.state().networks) nudge(id, delivered)
      delivered.clear()
      await wait(nudgedEveryMs, signal)
    }
  }, onBug)

  return {
    nudge,
    /** @throws AppError as the query client does; the signal's reason */
    async read(network: NetworkId, signal: AbortSignal): Promise<void> {
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
    state(network: NetworkId): InvoiceSync['chain'] {
      const watched = of(network)
      const { accounts, readTo } = reachOf(network, watched)
      const isReading = requests.isRunning(network, 'chain')
      return { addresses: accounts, readTo, isReading, problem: watched.problem ?? gapIn(network) }
    },
    /**
     * A delivery about an address of invoices triggers a reading, at most once a second. This finds
     * payments that the gateway does not report: partial ones and those without an invoice.
     */
    classified(upTo: number): void {
      // The index reports its last slices while the app ends, after its reader was closed.
      if (nudging.signal.aborted) return
      for (const account of touched.between(deliveredTo, upTo)) {
        const raw = readAddress(account)?.raw
        if (raw !== undefined) delivered.add(raw)
      }
      deliveredTo = Math.max(deliveredTo, upTo)
      if (delivered.size > 0) nudging.run()
    },
    forget(network: NetworkId): void {
      watchedNetworks.delete(network)
      store.accounts.forget(network)
      book.forget()
    },
    stop: () => nudging.stop(),
  }
}
