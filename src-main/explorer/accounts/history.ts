import type { Handlers, Output } from '../../../src-preload/contract/routes.ts'
import type { AccountEventResponse } from '../../gateway/event-responses.ts'
import type { QueryClient } from '../../gateway/query.ts'
import { type Row, type TransactionResponse, readableRows } from '../../gateway/query-responses.ts'
import {
  type ChainEdge,
  describeGap,
  describeRepetition,
  edgeAt,
  edgeOf,
  readChainPage,
} from '../../gateway/transaction-chain.ts'
import { accountsOf, createNamer, requireAddress } from '../../chain/addresses.ts'
import { type ExplorerContext, isMissing, isNotFound, offlineReason } from '../../chain/access.ts'
import { checkRows } from '../../chain/check-transaction.ts'
import {
  type HistoryEntry,
  type ReadTransaction,
  historyRow,
  isFirst,
  jettonWalletsIn,
  namedIn,
  opcodesIn,
  readTransaction,
} from '../../chain/history-row.ts'
import type { Dictionaries } from '../contracts/dictionaries.ts'
import type { AssetOf } from '../../chain/read-trace.ts'
import type { JettonWalletBook } from '../../chain/jetton-wallets.ts'
import type { StoredChain } from '../transactions/stored-chain.ts'
import { eventEntries } from '../transactions/events.ts'
import type { HistoryFilter, HistoryRow } from '../../../src-preload/contract/chain/account.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import { badOpcode, parseOpcode } from '../../../src-preload/domain/opcode.ts'

type Sources = {
  readonly context: ExplorerContext
  readonly stored: StoredChain
  readonly wallets: JettonWalletBook
  readonly dictionaries: Pick<Dictionaries, 'nameOpcode' | 'nameActions'>
}

/** One request for one page of an account's history. */
type Reading = HistoryRequest & {
  readonly network: NetworkId
  readonly address: string
  readonly signal: AbortSignal
}

export function createHistory(
  sources: Sources,
  knownAsset: (network: string, address: string) => AssetOf,
): Handlers['account.history'] {
  const { context, stored } = sources
  const { access, now } = context
  /** True if a client's gateway supports events. A network with a new URL gets a new client. */
  const feeds = new WeakMap<
    QueryClient,
    { readonly error: AppError | null; readonly until: number }
  >()
  return async function history({ network, address: text, filter, view, refresh, ...page }) {
    // A test-only address is accepted, because the same account may exist on this network.
    const address = requireAddress(text, true)
    const signal = access.interest(network)
    const entryFilter = readHistoryFilter(filter)
    const reading: Reading = { ...page, network, address, signal, filter: entryFilter }
    const needless = new AbortController()
    let spare: ReturnType<typeof fetchPage> | null = null

    let viewProblem: string | null = null
    let missing: AppError | null = null
    if (view === 'events' && filter.opcode !== null) {
      viewProblem = 'Events have no opcode, so this filter lists transactions.'
    } else if (view === 'events') {
      try {
        const query = access.query(network)
        const feed = refresh ? undefined : feeds.get(query)
        if (feed && feed.error !== null && now() < feed.until) throw feed.error
        const events = fetchEvents(sources, reading)
        // Transactions are requested at the same time, because a gateway that lists no events says
        // so only in its response.
        if (feed === undefined && page.before === null) {
          const either = AbortSignal.any([signal, needless.signal])
          spare = fetchPage(sources, { ...reading, signal: either })
          spare.catch(() => undefined)
        }
        const found = await events
        needless.abort()
        feeds.set(query, { error: null, until: Infinity })
        return { network, view, viewProblem, ...found, offline: null }
      } catch (error) {
        signal.throwIfAborted()
        if (isMissing(error)) missing = error
        const reason = missing === null ? offlineReason(error) : noEvents
        // A list that began with events must not continue with transactions.
        if (reason === null || page.before !== null) throw error
        viewProblem =
          missing === null
            ? `Could not load the events, so the history shows transactions. ${reason}`
            : noEvents
      }
    }
    const shown = { network, view: 'transactions' as const, viewProblem }
    try {
      const found = await (spare ?? fetchPage(sources, reading))
      // A 404 may also mean that the gateway does not know the account.
      if (missing !== null && (found.rows.length > 0 || !isNotFound(missing))) {
        feeds.set(access.query(network), { error: missing, until: now() + askAgainMs })
      }
      return { ...shown, ...found, offline: null }
    } catch (error) {
      signal.throwIfAborted()
      // Some gateways respond 404 for an account without transactions.
      if (isNotFound(error)) return { ...shown, ...nothing, rows: [], unread: [] }
      const offline = offlineReason(error)
      if (offline === null) throw error
      if (stored.ofAccount(network, address, { beforeLt: null, limit: 1 }).length === 0) throw error
      const source = storedSource(stored, network, address)
      const assetOf = knownAsset(network, address)
      const found = await readHistory(reading, source, (transactions) =>
        toEntries(sources, reading, transactions.map(readTransaction), assetOf),
      )
      return { ...shown, ...found, offline }
    }
  }
}

function toEntries(
  { context, dictionaries }: Sources,
  { network, address }: Reading,
  read: readonly ReadTransaction[],
  assetOf: AssetOf,
): HistoryEntry[] {
  const name = createNamer(
    read.flatMap(({ transaction }) => [...accountsOf(transaction)]),
    read.flatMap(namedIn),
    (addresses) => context.labelsOf(network, addresses),
  )
  return read.map((each) => {
    const row = historyRow(each, { name, assetOf })
    const receiver = row.direction === 'out' ? row.peer?.address : address
    const named =
      row.operation === null ? dictionaries.nameOpcode(network, receiver, row.opcode) : null
    return { row: { ...row, ...named }, opcodes: opcodesIn(each), isFirst: isFirst(each) }
  })
}

async function fetchPage(sources: Sources, reading: Reading) {
  const { context, stored, wallets } = sources
  const { network, address, signal } = reading
  const query = context.access.query(network)
  let edge: ChainEdge | null = null
  const gaps: string[] = []

  const source: Source<TransactionResponse> = async ({ before, after, limit }) => {
    const lt = after ?? before
    if (edge?.lt !== lt) edge = lt === null ? null : storedEdge(stored, network, address, lt)
    const from = { account: address, edge, isUpward: after !== null, limit }
    const page = await readChainPage(from, async (bound) => {
      const part = { limit, ...bound }
      const rows = await checkRows(await query.accountTransactionRows(address, part, { signal }))
      stored.put(network, readableRows(rows))
      return rows
    })
    if (page === null) return { rows: [] }
    gaps.push(...page.strays, ...page.gaps.map(describeGap))
    if (page.isRepeated && after === null) gaps.push(describeRepetition(edge?.lt ?? '0'))
    edge = page.edge
    return { rows: page.rows }
  }
  const found = await readHistory(reading, source, async (transactions) => {
    const read = transactions.map(readTransaction)
    const named = new Set(read.flatMap(jettonWalletsIn))
    const assetOf = await wallets.ownedBy({ network, address }, named, { query, signal })
    return toEntries(sources, reading, read, assetOf)
  })
  return { ...found, unread: [...found.unread, ...gaps] }
}

/** The position from which the next page of a list continues. */
function storedEdge(stored: StoredChain, network: string, address: string, lt: string): ChainEdge {
  const page = { beforeLt: (BigInt(lt) + 1n).toString(), limit: 1 }
  const [found] = stored.ofAccount(network, address, page)
  return found?.transaction.lt === lt ? edgeOf({ value: found.transaction }) : edgeAt(lt)
}

function fetchEvents({ context, dictionaries }: Sources, reading: Reading) {
  const { network, address, signal } = reading
  const { from, to } = reading.filter ?? { from: null, to: null }
  const query = context.access.query(network)
  const source: Source<AccountEventResponse> = async ({ before, limit }) => {
    const page = {
      limit: Math.min(limit, maxEvents),
      ...(before !== null && { beforeLt: before }),
      ...(from !== null && { since: Math.floor(from / 1000) }),
      ...(to !== null && { until: Math.floor(to / 1000) }),
    }
    const { events, next } = await query.accountEvents(address, page, { signal })
    return { rows: events, next }
  }
  return readHistory({ ...reading, after: null }, source, (events) => {
    const named = events.map((event) => ({
      ...event,
      actions: dictionaries.nameActions(network, event.actions),
    }))
    return eventEntries(named, address, (addresses) => context.labelsOf(network, addresses))
  })
}

const noEvents =
  'This gateway does not list events, so the history shows transactions. Jettons that arrived without a notification to the account are not among them.'

/** For this time, no events are requested from a gateway that lists none, unless the user reloads. */
const askAgainMs = 3_600_000

/** The maximum number of events per request that the service accepts. */
const maxEvents = 100

const nothing = { older: null, newer: null, scanned: 0, isBeginning: true, offline: null }

/**
 * The store can only be read from newest to oldest, so an upward page is filtered from the newest
 * transactions.
 */
function storedSource(
  stored: StoredChain,
  network: string,
  address: string,
): Source<TransactionResponse> {
  return ({ before, after, limit }) => {
    const page = after === null ? { beforeLt: before, limit } : { beforeLt: null, limit: maxUpward }
    const found = stored.ofAccount(network, address, page).map(({ transaction }) => transaction)
    const rows =
      after === null ? found : found.filter(({ lt }) => BigInt(lt) > BigInt(after)).reverse()
    return Promise.resolve({ rows: rows.slice(0, limit).map((value) => ({ value })) })
  }
}

const maxUpward = 1_000

type Source<T> = (page: {
  /** Logical time: older transactions are returned, newest first. Null starts at the newest. */
  readonly before: string | null
  /** Logical time: newer transactions are returned, oldest first; `before` is then null. */
  readonly after: string | null
  readonly limit: number
}) => Promise<{
  readonly rows: readonly Row<T>[]
  /**
   * The gateway's own cursor for the next page; null at the end. If it is absent, the last row is
   * the cursor.
   */
  readonly next?: string | null
}>

/** `from` and `to` are Unix milliseconds, both inclusive. */
type EntryFilter = Pick<HistoryFilter, 'from' | 'to'> & {
  readonly matches: (entry: HistoryEntry) => boolean
}

export type HistoryRequest = {
  readonly before: string | null
  readonly after: string | null
  readonly limit: number
  readonly filter: EntryFilter | null
}

/** Maximum number of rows scanned for one page, even if the filter matches few of them. */
const maxScanned = 1_000
/** Number of transactions per request of a filtered list; they have a few hundred KiB. */
const pageSize = 200

export async function readHistory<T>(
  { before, after, limit, filter }: HistoryRequest,
  source: Source<T>,
  toEntries: (
    responses: readonly T[],
  ) => readonly HistoryEntry[] | Promise<readonly HistoryEntry[]>,
): Promise<Omit<Output<'account.history'>, 'network' | 'offline' | 'view' | 'viewProblem'>> {
  const isUpward = after !== null
  const rows: HistoryRow[] = []
  let first: string | null = null
  let last: string | null = null
  let scanned = 0
  let isEnd = false
  let isBeginning = false
  const unread: string[] = []
  while (!isEnd && rows.length < limit && scanned < maxScanned) {
    const size = filter === null ? limit - rows.length : Math.min(pageSize, maxScanned - scanned)
    const edge: string | null = last ?? after ?? before
    const { rows: page, next: cursor } = await source(
      isUpward
        ? { before: null, after: edge, limit: size }
        : { before: edge, after: null, limit: size },
    )
    // Upward, a short page is the last one. Downward, a server may return short pages at any time.
    isEnd = page.length === 0 || (isUpward && page.length < size)
    const entries = (await toEntries(readableRows(page))).values()
    let isWhole = true
    for (const each of page) {
      if (rows.length === limit) {
        isWhole = false
        break
      }
      if ('unread' in each) {
        // Reading continues after an unreadable transaction if its logical time is known.
        last = each.unread.lt ?? last
        first ??= each.unread.lt
        scanned += 1
        unread.push(each.unread.why)
        continue
      }
      const entry = entries.next().value
      if (entry === undefined) break
      const { row } = entry
      if (isBeyond(row.at, filter, isUpward)) {
        isEnd = true
        break
      }
      first ??= row.lt
      last = row.lt
      scanned += 1
      if (filter === null || isShown(entry, filter)) rows.push(row)
      if (!isUpward && entry.isFirst) isEnd = isBeginning = true
    }
    if (cursor !== undefined && isWhole && !isEnd) {
      // A cursor that does not move downward would return the same page forever.
      const isMoving = cursor !== null && (edge === null || BigInt(cursor) < BigInt(edge))
      if (isMoving) last = cursor
      else isEnd = true
    }
    // Without a logical time the same page would be requested forever.
    if (last === null || last === edge) isEnd = true
  }
  if (isUpward) {
    const edges = { older: first ?? next(after, 1n), newer: last ?? after }
    return { rows: rows.reverse(), ...edges, scanned, isBeginning, unread }
  }
  const newer = first ?? (before === null ? null : next(before, -1n))
  return { rows, older: isEnd ? null : last, newer, scanned, isBeginning, unread }
}

function isShown(entry: HistoryEntry, filter: EntryFilter): boolean {
  const { at } = entry.row
  if (filter.from !== null && at < filter.from) return false
  if (filter.to !== null && at > filter.to) return false
  return filter.matches(entry)
}

/** Time and logical time grow together, so no later page can contain the time span. */
function isBeyond(at: number, filter: EntryFilter | null, isUpward: boolean): boolean {
  const { from, to } = filter ?? { from: null, to: null }
  return isUpward ? to !== null && at > to : from !== null && at < from
}

function next(lt: string, step: bigint): string {
  const moved = BigInt(lt) + step
  return (moved < 0n ? 0n : moved).toString()
}

export function readHistoryFilter(filter: HistoryFilter): EntryFilter | null {
  const { direction, from, to } = filter
  if (Object.values(filter).every((value) => value === null)) return null
  const asset = filter.asset?.trim() ?? null
  const isTon = asset !== null && /^(ton|gram)$/i.test(asset)
  const jetton = asset === null || isTon ? null : requireAddress(asset, true)
  const opcode = filter.opcode === null ? null : requireOpcode(filter.opcode)
  return {
    from,
    to,
    matches({ row, opcodes }: HistoryEntry) {
      if (direction !== null && row.direction !== direction) return false
      if (opcode !== null && !opcodes.includes(opcode)) return false
      if (asset === null) return true
      const changes = row.event?.changes ?? (row.change === null ? [] : [row.change])
      return changes.some((change) => change.asset.jetton === jetton)
    },
  }
}

/** @throws AppError INVALID_INPUT */
function requireOpcode(text: string): number {
  const opcode = parseOpcode(text)
  if (opcode === null) throw new AppError(bridgeCodes.invalidInput, badOpcode)
  return opcode
}
