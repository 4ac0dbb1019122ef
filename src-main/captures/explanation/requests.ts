import { isDeepStrictEqual } from 'node:util'
import type { HistoryRow } from '../../../src-preload/contract/chain/account.ts'
import type { TransactionResult } from '../../../src-preload/contract/chain/transaction.ts'
import type { InvoiceDetail } from '../../../src-preload/contract/invoice.ts'
import type {
  CaptureTimeline,
  ExplanationProgress,
} from '../../../src-preload/contract/explanation.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes, gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { AppContext } from '../../app/context.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { Backoff } from '../../jobs/backoff.ts'
import {
  type RequestTask,
  type RunningKeys,
  createBackgroundRequests,
} from '../../jobs/background-requests.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type {
  CaptureExplanations,
  StoredExplanation,
  WaitingExplanation,
} from '../store/capture-explanations.ts'
import type { Captures } from '../store/captures.ts'
import type { FactsReader } from '../store/index/facts.ts'
import { describeForSearch, factsOf, isEmulated } from './facts.ts'
import type { RegisteredEndpoint } from './network-of.ts'

export type TransactionRead = {
  readonly answer: TransactionResult
  readonly line: HistoryRow
  /** False if the moved jettons could not be read, so that the line contains only coins. */
  readonly isSure: boolean
}

export type PaidTransaction = {
  readonly account: string
  readonly lt: string
  readonly hash: string
}

/** Queries of the ledger of invoices about captures and transactions. */
type InvoiceTraces = {
  paidBy(network: NetworkId, account: string, lt: string): string | null
  paymentsOf(network: NetworkId, invoice: string, limit: number): readonly PaidTransaction[]
  latest(
    network: NetworkId,
    before: { readonly at: number; readonly key: number } | null,
    limit: number,
  ): readonly (PaidTransaction & { readonly at: number; readonly key: number })[]
  reportedTo(capture: number): NetworkId | null
  reportsFollowedTo(): number
  capturesOf(network: NetworkId, invoice: string, limit: number): readonly number[]
  capturesOfEvent(account: string, lt: string): readonly number[]
}

export type ExplanationDeps = Pick<
  AppContext,
  'labelsOf' | 'nameAccount' | 'now' | 'onBug' | 'wait'
> & {
  readonly meanings: CaptureExplanations
  readonly invoices: InvoiceTraces
  readonly captures: Captures
  readonly facts: FactsReader
  readonly classifiedTo: () => number
  readonly hooks: () => readonly RegisteredEndpoint[]
  readonly reader: {
    /**
     * Stores the transaction.
     * @throws AppError CHAIN_NOT_FOUND, CHAIN_AMBIGUOUS; the errors of the query client; the signal's reason
     */
    read(
      network: NetworkId,
      id: string,
      queryOptions: QueryOptions & { readonly signal: AbortSignal },
    ): Promise<TransactionRead>
    /** Returns the stored transaction with its trace, or null, without a request. */
    kept(network: NetworkId, id: string): TransactionRead | null
  }
  readonly networks: () => readonly Network[]
  /** @throws AppError NETWORK_UNKNOWN */
  readonly checkNetwork: (network: NetworkId) => unknown
  readonly invoice: (network: NetworkId, id: string) => Promise<InvoiceDetail | null>
  /** The user's setting; transactions of the sandbox are always requested. */
  readonly isOn: () => boolean
  readonly otherMoments: (capture: number) => Promise<CaptureTimeline>
  /** True if more captures arrive than the cores can process, so that explaining must wait. */
  readonly isRush: () => boolean
  readonly reindex: (ids: readonly number[]) => Promise<void>
  readonly onChanged: (ids: readonly number[]) => void
  readonly onProgress: (progress: ExplanationProgress) => void
}

export type TransactionRequests = ReturnType<typeof createTransactionRequests>

/** A gateway may have a transaction a moment after its delivery, and never one that was not executed. */
const retryAfterMs = [1000, 5000, 30_000, 300_000]
/** A transaction that was delivered longer ago than this is requested only once. */
const recentMs = 3_600_000
const refusedPauseMs = 300_000

export function createTransactionRequests(
  deps: ExplanationDeps,
  paidInvoice: (network: NetworkId, answer: TransactionResult) => string | null,
  onExplained: (ids: readonly number[]) => void,
  onProgress: () => void,
) {
  const { meanings, reader, now } = deps
  const read = createSharedReader(reader)
  const stopped = new AbortController()
  const requests = createBackgroundRequests({
    ...deps,
    next: nextTask,
    whyNot(id) {
      const network = deps.networks().find((each) => each.id === id)
      if (network === undefined) return 'Its network was removed.'
      return whyNotRequested(network, deps.isOn())
    },
    onTick: tick,
    onSettled: onProgress,
  })

  /** Null if the capture has another transaction or network by now. */
  function currentRow(
    network: NetworkId,
    { capture, hash }: Pick<WaitingExplanation, 'capture' | 'hash'>,
  ) {
    const row = meanings.byIds([capture]).get(capture)
    return row?.network === network && row.hash === hash ? row : null
  }

  function explain(row: StoredExplanation, { answer, line }: TransactionRead): void {
    const invoice = row.network === null ? null : paidInvoice(row.network, answer)
    const facts = factsOf(answer, line, invoice)
    const at = { blockAt: answer.transaction.at, understoodAt: now() }
    const explanation = describeForSearch(answer)
    const { duplicateOf = null } = deps.facts.byIds([row.capture]).get(row.capture) ?? {}
    const trace = duplicateOf === null ? (answer.trace?.nodes[0]?.hash ?? null) : null
    meanings.write([{ ...row, ...at, facts, explanation, trace, nextAt: 0, problem: null }])
    // The window requests a capture again after this event, so an event without changes would loop.
    const isSame = explanation === row.explanation && trace === row.trace
    if (!isSame || !isDeepStrictEqual(facts, row.facts)) onExplained([row.capture])
  }

  /** Requests the transaction of a capture, and stores the outcome. */
  async function request(
    network: NetworkId,
    waiting: WaitingExplanation,
    signal: AbortSignal,
    backoff: Backoff,
  ): Promise<void> {
    /** Stores a problem, or explains the capture; not if it was explained meanwhile. */
    function settle(why: string | null, found?: TransactionRead): void {
      const row = currentRow(network, waiting)
      if (row?.facts.state !== 'waiting') return
      if (why === null && found !== undefined) {
        explain(row, found)
        return
      }
      const tries = waiting.tries + 1
      const wait = now() - waiting.receivedAt < recentMs ? retryAfterMs[tries - 1] : undefined
      const state = wait === undefined ? 'unavailable' : 'waiting'
      const nextAt = wait === undefined ? 0 : now() + wait
      meanings.write([{ ...row, facts: { ...row.facts, state }, tries, nextAt, problem: why }])
      if (wait === undefined) onExplained([row.capture])
    }
    try {
      const found = await read(network, waiting.hash, signal)
      backoff.answered()
      settle(whyNotFinal(found), found)
    } catch (error) {
      if (signal.aborted) return
      const { about, message, pauseMs } = failureOf(error)
      if (about !== 'network') settle(message)
      if (about === 'transaction') backoff.answered()
      else backoff.pause(message, pauseMs)
      if (!(error instanceof AppError)) deps.onBug(error)
    }
  }

  function nextTask(network: NetworkId, running: RunningKeys): RequestTask | null {
    const waiting = meanings
      .due(network, running.size + 1)
      .find(({ capture }) => !running.has(String(capture)))
    if (waiting === undefined) return null
    return {
      key: String(waiting.capture),
      run: (signal, backoff) => request(network, waiting, signal, backoff),
    }
  }

  function run(): void {
    for (const network of meanings.waitingNetworks()) requests.run(network)
  }

  function tick(): void {
    for (const network of meanings.waitingNetworks()) meanings.promote(network, now())
    run()
  }

  return {
    ...requests,
    run,
    /** Checks for due requests and sends them. Runs each second automatically. */
    tick,
    /** Ends every backoff. Call this after a network's keys or addresses have changed. */
    networksChanged(): void {
      requests.retryNow()
      run()
    },
    /** @throws AppError of the reader; the signal's reason */
    async read(row: StoredExplanation, signal: AbortSignal): Promise<TransactionRead> {
      const { capture, hash, network } = row
      if (network === null || hash === null) throw new Error('it has no transaction')
      const either = AbortSignal.any([signal, stopped.signal])
      const queryOptions = { signal: either, priority: 'interactive', owner: 'meaning' } as const
      const found = await reader.read(network, hash, queryOptions)
      const current = currentRow(network, { capture, hash })
      if (current !== null && whyNotFinal(found) === null) explain(current, found)
      return found
    },
    async stop(): Promise<void> {
      stopped.abort()
      await requests.stop()
    },
  }
}

/** Deliveries of one transaction share one request. */
function createSharedReader(reader: ExplanationDeps['reader']) {
  const reading = new Map<string, Promise<TransactionRead>>()
  return async (network: NetworkId, hash: string, signal: AbortSignal) => {
    const stored = reader.kept(network, hash)
    if (stored?.isSure === true) return stored
    const key = `${network} ${hash}`
    const before = reading.get(key)
    if (before !== undefined) return before
    const queryOptions = { signal, priority: 'job', owner: 'meaning' } as const
    const requested = reader.read(network, hash, queryOptions).finally(() => reading.delete(key))
    reading.set(key, requested)
    return requested
  }
}

/** Returns why transactions of a network are not requested in the background; null if they are. */
export function whyNotRequested(
  { name, kind, problem, urls, secrets }: Network,
  isOn: boolean,
): string | null {
  if (problem !== null) return problem
  if (urls === null) return `${name} has no URL yet.`
  if (kind === 'sandbox') return null
  if (!isOn) {
    return 'Loading transactions of captures is turned off in Settings › Inspector.'
  }
  // A custom network may need no key.
  if (kind === 'custom' || secrets.api?.present === true) return null
  return `${name} has no key. Add one in Settings › Networks.`
}

function whyNotFinal({ answer, isSure }: TransactionRead): string | null {
  if (isEmulated(answer)) return 'The message was not executed yet.'
  return isSure ? null : 'The jetton of this transfer is unknown.'
}

type Failure = {
  /**
   * `either`: the gateway received the request, so requests for other transactions may fail too, or
   * may not.
   */
  readonly about: 'transaction' | 'network' | 'either'
  readonly message: string
  readonly pauseMs: number
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof AppError)) {
    return {
      about: 'transaction',
      message: 'Loading the transaction failed. The log has the details.',
      pauseMs: 0,
    }
  }
  const { code, message } = error
  const refusal = readRefusal(error)
  if (aboutTransaction.has(code) || refusal.kind === 'request') {
    return { about: 'transaction', message, pauseMs: 0 }
  }
  if (refusal.kind === 'standstill') return { about: 'network', message, pauseMs: refusedPauseMs }
  return { about: refusal.isOwn ? 'either' : 'network', message, pauseMs: refusal.retryAfterMs }
}

const aboutTransaction: ReadonlySet<string> = new Set([
  chainCodes.notFound,
  chainCodes.ambiguous,
  chainCodes.badHash,
  gatewayCodes.notFound,
  gatewayCodes.badAnswer,
])
