import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, problemOf, gatewayCodes } from '../../../src-preload/domain/app-error.ts'
import type { TransactionResponse } from '../../gateway/query-responses.ts'
import type { QueryClient, QueryOptions } from '../../gateway/query.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import type { BackgroundRequests } from '../../jobs/background-requests.ts'
import { readAddress } from '../../ton/address.ts'
import type { InvoicesContext } from '../context.ts'
import type { GatewayClock } from '../matching/gateway-clock.ts'
import type { Reconciler } from '../matching/reconciler.ts'
import type { InvoiceAccount, OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { TouchedAccounts } from '../store/invoice-arrivals.ts'
import type { AccountBook } from './accounts.ts'
import {
  type Usdt,
  findUsdt,
  incomingOf,
  notifierOf,
  ordersJettons,
  outgoingOf,
} from './transfers.ts'
import { unlessNotFound } from '../../chain/access.ts'
import {
  type ChainEdge,
  describeCut,
  describeGap,
  describeRepetition,
  edgeAt,
  readChainPage,
} from '../../gateway/transaction-chain.ts'

/** After this time a round starts no further address, because every invoice may have its own address. */
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

type Parts = {
  readonly book: AccountBook
  readonly clock: GatewayClock
  readonly reconciler: Reconciler
  readonly requests: BackgroundRequests
}

/** Reads the addresses of invoices on the chain, and passes their payments to the reconciler. */
export class ChainWatcher {
  readonly #context: InvoicesContext
  readonly #parts: Parts
  readonly #touched: TouchedAccounts
  readonly #nudging
  readonly #networks = new Map<NetworkId, WatchedNetwork>()
  readonly #delivered = new Set<string>()
  #deliveredTo: number

  constructor(context: InvoicesContext, parts: Parts, touched: TouchedAccounts) {
    this.#context = context
    this.#parts = parts
    this.#touched = touched
    this.#deliveredTo = touched.newest()
    this.#nudging = createBackgroundLoop(async (signal) => {
      while (this.#delivered.size > 0) {
        for (const { id } of context.networks.state().networks) this.nudge(id, this.#delivered)
        this.#delivered.clear()
        await context.wait(nudgedEveryMs, signal)
      }
    }, context.onBug)
  }

  /** Reads these raw addresses soon in the background; ignores accounts without invoices. */
  nudge(network: NetworkId, accounts: Iterable<string>): void {
    const { wanted } = this.#of(network)
    for (const account of accounts) {
      if (this.#parts.book.of(network, account) !== null) wanted.add(account)
    }
    if (wanted.size > 0) this.#startRound(network).catch(() => undefined)
  }

  /** @throws AppError of the query client; the signal's reason */
  async read(network: NetworkId, signal: AbortSignal): Promise<void> {
    this.#of(network).wantsAll = true
    const cancel = () => void this.#parts.requests.cancel(network, 'chain')
    signal.addEventListener('abort', cancel, { once: true })
    try {
      await this.#startRound(network)
      signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  state(network: NetworkId): InvoiceSync['chain'] {
    const { accounts, readTo } = this.#reachOf(network)
    const problem = this.#of(network).problem ?? this.#gapIn(network)
    const isReading = this.#parts.requests.isRunning(network, 'chain')
    return { addresses: accounts, readTo, isReading, problem }
  }

  /**
   * A delivery about an address of invoices triggers a reading, at most once a second. This finds
   * payments that the gateway does not report: partial ones and those without an invoice.
   */
  classified(upTo: number): void {
    // The index reports its last slices while the app ends, when this reader is already closed.
    if (this.#nudging.signal.aborted) return
    for (const account of this.#touched.between(this.#deliveredTo, upTo)) {
      const raw = readAddress(account)?.raw
      if (raw !== undefined) this.#delivered.add(raw)
    }
    this.#deliveredTo = Math.max(this.#deliveredTo, upTo)
    if (this.#delivered.size > 0) this.#nudging.run()
  }

  forget(network: NetworkId): void {
    this.#networks.delete(network)
    this.#context.store.accounts.forget(network)
    this.#parts.book.forget()
  }

  stop(): Promise<void> {
    return this.#nudging.stop()
  }

  #of(network: NetworkId): WatchedNetwork {
    const existing = this.#networks.get(network)
    if (existing !== undefined) return existing
    const watched = { wanted: new Set<string>(), wantsAll: false, problem: null, reach: null }
    this.#networks.set(network, watched)
    return watched
  }

  /** Rounds never overlap, because two would read the same pages. */
  #startRound(network: NetworkId): Promise<void> {
    const run = (signal: AbortSignal) => this.#round(network, this.#of(network), signal)
    return this.#parts.requests.start(network, { key: 'chain', run })
  }

  async #round(network: NetworkId, watched: WatchedNetwork, signal: AbortSignal): Promise<void> {
    const { access, now, onBug, store } = this.#context
    const { clock, reconciler } = this.#parts
    const isAll = watched.wantsAll
    watched.wantsAll = false
    let current: string | null = null
    try {
      const query = access.query(network)
      const asking: QueryOptions = { priority: 'job', owner: 'invoices/chain', signal }
      const time = await clock.read(network)
      // The sandbox's clock dates its blocks, and stands still between them.
      const readTo =
        network === 'sandbox' ? time : (await query.masterchainHead(asking)).gen_utime * 1000
      const due = isAll ? store.accounts.followed(network, clock.now(network)) : []
      const end = now() + roundMs
      let refused: string | null = null
      for (const address of addressesOf(watched, due, () => now() > end)) {
        current = address
        refused = (await this.#readAddress(network, address, { query, asking, readTo })) ?? refused
      }
      current = null
      await reconciler.settle(network, signal)
      watched.problem = refused
    } catch (error) {
      signal.throwIfAborted()
      if (current !== null && !isAll) watched.wanted.add(current)
      watched.problem = problemOf(error, 'Loading payments from the chain failed.', onBug)
      throw error
    }
  }

  /** @returns why the gateway refuses to list the account's transactions; null if it does not refuse */
  async #readAddress(
    network: NetworkId,
    address: string,
    { query, asking, readTo }: Reading,
  ): Promise<string | null> {
    const { access, store } = this.#context
    const { book, reconciler } = this.#parts
    const account = store.accounts.get(network, address)
    if (account === null) return null
    let usdt: Usdt | null | undefined

    /** Requests the account's USDT wallet once per reading, and only if jettons moved. */
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
        keep: async (transactions, { wasUsed, ...state }) => {
          const own = await usdtOf(transactions)
          asking.signal?.throwIfAborted()
          store.transaction(() => {
            this.#addTransfers(network, address, transactions, own)
            store.accounts.setRead(network, address, state)
            if (wasUsed) store.accounts.setShared(network, address)
            book.changed(network, address)
            // Payments to an invoice's own address are certain only when the whole address was read.
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

  #addTransfers(
    network: NetworkId,
    address: string,
    transactions: readonly TransactionResponse[],
    usdt: Usdt | null,
  ): void {
    const { outgoing, payments } = this.#context.store
    const { reconciler } = this.#parts
    const added: number[] = []
    const sent: OutgoingTransfer[] = []
    for (const transaction of transactions) {
      const incoming = incomingOf(transaction, usdt)
      const key = incoming && payments.add(network, incoming)
      if (key !== null) added.push(key)
      const transfers = outgoingOf(transaction, usdt)
      sent.push(...transfers.filter((each) => outgoing.add(network, address, each)))
    }
    if (added.length > 0) reconciler.link(network, payments.some(added))
    // A new outgoing transfer may be a refund.
    if (sent.length > 0) reconciler.sent(network, address, sent)
  }

  /** The user must know that payments may be missing, however long ago the addresses were read. */
  #gapIn(network: NetworkId): string | null {
    const found = this.#context.store.accounts.gap(network)
    if (found === null) return null
    const name = this.#context.nameAccount(network, { address: found.account, isWallet: true })
    return `${found.gap} Payments to ${name} may be missing.`
  }

  #reachOf(network: NetworkId) {
    const watched = this.#of(network)
    const at = this.#context.now()
    const { reach } = watched
    const isMany = reach !== null && reach.accounts > manyAccounts
    if (isMany && Math.abs(at - reach.at) < countedEveryMs) return reach
    const { accounts } = this.#context.store
    return (watched.reach = { at, ...accounts.reach(network, this.#parts.clock.now(network)) })
  }
}

/** Yields wanted addresses first, including new ones, then the due ones, until the time is used up. */
function* addressesOf({ wanted }: WatchedNetwork, due: string[], isOver: () => boolean) {
  const done = new Set<string>()
  for (;;) {
    const [first] = wanted
    const next = first ?? due.shift()
    if (next === undefined || (first === undefined && isOver())) return
    wanted.delete(next)
    if (first === undefined && done.has(next)) continue
    done.add(next)
    yield next
  }
}

type ReadState = Pick<InvoiceAccount, 'topLt' | 'bottomLt' | 'readFrom' | 'readTo' | 'gap'>

type AccountReading = {
  readonly query: Pick<QueryClient, 'accountTransactions'>
  readonly asking: QueryOptions
  readonly readTo: number
  readonly keep: (
    transactions: readonly TransactionResponse[],
    read: ReadState & { readonly wasUsed: boolean },
  ) => Promise<void>
}

const pageSize = 100

/**
 * Stores each page of an address's history before the next request, so that a reading can stop at any time.
 * @throws AppError of the query client
 */
export async function readAccount(account: InvoiceAccount, reading: AccountReading): Promise<void> {
  const { topLt, readFrom, since } = account
  const isWhole = topLt !== null && readFrom !== null && readFrom <= since
  const down = isWhole ? account : await readDown(account, reading)
  if (topLt !== null && down.topLt !== null) await readUp(account.account, down, reading)
}

async function readDown(account: InvoiceAccount, reading: AccountReading): Promise<ReadState> {
  const { since } = account
  let state: ReadState = account
  let edge = state.bottomLt === null ? null : edgeAt(state.bottomLt.toString())
  for (;;) {
    const before = state.bottomLt
    const page = await requestPage(account.account, edge, false, reading)
    const below = page.transactions
    const wanted = below.filter(({ utime }) => utime * 1000 >= since)
    const [newest, oldest] = [below.at(0), below.at(-1)]
    const isFirst = oldest?.prev_trans_lt === '0'
    const isEnd = oldest === undefined || isFirst || wanted.length < below.length
    const top = state.topLt ?? (newest === undefined ? null : BigInt(newest.lt))
    const lowest = wanted.at(-1)
    // Gaps older than the oldest wanted one do not count.
    const endLt = BigInt(below[wanted.length]?.lt ?? 0)
    const gap = page.missing.find(({ newerLt }) => BigInt(newerLt) > endLt)?.why
    edge = page.edge
    state = {
      topLt: top,
      bottomLt:
        lowest === undefined ? (before ?? (top === null ? null : top + 1n)) : BigInt(lowest.lt),
      readFrom: isEnd ? since : null,
      // The first downward reading starts at the newest transaction, so no later one is missing.
      readTo: account.topLt === null && isEnd ? reading.readTo : account.readTo,
      gap: state.gap ?? gap ?? null,
    }
    const wasUsed = isEnd && oldest !== undefined && isUsed(oldest)
    await reading.keep([...wanted].reverse(), { ...state, wasUsed })
    if (isEnd) return state
  }
}

async function readUp(account: string, from: ReadState, reading: AccountReading): Promise<void> {
  let state = from
  for (;;) {
    const after = state.topLt ?? 0n
    const page = await requestPage(account, edgeAt(after.toString()), true, reading)
    const above = page.transactions
    const newest = above.at(-1)
    const isEnd = newest === undefined || page.received < pageSize
    state = {
      ...state,
      topLt: newest === undefined ? after : BigInt(newest.lt),
      readTo: isEnd ? Math.max(reading.readTo, state.readTo ?? 0) : state.readTo,
      gap: state.gap ?? page.missing[0]?.why ?? null,
    }
    await reading.keep(above, { ...state, wasUsed: false })
    if (isEnd) return
  }
}

async function requestPage(
  account: string,
  edge: ChainEdge | null,
  isUpward: boolean,
  { query, asking }: AccountReading,
) {
  const page = await readChainPage({ account, edge, isUpward }, async (bound) => {
    const order = { limit: pageSize, sortOrder: 'desc', ...bound } as const
    const found = await unlessNotFound(query.accountTransactions(account, order, asking))
    // Some gateways respond 404 for an account without transactions.
    return (found ?? []).map((value) => ({ value }))
  })
  const { rows = [], gaps = [], isRepeated = false, isCut = false, received = 0 } = page ?? {}
  const lt = edge?.lt ?? '0'
  const repeated = { newerLt: lt, why: describeRepetition(lt) }
  const cut = { newerLt: lt, why: describeCut({ edge }) }
  return {
    transactions: rows.flatMap((row) => ('value' in row ? [row.value] : [])),
    missing: [
      ...(isRepeated && !isUpward ? [repeated] : isCut ? [cut] : []),
      ...gaps.map((gap) => ({ newerLt: gap.newerLt, why: describeGap(gap) })),
    ],
    edge: page?.edge ?? edge,
    received,
  }
}

function isUsed(oldest: TransactionResponse): boolean {
  const { prev_trans_lt: previous, orig_status: status } = oldest
  return status === 'active' || (typeof previous === 'string' && previous !== '0')
}
