/**
 * Pages shift while a list is read, so rows are identified by id, pages overlap, and invoices that left
 * the list are requested singly.
 */
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
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
      /** The last invoice read: when it is not just before the next page, the list has shifted. */
      lastId: z.string().nullable(),
    })
    .nullable()
    .default(null),
  overpaid: z.object({ count: z.int(), offset: z.int() }).default({ count: -1, offset: 0 }),
  refused: z.object({ at: z.int(), message: z.string() }).nullable().default(null),
})
export type SyncState = z.output<typeof syncState>

/** An unparsable state, perhaps of another version, is replaced by the initial state. */
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
/** Rows per transaction: the receiver responds between two slices. */
const slice = 250
const maxRequested = 300
const maxParallel = 4
/** An invoice that the gateway does not have is not requested again for this long. */
const goneMs = 3_600_000

export function createReadList(
  { access, now, store }: Pick<InvoicesContext, 'access' | 'now' | 'store'>,
  ledger: Ledger,
  applicationIds: ApplicationIds,
) {
  const { rows } = store
  const turns = new Map<NetworkId, { expiresAt: number; key: number }>()
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
    // A gateway may return fewer than the requested number.
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

  async function fetchOne(network: NetworkId, id: string, { asking }: Reading): Promise<void> {
    const askedAt = now()
    try {
      if ((await ledger.fetch(network, id, 'fetch', asking)) !== null) return
    } catch (error) {
      // An unparsable response must not stop the other requests.
      if (error instanceof AppError && error.code === gatewayCodes.badAnswer) return
      throw error
    }
    ledger.missing(network, id, askedAt)
    gone.set(`${network} ${id}`, now() + goneMs)
  }

  async function ids(network: NetworkId, all: readonly string[], reading: Reading) {
    const requested = all.filter((id) => !isGone(network, id))
    let read = 0
    for (const some of slicesOf(requested, maxParallel)) {
      reading.asking.signal.throwIfAborted()
      await Promise.all(some.map((id) => fetchOne(network, id, reading)))
      reading.onRead((read += some.length), requested.length)
    }
  }

  /** For readings that end before the list does. */
  const withoutTotal = (reading: Reading): Reading => ({
    ...reading,
    onRead: (read) => reading.onRead(read, null),
  })

  /** Looks up many invoices that are no longer pending in the list of all, by creation. */
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
        // The first reading covers all invoices anyway, oldest first.
        if (floor === null || (oldest !== undefined && oldest.createdAt < floor)) break
      }
      return { ...state, listedTo }
    },
    async pending(network: NetworkId, reading: Reading): Promise<void> {
      if (rows.countPending(network) === 0) return
      const listed = new Set<string>()
      const question = { statuses: ['pending'], descending: false }
      // Invoices that leave the list shift the others; those missed this way are requested below.
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
      await ids(network, [...left].slice(0, maxRequested), reading)
    },
    /** An overpayment grows without a change of status, so overpaid invoices are read again. */
    async overpaid(
      network: NetworkId,
      state: SyncState,
      reading: Reading,
      all: boolean,
    ): Promise<SyncState> {
      const { overpaid } = state
      const question = { overpaid: true }
      const first = await page(network, question, reading)
      const count = first.count ?? first.length
      if (first.isLast) return { ...state, overpaid: { count, offset: 0 } }
      const rest = all || count !== overpaid.count
      const from = rest ? first.length : Math.max(overpaid.offset, first.length)
      let offset = from
      for await (const { length, isLast } of pages(
        network,
        { ...question, offset: from },
        reading,
      )) {
        offset = isLast ? 0 : offset + length
        if (!rest) break
      }
      return { ...state, overpaid: { count, offset } }
    },
    /** Requests pending invoices one by one, for a gateway that does not list them. */
    async oneByOne(network: NetworkId, reading: Reading): Promise<void> {
      const pendingRows = rows.pending(network, turns.get(network), maxRequested)
      const last = pendingRows.at(-1)
      if (last === undefined || pendingRows.length < maxRequested) turns.delete(network)
      else turns.set(network, { expiresAt: last.expiresAt, key: last.key })
      await ids(
        network,
        pendingRows.map(({ id }) => id),
        reading,
      )
    },
    async inOtherState(network: NetworkId, reading: Reading): Promise<void> {
      const found = rows.inOtherState(network, 0, maxRequested).map(({ id }) => id)
      await ids(network, found, reading)
    },
    async full(network: NetworkId, state: SyncState, reading: Reading): Promise<SyncState> {
      const { offset, lastId } = state.full ?? { offset: 0, lastId: null }
      const from = Math.max(0, offset - overlap)
      const question = { offset: from, limit: pageSize, descending: false }
      const { invoices, length, count, unread, isLast } = await page(network, question, reading)
      reading.onRead(from + length, count)
      if (lastId !== null && !invoices.some(({ id }) => id === lastId)) {
        return { ...state, full: { offset: Math.max(0, from - pageSize), lastId: null } }
      }
      if (isLast) return { ...state, full: null }
      // After an unparsed invoice the next page cannot be checked by the last id.
      const last = unread.length > 0 ? undefined : invoices.at(-1)
      return { ...state, full: { offset: from + length, lastId: last?.id ?? null } }
    },
    forget(network: NetworkId): void {
      turns.delete(network)
      gone.clear()
    },
  }
}
