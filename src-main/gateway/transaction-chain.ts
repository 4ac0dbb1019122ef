/**
 * Reads pages of an account's transactions and verifies that none is missing: each transaction
 * names the previous one.
 */
import { readAddress } from '../ton/address.ts'
import { readHash } from '../ton/hash.ts'
import type { Row, TransactionResponse } from './query-responses.ts'
import type { TransactionsPage } from './query.ts'

type TransactionRow = Row<TransactionResponse>

/**
 * The last transaction that was read, and the transaction that it names as the previous one. `hash`
 * is null for an unreadable one.
 */
export type ChainEdge = Readonly<
  Record<'hash' | 'previousLt' | 'previousHash', string | null> & { lt: string }
>

/** The newer transaction names another previous transaction than the older one. */
export type Gap = { readonly olderLt: string; readonly newerLt: string }

export type ChainPage = {
  /** Transactions in the direction of reading, all beyond the edge, without duplicates of a logical time. */
  readonly rows: readonly TransactionRow[]
  readonly gaps: readonly Gap[]
  /** Number of transactions that do not name the previous one. */
  readonly unlinked: number
  /** Why rows were omitted: they have no logical time, belong to another account, or contradict another row. */
  readonly strays: readonly string[]
  /** The edge after the page; null before the account's first transaction. */
  readonly edge: ChainEdge | null
  /** The response contains only transactions that were read before. */
  readonly isRepeated: boolean
  /** True if reading downward returned nothing although older transactions exist. */
  readonly isCut: boolean
  /** Number of rows in the first response. */
  readonly received: number
  readonly requests: number
}

type Bound = Pick<TransactionsPage, 'beforeLt' | 'afterLt' | 'sortOrder'>

/** Maximum number of additional requests for one page. */
const maxRepairs = 4

export const edgeAt = (lt: string): ChainEdge => ({
  lt,
  hash: null,
  previousLt: null,
  previousHash: null,
})

const ltOf = (row: TransactionRow) => ('value' in row ? row.value.lt : row.unread.lt)

export function edgeOf(row: TransactionRow): ChainEdge {
  if ('unread' in row) return edgeAt(row.unread.lt ?? '0')
  const { lt, hash, prev_trans_lt: previousLt, prev_trans_hash: previousHash } = row.value
  const named = { previousLt: previousLt ?? null, previousHash: previousHash ?? null }
  return { lt, hash: readHash(hash) ?? hash, ...named }
}

/** Deleted accounts start again, so a transaction that names no previous one may still have one. */
function isNext(older: ChainEdge, newer: ChainEdge): boolean {
  const { previousLt, previousHash } = newer
  if (previousLt === null || previousLt === '0') return true
  if (previousLt !== older.lt) return false
  const named = readHash(previousHash ?? '')
  return named === null || older.hash === null || named === (readHash(older.hash) ?? older.hash)
}

export const describeGap = ({ olderLt, newerLt }: Gap): string =>
  `The gateway did not return the transactions between logical time ${olderLt} and ${newerLt}.`

export const describeRepetition = (lt: string, noun = 'transaction'): string =>
  `The gateway did not return the ${noun}s before logical time ${lt}: it returned newer ones again.`

export function describeCut({ edge }: Pick<ChainPage, 'edge'>): string {
  return `The gateway has no transactions before logical time ${edge?.lt ?? '0'}, although the account had some.`
}

/**
 * If a transaction is missing, the page is requested again with bounds that overlap the
 * transactions read so far and begin at the gap.
 * @param request returns null if the caller wants to start again, and verifies the transactions
 * @returns null if `request` does
 */
export async function readChainPage(
  from: {
    readonly account: string
    readonly edge: ChainEdge | null
    readonly isUpward: boolean
    /** The logical time of the account's last transaction, if it is known. */
    readonly headLt?: string | null
    /** Repairs can find more rows than requested; the surplus is left to the next page. */
    readonly limit?: number
  },
  request: (bound: Bound) => Promise<readonly TransactionRow[] | null>,
): Promise<ChainPage | null> {
  const { account, isUpward, headLt, limit } = from
  let { edge } = from
  const step = isUpward ? -1n : 1n
  const found = new Map<string, TransactionRow>()
  const strays = new Map<string, string>()
  const isBeyond = (lt: string) => edge === null || (BigInt(edge.lt) - BigInt(lt)) * step > 0n

  async function load(lt: string | null): Promise<number | null> {
    const page = await request(
      isUpward ? { afterLt: lt ?? '0', sortOrder: 'asc' } : lt === null ? {} : { beforeLt: lt },
    )
    for (const row of page ?? []) {
      const why = whyStray(row, account, found)
      if (why !== null) strays.set(`${ltOf(row)} ${why}`, why)
      else if ('value' in row || !found.has(ltOf(row) ?? '')) found.set(ltOf(row) ?? '', row)
    }
    return page?.length ?? null
  }

  /** When reading resumes, only the logical time of the edge is known until its transaction is found. */
  const isUnknown = () => !isUpward && edge?.hash === null && !found.has(edge.lt)

  function arrange() {
    const own = found.get(edge?.lt ?? '')
    if (!isUpward && edge?.hash === null && own !== undefined) edge = edgeOf(own)
    const all = [...found.values()].sort((a, b) =>
      (BigInt(ltOf(b) ?? 0) - BigInt(ltOf(a) ?? 0)) * step > 0n ? 1 : -1,
    )
    const rows = all.filter((row) => isBeyond(ltOf(row) ?? '0')).slice(0, limit)
    const edges = [...(edge === null ? [] : [edge]), ...rows.map(edgeOf)]
    const gaps: (Gap & { readonly nearLt: string })[] = []
    let unlinked = 0
    for (const [index, far] of edges.entries()) {
      const near = edges[index - 1]
      if (near === undefined) continue
      const [older, newer] = isUpward ? [near, far] : [far, near]
      if (newer.hash !== null && newer.previousLt === null) unlinked += 1
      if (isNext(older, newer)) continue
      gaps.push({ olderLt: older.lt, newerLt: newer.lt, nearLt: near.lt })
    }
    const isRepeated = rows.length === 0 && all.some((row) => ltOf(row) !== edge?.lt)
    const isMore = isUnknown() || ![undefined, null, '0'].includes(edge?.previousLt)
    const isCut = !isUpward && rows.length === 0 && isMore
    return { rows, gaps, unlinked, isRepeated, isCut, edge: edges.at(-1) ?? null }
  }

  const firstLt = edge !== null && isUnknown() ? `${BigInt(edge.lt) + 1n}` : (edge?.lt ?? null)
  const received = await load(firstLt)
  if (received === null) return null
  let page = arrange()
  const tried = new Set<string>()
  while (tried.size < maxRepairs) {
    const isBehind = isUpward && BigInt(headLt ?? 0) > BigInt(edge?.lt ?? 0)
    const isEmpty = page.rows.length === 0 && (isBehind || page.isCut || page.isRepeated)
    const isStuck = isEmpty || isUnknown()
    const near = isStuck && edge !== null ? [edge.lt] : page.gaps.map(({ nearLt }) => nearLt)
    const bound = near
      .flatMap((lt) => [(BigInt(lt) + step).toString(), lt])
      .find((lt) => !tried.has(lt))
    if (bound === undefined) break
    tried.add(bound)
    if ((await load(bound)) === null) return null
    page = arrange()
  }
  return { ...page, strays: [...strays.values()], received, requests: 1 + tried.size }
}

/** A duplicate of the same transaction is no stray. */
function whyStray(
  row: TransactionRow,
  account: string,
  found: ReadonlyMap<string, TransactionRow>,
): string | null {
  if ('unread' in row) return row.unread.lt === null ? row.unread.why : null
  const { lt, hash, account: owner } = row.value
  if (owner.address !== account && readAddress(owner.address)?.raw !== readAddress(account)?.raw) {
    return `Logical time ${lt} (it is of another account)`
  }
  const other = found.get(lt)
  if (other === undefined || 'unread' in other || edgeOf(other).hash === edgeOf(row).hash) {
    return null
  }
  return `${hash} (another transaction has its logical time)`
}
