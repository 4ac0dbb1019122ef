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

export type HistoryQuestion = {
  readonly before: string | null
  readonly after: string | null
  readonly limit: number
  /** Null shows all. */
  readonly filter: {
    readonly matches: (row: HistoryRow, transaction: TransactionAnswer) => boolean
    /** Unix milliseconds, both included. */
    readonly from: number | null
    readonly to: number | null
  } | null
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
  toRows: (transactions: readonly TransactionAnswer[]) => Promise<readonly HistoryRow[]>,
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
    for (const [index, row] of (await toRows(page)).entries()) {
      const transaction = page[index]
      if (transaction === undefined || rows.length === limit) break
      if (isBeyond(row.at, filter, isUpward)) {
        isEnd = true
        break
      }
      first ??= transaction.lt
      last = transaction.lt
      scanned += 1
      if (filter === null || isShown(row, transaction, filter)) rows.push(row)
      if (!isUpward && isFirstEver(transaction)) isEnd = true
    }
  }
  if (isUpward) {
    const oldest = first === null ? next(after, 1n) : first
    return { rows: rows.reverse(), older: oldest, newer: last ?? after, scanned }
  }
  const newest = first ?? (before === null ? null : next(before, -1n))
  return { rows, older: isEnd ? null : last, newer: newest, scanned }
}

type Filter = NonNullable<HistoryQuestion['filter']>

function isShown(row: HistoryRow, transaction: TransactionAnswer, filter: Filter): boolean {
  if (filter.from !== null && row.at < filter.from) return false
  if (filter.to !== null && row.at > filter.to) return false
  return filter.matches(row, transaction)
}

/** Time and logical time rise together, so nothing further on can be in the span any more. */
function isBeyond(at: number, filter: Filter | null, isUpward: boolean): boolean {
  const { from, to } = filter ?? { from: null, to: null }
  return isUpward ? to !== null && at > to : from !== null && at < from
}

function isFirstEver({ prev_trans_lt }: TransactionAnswer): boolean {
  return prev_trans_lt === null || prev_trans_lt === undefined || prev_trans_lt === '0'
}

function next(lt: string, step: bigint): string {
  const moved = BigInt(lt) + step
  return (moved < 0n ? 0n : moved).toString()
}
