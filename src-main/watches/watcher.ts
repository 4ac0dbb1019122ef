/** Reads the new transactions of watched accounts, makes captures of those that match, and reports them. */
import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import type { Watch } from '../../src-preload/contract/watch.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { countOf } from '../../src-preload/domain/time-span.ts'
import type { AppContext } from '../app/context.ts'
import type { CaptureRecord } from '../captures/store/capture-record.ts'
import { isMissing, isNotFound } from '../chain/access.ts'
import { checkTransactions } from '../chain/check-transaction.ts'
import type { Row, TransactionAnswer } from '../gateway/query-answers.ts'
import type { Asking, TransactionsPage } from '../gateway/query.ts'
import { type ChainPage, describeGap, edgeAt, readChainPage } from '../gateway/transaction-chain.ts'
import { createBackgroundRequests, type RequestTask } from '../jobs/background-requests.ts'
import type { Backoff } from '../jobs/backoff.ts'
import { readRefusal } from '../jobs/refusal.ts'
import type { PutOrigin } from '../threads/writer-messages.ts'
import { isHere, receiverAddress } from '../app/self-addresses.ts'
import { type AcceptedBulk, type Head, readHeads } from '../chain/heads.ts'
import { documentedForm, rebuildDelivery } from '../chain/rebuild-delivery.ts'
import type { Arrivals } from '../captures/store/arrivals.ts'
import { matchOf } from './rules.ts'
import {
  type StoredWatch,
  type WatchSource,
  type WatchStore,
  watchedFrom,
} from './store/watches.ts'

const pageSize = 100
/** If more transactions are new, for example after a day without the app, the watch goes on with the newest. */
const maxBehind = 10_000
/** An incident is over when no transaction has matched for this long. */
const quietMs = 10 * 60_000
/** Nodes behind one gateway may lag; a chain that stays older is another chain. */
const olderChainMs = 10 * 60_000
/** Transactions of one second have the same last activity. */
const settledMs = 30_000
const standstillMs = 60_000

/** Milliseconds between two checks, and at least for each request of a check: a tenth to a half of the rate. */
const paces = {
  local: { check: 1000, request: 50 },
  withKey: { check: 5000, request: 2000 },
  withoutKey: { check: 40_000, request: 8000 },
} as const

type SourceState = {
  isBehind: boolean
  /** Transactions read since the source was up to date. */
  read: number
  newestLt: string | null
  activity: number
  olderSince: number | null
  problem: string | null
  nudgedAt: number
}

type NetworkState = {
  readonly accepted: AcceptedBulk
  /** False where the gateway cannot tell which accounts have changed. */
  hasBulk: boolean
  nextAt: number
  checkedAt: number | null
}

export function createWatcher(
  context: AppContext,
  store: WatchStore,
  {
    arrivals,
    put,
  }: {
    readonly arrivals: Arrivals
    readonly put: (records: readonly CaptureRecord[], origin: PutOrigin) => Promise<unknown>
  },
) {
  const { access, events, incidents, nameAccount, networks, notices, now, onBug, receiver } =
    context
  const states = new Map<NetworkId, NetworkState>()
  const sources = new Map<string, SourceState>()
  /** Matches shown by the notice of a watch. */
  const shown = new Map<number, number>()
  const matchedAt = new Map<number, number>()
  const startedAt = now()
  let listed: StoredWatch[] | null = null
  let hasChanged = false

  /** A burst of matches changes many; they are read again once. */
  const watches = (): StoredWatch[] => (listed ??= store.list())
  const networkOf = (id: NetworkId) => networks.state().networks.find((each) => each.id === id)
  const keyOf = ({ watch, address }: WatchSource) => `${watch} ${address}`

  function stateOf(network: NetworkId): NetworkState {
    const accepted = { chunk: pageSize, hasLogicalTimes: true }
    const state = states.get(network) ?? { accepted, hasBulk: true, nextAt: 0, checkedAt: null }
    states.set(network, state)
    return state
  }

  function sourceState(source: WatchSource): SourceState {
    const none = { newestLt: null, activity: -1, olderSince: null, problem: null, nudgedAt: 0 }
    const state = sources.get(keyOf(source)) ?? { isBehind: false, read: 0, ...none }
    sources.set(keyOf(source), state)
    return state
  }

  function everyMs(network: NetworkId): number {
    const { accepted, hasBulk } = stateOf(network)
    const count = store.countSources(network)
    const requests = hasBulk ? Math.ceil(count / accepted.chunk) : count
    const isLocal = access.info(network).deliversFromHere === true
    const hasKey = networkOf(network)?.secrets.api?.present === true
    const pace = paces[isLocal ? 'local' : hasKey ? 'withKey' : 'withoutKey']
    return Math.max(pace.check, requests * pace.request)
  }

  const requests = createBackgroundRequests({
    ...context,
    next: nextTask,
    whyNot: (id) => whyNot(networkOf(id)),
    onTick() {
      for (const network of new Set(watches().map((each) => each.network))) requests.run(network)
      report()
      if (hasChanged) events.emit('watch.changed', {})
      hasChanged = false
    },
    onSettled() {
      hasChanged = true
    },
  })

  function nextTask(
    network: NetworkId,
    running: { has(key: string): boolean },
  ): RequestTask | null {
    const all = store.sources(network)
    if (all.length === 0) return null
    const behind = all
      .filter((each) => sourceState(each).isBehind && !running.has(keyOf(each)))
      .sort((a, b) => sourceState(a).read - sourceState(b).read)[0]
    // A check comes first: one busy account must not hide the others.
    if (now() >= stateOf(network).nextAt && !running.has('check')) return checkTask(network)
    if (behind === undefined) return null
    const run: RequestTask['run'] = (signal, backoff) =>
      guarded(() => readPage(network, behind, { signal, backoff }), signal, backoff, behind)
    return { key: keyOf(behind), run }
  }

  function checkTask(network: NetworkId): RequestTask {
    const run: RequestTask['run'] = async (signal, backoff) => {
      const state = stateOf(network)
      state.nextAt = now() + everyMs(network)
      await guarded(() => check(network, { signal, backoff }), signal, backoff, null)
    }
    return { key: 'check', run }
  }

  async function guarded(
    work: () => Promise<string | null>,
    signal: AbortSignal,
    backoff: Backoff,
    source: WatchSource | null,
  ): Promise<void> {
    try {
      const problem = await work()
      if (source !== null) sourceState(source).problem = problem
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) {
        onBug(error)
        backoff.pause('Reading new transactions failed. The log has the details.', standstillMs)
        return
      }
      const refusal = readRefusal(error)
      if (refusal.kind === 'passing') backoff.pause(refusal.message, refusal.retryAfterMs)
      else if (refusal.kind === 'standstill' || source === null) {
        backoff.pause(refusal.message, standstillMs)
      } else {
        // The other accounts go on; this one is requested again after the next check.
        Object.assign(sourceState(source), {
          problem: refusal.message,
          isBehind: false,
          activity: -1,
        })
      }
    }
  }

  type Requesting = { readonly signal: AbortSignal; readonly backoff: Backoff }

  const askingOf = (signal: AbortSignal): Asking => ({ signal, priority: 'job', owner: 'watches' })

  /** The present last transactions of accounts; null where the gateway cannot list them. */
  async function headsOf(network: NetworkId, addresses: readonly string[], asking: Asking) {
    const state = stateOf(network)
    if (!state.hasBulk) return null
    try {
      return await readHeads(access.query(network), addresses, asking, state.accepted)
    } catch (error) {
      if (!isMissing(error)) throw error
      state.hasBulk = false
      return null
    }
  }

  async function check(network: NetworkId, { signal, backoff }: Requesting): Promise<null> {
    const all = store.sources(network)
    const addresses = [...new Set(all.map(({ address }) => address))]
    const { hasBulk } = stateOf(network)
    const heads = await headsOf(network, addresses, askingOf(signal))
    signal.throwIfAborted()
    // Also a gateway that lacks the operation has answered.
    if (hasBulk) backoff.answered()
    for (const source of all) {
      if (heads === null) sourceState(source).isBehind = true
      else takeHead(source, heads.get(source.address))
    }
    stateOf(network).checkedAt = now()
    return null
  }

  /** @param head undefined for an account that does not exist */
  function takeHead(source: WatchSource, head: Head = { lt: 0n }): void {
    const state = sourceState(source)
    if ('lastActivityAt' in head) {
      state.isBehind = source.lt === null || head.lastActivityAt !== state.activity
      const isSettled = now() - head.lastActivityAt > settledMs
      state.activity = isSettled ? head.lastActivityAt : -1
      return
    }
    const newest = head.lt.toString()
    state.newestLt = newest
    if (source.lt === null) {
      store.start(source, newest)
      return
    }
    const isOlder = head.lt < BigInt(source.lt)
    state.isBehind = head.lt > BigInt(source.lt)
    state.olderSince = isOlder ? (state.olderSince ?? now()) : null
    if (state.olderSince === null || now() - state.olderSince < olderChainMs) return
    state.olderSince = null
    const why = `The gateway now reports an older last transaction (lt ${newest}) than Tondesk has read (lt ${source.lt}). The watch continues after the older one.`
    store.start(source, newest, { at: now(), why })
    refresh()
  }

  /** Transactions of an account; none if it does not exist. */
  async function request(
    network: NetworkId,
    address: string,
    page: TransactionsPage,
    { signal, backoff }: Requesting,
  ): Promise<readonly Row<TransactionAnswer>[]> {
    try {
      const query = access.query(network)
      const rows = await query.accountTransactionRows(address, page, askingOf(signal))
      backoff.answered()
      return rows
    } catch (error) {
      if (!isNotFound(error)) throw error
      backoff.answered()
      return []
    }
  }

  async function newestLt(network: NetworkId, address: string, how: Requesting): Promise<string> {
    const [newest] = await request(network, address, { limit: 1 }, how)
    if (newest === undefined) return '0'
    const lt = 'value' in newest ? newest.value.lt : newest.unread.lt
    if (lt !== null) return lt
    throw new AppError('GATEWAY_BAD_ANSWER', 'The newest transaction has no logical time.')
  }

  /** @returns what is wrong with the account's pages */
  async function readPage(
    network: NetworkId,
    source: WatchSource,
    how: Requesting,
  ): Promise<string | null> {
    const { address, lt: fromLt } = source
    const state = sourceState(source)
    if (fromLt === null) {
      store.start(source, await newestLt(network, address, how))
      state.isBehind = false
      return null
    }
    const from = { account: address, edge: edgeAt(fromLt), isUpward: true, headLt: state.newestLt }
    const page = await readChainPage(from, (bound) =>
      request(network, address, { limit: pageSize, ...bound }, how),
    )
    if (page === null) return null
    const { transactions, gaps } = await readRows(page)
    const toLt = page.edge?.lt ?? fromLt
    how.signal.throwIfAborted()
    const watch = store.get(source.watch)
    if (watch === null) return null
    state.read += page.rows.length
    const isEnd = page.received < pageSize && BigInt(state.newestLt ?? '0') <= BigInt(toLt)
    if (!isEnd && toLt !== fromLt && state.read >= maxBehind) {
      const newest = await newestLt(network, address, how)
      how.signal.throwIfAborted()
      if (BigInt(newest) > BigInt(toLt)) {
        gaps.push(
          `More than ${maxBehind.toLocaleString('en-US')} transactions were new. Tondesk continued with the newest; those between lt ${toLt} and ${newest} were not read.`,
        )
        await keep(watch, source, { fromLt, toLt: newest, transactions, gaps })
        Object.assign(state, { isBehind: false, read: 0 })
        return null
      }
    }
    await keep(watch, source, { fromLt, toLt, transactions, gaps })
    // Without progress, the next check tells whether there is more.
    state.isBehind = !isEnd && toLt !== fromLt
    if (!state.isBehind) state.read = 0
    return page.isRepeated
      ? `The gateway did not return the transactions after logical time ${fromLt}: it returned older ones again.`
      : null
  }

  type Kept = {
    readonly fromLt: string
    readonly toLt: string
    readonly transactions: readonly TransactionAnswer[]
    readonly gaps: readonly string[]
  }

  /** Stores the place together with the captures, so that a kill neither loses nor doubles one. */
  async function keep(
    watch: StoredWatch,
    source: WatchSource,
    { fromLt, toLt, transactions, gaps }: Kept,
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
        lastMatch: last
          ? {
              at: last.transaction.utime * 1000,
              account: address,
              hash: last.transaction.hash,
              what: last.what,
            }
          : null,
        gap: gaps.length === 0 ? null : { at: now(), why: gaps.join(' ') },
      },
    })
    if (matched.length > 0) matchedAt.set(watch.id, now())
    refresh()
  }

  function deliveredBy(network: NetworkId, address: string): string | null {
    const here = receiverAddress(context)
    return (
      store.webhooksOf(network, address).find(({ endpoint }) => isHere(endpoint, here))?.id ?? null
    )
  }

  function refresh(): void {
    listed = null
    hasChanged = true
  }

  function report(): void {
    for (const watch of watches()) {
      const { id, network, lastMatch, matches, told, isPaused } = watch
      const since = matches - told
      if (isPaused || since <= 0) continue
      const subject = `watch:${id}`
      const title = `Watched account ${nameAccount(network, watch)}: ${countOf(since, 'transaction')} matched`
      const cause =
        lastMatch === null ? '' : `The last one: ${lastMatch.what}, transaction ${lastMatch.hash}.`
      const before = shown.get(id)
      const isNotice = watch.report === 'notice'
      const isDismissed = isNotice && !notices.list().some((each) => each.id === noticeOf(id))
      const isQuiet = !isNotice && now() - (matchedAt.get(id) ?? startedAt) > quietMs
      // What was neither dismissed nor is over is shown again after a restart, with its number of matches.
      if (watch.report === 'none' || (before === matches && (isDismissed || isQuiet))) {
        shown.delete(id)
        store.setTold(id, matches)
        if (isQuiet) incidents.report(network, subject, { condition: null })
        refresh()
      } else if (before !== matches) {
        shown.set(id, matches)
        if (isNotice) {
          notices.raise({
            id: noticeOf(id),
            level: 'info',
            title,
            detail: cause,
            dismissible: true,
          })
        } else if (watch.report === 'incident') {
          const nextStep = 'Open Accounts › Watched for the transaction and its capture.'
          incidents.report(network, subject, {
            condition: { kind: 'matched', level: 'warning', title, cause, nextStep },
          })
        }
      }
    }
  }

  /** Ends what a watch reports: it was changed, paused or removed. */
  function withdraw(id: number): void {
    shown.delete(id)
    notices.clear(noticeOf(id))
    refresh()
    for (const network of new Set([...watches().map((each) => each.network), ...states.keys()])) {
      const kept = watches().filter(
        (each) => each.id !== id && each.network === network && each.report === 'incident',
      )
      incidents.keepOnly(
        network,
        'watch',
        kept.map((each) => `watch:${each.id}`),
      )
    }
  }

  return {
    start: () => requests.startTicking(),
    /**
     * Reads accounts of webhooks at once when a delivery about them has arrived. Anyone who knows the receiver's
     * URL could send deliveries, so that each account is read at most once a second.
     */
    delivered(accounts: readonly string[]): void {
      for (const network of new Set(watches().map((each) => each.network))) {
        const own = store
          .sources(network)
          .filter(({ address }) => accounts.includes(address) && deliveredBy(network, address))
          .map(sourceState)
          .filter(({ nudgedAt }) => now() - nudgedAt >= 1000)
        for (const state of own) Object.assign(state, { isBehind: true, nudgedAt: now() })
        if (own.length > 0) requests.run(network)
      }
    },
    hasWatches: () => watches().length > 0,
    stop: () => requests.stop(),
    refresh,
    withdraw,
    deliveredBy,
    headsOf,
    /** Requests again at once after a key or URL has changed. */
    retryNow: () => requests.retryNow(),
    async check(network: NetworkId): Promise<void> {
      await requests.start(network, checkTask(network))
      requests.run(network)
    },
    state(watch: StoredWatch): Pick<Watch, 'checkedAt' | 'everyMs' | 'isBehind' | 'problem'> {
      const own = store.sourcesOf(watch.id).map(sourceState)
      const problem = requests.problem(watch.network) ?? own.find((each) => each.problem)?.problem
      return {
        checkedAt: stateOf(watch.network).checkedAt,
        everyMs: networkOf(watch.network) === undefined ? 0 : everyMs(watch.network),
        isBehind: own.some((each) => each.isBehind),
        problem: watch.isPaused ? null : (problem ?? null),
      }
    },
    /** The network was removed, or its chain was replaced. */
    forget: (network: NetworkId, isChain: boolean) =>
      requests.forget(network, () => {
        states.delete(network)
        sources.clear()
        for (const { id } of watches().filter((each) => each.network === network)) {
          notices.clear(noticeOf(id))
          shown.delete(id)
        }
        incidents.keepOnly(network, 'watch')
        if (networkOf(network) === undefined) store.forget(network)
        else if (isChain) {
          const why =
            'The chain of this network was replaced. The watch continues with the transactions after its newest one.'
          store.restart(network, { at: now(), why })
        }
        refresh()
        return Promise.resolve()
      }),
  }
}

const noticeOf = (id: number) => `watch.${id}`

/** Public networks are read without a key, slowly; a key that is stored but cannot be read needs the user. */
function whyNot(network: Network | undefined): string | null {
  if (network === undefined) return 'The network was removed.'
  const { name, problem, urls, secrets } = network
  if (problem !== null) return problem
  if (urls === null) return `${name} has no URL yet.`
  if (secrets.api === null || secrets.api.present) return null
  return `The key of ${name} is missing. Enter it again in Settings › Networks.`
}

/** Transactions in order, and what is missing, as sentences. */
async function readRows({ rows, strays, gaps: missing }: ChainPage) {
  const answers = rows.flatMap((row) => ('value' in row ? [row.value] : []))
  const checked = await checkTransactions(answers)
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
