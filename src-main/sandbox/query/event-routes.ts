import type { TraceNode, TraceQuery, TraceStart } from '../chain/chain.ts'
import type { Routes } from '../http.ts'
import { type QueryRequest, type Language, notFound, refusal } from './request.ts'
import { serializeTrace, descriptionOf, feesOf } from './transaction-json.ts'
import type { AccountBook } from './accounts.ts'
import { type Action, coinsMovedTo, serializeAction, unknownAction } from './actions.ts'
import { findActions } from './find-actions.ts'
import {
  type Jetton,
  type QueryDeps,
  ownedJettons,
  readMetadata,
  serializeJettonPreview,
} from './jettons.ts'

/** The service rejects later dates. */
const latestDate = 2_114_380_800

export function eventRoutes(deps: QueryDeps): Routes<QueryRequest> {
  const { chain, book } = deps

  function findTrace(request: QueryRequest, name: string): TraceNode {
    const hash = request.hash(name)
    const trace = loadTrace(hash)
    if (trace !== null) return trace
    const [first, second] = chain.transactionsByMessage(hash)
    if (second !== undefined) throw notFound('more than one transaction with message hash')
    const found = first === undefined ? null : loadTrace(first.hash)
    if (found === null) throw notFound()
    return found
  }

  function loadTrace(hash: string): TraceNode | null {
    const trace = chain.trace(hash)
    if (trace === 'too long') throw refusal('trace is too long', 413)
    return trace
  }

  return {
    '/traces/:trace_id': (request) =>
      serializeTrace(findTrace(request, 'trace_id'), { chain, book, isEmulated: false }),
    '/events/:event_id': async (request) =>
      (await explainTrace(findTrace(request, 'event_id'), deps, request.language())).event(),
    '/accounts/:account_id/events': (request) => listEvents(request, deps),
    async '/accounts/:account_id/events/:event_id'(request) {
      const account = request.account()
      const subjectOnly = request.boolean('subject_only')
      const trace = findTrace(request, 'event_id')
      const explained = await explainTrace(trace, deps, request.language())
      return explained.accountEvent(account, subjectOnly)
    },
    '/accounts/:account_id/traces'(request) {
      const account = request.account()
      const beforeLt = request.int64('before_lt')
      const traces = chain.traces(account, { beforeLt, limit: request.limit(1_000, 100) })
      return { traces: traces.map(({ id, utime }) => ({ id, utime })) }
    },
  }
}

async function listEvents(request: QueryRequest, deps: QueryDeps) {
  const { chain, book } = deps
  const account = request.account()
  const limit = request.limit(100)
  const subjectOnly = request.boolean('subject_only')
  const date = (name: string) =>
    request.optional(name) === undefined
      ? undefined
      : request.int(name, { least: 0, most: latestDate })
  const { traces, isOwn } = await findTraces(account, deps, {
    beforeLt: request.int64('before_lt'),
    afterLt: request.int64('after_lt'),
    since: date('start_date'),
    until: date('end_date'),
    initiated: request.boolean('initiator'),
    order: request.order(),
    limit,
  })
  const events: object[] = []
  for (const found of traces) {
    const root = chain.trace(found.id)
    if (root === null || root === 'too long') {
      events.push(serializeLongEvent(found, account, book))
      continue
    }
    const trace = await explainTrace(root, deps, request.language())
    if (!isOwn(found) && !trace.concerns(account)) continue
    events.push(trace.accountEvent(account, subjectOnly))
  }
  const last = traces.length < limit ? undefined : traces.at(-1)
  return { events, next_from: last?.lt ?? 0 }
}

/**
 * Jettons that arrive without a notification cause no transaction of their owner, but the service
 * lists their events. The traces of the owner's jetton wallets are therefore added.
 */
async function findTraces(account: string, deps: QueryDeps, query: TraceQuery) {
  const own = deps.chain.traces(account, query)
  const found = new Map(own.map((each) => [each.id, each]))
  const isOwn = new Set(found.keys())
  // A jetton wallet never begins a trace on behalf of its owner.
  const wallets = query.initiated === true ? [] : await ownedJettons(account, deps)
  for (const { address } of wallets) {
    for (const each of deps.chain.traces(address, query)) found.set(each.id, each)
  }
  const sign = query.order === 'asc' ? 1 : -1
  const traces = [...found.values()]
    .sort((a, b) => (a.lt < b.lt ? -sign : a.lt > b.lt ? sign : 0))
    .slice(0, query.limit)
  return { traces, isOwn: ({ id }: TraceStart) => isOwn.has(id) }
}

/** Returns the service's events that a trace results in. */
export async function explainTrace(root: TraceNode, deps: QueryDeps, language: Language) {
  const { book } = deps
  const actions = await findActions(root, deps)
  const jettons = new Map<string, Jetton>()
  for (const { master } of actions) {
    if (master === undefined || jettons.has(master)) continue
    jettons.set(master, (await deps.jettons.find(master)) ?? unknownJetton(master))
  }
  const flow = valueFlow(root, actions)
  const jetton = (master: string) => jettons.get(master) ?? unknownJetton(master)
  const common = {
    ...commonFields(root.transaction.hash, root.transaction),
    ext_msg_hash: root.transaction.inMessageHash ?? undefined,
  }
  return {
    event: () => ({
      ...common,
      actions: actions.map((each) =>
        serializeAction(each, { book, language, jetton, viewer: null }),
      ),
      value_flow: [...flow].map(([account, { grams, fees, ...moved }]) => ({
        account: book.describe(account),
        ton: grams,
        gram: grams,
        fees,
        jettons:
          moved.jettons.size === 0
            ? undefined
            : [...moved.jettons].map(([master, amount]) => ({
                account: book.describe(master),
                jetton: serializeJettonPreview(jetton(master)),
                qty: amount.toString(),
                quantity: BigInt.asIntN(64, amount),
              })),
      })),
    }),
    concerns: (account: string) => actions.some(({ accounts }) => accounts.has(account)),
    accountEvent(account: string, subjectOnly = false) {
      const concerning = actions.filter(({ accounts }) => accounts.has(account))
      const shown = subjectOnly
        ? concerning.filter(({ from, to }) => from === account || to === account)
        : concerning
      const moved = concerning.reduce((sum, action) => sum + coinsMovedTo(action, account), 0n)
      return {
        ...common,
        account: book.describe(account),
        actions:
          shown.length === 0
            ? [unknownAction(account, book, 'Something happened but we do not know what.')]
            : shown.map((each) =>
                serializeAction(each, { book, language, jetton, viewer: account }),
              ),
        extra: (flow.get(account)?.grams ?? 0n) - moved,
      }
    },
  }
}

const serializeLongEvent = (trace: TraceStart, account: string, book: AccountBook) => ({
  ...commonFields(trace.id, trace),
  account: book.describe(account),
  actions: [unknownAction(account, book, 'Event is too big.')],
  extra: 0,
})

const commonFields = (
  id: string,
  { utime, lt }: { readonly utime: number; readonly lt: bigint },
) => ({ event_id: id, timestamp: utime, is_scam: false, lt, in_progress: false, progress: 1 })

const unknownJetton = (address: string): Jetton => ({
  address,
  isMintable: false,
  totalSupply: 0n,
  admin: null,
  ...readMetadata({}),
  isVerified: false,
  walletCodeHash: '0'.repeat(64),
})

/** The amount in minimal units after fees; negative for a loss. */
function valueFlow(root: TraceNode, actions: readonly Action[]) {
  const flows = new Map<string, { grams: bigint; fees: bigint; jettons: Map<string, bigint> }>()

  function flowOf(account: string) {
    const known = flows.get(account)
    if (known !== undefined) return known
    const made = { grams: 0n, fees: 0n, jettons: new Map<string, bigint>() }
    flows.set(account, made)
    return made
  }

  function addTransactions({ transaction, children }: TraceNode): void {
    const flow = flowOf(transaction.account)
    const fees = feesOf(transaction)
    const credit = descriptionOf(transaction).creditPhase?.credit.coins ?? 0n
    const sent = transaction.transaction.outMessages
      .values()
      .map(({ info }) => (info.type === 'internal' ? info.value.coins + info.ihrFee : 0n))
    flow.grams += credit - sent.reduce((sum, each) => sum + each, 0n) - fees
    flow.fees += fees
    for (const child of children) addTransactions(child)
  }

  function addJettons(account: string, master: string, amount: bigint): void {
    const { jettons } = flowOf(account)
    const sum = (jettons.get(master) ?? 0n) + amount
    if (sum === 0n) jettons.delete(master)
    else jettons.set(master, sum)
  }

  addTransactions(root)
  for (const { isOk, master, from, to, amount } of actions) {
    if (!isOk || master === undefined) continue
    if (from !== null) addJettons(from, master, -amount)
    if (to !== null) addJettons(to, master, amount)
  }
  return flows
}
