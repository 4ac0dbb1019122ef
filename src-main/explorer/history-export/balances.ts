/** Requests an account's jetton wallets and balances, and checks whether the rows agree with them. */
import { assetOfExtra } from '../../chain/read-trace.ts'
import { verifyJettonWallet } from '../../chain/jetton-wallets.ts'
import { readableRows } from '../../gateway/query-responses.ts'
import type { QueryClient } from '../../gateway/query.ts'
import { readAddress } from '../../ton/address.ts'
import type { HistoryRun } from './history-run.ts'
import { sumsOf } from './history-sums.ts'
import { moveCoins } from './movements.ts'
import type { Source } from './store/history-exports.ts'
import { balanceBefore } from './transaction-pages.ts'

/** Maximum number of times that newer transactions are read until the balance agrees. */
const maxRounds = 3

/** Requests the balance before the first event, which only a transaction shows. */
export async function requestOpening(run: HistoryRun): Promise<null> {
  const { id, address } = run.job
  const [source] = run.store.sources(id)
  const isPeriod = source?.ended === 'period'
  const beforeLt = source?.beforeLt ?? null
  const page = isPeriod
    ? { limit: 1, ...(beforeLt !== null && { beforeLt }) }
    : { limit: 1, afterLt: '0', sortOrder: 'asc' as const }
  const request = run.query().accountTransactionRows(address, page, run.options)
  const [first] = readableRows((await run.orNull(request)) ?? [])
  const isPruned = ![null, undefined, '0'].includes(first?.prev_trans_lt)
  const ended = source?.ended === 'repeated' || isPeriod ? source.ended : null
  run.keep(1, () => {
    run.store.changeSource(id, 0, { ended: ended ?? (isPruned ? 'pruned' : 'beginning') })
    if (first !== undefined) {
      const { end_balance: balance } = first
      const opening = isPeriod ? balance : balanceBefore(balance, moveCoins(first))
      run.store.changeSource(id, 0, { opening })
    }
    run.store.setStep(id, 'wallets')
  })
  return null
}

export async function listJettons(run: HistoryRun): Promise<null> {
  const { id } = run.job
  const rows = await requestJettons(run)
  run.keep(1, () => {
    const jettons = readableRows(rows)
    for (const { wallet_address: wallet, jetton } of jettons) addWallet(run, wallet.address, jetton)
    run.store.setUnreadJettons(id, rows.length - jettons.length)
    run.store.setStep(id, 'wallets')
  })
  return null
}

type Jettons = Awaited<ReturnType<QueryClient['accountJettons']>>

const requestJettons = async (run: HistoryRun): Promise<Jettons> =>
  (await run.orNull(run.query().accountJettons(run.job.address, run.options))) ?? []

function addWallet(
  { job: { id }, store }: HistoryRun,
  wallet: string,
  jetton: { readonly address: string; readonly symbol: string; readonly decimals: number },
): void {
  const raw = readAddress(wallet)?.raw
  const master = readAddress(jetton.address)?.raw
  if (raw === undefined || master === undefined) return
  if (store.sources(id).some((each) => each.jetton === master)) return
  const source = store.addSource(id, raw, 'reading')
  if (source === 0) return
  store.changeSource(id, source, { jetton: master, state: 'reading' })
  store.addAsset(id, { ...jetton, source, asset: master })
}

/** Verifies that a contract which a message named as the account's jetton wallet really is one. */
export async function verifyClaimed(run: HistoryRun, source: Source): Promise<null> {
  const { job, store } = run
  const verified = await verifyJettonWallet(source.address, run.query(), run.options)
  run.abort.throwIfAborted()
  run.answered()
  run.keep(2, () => {
    const asset = verified?.owner === job.address ? verified.asset : null
    if (asset?.jetton) addWallet(run, source.address, { ...asset, address: asset.jetton })
    else store.changeSource(job.id, source.idx, { state: 'rejected' })
  })
  return null
}

type Account = Awaited<ReturnType<QueryClient['account']>> | null

const requestAccount = (run: HistoryRun): Promise<Account> =>
  run.orNull(run.query().account(run.job.address, run.options))

export async function requestBalance(run: HistoryRun): Promise<null> {
  const account = await requestAccount(run)
  run.keep(1, () => {
    keepBalance(run, account)
    run.store.setStep(run.job.id, 'jettonBalances')
  })
  return null
}

const isExtra = (asset: string) => asset.startsWith('extra:')

function keepBalance({ job: { id }, store }: HistoryRun, account: Account): void {
  store.setBalance(id, 0, 'TON', account?.balance ?? '0')
  for (const { asset } of store.assets(id)) {
    if (isExtra(asset)) store.setBalance(id, 0, asset, '0')
  }
  for (const extra of account?.extra_balance ?? []) {
    const { symbol, decimals, extraCurrency = 0 } = assetOfExtra(extra)
    const asset = `extra:${extraCurrency}`
    store.addAsset(id, { source: 0, asset, symbol, decimals })
    store.setBalance(id, 0, asset, extra.amount)
  }
}

export async function requestJettonBalances(run: HistoryRun): Promise<null> {
  const { id, view } = run.job
  const { store } = run
  const rows = await requestJettons(run)
  const jettons = readableRows(rows)
  const balances = new Map(
    jettons.map((each) => [readAddress(each.wallet_address.address)?.raw, each.balance]),
  )
  run.keep(1, () => {
    if (view === 'events') keepJettons(run, rows)
    for (const { idx, address: wallet, jetton, state } of store.sources(id)) {
      // The list omits empty wallets, so a missing wallet has the balance 0, unless a part of the
      // list is unreadable.
      const isWhole = jettons.length === rows.length
      const balance = balances.get(wallet) ?? (isWhole ? '0' : null)
      if (jetton !== null && balance !== null) store.setBalance(id, idx, jetton, balance)
      if (state === 'read') compare(run, idx)
    }
    store.setStep(id, 'compare')
  })
  return null
}

/** Sets jetton balances for rows of events, which have no source for each jetton. */
function keepJettons({ job: { id }, store }: HistoryRun, rows: Jettons): void {
  const jettons = readableRows(rows)
  for (const { asset } of jettons.length === rows.length ? store.assets(id) : []) {
    if (asset !== 'TON' && !isExtra(asset)) store.setBalance(id, 0, asset, '0')
  }
  for (const { jetton, balance } of jettons) {
    const asset = readAddress(jetton.address)?.raw
    if (asset === undefined || balance === '0') continue
    store.addAsset(id, { source: 0, asset, symbol: jetton.symbol, decimals: jetton.decimals })
    store.setBalance(id, 0, asset, balance)
  }
}

/** Compares sums with balances. A difference is final only when newer transactions have been read. */
function compare({ job: { id, view }, store }: HistoryRun, idx: number): void {
  const source = store.sources(id).find((each) => each.idx === idx)
  if (source === undefined) return
  const own = store.assets(id).filter((asset) => asset.source === idx)
  const isEqual = own.every((sums) => sumsOf(sums, source, view).difference === 0n)
  // The newest transactions may be missing although the sums are equal.
  const isRead = isEqual && (idx > 0 || view === 'events' || source.rounds > 0)
  const state = isRead || source.rounds >= maxRounds ? 'compared' : 'behind'
  store.changeSource(id, idx, { state })
}

export async function recheckBalance(run: HistoryRun, { idx, jetton }: Source): Promise<null> {
  const { id, address, view } = run.job
  const account = jetton === null ? await requestAccount(run) : null
  const wallet =
    jetton === null
      ? null
      : await run.orNull(run.query().accountJetton(address, jetton, run.options))
  const jettons = view === 'events' ? await requestJettons(run) : null
  run.keep(jettons === null ? 1 : 2, () => {
    if (jettons !== null) keepJettons(run, jettons)
    if (jetton === null) keepBalance(run, account)
    else run.store.setBalance(id, idx, jetton, wallet?.balance ?? '0')
    compare(run, idx)
  })
  return null
}
