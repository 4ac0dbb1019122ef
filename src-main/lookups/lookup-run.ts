/** The work of a lookup: requests chunk after chunk and stores each response at once. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { AccountAnswer } from '../gateway/query-answers.ts'
import { createChunkSize, readLimit } from '../jobs/chunk-size.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../jobs/job-run.ts'
import { type Refusal, readRefusal } from '../jobs/refusal.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { byAddress, toLookupAnswer, changesBetween } from './account-answer.ts'
import type { JobRecord } from './store/lookup-jobs.ts'
import type { Asked, LookupLines, Waiting } from './store/lookup-lines.ts'

/** Addresses of one request, or of several where the gateway requires it. */
type Piece = {
  readonly waiting: readonly Waiting[]
  /** The piece that this is half of: if both halves are accepted, the whole was too large. */
  readonly whole: Split | null
  /** True after a response that omitted the addresses. */
  readonly isSecondTry: boolean
  /** Requests that failed on the gateway's side. */
  readonly troubles: number
  /** Number of responses when its first failure occurred; null without one. */
  readonly answeredBefore: number | null
}

type Split = { readonly length: number; halvesLeft: number }

type Pieces = {
  /** The next piece of at most `max` addresses; null when none is left. */
  next(max: number): Piece | null
  /** Puts pieces before all others. */
  again(...pieces: readonly Piece[]): void
  /** Puts a piece after all others. */
  later(piece: Piece): void
  /** True while some pieces are to be repeated. */
  isMending(): boolean
}

/** @param read waiting addresses after an index, in order */
function createPieces(read: (after: number, limit: number) => readonly Waiting[]): Pieces {
  const first: Piece[] = []
  const last: Piece[] = []
  let after = -1

  function fresh(max: number): Piece | null {
    const waiting = read(after, max)
    const end = waiting.at(-1)
    if (end === undefined) return null
    after = end.index
    return pieceOf(waiting)
  }

  return {
    next(max) {
      const piece = first.shift() ?? fresh(max) ?? last.shift() ?? null
      if (piece === null || piece.waiting.length <= max) return piece
      // The limit was learned after the piece was made.
      first.unshift({ ...piece, waiting: piece.waiting.slice(max), whole: null })
      return { ...piece, waiting: piece.waiting.slice(0, max), whole: null }
    },
    again: (...pieces) => void first.unshift(...pieces.filter(({ waiting }) => waiting.length > 0)),
    later: (piece) => void last.push(piece),
    isMending: () => first.length > 0,
  }
}

function pieceOf(waiting: readonly Waiting[]): Piece {
  return { waiting, whole: null, isSecondTry: false, troubles: 0, answeredBefore: null }
}

function halves(piece: Piece): [Piece, Piece] {
  const { length } = piece.waiting
  const middle = Math.ceil(length / 2)
  const whole: Split = { length, halvesLeft: 2 }
  const half = (waiting: readonly Waiting[]) => ({ ...piece, waiting, whole })
  return [half(piece.waiting.slice(0, middle)), half(piece.waiting.slice(middle))]
}

export type LookupRunDeps = {
  readonly lines: LookupLines
  /** Addresses per request, as learned of a network. */
  readonly limits: {
    get(network: NetworkId): number | null
    set(network: NetworkId, addresses: number): void
  }
  /** Throws as `QueryClient.accountsBulk` does. */
  readonly bulk: (
    network: NetworkId,
    addresses: readonly string[],
    options: { readonly currency: string | null; readonly signal: AbortSignal },
  ) => Promise<readonly AccountAnswer[]>
  /** @returns the raw address of a .ton name; null for none. Throws as `QueryClient.dnsResolve` does. */
  readonly resolveName: (
    network: NetworkId,
    name: string,
    options: { readonly signal: AbortSignal },
  ) => Promise<string | null>
}

type LookupWork = JobWork & {
  chunk(): number
}

/** The queue of the gateway's client limits the requests per second. */
const maxParallel = 3
/** After this many failures of one request, while others succeed, its addresses are suspected. */
const maxTroubles = 3
/** If this many single addresses are refused and none accepted, the addresses are not the cause. */
const maxRefusedAtFirst = 5

export function createLookupWork(
  job: JobRecord,
  { abort, backoff, count }: JobControl,
  deps: LookupRunDeps,
): LookupWork {
  const { lines } = deps
  const size = createChunkSize(deps.limits.get(job.network), (n) => deps.limits.set(job.network, n))
  const pieces = createPieces((after, limit) => lines.waiting(job.id, after, limit))
  let answered = 0
  let refusedAlone = 0
  const resolved = new Map<string, string>()
  let extras = 0

  /** Names are resolved when their turn comes and stay resolved; a name without an address fails. */
  async function resolveNames(piece: Piece): Promise<Piece> {
    const waiting: Waiting[] = []
    const failures: Asked['failures'][number][] = []
    let requests = 0
    for (const each of piece.waiting) {
      const name = targetOf(each.text).text.toLowerCase()
      const known = each.address ?? resolved.get(name)
      if (known === undefined) requests += 1
      const address = known ?? (await deps.resolveName(job.network, name, { signal: abort }))
      if (address === null) {
        const reason = `The name ${name} leads to no wallet on this network.`
        failures.push({ index: each.index, reason })
        continue
      }
      if (each.address === null) {
        resolved.set(name, address)
        lines.setAddress(job.id, each.index, address)
      }
      waiting.push({ ...each, address })
    }
    if (requests > 0) lines.keep(job.id, { answers: [], failures, requests, chunk: size.current() })
    return waiting.length === piece.waiting.length
      ? { ...piece, waiting }
      : { ...piece, waiting, whole: null }
  }

  async function request(asked: Piece): Promise<JobEnd | null> {
    const { currency, network } = job
    let piece = asked
    let accounts
    try {
      piece = await resolveNames(asked)
      const addresses = piece.waiting.flatMap(({ address }) => address ?? [])
      if (addresses.length === 0) return null
      accounts = await deps.bulk(network, addresses, { currency, signal: abort })
    } catch (error) {
      if (abort.aborted) return null
      return meet(piece, readRefusal(error))
    }
    if (!abort.aborted) keep(piece, accounts)
    return null
  }

  function keep(piece: Piece, accounts: readonly AccountAnswer[]): void {
    answered += 1
    backoff.answered()
    size.accepted(piece.waiting.length)
    if (piece.whole !== null) {
      piece.whole.halvesLeft -= 1
      if (piece.whole.halvesLeft === 0) size.tooLarge(piece.whole.length)
    }
    const found = byAddress(accounts)
    const missing = piece.waiting.filter(({ address }) => !found.has(address ?? ''))
    extras += accounts.length - (piece.waiting.length - missing.length)
    const { answers, failures } = judge(piece.waiting, found)
    if (piece.isSecondTry)
      failures.push(...missing.map(({ index }) => ({ index, reason: leftOut })))
    else if (missing.length > 0) pieces.again({ ...pieceOf(missing), isSecondTry: true })
    write({ answers, failures })
    count(answers.length)
  }

  function judge(
    waiting: readonly Waiting[],
    found: ReadonlyMap<string, AccountAnswer>,
  ): { answers: Asked['answers'][number][]; failures: Asked['failures'][number][] } {
    const earlier = readEarlier(waiting)
    const answers: Asked['answers'][number][] = []
    const failures: Asked['failures'][number][] = []
    for (const { index, address } of waiting) {
      const account = found.get(address ?? '')
      if (account === undefined) continue
      const answer = toLookupAnswer(account, job.currency)
      const before = earlier.get(index)
      if (answer === null) failures.push({ index, reason: noBalance })
      else {
        const changes = before === undefined ? [] : changesBetween(before, answer)
        answers.push({ ...answer, index, changes })
      }
    }
    return { answers, failures }
  }

  function readEarlier(waiting: readonly Waiting[]) {
    const from = waiting[0]?.index ?? 0
    const to = waiting.at(-1)?.index ?? 0
    const rows = job.comparedTo === null ? [] : lines.answered(job.comparedTo, from, to)
    return new Map(rows.map((row) => [row.index, { ...row, balance: BigInt(row.balance ?? 0) }]))
  }

  function write(asked: Pick<Asked, 'answers' | 'failures'>): void {
    lines.keep(job.id, { ...asked, requests: 1, chunk: size.current() })
  }

  function meet(piece: Piece, refusal: Refusal): JobEnd | null {
    switch (refusal.kind) {
      case 'standstill':
        write(nothing)
        pieces.again(piece)
        return { state: 'paused', problem: `${refusal.message} Then resume the job.` }
      case 'request':
        return refuse(piece, refusal.message)
      case 'passing':
        return passBy(piece, refusal)
    }
  }

  /** The gateway refused the request for its length or for an address in it. */
  function refuse(piece: Piece, message: string): JobEnd | null {
    const limit = readLimit(message)
    if (limit !== null && limit < piece.waiting.length) {
      size.told(limit)
      write(nothing)
      pieces.again({ ...piece, whole: null })
      return null
    }
    const named = piece.waiting.filter(({ address }) => address && message.includes(address))
    const bad = piece.waiting.length === 1 ? piece.waiting : named
    if (bad.length === 0) {
      write(nothing)
      pieces.again(...halves(piece))
      return null
    }
    write({ answers: [], failures: bad.map(({ index }) => ({ index, reason: message })) })
    refusedAlone += bad.length
    const left = piece.waiting.filter((each) => !bad.includes(each))
    pieces.again({ ...piece, waiting: left, whole: null })
    const isHopeless = answered === 0 && job.answered === 0 && refusedAlone >= maxRefusedAtFirst
    return isHopeless
      ? { state: 'failed', problem: `None of the addresses is taken. ${message}` }
      : null
  }

  function passBy(piece: Piece, refusal: Refusal & { kind: 'passing' }): JobEnd | null {
    const { message, retryAfterMs, isOwn, isTimeout } = refusal
    const troubles = piece.troubles + (isOwn ? 1 : 0)
    const answeredBefore = piece.answeredBefore ?? answered
    if (troubles > maxTroubles && answered > answeredBefore) {
      // Other requests succeeded meanwhile. The halves are judged by later responses only: without any,
      // the gateway is down.
      return refuse({ ...piece, troubles: 0, answeredBefore: answered }, message)
    }
    write(nothing)
    backoff.pause(message, retryAfterMs)
    const troubled = { ...piece, troubles, answeredBefore }
    if (isTimeout && piece.waiting.length > 1) pieces.again(...halves(troubled))
    else if (troubles >= maxTroubles) pieces.later(troubled)
    else pieces.again(troubled)
    return null
  }

  function extrasProblem(): string | null {
    if (extras <= 0) return null
    const accounts = extras === 1 ? 'an account' : `${extras} accounts`
    return `The gateway also answered with ${accounts} nobody had asked about; they were left out.`
  }

  return {
    next() {
      const piece = pieces.next(size.current())
      return piece && request(piece)
    },
    maxParallel: () => (pieces.isMending() || !size.isProven() ? 1 : maxParallel),
    finish: () => ({ ...done, problem: extrasProblem() }),
    problem: extrasProblem,
    chunk: () => size.current(),
  }
}

const nothing = { answers: [], failures: [] } as const
const leftOut = 'The gateway left this address out of its answer, twice.'
const noBalance = 'The gateway answered with a balance that no account can have.'
