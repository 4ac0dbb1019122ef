/** Explains failed deliveries from the gateway's log, the chain and the receiver's captures. */
import type { Explanation } from '../../../src-preload/contract/failure.ts'
import { failureCodes, chainCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { WebhookLogEntry } from '../../gateway/webhooks.ts'
import type { Sightings, StoredCapture } from '../../captures/store/captures.ts'
import type { FollowedAccount, Room } from '../room.ts'
import { describeCause, type LoggedFailure, readLoggedFailure } from './causes.ts'

type SeenHere = Explanation['seen']

export type Looked = {
  readonly isHere: boolean
  /** Milliseconds. */
  readonly failedAt: number | null
  readonly ofEvent: readonly StoredCapture[]
  readonly refused: readonly StoredCapture[]
  /** Times of the captures before and after the failure, in microseconds. */
  readonly around: { readonly before: number | null; readonly after: number | null }
  readonly receiver: Pick<ReceiverState, 'status' | 'writable'>
  /** Whether the receiver listened before the app's start is unknown. */
  readonly startedAt: number
  readonly was503: boolean
}

/** A capture this close to the failure proves that the receiver was listening. */
const presenceMs = 10 * 60_000

export function notifySeen(looked: Looked): SeenHere {
  const { ofEvent, refused } = looked
  if (!looked.isHere) {
    return {
      what: 'elsewhere',
      message: 'The endpoint is not this receiver, so nothing of it can have been seen here.',
      captures: [],
    }
  }
  const captures = (ofEvent.length > 0 ? ofEvent : refused).map(({ id, receivedAt, status }) => ({
    id,
    receivedAt,
    status,
  }))
  if (ofEvent.length > 0) return { ...notifyEvent(ofEvent), captures }
  const nearest = refused.at(-1)
  if (nearest !== undefined) {
    const what = refusalOf(nearest)
    return {
      what,
      message: `No capture names this event, but ${refused.length === 1 ? 'a delivery' : `${refused.length} deliveries`} to this endpoint around that time ${wordsOf(what, nearest.status)}.`,
      captures,
    }
  }
  return { what: 'nothing', message: notifyNothing(looked), captures }
}

function notifyEvent(captures: readonly StoredCapture[]): Pick<SeenHere, 'what' | 'message'> {
  const taken = captures.find(({ status }) => status === 200)
  if (taken !== undefined) {
    const times = captures.length === 1 ? 'once' : `${captures.length} times`
    return {
      what: 'taken',
      message: `It came here ${times}, and was answered 200.`,
    }
  }
  const last = captures.at(-1)
  const what = last === undefined ? 'other' : refusalOf(last)
  return {
    what,
    message: `It came here ${captures.length === 1 ? 'once' : `${captures.length} times`}, and ${wordsOf(what, last?.status ?? null)}.`,
  }
}

function refusalOf({ status, completeness }: StoredCapture): Exclude<SeenHere['what'], 'taken'> {
  if (status === 401) return 'unauthorized'
  if (status === 413) return 'too-large'
  if (status === 408 || completeness === 'partial') return 'slow'
  return 'other'
}

function wordsOf(what: SeenHere['what'], status: number | null): string {
  switch (what) {
    case 'unauthorized':
      return 'was answered 401, for its token was wrong or missing'
    case 'too-large':
      return 'was answered 413, for it was longer than the limit'
    case 'slow':
      return status === null
        ? 'broke off before it was complete'
        : `did not end in time, and was answered ${status}`
    case 'other':
    case 'elsewhere':
    case 'nothing':
    case 'taken':
      return status === null ? 'was not answered' : `was answered ${status}`
  }
}

function notifyNothing({ failedAt, around, receiver, startedAt, was503 }: Looked): string {
  if (was503) {
    return 'The gateway was answered 503: captures could not be written, and what is answered so leaves no capture.'
  }
  const nothing = 'No request of it came here'
  const now = receiver.status === 'listening' ? '' : ' The receiver does not listen now either.'
  if (failedAt === null) return `${nothing}.${now}`
  const isNear = (microseconds: number | null) =>
    microseconds !== null && Math.abs(microseconds / 1000 - failedAt) <= presenceMs
  if (isNear(around.before) && isNear(around.after)) {
    return `${nothing}, although others came shortly before and after: the receiver was listening, so it was lost on the way.`
  }
  if (failedAt < startedAt) {
    return isNear(around.before)
      ? `${nothing}. Others came shortly before; whether the receiver still listened is not known, for Tondesk was started again since.${now}`
      : `${nothing}, and nothing else did at that time: Tondesk was probably not running.${now}`
  }
  return receiver.status === 'listening'
    ? `${nothing}, although the receiver listens now: the way from the gateway to it was closed, or the receiver was.`
    : `${nothing}. The receiver does not listen.`
}

type Part<T> = { readonly value: T; readonly problem: string | null }

const logPages = 5
const logsShown = 5
const logsKept = 100
/** Tolerance for clock differences and the duration of an attempt. */
const nearMs = 60_000

export function createExplain(
  deps: Room<
    'access' | 'book' | 'labelsOf' | 'mirror' | 'now' | 'receiver' | 'receiverUrl' | 'store'
  > & {
    readonly sightings: Sightings
    readonly sentenceOf: (network: NetworkId, hash: string) => Promise<string | null>
  },
): Pick<Handlers, 'failure.explain'> {
  const { access, sightings } = deps
  const startedAt = deps.now()

  async function readLogs(
    network: NetworkId,
    webhook: string,
    failedAt: number,
  ): Promise<WebhookLogEntry[]> {
    const client = access.webhooks(network)
    const asking = { signal: access.interest(network) }
    const found: WebhookLogEntry[] = []
    let offset: number | null = 0
    for (let page = 0; page < logPages && offset !== null; page += 1) {
      const { logs, next } = await client.logs(webhook, offset, asking)
      found.push(...logs)
      const reached = logs.some(({ at }) => at !== null && at < failedAt - nearMs)
      offset = reached ? null : next
    }
    const near = nearest(found, failedAt)
    return near.length > 0 ? near : nearest(keptLogs(network, webhook, failedAt), failedAt)
  }

  /** Log entries that the sampler stored; the gateway may have dropped them since. */
  function keptLogs(network: NetworkId, webhook: string, failedAt: number): WebhookLogEntry[] {
    const record = deps.store.webhooks.get(network, webhook)
    if (record === null) return []
    const { samplerRecords } = deps.store
    return samplerRecords.logs(record.key, failedAt - nearMs, failedAt + nearMs, logsKept)
  }

  async function readTransaction(
    network: NetworkId,
    { account, failedLt }: FollowedAccount,
  ): Promise<Explanation['transaction']> {
    if (failedLt === null) return null
    const page = {
      afterLt: (failedLt - 1n).toString(),
      beforeLt: (failedLt + 1n).toString(),
      limit: 1,
    }
    const asking = { signal: access.interest(network) }
    const [found] = await access.query(network).accountTransactions(account, page, asking)
    if (found === undefined || BigInt(found.lt) !== failedLt) {
      throw new AppError(
        chainCodes.notFound,
        `The gateway shows no transaction of this account with the logical time ${failedLt}. Its index may be behind.`,
      )
    }
    const { value: sentence } = await part(deps.sentenceOf(network, found.hash), null)
    return { hash: found.hash, at: found.utime * 1000, sentence }
  }

  async function countDisabled(network: NetworkId, webhook: Webhook): Promise<number> {
    if (webhook.opcodes === 0) return 0
    const asking = { signal: access.interest(network) }
    const opcodes = await access.webhooks(network).opcodes(webhook.id, {}, asking)
    return opcodes.filter(({ status }) => status === 'disabled').length
  }

  function look(
    webhook: Webhook,
    { account, failedLt, failedAt }: FollowedAccount,
    was503: boolean,
  ) {
    const hook = hookOf(webhook.endpoint)
    const { webhooks } = deps.store
    const isOwn = ({ tokenId }: StoredCapture) =>
      tokenId === null || !webhooks.isTokenOfAnother(tokenId, webhook.network, webhook.id)
    const from = ((failedAt ?? 0) - nearMs) * 1000
    const to = ((failedAt ?? 0) + nearMs) * 1000
    return notifySeen({
      isHere: webhook.isHere,
      failedAt,
      ofEvent: failedLt === null ? [] : sightings.ofEvent(account, failedLt).filter(isOwn),
      refused:
        failedAt === null
          ? []
          : sightings
              .refusedIn(from, to)
              .filter((capture) => capture.target === hook && isOwn(capture)),
      around: sightings.around((failedAt ?? deps.now()) * 1000),
      receiver: deps.receiver(),
      startedAt,
      was503,
    })
  }

  return {
    async 'failure.explain'({ network, webhook: id, account }) {
      const webhook = deps.book.find(network, id)
      const known = deps.mirror.find(network, id, account)
      if (known === null) throw unknownAccount(account)
      const { failedAt, failedLt, failedAttempts, isFailing } = known
      const [logs, transaction, disabledOpcodes] = await Promise.all([
        part(failedAt === null ? [] : readLogs(network, id, failedAt), []),
        part(readTransaction(network, known), null),
        part(countDisabled(network, webhook), 0),
      ])
      const failure = maxTelling(logs.value)
      const seen = look(webhook, known, failure?.kind === 'status' && failure.status === 503)
      const receiver = deps.receiver()
      const told = describeCause({
        status: webhook.status,
        isHere: webhook.isHere,
        isTunnel: webhook.isHere && originOf(webhook.endpoint) !== originOf(deps.receiverUrl()),
        isThisComputer: originOf(webhook.endpoint) === originOf(deps.receiverUrl()),
        isFailing,
        hasFailed: failedAt !== null || failedLt !== null || failedAttempts > 0,
        failure,
        seen: seen.what,
        isListening: receiver.status === 'listening',
        isWritable: receiver.writable,
        disabledOpcodes: disabledOpcodes.value,
        hasTransaction: transaction.value !== null,
        hasCapture: seen.captures.length > 0,
      })
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
        seen,
        ...told,
      }
    },
  }
}

/** A source that could not be read reports its problem, and the other sources still count. */
async function part<T>(work: T | Promise<T>, fallback: T): Promise<Part<T>> {
  try {
    return { value: await work, problem: null }
  } catch (error) {
    return { value: fallback, problem: problemOf(error) }
  }
}

function problemOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error
  return error.message
}

function nearest(logs: readonly WebhookLogEntry[], failedAt: number): WebhookLogEntry[] {
  const distance = ({ at }: WebhookLogEntry) => (at === null ? Infinity : Math.abs(at - failedAt))
  const near = logs.filter((entry) => distance(entry) <= nearMs)
  const ofAccounts = near.filter(({ eventType }) => eventType === 'account_tx')
  return (ofAccounts.length > 0 ? ofAccounts : near)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, logsShown)
}

function maxTelling(logs: readonly WebhookLogEntry[]): LoggedFailure | null {
  const failures = logs.map(({ message }) => readLoggedFailure(message))
  return failures.find(({ kind }) => kind !== 'unknown') ?? failures[0] ?? null
}

/** Path and query as the receiver sees them, without what a tunnel puts before them. */
function hookOf(endpoint: string): string {
  const url = URL.parse(endpoint)
  if (url === null) return ''
  const target = url.pathname + url.search
  return target.slice(Math.max(0, target.indexOf('/hook/')))
}

function originOf(url: string): string | null {
  return URL.parse(url)?.origin ?? null
}

function unknownAccount(account: string): AppError {
  return new AppError(
    failureCodes.accountUnknown,
    `The webhook is not known to be subscribed to ${account}. Read its accounts again.`,
  )
}
