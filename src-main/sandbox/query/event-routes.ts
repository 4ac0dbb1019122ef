import type { Context } from 'hono'
import { type TraceNode, TraceTooLongError } from '../chain/chain.ts'
import { answerJson } from '../http.ts'
import {
  accountParameter,
  booleanQuery,
  hashParameter,
  int64Query,
  intQuery,
  limitQuery,
  notFound,
  orderQuery,
  refusal,
} from './request.ts'
import type { EventDeps, QueryDeps, Route } from './routes.ts'
import { serializeTrace, creditOf, feesOf, sentBy } from './transaction-json.ts'
import type { AccountBook } from './accounts.ts'
import {
  type Action,
  type ActionPrinting,
  contribution,
  serializeAction,
  subjectsOf,
  unknownAction,
} from './actions.ts'
import { findActions } from './find-actions.ts'
import { type Jetton, serializeJettonPreview } from './jettons.ts'

/** The service rejects later dates. */
const latestDate = 2_114_380_800

export function eventRoutes(deps: QueryDeps): Route[] {
  const { chain } = deps

  function findTrace(context: Context, name: string): TraceNode {
    const hash = hashParameter(context, name)
    const trace = loadTrace(hash)
    if (trace !== null) return trace
    const [first, second] = chain.transactionsByMessage(hash)
    if (second !== undefined) throw notFound('more than one transaction with message hash')
    const found = first === undefined ? null : loadTrace(first.hash)
    if (found === null) throw notFound()
    return found
  }

  function loadTrace(hash: string): TraceNode | null {
    const trace = loadOrNull(hash)
    if (trace === 'too long') throw refusal('trace is too long', 413)
    return trace
  }

  function getTrace(context: Context): Response {
    const trace = findTrace(context, 'trace_id')
    return answerJson(serializeTrace(trace, { chain, book: deps.book(), isEmulated: false }))
  }

  async function getEvent(context: Context): Promise<Response> {
    const eventDeps = deps.eventDeps(context)
    const meaning = await understandTrace(findTrace(context, 'event_id'), eventDeps)
    return answerJson(serializeEvent(meaning, eventDeps))
  }

  async function getAccountEvent(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const options = { subjectOnly: booleanQuery(context, 'subject_only') }
    const eventDeps = deps.eventDeps(context)
    const meaning = await understandTrace(findTrace(context, 'event_id'), eventDeps)
    return answerJson(serializeAccountEvent(meaning, account, eventDeps, options))
  }

  async function getAccountEvents(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const limit = limitQuery(context, { most: 100 })
    const options = { subjectOnly: booleanQuery(context, 'subject_only') }
    const date = (name: string) =>
      context.req.query(name) === undefined
        ? undefined
        : intQuery(context, name, { least: 0, most: latestDate })
    const traces = chain.traces(account, {
      beforeLt: int64Query(context, 'before_lt'),
      afterLt: int64Query(context, 'after_lt'),
      since: date('start_date'),
      until: date('end_date'),
      initiated: booleanQuery(context, 'initiator'),
      order: orderQuery(context),
      limit,
    })
    const eventDeps = deps.eventDeps(context)
    const events: object[] = []
    for (const found of traces) {
      const root = loadOrNull(found.id)
      events.push(
        root === null || root === 'too long'
          ? serializeLongEvent(found, account, eventDeps.book)
          : serializeAccountEvent(
              await understandTrace(root, eventDeps),
              account,
              eventDeps,
              options,
            ),
      )
    }
    const last = traces.length < limit ? undefined : traces.at(-1)
    return answerJson({ events, next_from: last?.lt ?? 0 })
  }

  function loadOrNull(id: string): TraceNode | null | 'too long' {
    try {
      return chain.trace(id)
    } catch (error) {
      if (error instanceof TraceTooLongError) return 'too long'
      throw error
    }
  }

  function getAccountTraces(context: Context): Response {
    const account = accountParameter(context)
    const traces = chain.traces(account, {
      beforeLt: int64Query(context, 'before_lt'),
      limit: limitQuery(context, { most: 1_000, preset: 100 }),
    })
    return answerJson({ traces: traces.map(({ id, utime }) => ({ id, utime })) })
  }

  return [
    { path: '/traces/:trace_id', get: getTrace },
    { path: '/events/:event_id', get: getEvent },
    { path: '/accounts/:account_id/events', get: getAccountEvents },
    { path: '/accounts/:account_id/events/:event_id', get: getAccountEvent },
    { path: '/accounts/:account_id/traces', get: getAccountTraces },
  ]
}

type TraceMeaning = {
  readonly root: TraceNode
  readonly actions: readonly Action[]
  readonly flow: ReadonlyMap<string, AccountFlow>
  readonly jettons: ReadonlyMap<string, Jetton>
}

export async function understandTrace(root: TraceNode, deps: EventDeps): Promise<TraceMeaning> {
  const actions = await findActions(root, deps)
  const jettons = new Map<string, Jetton>()
  for (const { details } of actions) {
    if (!('master' in details) || jettons.has(details.master)) continue
    jettons.set(details.master, (await deps.jettons.find(details.master)) ?? lost(details.master))
  }
  return { root, actions, flow: valueFlow(root, actions), jettons }
}

export function serializeEvent(meaning: TraceMeaning, deps: EventDeps) {
  const { root, actions, flow } = meaning
  const printing = printingOf(meaning, deps, null)
  return {
    ...common(root),
    actions: actions.map((action) => serializeAction(action, printing)),
    value_flow: [...flow].map(([account, each]) => serializeFlow(account, each, printing)),
  }
}

export function serializeAccountEvent(
  meaning: TraceMeaning,
  account: string,
  deps: EventDeps,
  options: { readonly subjectOnly: boolean } = { subjectOnly: false },
) {
  const { root, flow } = meaning
  const concerning = meaning.actions.filter(({ accounts }) => accounts.has(account))
  const shown = options.subjectOnly
    ? concerning.filter(({ details }) => subjectsOf(details).includes(account))
    : concerning
  const printing = printingOf(meaning, deps, account)
  const told = concerning.reduce((sum, action) => sum + contribution(action, account), 0n)
  return {
    ...common(root),
    account: deps.book.describe(account),
    actions:
      shown.length === 0
        ? [unknownAction(account, deps.book, 'Something happened but we do not know what.')]
        : shown.map((action) => serializeAction(action, printing)),
    extra: (flow.get(account)?.grams ?? 0n) - told,
  }
}

function serializeLongEvent(
  trace: { readonly id: string; readonly utime: number; readonly lt: bigint },
  account: string,
  book: AccountBook,
) {
  return {
    event_id: trace.id,
    account: book.describe(account),
    timestamp: trace.utime,
    actions: [unknownAction(account, book, 'Event is too big.')],
    is_scam: false,
    lt: trace.lt,
    in_progress: false,
    extra: 0,
    progress: 1,
  }
}

function common({ transaction }: TraceNode) {
  return {
    event_id: transaction.hash,
    timestamp: transaction.utime,
    is_scam: false,
    lt: transaction.lt,
    in_progress: false,
    progress: 1,
    ...(transaction.inMessageHash === null ? {} : { ext_msg_hash: transaction.inMessageHash }),
  }
}

function printingOf(
  { jettons }: TraceMeaning,
  { book, language }: EventDeps,
  viewer: string | null,
): ActionPrinting {
  return { book, language, viewer, jetton: (master) => jettons.get(master) ?? lost(master) }
}

function serializeFlow(account: string, flow: AccountFlow, { book, jetton }: ActionPrinting) {
  const jettons = [...flow.jettons].map(([master, amount]) => ({
    account: book.describe(master),
    jetton: serializeJettonPreview(jetton(master)),
    qty: amount.toString(),
    quantity: BigInt.asIntN(64, amount),
  }))
  return {
    account: book.describe(account),
    ton: flow.grams,
    gram: flow.grams,
    fees: flow.fees,
    ...(jettons.length === 0 ? {} : { jettons }),
  }
}

function lost(address: string): Jetton {
  return {
    address,
    isMintable: false,
    totalSupply: 0n,
    admin: null,
    name: 'Unknown Token',
    symbol: 'UKWN',
    decimals: 9,
    image: '',
    description: null,
    isVerified: false,
    walletCodeHash: '0'.repeat(64),
  }
}

/** Minimal units, after fees; negative for a loss. */
type AccountFlow = {
  readonly grams: bigint
  readonly fees: bigint
  readonly jettons: ReadonlyMap<string, bigint>
}

function valueFlow(root: TraceNode, actions: readonly Action[]): ReadonlyMap<string, AccountFlow> {
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
    const sent = sentBy(transaction).reduce(
      (sum, { info }) => sum + (info.type === 'internal' ? info.value.coins + info.ihrFee : 0n),
      0n,
    )
    flow.grams += creditOf(transaction) - sent - fees
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
  for (const { isOk, details } of actions) {
    if (!isOk) continue
    if (details.type === 'JettonTransfer') {
      addJettons(details.sender, details.master, -details.amount)
      if (details.recipient !== null) addJettons(details.recipient, details.master, details.amount)
    } else if (details.type === 'JettonMint') {
      addJettons(details.recipient, details.master, details.amount)
    } else if (details.type === 'JettonBurn') {
      addJettons(details.sender, details.master, -details.amount)
    }
  }
  return flows
}
