/** Compares what was observed with what a scenario expects. Pure: whoever calls has observed everything. */
import type { SandboxCall } from '../../../src-preload/contract/sandbox.ts'
import type { Reply } from './http.ts'
import type { Variables } from './plan.ts'
import { type ProbeState, valueAt } from './probe.ts'
import type { RelayedDelivery } from './relay.ts'
import { type Comparison, type Expectation, comparisonNames } from './scenario.ts'

/** State at one moment. Balances and numbers of messages are whole numbers by `chainKey`. */
export type Moment = {
  readonly probe: ProbeState
  readonly chain: Readonly<Record<string, string>>
}

export type Facts = {
  readonly before: Moment
  readonly after: Moment
  readonly replies: Readonly<Record<string, readonly Reply[]>>
  /** Since the state before. */
  readonly deliveries: readonly RelayedDelivery[]
  readonly calls: readonly SandboxCall[]
  readonly variables: Variables
}

export type Verdict = {
  readonly state: 'holds' | 'fails' | 'unobservable'
  readonly subject: string
  readonly wanted: string
  readonly actual: string
  /** Why nothing was observed; empty otherwise. */
  readonly reason: string
}

type Observed = {
  readonly before?: unknown
  readonly after: unknown
  readonly statuses?: readonly (number | null)[]
}

/** The name of a value of the chain. */
export function chainKey({ balance, messages }: Expectation): string {
  if (balance !== undefined) return `balance ${balance.account} ${balance.currency}`
  return `messages ${messages?.from ?? ''} ${messages?.to ?? ''}`
}

export function evaluateExpectation(expectation: Expectation, facts: Facts): Verdict {
  const subject = describeSubject(expectation)
  const wanted = describeWanted(expectation)
  const observed = observe(expectation, facts)
  if (typeof observed === 'string') {
    return { state: 'unobservable', subject, wanted, actual: '', reason: observed }
  }
  const compared = comparisonsOf(expectation).map(([name, value]) => compare(name, value, observed))
  const failed = compared.find(({ holds }) => !holds)
  const actual = (failed ?? compared[0])?.actual ?? ''
  return { state: failed === undefined ? 'holds' : 'fails', subject, wanted, actual, reason: '' }
}

/** Returns the reason as a text if nothing can observe the subject. */
function observe(expectation: Expectation, facts: Facts): Observed | string {
  const { probe, response, balance, messages } = expectation
  if (probe !== undefined) return observeProbe(probe, facts)
  if (response !== undefined) {
    const replies = facts.replies[response]
    if (replies === undefined) return `no request was sent for "${response}"`
    const after = replies.map(({ body }) => body).join('\n')
    return { after, statuses: replies.map(({ status }) => status) }
  }
  if (balance !== undefined || messages !== undefined) {
    const key = chainKey(expectation)
    return { before: facts.before.chain[key] ?? '0', after: facts.after.chain[key] ?? '0' }
  }
  if (expectation.deliveries !== undefined) return observeDeliveries(expectation.deliveries, facts)
  return observeCalls(expectation.calls ?? {}, facts)
}

function observeProbe(path: string | readonly string[], { before, after }: Facts) {
  if (after.probe.problem !== null) return `the probe ${after.probe.problem}`
  const value = valueAt(after.probe, path)
  const first = typeof path === 'string' ? path.split('.', 1)[0] : path[0]
  if (value === undefined) return `the probe does not show ${first}`
  return { before: valueAt(before.probe, path) ?? null, after: value }
}

function observeDeliveries(filter: NonNullable<Expectation['deliveries']>, facts: Facts) {
  const found = facts.deliveries.filter(
    ({ type, body, forwards }) =>
      forwards > 0 &&
      (filter.type === undefined || filter.type === type) &&
      (filter.of === undefined || mentions(body, filter.of, facts.variables)),
  )
  const replies = found.flatMap((delivery) => delivery.replies)
  const after = found.reduce((sum, { forwards }) => sum + forwards, 0)
  return { after: String(after), statuses: replies.map(({ status }) => status) }
}

function observeCalls(filter: NonNullable<Expectation['calls']>, facts: Facts) {
  const found = facts.calls.filter(
    ({ root, method, path, status }) =>
      (filter.root === undefined || filter.root === root) &&
      (filter.method === undefined || filter.method === method) &&
      (filter.path === undefined || path.includes(filter.path)) &&
      (filter.status === undefined || isStatus(status, filter.status)) &&
      (filter.of === undefined || mentions(path, filter.of, facts.variables)),
  )
  return { after: String(found.length), statuses: found.map(({ status }) => status) }
}

/** True if a text names the transaction or invoice with this label. */
export function mentions(text: string, label: string, variables: Variables): boolean {
  const names = [variables[`${label}.hash`], variables[`${label}.id`]]
  return names.some((name) => name !== undefined && text.includes(name))
}

const comparisonsOf = (expectation: Expectation): [Comparison, unknown][] =>
  comparisonNames.flatMap((name) => {
    const value = expectation[name]
    return value === undefined ? [] : [[name, value] as [Comparison, unknown]]
  })

function compare(name: Comparison, wanted: unknown, { before, after, statuses = [] }: Observed) {
  if (name === 'status') {
    const patterns = [wanted].flat() as (string | number)[]
    const holds = statuses.every((status) => patterns.some((each) => isStatus(status, each)))
    const found = [...new Set(statuses.map((status) => String(status ?? 'no response')))]
    return { holds: holds && statuses.length > 0, actual: found.join(', ') || 'no response' }
  }
  if (name === 'is' || name === 'not' || name === 'oneOf') {
    const isAny = [wanted].flat().some((each) => isEqual(after, each))
    return { holds: isAny === (name !== 'not'), actual: formatValue(after) }
  }
  if (name === 'contains') {
    const text = formatValue(after)
    return { holds: text.includes(formatValue(wanted)), actual: text.slice(0, 500) }
  }
  const limit = wholeOf(wanted)
  const [from, to] = [wholeOf(before), wholeOf(after)]
  if (limit === null || to === null || from === null) {
    return { holds: false, actual: formatValue(to === null ? after : before) }
  }
  const value = name.startsWith('change') ? to - from : to
  const isRight =
    (name.endsWith('tLeast') && value >= limit) ||
    (name.endsWith('tMost') && value <= limit) ||
    value === limit
  return { holds: isRight, actual: value.toString() }
}

/** A missing amount counts as 0. */
function isEqual(actual: unknown, wanted: unknown): boolean {
  if (wanted === null || actual === null) {
    return actual === wanted || (actual === null && wholeOf(wanted) === 0n)
  }
  return formatValue(actual) === formatValue(wanted)
}

/** Null for what is no whole number. */
function wholeOf(value: unknown): bigint | null {
  if (value === null || value === undefined) return 0n
  const text = formatValue(value)
  return /^-?\d{1,200}$/.test(text) ? BigInt(text) : null
}

function isStatus(status: number | null, pattern: string | number): boolean {
  const text = String(status)
  return text === String(pattern) || `${text.slice(0, 1)}xx` === pattern
}

export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return String(value)
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? each.toString() : each,
  )
}

function describeSubject(expectation: Expectation): string {
  const { probe, response, deliveries, calls, balance } = expectation
  if (probe !== undefined) return `probe ${typeof probe === 'string' ? probe : probe.join('.')}`
  if (response !== undefined) return `response to "${response}"`
  if (deliveries !== undefined) return `deliveries ${describeFilter(deliveries)}`.trim()
  if (calls !== undefined) return `calls ${describeFilter(calls)}`.trim()
  if (balance !== undefined) return `balance of ${balance.account} in ${balance.currency}`
  const { from = '', to } = expectation.messages ?? {}
  return `messages from ${from}${to === undefined ? '' : ` to ${to}`}`
}

const describeFilter = (filter: object): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')

const describeWanted = (expectation: Expectation): string =>
  comparisonsOf(expectation)
    .map(([name, value]) => {
      const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      return `${words} ${formatValue(value)}`
    })
    .join(', ')
