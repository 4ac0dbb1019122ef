/** Reads the transactions of an account or of a jetton wallet page by page. */
import { unlessRefused } from '../../chain/access.ts'
import { checkRows } from '../../chain/check-transaction.ts'
import {
  type TransactionResponse,
  readableRows,
  unreadReasons,
} from '../../gateway/query-responses.ts'
import {
  type ChainPage,
  type Gap,
  describeGap,
  edgeAt,
  readChainPage,
} from '../../gateway/transaction-chain.ts'
import { type HistoryRun, type Move, writeRows } from './history-run.ts'
import { moveCoins, moveJettons } from './movements.ts'
import type { Source } from './store/history-exports.ts'

/** Maximum number of contracts that only messages name as jetton wallets; verifying takes two requests each. */
const maxClaimed = 500

/** Reads downward, newest first. An unreadable transaction has no rows. */
export async function readOlderPage(run: HistoryRun, source: Source): Promise<null> {
  const { job, store } = run
  const page = await requestTransactions(run, source, false, null)
  if (page === null || run.abort.aborted) return null
  const transactions = readableRows(page.rows)
  const { moves, olderLt, ...balances } = stepDown(source, transactions, job.fromAt)
  const end = olderLt === null ? endOf(page, source, transactions) : periodEnd
  const gaps = page.gaps.filter(({ newerLt }) => BigInt(newerLt) > BigInt(olderLt ?? 0))
  run.keep(page.requests, () => {
    writeRows(store, job, source, moves)
    addClaimed(
      run,
      moves.flatMap(({ jettonWallets }) => jettonWallets),
    )
    const place = { edge: page.edge, beforeLt: page.edge?.lt ?? source.beforeLt }
    const missing = missingIn(page, source, gaps)
    store.changeSource(job.id, source.idx, { ...missing, ...balances, ...place, ...end })
    if (source.idx === 0 && end.state === 'read') store.setStep(job.id, 'jettons')
  })
  run.count(transactions.length)
  return null
}

/** Reads upward the transactions that occurred while the job was running. */
export async function readNewerPage(run: HistoryRun, source: Source): Promise<null> {
  const { job, store } = run
  const head = await unlessRefused(run.query().rawAccount(source.address, run.options))
  const headLt = head?.last_transaction_lt ?? '0'
  const page = await requestTransactions(run, source, true, headLt)
  if (page === null || run.abort.aborted) return null
  const transactions = readableRows(page.rows)
  const olderLt = source.newestLt ?? '0'
  const isNone = page.rows.length === 0
  const isBehind = isNone && BigInt(headLt) > BigInt(olderLt)
  const gaps = isBehind ? [{ olderLt, newerLt: headLt }] : page.gaps
  const isMore = page.received >= run.pageSize() && !isNone
  run.keep(page.requests + 1, () => {
    const moves = transactions.map((each) => moveOf(each, source))
    writeRows(store, job, source, moves)
    store.changeSource(job.id, source.idx, {
      ...missingIn(page, source, gaps),
      newestLt: isNone ? source.newestLt : (page.edge?.lt ?? null),
      rounds: source.rounds + Number(!isMore),
      state: isMore ? 'behind' : isNone ? 'compared' : 'recheck',
    })
  })
  run.count(transactions.length)
  return null
}

function requestTransactions(
  run: HistoryRun,
  { address: account, beforeLt, newestLt, edge }: Source,
  isUpward: boolean,
  headLt: string | null,
) {
  const lowest = edge ?? (beforeLt === null ? null : edgeAt(beforeLt))
  const from = { account, edge: isUpward ? edgeAt(newestLt ?? '0') : lowest, isUpward, headLt }
  return readChainPage(from, (bound) =>
    run.requestPage(bound, async (page) => {
      const request = run.query().accountTransactionRows(account, page, run.options)
      return checkRows((await run.orNull(request)) ?? [])
    }),
  )
}

/**
 * Returns the movements of a page until the start of the period.
 * @returns `olderLt` of the first transaction before the period, and how the balance continues
 */
function stepDown(
  { idx, jetton, ...source }: Source,
  transactions: readonly TransactionResponse[],
  fromAt: number | null,
) {
  const moves: Move[] = []
  let { expected, opening, differsAt, newestLt } = source
  let olderLt: string | null = null
  for (const transaction of transactions) {
    const { end_balance: balance, hash, lt } = transaction
    const move = moveOf(transaction, { jetton })
    const isOlder = fromAt !== null && move.at < fromAt
    if (idx === 0) {
      if (expected !== null && expected !== balance) differsAt ??= hash
      expected = balanceBefore(balance, move)
      opening = isOlder ? balance : expected
    }
    newestLt ??= lt
    if (isOlder) {
      olderLt = lt
      break
    }
    moves.push(move)
  }
  return { moves, olderLt, expected, opening, differsAt, newestLt }
}

export function balanceBefore(balance: string, { movements }: Pick<Move, 'movements'>): string {
  const change = movements.reduce(
    (sum, { asset, units, fee }) => sum + (asset === 'TON' ? units : 0n) - fee,
    0n,
  )
  return (BigInt(balance) - change).toString()
}

type End = Pick<Source, 'ended' | 'state'>

const periodEnd: End = { ended: 'period', state: 'read' }

function endOf(
  { edge, rows, isRepeated }: ChainPage,
  source: Source,
  transactions: readonly TransactionResponse[],
): End {
  const isFirst = edge?.previousLt === '0'
  if (rows.length === 0 && !isFirst) {
    // A gateway may return short pages at any time, but an empty page is the end of its data.
    const ended = source.newestLt === null ? 'beginning' : (source.ended ?? 'pruned')
    return { ended: isRepeated ? 'repeated' : ended, state: 'read' }
  }
  if (isFirst) return { ended: 'beginning', state: 'read' }
  const isUnnamed = edge !== null && edge.hash !== null && edge.previousLt === null
  if (!isUnnamed) return { ended: null, state: 'reading' }
  // Some gateways never name the previous transaction; the next page then shows it.
  const isNamed = transactions.some((each) => (each.prev_trans_lt ?? null) !== null)
  return { ended: 'beginning', state: isNamed ? 'read' : 'reading' }
}

function addClaimed({ job: { id }, store }: HistoryRun, wallets: readonly string[]): void {
  for (const wallet of new Set(wallets)) {
    if (store.countSources(id).claimed >= maxClaimed) return
    store.addSource(id, wallet, 'claimed')
  }
}

function missingIn(page: ChainPage, source: Source, gaps: readonly Gap[]): Partial<Source> {
  const unread = [...page.strays, ...unreadReasons(page.rows)]
  return {
    unread: source.unread + unread.length,
    unreadWhy: source.unreadWhy ?? unread[0] ?? null,
    gaps: source.gaps + gaps.length,
    gap: source.gap ?? (gaps[0] === undefined ? null : describeGap(gaps[0])),
    unlinked: source.unlinked + page.unlinked,
  }
}

function moveOf(transaction: TransactionResponse, { jetton }: Pick<Source, 'jetton'>): Move {
  const { lt, hash, utime } = transaction
  const moved =
    jetton === null
      ? moveCoins(transaction)
      : { movements: moveJettons(transaction, jetton), assets: new Map(), jettonWallets: [] }
  return { lt, hash, at: utime * 1000, ...moved }
}
