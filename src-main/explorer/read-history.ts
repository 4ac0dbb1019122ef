/** Reads one page of an account's history from any ordered source of its transactions. */
import type { HistoryRow, HistoryFilter } from '../../src-preload/contract/chain.ts'
import type { Row, TransactionAnswer } from '../gateway/query-answers.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { readOpcode } from '../ton/opcodes.ts'
import { requireAddress } from './addresses.ts'

export type TransactionSource = (page: {
  /** Logical time; older transactions are returned, newest first. Null begins at the newest. */
  readonly before: string | null
  /** Logical time; newer transactions are returned, oldest first. `before` is null then. */
  readonly after: string | null
  readonly limit: number
}) => Promise<readonly Row<TransactionAnswer>[]>

export type HistoryEntry = {
  readonly row: HistoryRow
  /** Opcodes of all internal messages of the transaction. */
  readonly opcodes: readonly number[]
  /** The account's first transaction. */
  readonly isFirst: boolean
}

type EntryFilter = {
  readonly matches: (entry: HistoryEntry) => boolean
  /** Unix milliseconds, both included. */
  readonly from: number | null
  readonly to: number | null
}

export type HistoryRequest = {
  readonly before: string | null
  readonly after: string | null
  readonly limit: number
  readonly filter: EntryFilter | null
}

type HistoryPart = {
  /** Newest first. */
  readonly rows: readonly HistoryRow[]
  readonly older: string | null
  readonly newer: string | null
  readonly scanned: number
  /** The page ends at the account's first transaction. */
  readonly isBeginning: boolean
  /** One reason for each transaction that could not be read. */
  readonly unread: readonly string[]
}

/** Transactions scanned for one page, even if the filter matches few of them. */
const maxScanned = 1_000
/** Transactions per request of a filtered list: some hundred KiB. */
const pageSize = 200

export async function readHistory(
  { before, after, limit, filter }: HistoryRequest,
  source: TransactionSource,
  toEntries: (transactions: readonly TransactionAnswer[]) => Promise<readonly HistoryEntry[]>,
): Promise<HistoryPart> {
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
    const page = await source(
      isUpward
        ? { before: null, after: edge, limit: size }
        : { before: edge, after: null, limit: size },
    )
    // Upward a short page is the last one. Downward a server may return short pages at any time.
    isEnd = page.length === 0 || (isUpward && page.length < size)
    const readable = page.flatMap((each) => ('value' in each ? [each.value] : []))
    const entries = (await toEntries(readable)).values()
    for (const each of page) {
      if (rows.length === limit) break
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
    // Without any logical time the same page would be requested again and again.
    if (last === null || last === edge) isEnd = true
  }
  if (isUpward) {
    const oldest = first === null ? next(after, 1n) : first
    return {
      rows: rows.reverse(),
      older: oldest,
      newer: last ?? after,
      scanned,
      isBeginning,
      unread,
    }
  }
  const newest = first ?? (before === null ? null : next(before, -1n))
  return { rows, older: isEnd ? null : last, newer: newest, scanned, isBeginning, unread }
}

function isShown(entry: HistoryEntry, filter: EntryFilter): boolean {
  const { at } = entry.row
  if (filter.from !== null && at < filter.from) return false
  if (filter.to !== null && at > filter.to) return false
  return filter.matches(entry)
}

/** Time and logical time rise together, so no later page can contain the time span. */
function isBeyond(at: number, filter: EntryFilter | null, isUpward: boolean): boolean {
  const { from, to } = filter ?? { from: null, to: null }
  return isUpward ? to !== null && at > to : from !== null && at < from
}

function next(lt: string, step: bigint): string {
  const moved = BigInt(lt) + step
  return (moved < 0n ? 0n : moved).toString()
}

/**
 * Null when no filter is set.
 * @throws AppError INVALID_INPUT, CHAIN_BAD_ADDRESS
 */
export function readHistoryFilter(filter: HistoryFilter): EntryFilter | null {
  const { direction, from, to } = filter
  if (Object.values(filter).every((value) => value === null)) return null
  const asset = filter.asset === null ? null : readAsset(filter.asset)
  const opcode = filter.opcode === null ? null : requireOpcode(filter.opcode)
  return {
    from,
    to,
    matches({ row, opcodes }: HistoryEntry) {
      if (direction !== null && row.direction !== direction) return false
      if (opcode !== null && !opcodes.includes(opcode)) return false
      if (asset === null) return true
      return row.change !== null && row.change.asset.jetton === asset.jetton
    },
  }
}

function readAsset(text: string): { readonly jetton: string | null } {
  const isTon = /^(ton|gram)$/i.test(text.trim())
  return { jetton: isTon ? null : requireAddress(text.trim(), true) }
}

function requireOpcode(text: string): number {
  const trimmed = text.trim()
  const opcode = /^\d{1,10}$/.test(trimmed) ? Number(trimmed) : readOpcode(trimmed.toLowerCase())
  if (opcode !== null && opcode <= 0xffffffff) return opcode
  throw new AppError(
    bridgeCodes.invalidInput,
    'An opcode is 0x and up to eight hexadecimal digits, or a decimal number below 4294967296.',
  )
}
