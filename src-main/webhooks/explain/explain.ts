/** Explains failed deliveries from the gateway's log, the chain and the receiver's captures. */
import type { Explanation } from '../../../src-preload/contract/failure.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError, failureCodes, chainCodes } from '../../../src-preload/domain/app-error.ts'
import type { WebhookLogEntry } from '../../gateway/webhooks.ts'
import type { Sightings, StoredCapture } from '../../captures/store/captures.ts'
import { withProblem } from '../base-room.ts'
import type { WebhookRoom } from '../room.ts'
import type { SubscribedAccount } from '../store/subscriptions.ts'
import { type Cause, type LoggedFailure, describeCause, readLoggedFailure } from './causes.ts'

type Seen = Explanation['seen']

export type Evidence = {
  readonly isHere: boolean
  /** The time in milliseconds since the epoch. */
  readonly failedAt: number | null
  readonly ofEvent: readonly StoredCapture[]
  readonly refused: readonly StoredCapture[]
  /** Times of the captures before and after the failure, in microseconds. */
  readonly around: { readonly before: number | null; readonly after: number | null }
  readonly receiver: Pick<ReceiverState, 'status' | 'writable'>
  /** The start of the app; it is unknown whether the receiver listened before. */
  readonly startedAt: number
  readonly was503: boolean
}

/** A capture this close to the failure proves that the receiver was listening. */
const presenceMs = 10 * 60_000

export function describeSeen(evidence: Evidence): Seen {
  const { isHere, ofEvent, refused } = evidence
  if (!isHere) {
    const message = 'The webhook delivers to another endpoint, not to this receiver.'
    return { what: 'elsewhere', message, captures: [] }
  }
  const shown = ofEvent.length > 0 ? ofEvent : refused
  const decisive = shown.find(({ status }) => status === 200) ?? shown.at(-1)
  if (decisive === undefined) {
    return { what: 'nothing', message: describeNothing(evidence), captures: [] }
  }
  const [what, response] = describeResponse(decisive)
  const times = shown.length === 1 ? 'once' : `${shown.length} times`
  const deliveries = shown.length === 1 ? 'a delivery' : `${shown.length} deliveries`
  return {
    what,
    message:
      ofEvent.length > 0
        ? `The event arrived ${times}; the delivery ${response}.`
        : `No capture names this event, but ${deliveries} to this endpoint around that time ${response}.`,
    captures: shown.map(({ id, receivedAt, status }) => ({ id, receivedAt, status })),
  }
}

function describeResponse({ status, completeness }: StoredCapture): [Seen['what'], string] {
  const isSlow = status === 408 || completeness === 'partial'
  if (status === null) {
    return isSlow ? ['slow', 'broke off before it was complete'] : ['other', 'got no response']
  }
  const answered = `got the response ${status}`
  if (status === 200) return ['taken', answered]
  if (status === 401) return ['unauthorized', `${answered}, because the token was wrong or missing`]
  if (status === 413) return ['too-large', `${answered}, because the body was too large`]
  return isSlow ? ['slow', `did not end in time, and ${answered}`] : ['other', answered]
}

function describeNothing({ failedAt, around, receiver, startedAt, was503 }: Evidence): string {
  if (was503) {
    return 'The response was 503: the receiver could not store the request, so there is no capture.'
  }
  const nothing = 'No request for this event arrived here'
  const now = receiver.status === 'listening' ? '' : ' The receiver is not running now either.'
  if (failedAt === null) return `${nothing}.${now}`
  const isNear = (microseconds: number | null) =>
    microseconds !== null && Math.abs(microseconds / 1000 - failedAt) <= presenceMs
  if (isNear(around.before) && isNear(around.after)) {
    return `${nothing}, although other requests arrived shortly before and after. The receiver was running, so the request was lost on the way.`
  }
  if (failedAt < startedAt) {
    return isNear(around.before)
      ? `${nothing}. Other requests arrived shortly before. It is unknown whether the receiver was still running, because Tondesk was restarted later.${now}`
      : `${nothing}, and no other request did at that time: Tondesk was probably not running.${now}`
  }
  return receiver.status === 'listening'
    ? `${nothing}, although the receiver is running now: either the gateway could not reach the receiver, or the receiver was stopped at that time.`
    : `${nothing}. The receiver is stopped.`
}

const logPages = 5
const logsShown = 5
const logsKept = 100
/** Tolerance for clock differences and the duration of an attempt. */
const nearMs = 60_000

type ExplainDeps = WebhookRoom & {
  readonly sightings: Sightings
  readonly sentenceOf: (network: NetworkId, hash: string) => Promise<string | null>
}

export function createExplain(deps: ExplainDeps) {
  const { access, now, receiver, sentenceOf, sightings, store } = deps
  const startedAt = now()

  function gatherEvidence(
    webhook: Webhook,
    { account, failedLt, failedAt }: SubscribedAccount,
    was503: boolean,
  ): Evidence {
    const hook = hookOf(webhook.endpoint)
    const isOwn = ({ tokenId }: StoredCapture) =>
      !store.webhooks.isTokenOfAnother(tokenId, webhook.network, webhook.id)
    const near = (at: number) =>
      sightings
        .refusedIn((at - nearMs) * 1000, (at + nearMs) * 1000)
        .filter((capture) => capture.target === hook && isOwn(capture))
    return {
      isHere: webhook.isHere,
      failedAt,
      ofEvent: failedLt === null ? [] : sightings.ofEvent(account, failedLt).filter(isOwn),
      refused: failedAt === null ? [] : near(failedAt),
      around: sightings.around((failedAt ?? now()) * 1000),
      receiver: receiver.state(),
      startedAt,
      was503,
    }
  }

  async function readLogs(network: NetworkId, webhook: string, failedAt: number) {
    const client = access.webhooks(network)
    const queryOptions = { signal: access.interest(network) }
    const found: WebhookLogEntry[] = []
    let offset: number | null = 0
    for (let page = 0; page < logPages && offset !== null; page += 1) {
      const { logs, next } = await client.logs(webhook, offset, queryOptions)
      found.push(...logs)
      const reached = logs.some(({ at }) => at !== null && at < failedAt - nearMs)
      offset = reached ? null : next
    }
    const near = nearest(found, failedAt)
    // The sampler has stored entries that the gateway may have deleted since.
    return near.length > 0 ? near : storedLogs(network, webhook, failedAt)
  }

  function storedLogs(network: NetworkId, webhook: string, failedAt: number): WebhookLogEntry[] {
    const key = store.webhooks.get(network, webhook)?.key
    if (key === undefined) return []
    const [from, to] = [failedAt - nearMs, failedAt + nearMs]
    return nearest(store.samplerRecords.logs(key, from, to, logsKept), failedAt)
  }

  async function readTransaction(
    network: NetworkId,
    { account, failedLt }: SubscribedAccount,
  ): Promise<Explanation['transaction']> {
    if (failedLt === null) return null
    const [afterLt, beforeLt] = [`${failedLt - 1n}`, `${failedLt + 1n}`]
    const page = { afterLt, beforeLt, limit: 1 }
    const queryOptions = { signal: access.interest(network) }
    const [found] = await access.query(network).accountTransactions(account, page, queryOptions)
    if (found === undefined || BigInt(found.lt) !== failedLt) {
      const message = `The gateway shows no transaction of this account with the logical time ${failedLt}. The gateway’s index may be behind.`
      throw new AppError(chainCodes.notFound, message)
    }
    const { value: sentence } = await withProblem(sentenceOf(network, found.hash), null)
    return { hash: found.hash, at: found.utime * 1000, sentence }
  }

  async function countDisabled(network: NetworkId, webhook: Webhook): Promise<number> {
    if (webhook.opcodes === 0) return 0
    const queryOptions = { signal: access.interest(network) }
    const opcodes = await access.webhooks(network).opcodes(webhook.id, {}, queryOptions)
    return opcodes.filter(({ status }) => status === 'disabled').length
  }

  function explain(
    webhook: Webhook,
    account: SubscribedAccount,
    logs: readonly WebhookLogEntry[],
    known = { disabledOpcodes: 0, hasTransaction: false },
  ) {
    const { failedAt, failedLt, failedAttempts, isFailing } = account
    const failure = firstUnderstood(logs)
    const seen = describeSeen(gatherEvidence(webhook, account, failure === 503))
    const { status, writable } = receiver.state()
    const isThisComputer = originOf(webhook.endpoint) === originOf(receiver.url())
    const cause = describeCause({
      ...known,
      status: webhook.status,
      isHere: webhook.isHere,
      isTunnel: webhook.isHere && !isThisComputer,
      isThisComputer,
      isFailing,
      hasFailed: failedAt !== null || failedLt !== null || failedAttempts > 0,
      failure,
      seen: seen.what,
      isListening: status === 'listening',
      isWritable: writable,
      hasCapture: seen.captures.length > 0,
    })
    return { seen, ...cause }
  }

  const handlers = {
    async 'failure.explain'({ network, webhook: id, account }) {
      const webhook = deps.book.find(network, id)
      const known = deps.mirror.find(network, id, account)
      if (known === null) {
        const message = `The webhook has no known subscription to ${deps.nameAccount(network, { address: account })}. Refresh the webhook’s accounts.`
        throw new AppError(failureCodes.accountUnknown, message)
      }
      const { failedAt, failedLt, failedAttempts } = known
      const [logs, transaction, disabledOpcodes] = await Promise.all([
        withProblem(failedAt === null ? [] : readLogs(network, id, failedAt), []),
        withProblem(readTransaction(network, known), null),
        withProblem(countDisabled(network, webhook), 0),
      ])
      return {
        account,
        label: deps.labelsOf(network, [account]).get(account) ?? null,
        failedAt,
        failedLt: failedLt?.toString() ?? null,
        failedAttempts,
        logs: logs.value.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0)),
        logsProblem: logs.problem,
        transaction: transaction.value,
        transactionProblem: transaction.problem,
        ...explain(webhook, known, logs.value, {
          disabledOpcodes: disabledOpcodes.value,
          hasTransaction: transaction.value !== null,
        }),
      }
    },
  } satisfies Partial<Handlers>

  return {
    handlers,
    /** Finds the cause from stored data, without a request to the gateway. */
    causeOf: (webhook: Webhook, account: SubscribedAccount): Cause => {
      const { failedAt } = account
      const logs = failedAt === null ? [] : storedLogs(webhook.network, webhook.id, failedAt)
      const { cause, steps } = explain(webhook, account, logs)
      return { cause, steps }
    },
  }
}

function nearest(logs: readonly WebhookLogEntry[], failedAt: number): WebhookLogEntry[] {
  const distance = ({ at }: WebhookLogEntry) => (at === null ? Infinity : Math.abs(at - failedAt))
  const near = logs.filter((entry) => distance(entry) <= nearMs)
  const ofAccounts = near.filter(({ eventType }) => eventType === 'account_tx')
  return (ofAccounts.length > 0 ? ofAccounts : near)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, logsShown)
}

function firstUnderstood(logs: readonly WebhookLogEntry[]): LoggedFailure | null {
  const failures = logs.map(({ message }) => readLoggedFailure(message))
  return failures.find((failure) => failure !== 'unknown') ?? failures[0] ?? null
}

/** Returns path and query as the receiver sees them, without the prefix of a tunnel. */
function hookOf(endpoint: string): string {
  const url = URL.parse(endpoint)
  if (url === null) return ''
  const target = url.pathname + url.search
  return target.slice(Math.max(0, target.indexOf('/hook/')))
}

const originOf = (url: string): string | null => URL.parse(url)?.origin ?? null
