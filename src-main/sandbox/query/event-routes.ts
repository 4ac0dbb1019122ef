import type { Context } from 'hono'
import { type TraceNode, TraceTooLongError } from '../chain/chain.ts'
import { answerJson } from '../http.ts'
import {
  serializeAccountEvent,
  serializeEvent,
  serializeLongEvent,
  understandTrace,
} from './event-json.ts'
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
import type { QueryDeps, Route } from './routes.ts'
import { serializeTrace } from './transaction-json.ts'

/** The service rejects later dates. */
const latestDate = 2_114_380_800

export function eventRoutes(deps: QueryDeps): Route[] {
  const { chain } = deps

  /** By trace id, transaction hash or incoming message hash. */
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
    try {
      return chain.trace(hash)
    } catch (error) {
      if (error instanceof TraceTooLongError) throw refusal('trace is too long', 413)
      throw error
    }
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
        root === null
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

  function loadOrNull(id: string): TraceNode | null {
    try {
      return chain.trace(id)
    } catch (error) {
      if (error instanceof TraceTooLongError) return null
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
