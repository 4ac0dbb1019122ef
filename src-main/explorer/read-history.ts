/** One page of an account's history, read from wherever its transactions come in their order. */
import type { HistoryRow } from '../../src-preload/contract/index.ts'
import type { TransactionAnswer } from '../gateway/query-answers.ts'

export type TransactionSource = (page: {
  /** Newest first, those before it; with null from the newest there is. */
  readonly before: string | null
  /** Oldest first, those after it. At most one of the two is given. */
  readonly after: string | null
  readonly limit: number
}) => Promise<readonly TransactionAnswer[]>

export type HistoryEntry = {
  readonly row: HistoryRow
  /** Of all messages between contracts in it. */
  readonly opcodes: readonly number[]
  /** The account did nothing before it. */
  readonly isFirst: boolean
}

export type EntryFilter = {
  readonly matches: (entry: HistoryEntry) => boolean
  /** Unix milliseconds, both included. */
  readonly from: number | null
  readonly to: number | null
}

export type HistoryQuestion = {
  readonly before: string | null
  readonly after: string | null
  readonly limit: number
  /** Null shows all. */
  readonly filter: EntryFilter | null
}

export type HistoryPart = {
  /** Newest first. */
  readonly rows: readonly HistoryRow[]
  readonly older: string | null
  readonly newer: string | null
  readonly scanned: number
}

/** Transactions looked at for one question, however few of them are shown. */
const mostScanned = 1_000
/** Of each request for a filtered list: some hundred KiB. */
const pageSize = 200

export async function readHistory(
  { before, after, limit, filter }: HistoryQuestion,
  source: TransactionSource,
  toEntries: (transactions: readonly TransactionAnswer[]) => Promise<readonly HistoryEntry[]>,
): Promise<HistoryPart> {
  const isUpward = after !== null
  const rows: HistoryRow[] = []
  let first: string | null = null
  let last: string | null = null
  let scanned = 0
  let isEnd = false
  while (!isEnd && rows.length < limit && scanned < mostScanned) {
    const size = filter === null ? limit - rows.length : Math.min(pageSize, mostScanned - scanned)
    const edge = last ?? after ?? before
    const page = await source(
      isUpward
        ? { before: null, after: edge, limit: size }
        : { before: edge, after: null, limit: size },
    )
    // Upward, fewer than asked for are all there are. Downward a server may give fewer as it likes.
    isEnd = page.length === 0 || (isUpward && page.length < size)
    for (const entry of await toEntries(page)) {
      const { row } = entry
      if (rows.length === limit) break
      if (isBeyond(row.at, filter, isUpward)) {
        isEnd = true
        break
      }
      first ??= row.lt
      last = row.lt
      scanned += 1
      if (filter === null || isShown(entry, filter)) rows.push(row)
      if (!isUpward && entry.isFirst) isEnd = true
    }
  }
  if (isUpward) {
    const oldest = first === null ? next(after, 1n) : first
    return { rows: rows.reverse(), older: oldest, newer: last ?? after, scanned }
  }
  const newest = first ?? (before === null ? null : next(before, -1n))
  return { rows, older: isEnd ? null : last, newer: newest, scanned }
}

function isShown(entry: HistoryEntry, filter: EntryFilter): boolean {
  const { at } = entry.row
  if (filter.from !== null && at < filter.from) return false
  if (filter.to !== null && at > filter.to) return false
  return filter.matches(entry)
}

/** Time and logical time rise together, so nothing further on can be in the span any more. */
function isBeyond(at: number, filter: EntryFilter | null, isUpward: boolean): boolean {
  const { from, to } = filter ?? { from: null, to: null }
  return isUpward ? to !== null && at > to : from !== null && at < from
}

function next(lt: string, step: bigint): string {
  const moved = BigInt(lt) + step
  return (moved < 0n ? 0n : moved).toString()
}
