/** Asks each network for the transactions that captures wait for: rows are on disk, few in memory. */
import { isDeepStrictEqual } from 'node:util'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes, gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import { type Question, createNetworkQueues } from '../../jobs/network-queues.ts'
import type { Backoff } from '../../jobs/backoff.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { CaptureMeanings, MeaningWaiting, StoredMeaning } from '../store/capture-meanings.ts'
import { emptyFacts, explanationOf, factsOf, isEmulated } from './facts.ts'
import type { Paid } from './paid.ts'
import type { TransactionRead, TransactionReader } from './parts.ts'

type RequesterDeps = {
  readonly meanings: Pick<
    CaptureMeanings,
    'byIds' | 'write' | 'due' | 'promote' | 'waitingNetworks'
  >
  readonly reader: TransactionReader
  readonly paid: Pick<Paid, 'invoice'>
  readonly networks: () => readonly Network[]
  /** By the settings; the sandbox is always asked. */
  readonly isOn: () => boolean
  readonly onUnderstood: (ids: readonly number[]) => void
  /** How many wait, or why, is another now. */
  readonly onProgress: () => void
  readonly now: () => number
  readonly onBug: (error: unknown) => void
}

export type Requester = {
  /** There may be more to ask for, or it may be asked again. */
  wake(): void
  /** With every second. */
  tick(): void
  /** Networks have other keys or addresses: nobody waits for the next try. */
  networksChanged(): void
  /** Why what waits is not asked for now; null while it is. */
  problem(network: NetworkId): string | null
  /**
   * For somebody who waits: goes ahead of all others.
   * @throws AppError as the reader does; the signal's reason
   */
  ask(row: StoredMeaning, signal: AbortSignal): Promise<TransactionRead>
  /** Its chain is another from now on: none is asked for until `rest` is done. */
  forget(network: NetworkId, rest: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** A gateway that is still at work finds it a moment later; what nobody has executed, never. */
const againAfterMs = [1000, 5000, 30_000, 300_000]
/** What has not been found so long after it was delivered is asked for once only. */
const freshMs = 3_600_000
/** A key that was refused is not tried every few seconds. */
const standstillMs = 300_000

export function createRequester(deps: RequesterDeps): Requester {
  const { meanings, reader, now } = deps
  const underWay = new Map<string, Promise<TransactionRead>>()
  const stopped = new AbortController()
  const queues = createNetworkQueues({
    next: nextQuestion,
    whyNotAsked,
    onSettled: deps.onProgress,
    now,
    onBug: deps.onBug,
  })

  function whyNotAsked(id: NetworkId): string | null {
    const network = deps.networks().find((each) => each.id === id)
    if (network === undefined) return 'Its network is not there any more.'
    return whyNot(network, deps.isOn())
  }

  /** Deliveries of one transaction share one question. */
  async function read(network: NetworkId, hash: string, signal: AbortSignal) {
    const kept = reader.kept(network, hash)
    if (kept?.isSure === true) return kept
    const key = `${network} ${hash}`
    const before = underWay.get(key)
    if (before !== undefined) return before
    const asking = { signal, priority: 'job', owner: 'meaning' } as const
    const asked = reader.read(network, hash, asking).finally(() => underWay.delete(key))
    underWay.set(key, asked)
    return asked
  }

  function understood(row: StoredMeaning, { answer, line }: TransactionRead): void {
    const invoice = row.network === null ? null : deps.paid.invoice(row.network, answer)
    const facts = factsOf(answer, line, invoice)
    const at = { blockAt: answer.transaction.at, understoodAt: now() }
    const explanation = explanationOf(answer)
    meanings.write([{ ...row, ...at, facts, explanation, nextAt: 0, problem: null }])
    // Whoever is told may ask again, and that is to come to an end.
    const isNew = explanation !== row.explanation || !isDeepStrictEqual(facts, row.facts)
    if (isNew) deps.onUnderstood([row.capture])
  }

  /** It is not known there, or not yet. */
  function missed(row: StoredMeaning, { tries, receivedAt }: MeaningWaiting, why: string): void {
    const wait = now() - receivedAt < freshMs ? againAfterMs[tries] : undefined
    const state = wait === undefined ? 'unavailable' : 'waiting'
    const nextAt = wait === undefined ? 0 : now() + wait
    const facts = { ...row.facts, state } as const
    meanings.write([{ ...row, facts, tries: tries + 1, nextAt, problem: why }])
    if (wait === undefined) deps.onUnderstood([row.capture])
  }

  async function askOne(
    network: NetworkId,
    waiting: MeaningWaiting,
    backoff: Backoff,
    signal: AbortSignal,
  ): Promise<void> {
    const current = () => {
      const row = meanings.byIds([waiting.capture]).get(waiting.capture)
      const isSame = row?.network === network && row.hash === waiting.hash
      return isSame && row.facts.state === 'waiting' ? row : null
    }
    try {
      const found = await read(network, waiting.hash, signal)
      backoff.answered()
      const row = current()
      if (row === null) return
      const why = notYet(found)
      if (why !== null) missed(row, waiting, why)
      else understood(row, found)
    } catch (error) {
      if (signal.aborted) return
      const refusal = refusalOf(error)
      const { message } = refusal
      if (refusal.kind !== 'network') {
        const row = current()
        if (row !== null) missed(row, waiting, message)
      }
      if (refusal.kind !== 'transaction') backoff.pause(message, refusal.leastMs)
      else backoff.answered()
      if (refusal.isBug) deps.onBug(error)
    }
  }

  function nextQuestion(network: NetworkId, asked: ReadonlySet<number>): Question<number> | null {
    const due = meanings.due(network, asked.size + 1)
    const next = due.find(({ capture }) => !asked.has(capture))
    if (next === undefined) return null
    return {
      key: next.capture,
      ask: (backoff, signal) => askOne(network, next, backoff, signal),
    }
  }

  function wake(): void {
    for (const network of meanings.waitingNetworks()) queues.run(network)
  }

  return {
    wake,
    tick() {
      for (const network of meanings.waitingNetworks()) {
        meanings.promote(network, now())
        queues.run(network)
      }
    },
    networksChanged() {
      queues.answered()
      wake()
    },
    problem: (network) => whyNotAsked(network) ?? queues.backoff(network)?.problem() ?? null,
    async ask(row, signal) {
      if (row.network === null || row.hash === null) throw new Error('nothing is asked for it')
      const either = AbortSignal.any([signal, stopped.signal])
      const asking = { signal: either, priority: 'interactive', owner: 'meaning' } as const
      const found = await reader.read(row.network, row.hash, asking)
      const current = meanings.byIds([row.capture]).get(row.capture)
      const isSame = current?.network === row.network && current.hash === row.hash
      if (isSame && notYet(found) === null) understood(current, found)
      return found
    },
    forget: (network, rest) => queues.forget(network, rest),
    async stop() {
      stopped.abort()
      await queues.stop()
    },
  }
}

/** Why transactions of a network are not asked for by themselves; null when they are. Pure. */
export function whyNot(
  { name, kind, problem, urls, secrets }: Network,
  isOn: boolean,
): string | null {
  if (problem !== null) return problem
  if (urls === null) return `${name} has no address yet.`
  if (kind === 'sandbox') return null
  if (!isOn) {
    return 'Asking for the transactions of captures is turned off under Settings › Inspector.'
  }
  // A network of one's own may want none.
  if (kind === 'custom' || secrets.api?.present === true) return null
  return `There is no key for ${name}. Add it under Settings › Networks.`
}

function notYet({ answer, isSure }: TransactionRead): string | null {
  if (isEmulated(answer)) return 'It has not been executed yet.'
  return isSure ? null : 'Which jetton it moved could not be learnt.'
}

type Refused = {
  /** Of this transaction, of the network, or of either: nobody can tell. */
  readonly kind: 'transaction' | 'network' | 'either'
  readonly message: string
  readonly leastMs: number
  readonly isBug: boolean
}

function refusalOf(error: unknown): Refused {
  if (!(error instanceof AppError)) {
    const message = 'It could not be read; see the log.'
    return { kind: 'transaction', message, leastMs: 0, isBug: true }
  }
  const { code, message } = error
  if (ofTransaction.has(code)) return { kind: 'transaction', message, leastMs: 0, isBug: false }
  const refusal = readRefusal(error)
  switch (refusal.kind) {
    case 'request':
      return { kind: 'transaction', message, leastMs: 0, isBug: false }
    case 'standstill':
      return { kind: 'network', message, leastMs: standstillMs, isBug: false }
    case 'passing':
      return {
        kind: refusal.isOwn ? 'either' : 'network',
        message,
        leastMs: refusal.retryAfterMs,
        isBug: false,
      }
  }
}

const ofTransaction: ReadonlySet<string> = new Set([
  chainCodes.notFound,
  chainCodes.ambiguous,
  chainCodes.badHash,
  gatewayCodes.notFound,
  gatewayCodes.badAnswer,
])

/** Of a chain that was taken back since. */
const takenBack =
  'The chain that it was on is there no more: the sandbox was put back, or the network has another address now.'

/** What is left to say of a capture whose chain is gone. */
export function withoutChain(row: StoredMeaning): StoredMeaning {
  const facts = emptyFacts('unavailable')
  return {
    ...row,
    facts,
    tries: 0,
    nextAt: 0,
    problem: takenBack,
    blockAt: null,
    understoodAt: null,
    explanation: null,
  }
}
