/** Reads the new transactions of watched accounts, and stores the matching ones as captures. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { countOf } from '../../src-preload/domain/time-span.ts'
import type { AppContext } from '../app/context.ts'
import { isHere, receiverAddress } from '../app/self-addresses.ts'
import type { Arrivals } from '../captures/store/arrivals.ts'
import type { CaptureRecord } from '../captures/store/capture-record.ts'
import { isNotFound } from '../chain/access.ts'
import { checkTransactions } from '../chain/check-transaction.ts'
import { documentedForm, rebuildDelivery } from '../chain/rebuild-delivery.ts'
import type { Row, TransactionResponse } from '../gateway/query-responses.ts'
import type { TransactionsPage } from '../gateway/query.ts'
import { type ChainPage, describeGap, edgeAt, readChainPage } from '../gateway/transaction-chain.ts'
import type { PutOrigin } from '../threads/writer-messages.ts'
import { matchOf } from './rules.ts'
import { type Requesting, type WatchState, pageSize, queryOptionsOf } from './report.ts'
import {
  type StoredWatch,
  type WatchSource,
  type WatchStore,
  watchedFrom,
} from './store/watches.ts'

/** If more transactions are new, for example after a day without the app, the watch skips to the newest. */
const maxBehind = 10_000

type ReaderDeps = {
  readonly arrivals: Arrivals
  readonly put: (records: readonly CaptureRecord[], origin: PutOrigin) => Promise<unknown>
  readonly onMatch: (watch: number) => void
}

type PageOfSource = {
  readonly fromLt: string
  readonly toLt: string
  readonly transactions: readonly TransactionResponse[]
  readonly gaps: readonly string[]
}

export type WatchReader = ReturnType<typeof createWatchReader>

export function createWatchReader(
  context: AppContext,
  store: WatchStore,
  state: WatchState,
  { arrivals, put, onMatch }: ReaderDeps,
) {
  const { access, now, receiver } = context

  /** Requests transactions of an account; none if the account does not exist. */
  async function request(
    network: NetworkId,
    address: string,
    page: TransactionsPage,
    { signal, backoff }: Requesting,
  ): Promise<readonly Row<TransactionResponse>[]> {
    const query = access.query(network)
    const rows = await query
      .accountTransactionRows(address, page, queryOptionsOf(signal))
      .catch(noneIfNotFound)
    backoff.answered()
    return rows
  }

  async function newestLt(network: NetworkId, address: string, how: Requesting): Promise<string> {
    const [newest] = await request(network, address, { limit: 1 }, how)
    if (newest === undefined) return '0'
    const lt = 'value' in newest ? newest.value.lt : newest.unread.lt
    if (lt !== null) return lt
    throw new AppError('GATEWAY_BAD_ANSWER', 'The newest transaction has no logical time.')
  }

  /** @returns the problem with the account's pages */
  async function readPage(network: NetworkId, source: WatchSource, how: Requesting) {
    const { address, lt: fromLt } = source
    const own = state.source(source)
    if (fromLt === null) {
      store.start(source, await newestLt(network, address, how))
      own.isBehind = false
      return null
    }
    const from = { account: address, edge: edgeAt(fromLt), isUpward: true, headLt: own.newestLt }
    const page = await readChainPage(from, (bound) =>
      request(network, address, { limit: pageSize, ...bound }, how),
    )
    if (page === null) return null
    const { transactions, gaps } = await readRows(page)
    const toLt = page.edge?.lt ?? fromLt
    how.signal.throwIfAborted()
    const watch = store.get(source.watch)
    if (watch === null) return null
    own.read += page.rows.length
    const isEnd = page.received < pageSize && BigInt(own.newestLt ?? '0') <= BigInt(toLt)
    const isTooMany = !isEnd && toLt !== fromLt && own.read >= maxBehind
    const newest = isTooMany ? await newestLt(network, address, how) : toLt
    how.signal.throwIfAborted()
    if (BigInt(newest) > BigInt(toLt)) {
      gaps.push(
        `More than ${maxBehind.toLocaleString('en-US')} transactions were new. Tondesk continued with the newest; those between lt ${toLt} and ${newest} were not read.`,
      )
      await keep(watch, source, { fromLt, toLt: newest, transactions, gaps })
      Object.assign(own, { isBehind: false, read: 0 })
      return null
    }
    await keep(watch, source, { fromLt, toLt, transactions, gaps })
    // Without progress, the next check decides whether there is more.
    own.isBehind = !isEnd && toLt !== fromLt
    if (!own.isBehind) own.read = 0
    return page.isRepeated
      ? `The gateway did not return the transactions after logical time ${fromLt}: it returned older ones again.`
      : null
  }

  /** Stores the position together with the captures, so that a kill neither loses nor duplicates a capture. */
  async function keep(
    watch: StoredWatch,
    source: WatchSource,
    { fromLt, toLt, transactions, gaps }: PageOfSource,
  ): Promise<void> {
    if (fromLt === toLt) return
    const { network, isForwarded } = watch
    const { address } = source
    const matched = transactions.flatMap((transaction) => {
      const what = matchOf(transaction, watch.rules, source.jetton)
      return what === null ? [] : { transaction, what }
    })
    const last = matched.at(-1)
    const isDelivered = (lt: string) => arrivals.of(address, [BigInt(lt)]).length > 0
    const makes = watch.makesCaptures && deliveredBy(network, address) === null
    const made = makes ? matched.filter(({ transaction }) => !isDelivered(transaction.lt)) : []
    const hook = new URL(receiver.url())
    const shape = {
      form: documentedForm,
      target: hook.pathname + hook.search,
      host: hook.host,
      moreHeaders: ['X-Tondesk-Origin', 'watch'],
    }
    const records = made.map(({ transaction: { lt, hash } }) =>
      rebuildDelivery({ account: address, lt: BigInt(lt), hash }, shape, now()),
    )
    await put(records, {
      origin: 'watched',
      madeFrom: made.map(({ transaction }) => watchedFrom(network, address, transaction.hash)),
      watch: {
        watch: watch.id,
        network,
        address,
        fromLt,
        toLt,
        isForwarded,
        matches: matched.length,
        lastMatch: last ? toLastMatch(address, last) : null,
        gap: gaps.length === 0 ? null : { at: now(), why: gaps.join(' ') },
      },
    })
    if (matched.length > 0) onMatch(watch.id)
    state.refresh()
  }

  function deliveredBy(network: NetworkId, address: string): string | null {
    const here = receiverAddress(context)
    return (
      store.webhooksOf(network, address).find(({ endpoint }) => isHere(endpoint, here))?.id ?? null
    )
  }

  return { readPage, deliveredBy }
}

function noneIfNotFound(error: unknown): [] {
  if (isNotFound(error)) return []
  throw error
}

function toLastMatch(
  account: string,
  { transaction, what }: { readonly transaction: TransactionResponse; readonly what: string },
) {
  return { at: transaction.utime * 1000, account, hash: transaction.hash, what }
}

/** Returns transactions in order, and sentences about missing ones. */
async function readRows({ rows, strays, gaps: missing }: ChainPage) {
  const responses = rows.flatMap((row) => ('value' in row ? [row.value] : []))
  const checked = await checkTransactions(responses)
  const gaps = missing.map((gap) => `${describeGap(gap)} It may have deleted older ones.`)
  const unread = [
    ...strays,
    ...rows.flatMap((row) => ('unread' in row ? row.unread.why : [])),
    ...checked.flatMap(({ problem }) => problem ?? []),
  ]
  if (unread.length > 0) {
    gaps.push(`${countOf(unread.length, 'transaction')} could not be read: ${unread[0]}.`)
  }
  const transactions = checked.flatMap(({ transaction, problem }) =>
    problem === null ? transaction : [],
  )
  return { transactions, gaps }
}
