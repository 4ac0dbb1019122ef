/**
 * Pages shift while a list is read, so rows are identified by id, pages overlap, and invoices that
 * have left the list are requested one by one.
 */
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, gatewayCodes } from '../../../src-preload/domain/app-error.ts'
import { pagesOf, slicesOf } from '../../database/pages.ts'
import type { InvoiceQuestion } from '../../gateway/invoices.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'

const syncState = z.object({
  /** All invoices created up to this time were listed, by the gateway's clock; null before the first reading. */
  listedTo: z.int().nullable().default(null),
  full: z
    .object({
      offset: z.int().nonnegative(),
      /** The last invoice that was read: if it is not just before the next page, the list has shifted. */
      lastId: z.string().nullable(),
    })
    .nullable()
    .default(null),
  overpaid: z.object({ count: z.int(), offset: z.int() }).default({ count: -1, offset: 0 }),
  refused: z.object({ at: z.int(), message: z.string() }).nullable().default(null),
})
type SyncState = z.output<typeof syncState>

/** An unreadable state, perhaps of another version, is replaced by the initial state. */
export function readSyncState(json: string | undefined): SyncState {
  try {
    return syncState.parse(JSON.parse(json ?? '{}'))
  } catch {
    return syncState.parse({})
  }
}

export type Reading = {
  readonly asking: QueryOptions & { readonly signal: AbortSignal }
  readonly onRead: (read: number, expected: number | null) => void
  readonly onUnread: (unread: readonly string[]) => void
}

const pageSize = 1000
const firstPageSize = 200
/** The list is ordered by seconds, and an invoice may appear in it some time after its creation. */
const overlapMs = 10 * 60_000
const overlap = 5
/** Number of rows per transaction; the receiver responds between two slices. */
const slice = 250
const maxRequested = 300
const maxParallel = 4
/** For this time an invoice that the gateway does not have is not requested again. */
const goneMs = 3_600_000

type ReadListDeps = Pick<InvoicesContext, 'access' | 'now' | 'store'>

/** Requests pages of the list and single invoices, and records them in the ledger. */
function createListRequests(
  { access, now }: ReadListDeps,
  ledger: Ledger,
  applicationIds: ApplicationIds,
) {
  const gone = new Map<string, number>()

  async function page(
    network: NetworkId,
    question: InvoiceQuestion,
    { asking, onUnread }: Reading,
  ) {
    const { appId } = applicationIds(network)
    const askedAt = now()
    const list = await access.invoices(network).list(question, appId, asking)
    for (const some of slicesOf(list.invoices, slice)) {
      asking.signal.throwIfAborted()
      ledger.record(network, some, 'listing', askedAt)
      await setImmediate()
    }
    onUnread(list.unread)
    const { offset = 0, limit = pageSize } = question
    const length = list.invoices.length + list.unread.length
    // A gateway may return fewer rows than requested.
    const isShort = length < limit && (list.count === null || offset + length >= list.count)
    return { ...list, length, isLast: length === 0 || isShort }
  }

  async function* pages(
    network: NetworkId,
    question: InvoiceQuestion,
    reading: Reading,
    firstLimit = pageSize,
  ) {
    let { offset = 0 } = question
    for (let limit = firstLimit; ; limit = pageSize) {
      const found = await page(network, { ...question, offset, limit }, reading)
      offset += found.length
      reading.onRead(offset, found.count)
      yield found
      if (found.isLast) return
    }
  }

  const isGone = (network: NetworkId, id: string) => (gone.get(`${network} ${id}`) ?? 0) > now()

  async function one(network: NetworkId, id: string, { asking }: Reading): Promise<void> {
    const askedAt = now()
    try {
      if ((await ledger.fetch(network, id, 'fetch', asking)) !== null) return
    } catch (error) {
      // An unreadable response must not stop the other requests.
      if (error instanceof AppError && error.code === gatewayCodes.badAnswer) return
      throw error
    }
    ledger.missing(network, id, askedAt)
    gone.set(`${network} ${id}`, now() + goneMs)
  }

  return {
    page,
    pages,
    isGone,
    all: async (network: NetworkId, ids: readonly string[], reading: Reading): Promise<void> => {
      const requested = ids.filter((id) => !isGone(network, id))
      let read = 0
      for (const some of slicesOf(requested, maxParallel)) {
        reading.asking.signal.throwIfAborted()
        await Promise.all(some.map((id) => one(network, id, reading)))
        reading.onRead((read += some.length), requested.length)
      }
    },
    forget: () => gone.clear(),
  }
}

/** For readings that end before the end of the list. */
const withoutTotal = (reading: Reading): Reading => ({
  ...reading,
  onRead: (read) => reading.onRead(read, null),
})

const idOf = ({ id }: { readonly id: string }) => id

export function createReadList(deps: ReadListDeps, ledger: Ledger, applicationIds: ApplicationIds) {
  const { rows } = deps.store
  const { page, pages, all, isGone, forget } = createListRequests(deps, ledger, applicationIds)
  const turns = new Map<NetworkId, { expiresAt: number; key: number }>()

  /** Looks for many invoices that are no longer pending in the list of all invoices, by creation. */
  async function walkBack(network: NetworkId, left: Set<string>, to: number, reading: Reading) {
    for await (const { invoices } of pages(network, {}, withoutTotal(reading))) {
      for (const { id } of invoices) left.delete(id)
      const oldest = invoices.at(-1)
      if (left.size === 0 || (oldest !== undefined && oldest.createdAt < to)) return
    }
  }

  return {
    async newest(network: NetworkId, state: SyncState, reading: Reading): Promise<SyncState> {
      const floor = state.listedTo === null ? null : state.listedTo - overlapMs
      let { listedTo } = state
      const limit = floor === null ? pageSize : firstPageSize
      for await (const { invoices, isLast } of pages(network, {}, withoutTotal(reading), limit)) {
        for (const { createdAt } of invoices) listedTo = Math.max(listedTo ?? createdAt, createdAt)
        // After an empty list every invoice is new.
        if (isLast) listedTo ??= 0
        const oldest = invoices.at(-1)
        // The first reading covers all invoices, so the recent ones need no reading of their own.
        if (floor === null || (oldest !== undefined && oldest.createdAt < floor)) break
      }
      return { ...state, listedTo }
    },
    async pending(network: NetworkId, reading: Reading): Promise<void> {
      if (rows.countPending(network) === 0) return
      const listed = new Set<string>()
      const question = { statuses: ['pending'], descending: false }
      // When invoices leave the list, the others shift; those that are missed are requested below.
      for await (const { invoices } of pages(network, question, reading)) {
        for (const { id } of invoices) listed.add(id)
      }
      const left = new Set<string>()
      let oldest = Infinity
      const stored = pagesOf<StoredInvoice>((last) => {
        reading.asking.signal.throwIfAborted()
        return rows.pending(network, last, slice)
      })
      for await (const pendingRows of stored) {
        for (const { id, createdAt } of pendingRows) {
          if (listed.has(id) || isGone(network, id)) continue
          left.add(id)
          oldest = Math.min(oldest, createdAt)
        }
      }
      if (left.size > maxRequested) await walkBack(network, left, oldest, reading)
      await all(network, [...left].slice(0, maxRequested), reading)
    },
    /** An overpayment grows without a change of the status, so overpaid invoices are read again. */
    async overpaid(
      network: NetworkId,
      state: SyncState,
      reading: Reading,
      isWished: boolean,
    ): Promise<SyncState> {
      const { overpaid } = state
      const first = await page(network, { overpaid: true }, reading)
      const count = first.count ?? first.length
      if (first.isLast) return { ...state, overpaid: { count, offset: 0 } }
      const isWhole = isWished || count !== overpaid.count
      const from = isWhole ? first.length : Math.max(overpaid.offset, first.length)
      let offset = from
      const further = pages(network, { overpaid: true, offset: from }, reading)
      for await (const { length, isLast } of further) {
        offset = isLast ? 0 : offset + length
        if (!isWhole) break
      }
      return { ...state, overpaid: { count, offset } }
    },
    /** Requests pending invoices one by one, for a gateway that does not list them. */
    async oneByOne(network: NetworkId, reading: Reading): Promise<void> {
      const pendingRows = rows.pending(network, turns.get(network), maxRequested)
      const last = pendingRows.at(-1)
      if (last === undefined || pendingRows.length < maxRequested) turns.delete(network)
      else turns.set(network, { expiresAt: last.expiresAt, key: last.key })
      await all(network, pendingRows.map(idOf), reading)
    },
    inOtherState: (network: NetworkId, reading: Reading): Promise<void> =>
      all(network, rows.inOtherState(network, 0, maxRequested).map(idOf), reading),
    async full(network: NetworkId, state: SyncState, reading: Reading): Promise<SyncState> {
      const from = Math.max(0, (state.full?.offset ?? 0) - overlap)
      const question = { offset: from, limit: pageSize, descending: false }
      const found = await page(network, question, reading)
      reading.onRead(from + found.length, found.count)
      return { ...state, full: fullAfter(found, from, state.full?.lastId ?? null) }
    },
    forget(network: NetworkId): void {
      turns.delete(network)
      forget()
    },
  }
}

/** The position where reading all invoices continues after a page; null at the end. */
function fullAfter(
  { invoices, length, unread, isLast }: Awaited<ReturnType<ListRequests['page']>>,
  from: number,
  lastId: string | null,
): SyncState['full'] {
  if (lastId !== null && !invoices.some(({ id }) => id === lastId)) {
    return { offset: Math.max(0, from - pageSize), lastId: null }
  }
  if (isLast) return null
  // After an unreadable invoice the next page cannot be compared with the last id.
  const last = unread.length > 0 ? undefined : invoices.at(-1)
  return { offset: from + length, lastId: last?.id ?? null }
}

type ListRequests = ReturnType<typeof createListRequests>

const listAgainMs = 3_600_000
/** Recent invoices are read at this interval while all invoices are being read. */
const meanwhileMs = 60_000

export function createListProgress(
  context: Pick<InvoicesContext, 'access' | 'now' | 'store'>,
  ledger: Ledger,
  applicationIds: ApplicationIds,
) {
  const { now, store } = context
  const list = createReadList(context, ledger, applicationIds)

  const stateOf = (network: NetworkId) => readSyncState(store.ledgers.get(network)?.state)

  function save(
    network: NetworkId,
    state: SyncState,
    read: { readonly listedAt?: number; readonly fullAt?: number } = {},
  ): void {
    const { listedAt, fullAt } = store.ledgers.get(network) ?? { listedAt: null, fullAt: null }
    store.ledgers.put(network, { listedAt, fullAt, ...read, state: JSON.stringify(state) })
  }

  /** @throws AppError if not even single invoices can be requested */
  async function whyOneByOne(network: NetworkId, error: unknown, reading: Reading) {
    if (!(error instanceof AppError) || !refusals.has(error.code)) throw error
    const [pending] = store.rows.pending(network, undefined, 1)
    if (pending === undefined) throw error
    try {
      await ledger.fetch(network, pending.id, 'fetch', reading.asking)
    } catch {
      throw error
    }
    return error.message
  }

  /**
   * @param isWished true if a user waits, so that refused requests are repeated
   * @throws AppError of the client; the signal's reason
   */
  async function readRecent(
    network: NetworkId,
    isWished: boolean,
    reading: Reading,
  ): Promise<void> {
    let state = stateOf(network)
    if (isWished || state.refused === null || now() >= state.refused.at + listAgainMs) {
      try {
        state = { ...(await list.newest(network, state, reading)), refused: null }
      } catch (error) {
        const message = await whyOneByOne(network, error, reading)
        state = { ...state, refused: { at: now(), message } }
      }
      save(network, state)
    }
    if (state.refused !== null) await list.oneByOne(network, reading)
    else {
      await list.pending(network, reading)
      await list.inOtherState(network, reading)
      try {
        save(network, await list.overpaid(network, stateOf(network), reading, isWished))
      } catch (error) {
        // The gateway cannot filter by overpayment, but reading all invoices finds overpaid ones.
        if (!(error instanceof AppError) || error.code !== gatewayCodes.refused) throw error
      }
    }
    save(network, stateOf(network), { listedAt: now() })
  }

  /** Reads recent invoices between the pages of all invoices. */
  async function readAll(network: NetworkId, isWished: boolean, reading: Reading): Promise<void> {
    let recentAt = now()
    for (;;) {
      const state = stateOf(network)
      if (state.refused !== null) return
      const next = await list.full(network, state, reading)
      if (next.full === null) {
        save(network, next, { fullAt: now() })
        return
      }
      save(network, next)
      if (now() - recentAt < meanwhileMs) continue
      await readRecent(network, isWished, { ...reading, onRead: () => undefined })
      recentAt = now()
    }
  }

  return {
    problem(network: NetworkId): string | null {
      const { refused } = stateOf(network)
      return (
        refused &&
        `Tondesk requests invoices one by one, because the gateway does not list them for this token (${refused.message}) Only webhooks report invoices that were created outside this app.`
      )
    },
    readRecent,
    readAll,
    beginAnew: (network: NetworkId) => save(network, { ...stateOf(network), full: null }),
    forget(network: NetworkId): void {
      list.forget(network)
      store.ledgers.forget(network)
    },
  }
}

/**
 * Errors by which a gateway refuses the list although the token is valid for single invoices
 * (gateway-facts 3.1).
 */
const refusals: ReadonlySet<string> = new Set([
  gatewayCodes.refused,
  gatewayCodes.keyRefused,
  gatewayCodes.forbidden,
  gatewayCodes.notFound,
])
