/** Stores each page of an address's history before the next request, so a reading can stop at any time. */
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { TransactionResponse } from '../../gateway/query-responses.ts'
import type { QueryOptions, QueryClient } from '../../gateway/query.ts'
import {
  type ChainEdge,
  describeCut,
  describeGap,
  describeRepetition,
  edgeAt,
  readChainPage,
} from '../../gateway/transaction-chain.ts'
import type { InvoiceAccount } from '../store/invoice-accounts.ts'

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

/** @throws AppError as the query client does */
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
    // Gaps below the oldest one that is wanted do not count.
    const endLt = BigInt(below[wanted.length]?.lt ?? 0)
    const gap = page.missing.find(({ newerLt }) => BigInt(newerLt) > endLt)?.why
    edge = page.edge
    state = {
      topLt: top,
      bottomLt:
        lowest === undefined ? (before ?? (top === null ? null : top + 1n)) : BigInt(lowest.lt),
      readFrom: isEnd ? since : null,
      // The first downward reading starts at the newest transaction, so nothing above is missing.
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
    try {
      const order = { limit: pageSize, sortOrder: 'desc', ...bound } as const
      return (await query.accountTransactions(account, order, asking)).map((value) => ({ value }))
    } catch (error) {
      // Some gateways respond 404 for an account without transactions.
      if (error instanceof AppError && error.code === gatewayCodes.notFound) return []
      throw error
    }
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
