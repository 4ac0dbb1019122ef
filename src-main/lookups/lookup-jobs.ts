import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { AppContext } from '../app/context.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import { createLookupJobTable, type JobRecord } from './store/lookup-jobs.ts'
import type { LookupLines, LineResults, Waiting } from './store/lookup-lines.ts'
import type { AccountAnswer } from '../gateway/query-answers.ts'
import { createChunkSize, readLimit } from '../jobs/chunk-size.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../jobs/job-run.ts'
import { type Refusal, readRefusal } from '../jobs/refusal.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { byAddress, changesBetween, resolveName, toLookupAnswer } from './account-answer.ts'

/** The work of a lookup: requests chunk after chunk and stores each response at once. */

/** Addresses of one request, or of several where the gateway requires it. */
type Piece = {
  readonly waiting: readonly Waiting[]
  /** The piece that this is half of: if both halves are accepted, the whole was too large. */
  readonly whole: { readonly length: number; halvesLeft: number } | null
  /** True after a response that omitted the addresses. */
  readonly isSecondTry: boolean
  /** Requests that failed on the gateway's side. */
  readonly troubles: number
  /** Number of responses when its first failure occurred; null without one. */
  readonly answeredBefore: number | null
}

function pieceOf(waiting: readonly Waiting[]): Piece {
  return { waiting, whole: null, isSecondTry: false, troubles: 0, answeredBefore: null }
}

function halves(piece: Piece): Piece[] {
  const { length } = piece.waiting
  const middle = Math.ceil(length / 2)
  const whole = { length, halvesLeft: 2 }
  return [piece.waiting.slice(0, middle), piece.waiting.slice(middle)].map((waiting) => ({
    ...{ ...piece, waiting, whole },
  }))
}

/** The queue of the gateway's client limits the requests per second. */
const maxParallel = 3
/** After this many failures of one request, while others succeed, its addresses are suspected. */
const maxTroubles = 3
/** If this many single addresses are refused and none accepted, the addresses are not the cause. */
const maxRefusedAtFirst = 5

/** @param limits addresses per request, as learned of a network */
function createLookupWork(
  job: JobRecord,
  { abort, backoff, count }: JobControl,
  access: AppContext['access'],
  lines: LookupLines,
  limits: {
    get(network: string): number | null
    set(network: string, addresses: number): void
  },
) {
  const { network, currency } = job
  const size = createChunkSize(limits.get(network), (n) => limits.set(network, n))
  const asking = { signal: abort, priority: 'job' } as const
  const first: Piece[] = []
  const last: Piece[] = []
  let after = -1
  let answered = 0
  let refusedAlone = 0
  let extras = 0

  function freshPiece(max: number): Piece | undefined {
    const waiting = lines.waiting(job.id, after, max)
    after = waiting.at(-1)?.index ?? after
    return waiting.length === 0 ? undefined : pieceOf(waiting)
  }

  function nextPiece(): Piece | undefined {
    const max = size.current()
    const piece = first.shift() ?? freshPiece(max) ?? last.shift()
    if (piece === undefined || piece.waiting.length <= max) return piece
    // The limit was learned after the piece was made.
    again({ ...piece, waiting: piece.waiting.slice(max), whole: null })
    return { ...piece, waiting: piece.waiting.slice(0, max), whole: null }
  }

  function again(...pieces: readonly Piece[]): void {
    first.unshift(...pieces.filter(({ waiting }) => waiting.length > 0))
  }

  function write({ answers = [], failures = [], requests = 1 }: Partial<LineResults>): void {
    lines.keep(job.id, { answers, failures, requests, chunk: size.current() })
  }

  /** Names are resolved when their turn comes and stay resolved; a name without an address fails. */
  async function resolveNames(piece: Piece): Promise<Piece> {
    const named = piece.waiting.filter(({ address }) => address === null)
    if (named.length === 0) return piece
    const failures: LineResults['failures'][number][] = []
    for (const line of named) {
      const name = targetOf(line.text).text.toLowerCase()
      line.address = await resolveName(access.query(network), name, asking)
      const reason = `No wallet on this network has the name ${name}.`
      if (line.address === null) failures.push({ index: line.index, reason })
      else lines.setAddress(job.id, line.index, line.address)
    }
    write({ failures, requests: named.length })
    const waiting = piece.waiting.filter(({ address }) => address !== null)
    return { ...piece, waiting, whole: failures.length === 0 ? piece.whole : null }
  }

  async function request(asked: Piece): Promise<JobEnd | null> {
    let piece = asked
    try {
      piece = await resolveNames(asked)
      const addresses = piece.waiting.flatMap(({ address }) => address ?? [])
      if (addresses.length === 0) return null
      const accounts = await access.query(network).accountsBulk(addresses, { currency, ...asking })
      if (!abort.aborted) keep(piece, accounts)
      return null
    } catch (error) {
      if (abort.aborted) return null
      const refusal = readRefusal(error)
      write({})
      if (refusal.kind === 'standstill') throw error
      return refusal.kind === 'request' ? refuse(piece, refusal.message) : passBy(piece, refusal)
    }
  }

  function keep({ waiting, whole, isSecondTry }: Piece, accounts: readonly AccountAnswer[]): void {
    answered += 1
    backoff.answered()
    size.accepted(waiting.length)
    if (whole !== null) {
      whole.halvesLeft -= 1
      if (whole.halvesLeft === 0) size.tooLarge(whole.length)
    }
    const found = byAddress(accounts)
    const ends = [waiting[0]?.index ?? 0, waiting.at(-1)?.index ?? 0] as const
    const earlier = lines.answered(job.comparedTo, ...ends)
    const missing: Waiting[] = []
    const answers: LineResults['answers'][number][] = []
    const failures: LineResults['failures'][number][] = []
    for (const line of waiting) {
      const { index, address } = line
      const account = found.get(address ?? '')
      const answer = account === undefined ? null : toLookupAnswer(account, currency)
      if (account === undefined) missing.push(line)
      else if (answer === null) failures.push({ index, reason: noBalance })
      else answers.push({ ...answer, index, changes: changesBetween(earlier.get(index), answer) })
    }
    extras += accounts.length - (waiting.length - missing.length)
    if (isSecondTry) failures.push(...missing.map(({ index }) => ({ index, reason: leftOut })))
    else again({ ...pieceOf(missing), isSecondTry: true })
    write({ answers, failures })
    count(answers.length)
  }

  /** The gateway refused the request for its length or for an address in it. */
  function refuse(piece: Piece, message: string): JobEnd | null {
    const { waiting } = piece
    const limit = readLimit(message)
    if (limit !== null && limit < waiting.length) {
      size.told(limit)
      again({ ...piece, whole: null })
      return null
    }
    const named = waiting.filter(({ address }) => address && message.includes(address))
    const bad = waiting.length === 1 ? waiting : named
    if (bad.length === 0) {
      again(...halves(piece))
      return null
    }
    write({ failures: bad.map(({ index }) => ({ index, reason: message })), requests: 0 })
    refusedAlone += bad.length
    again({ ...piece, waiting: waiting.filter((each) => !bad.includes(each)), whole: null })
    const isHopeless = answered === 0 && job.answered === 0 && refusedAlone >= maxRefusedAtFirst
    return isHopeless
      ? { state: 'failed', problem: `The gateway rejects all addresses. ${message}` }
      : null
  }

  function passBy(piece: Piece, refusal: Refusal & { kind: 'passing' }): JobEnd | null {
    const { message, retryAfterMs, isOwn, isTimeout } = refusal
    const troubles = piece.troubles + Number(isOwn)
    const answeredBefore = piece.answeredBefore ?? answered
    if (troubles > maxTroubles && answered > answeredBefore) {
      // Other requests succeeded meanwhile. The halves are judged by later responses only: without any,
      // the gateway is down.
      return refuse({ ...piece, troubles: 0, answeredBefore: answered }, message)
    }
    backoff.pause(message, retryAfterMs)
    const troubled = { ...piece, troubles, answeredBefore }
    if (isTimeout && piece.waiting.length > 1) again(...halves(troubled))
    else if (troubles >= maxTroubles) last.push(troubled)
    else again(troubled)
    return null
  }

  function extrasProblem(): string | null {
    if (extras <= 0) return null
    const accounts = extras === 1 ? 'one account' : `${extras} accounts`
    return `The gateway also returned ${accounts} that you did not request. Tondesk ignored ${extras === 1 ? 'it' : 'them'}.`
  }

  return {
    next() {
      const piece = nextPiece()
      return piece === undefined ? null : request(piece)
    },
    maxParallel: () => (first.length > 0 || !size.isProven() ? 1 : maxParallel),
    finish: () => ({ ...done, problem: extrasProblem() }),
    problem: extrasProblem,
    chunk: () => size.current(),
  } satisfies JobWork & { chunk(): number }
}

const leftOut = 'Two responses of the gateway did not contain this address.'
const noBalance = 'The balance that the gateway returned is not valid.'

export function addLookupJobs(
  { access, database, events, jobs, values }: AppContext,
  lines: LookupLines,
  describePause: (network: string) => string | null,
) {
  const table = createLookupJobTable(database)
  const limits = createLearnedLimits(values, (network) => `lookup.chunk.${network}`)
  const engine = jobs.add({
    noun: 'lookup',
    unknownCode: lookupCodes.jobUnknown,
    table,
    items: lines,
    work: (job, control) => createLookupWork(job, control, access, lines, limits),
    left: ({ counts, answered, failed }) => counts.valid - answered - failed,
    show(job, work): LookupJob {
      if (work === null) return job
      return { ...job, chunk: work.chunk(), problem: job.problem ?? describePause(job.network) }
    },
    onChanged: (changed) => events.emit('lookup.changed', { jobs: changed }),
    onRemoved: (id) => events.emit('lookup.removed', { id }),
    beforeResume({ id, state, failed }) {
      if (state === 'done' || state === 'failed') lines.retry(id)
      return state !== 'done' || failed > 0
    },
    cancelGraceMs: 0,
  })
  return { ...engine, add: table.add, finish: table.finish }
}
