import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { AppContext } from '../app/context.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import { createLookupJobTable, type JobRecord, type LookupJobTable } from './store/lookup-jobs.ts'
import type { LookupLines, LineResults } from './store/lookup-lines.ts'
import type { AccountResponse } from '../gateway/query-responses.ts'
import { readLimit } from '../jobs/chunk-size.ts'
import { type JobControl, type JobEnd, type JobWork, done, failed } from '../jobs/job-run.ts'
import { type Refusal, readRefusal } from '../jobs/refusal.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { byAddress, changesBetween, resolveName, toLookedUpAccount } from './looked-up-account.ts'
import { unlessRefused } from '../chain/access.ts'
import type { LookupJettons } from './jettons.ts'
import {
  type Item,
  type LookupLimits,
  type Piece,
  createPieces,
  splitPiece,
  pieceOf,
} from './pieces.ts'
import {
  type PieceResults,
  createWalletSteps,
  endsOf,
  leftOutProblem,
  noBalance,
  toResult,
} from './wallet-steps.ts'

/** Runs a lookup: requests chunk by chunk and stores each response at once. */

/** Three requests run at a time; the queue of the gateway's client limits the requests per second. */
const maxParallel = 3
/** After this many failures of one request, while others succeed, its addresses are the likely cause. */
const maxTroubles = 3
/** If this many single addresses are refused and none accepted, the addresses are not the cause. */
const maxRefusedAtFirst = 5

function createLookupWork(
  job: JobRecord,
  { abort, backoff, count }: JobControl,
  access: AppContext['access'],
  lines: LookupLines,
  table: LookupJobTable,
  wallets: LookupJettons,
  limits: LookupLimits,
) {
  const { network, currency } = job
  const jettons = job.jettons.length === 0 ? [] : table.jettons(job.id)
  const pieces = createPieces(
    { id: job.id, network, hasJettons: jettons.length > 0 },
    lines,
    limits,
  )
  const queryOptions = { signal: abort, priority: 'job' } as const
  const walletSteps = createWalletSteps(job, jettons, lines, table, wallets, load)
  let answered = 0
  let refusedAlone = 0
  let extras = 0

  function write({ requests = 1, ...results }: Partial<LineResults>): void {
    const none = { answers: [], failures: [], wallets: [] }
    const chunk = pieces.chunk()
    count(lines.keep(job.id, jettons.length, { ...none, ...results, requests, chunk }))
  }

  async function load(hash: string): Promise<string | null> {
    const found = await unlessRefused(access.query(network).library(hash, queryOptions))
    write({})
    return found
  }

  /** Resolves the names of a piece when its turn comes; a name without an address fails. */
  async function resolveNames(piece: Piece): Promise<Piece> {
    const named = piece.waiting.filter(({ address }) => address === null)
    if (piece.kind === 'wallets' || named.length === 0) return piece
    const failures: LineResults['failures'][number][] = []
    for (const line of named) {
      const name = targetOf(line.text).text.toLowerCase()
      line.address = await resolveName(access.query(network), name, queryOptions)
      if (line.address !== null) lines.setAddress(job.id, line.index, line.address)
      else failures.push({ index: line.index, reason: noWalletOf(name) })
    }
    write({ failures, requests: named.length })
    const waiting = piece.waiting.filter(({ address }) => address !== null)
    return { ...piece, waiting, whole: failures.length === 0 ? piece.whole : null }
  }

  async function prepare(piece: Piece): Promise<Piece> {
    if (!piece.isFresh) return resolveNames(piece)
    const { problems, waiting } = await walletSteps.find(piece.waiting)
    if (problems.length > 0 && !abort.aborted) write({ wallets: problems, requests: 0 })
    return { ...piece, waiting, isFresh: false }
  }

  async function request(requested: Piece): Promise<JobEnd | null> {
    let piece = requested
    try {
      piece = await prepare(requested)
      const addresses = piece.waiting.flatMap(({ address }) => address ?? [])
      if (addresses.length === 0) return null
      const query = access.query(network)
      const results =
        piece.kind === 'accounts'
          ? readAccounts(
              piece,
              await query.accountsBulk(addresses, { currency, ...queryOptions }),
              currency,
              lines.answered(job.comparedTo, ...endsOf(piece.waiting)),
            )
          : await walletSteps.read(piece, await query.rawAccountsBulk(addresses, queryOptions))
      if (!abort.aborted) keep(piece, results)
      return null
    } catch (error) {
      if (abort.aborted) return null
      const refusal = readRefusal(error)
      write({})
      if (refusal.kind === 'standstill') throw error
      return refusal.kind === 'request' ? refuse(piece, refusal.message) : passBy(piece, refusal)
    }
  }

  function keep(piece: Piece, { missing, returned, ...results }: PieceResults): void {
    const { kind, waiting, isSecondTry } = piece
    answered += 1
    backoff.answered()
    pieces.accepted(piece)
    extras += returned - (waiting.length - missing.length)
    if (!isSecondTry) pieces.again({ ...pieceOf(kind, missing), isFresh: false, isSecondTry: true })
    write(results)
  }

  /** Handles a request that the gateway refused for its length or for an address in it. */
  function refuse(piece: Piece, message: string): JobEnd | null {
    const { kind, waiting } = piece
    const limit = readLimit(message)
    if (limit !== null && limit < waiting.length) {
      pieces.limited(piece, limit)
      pieces.again({ ...piece, whole: null })
      return null
    }
    const named = waiting.filter(({ address }) => address && message.includes(address))
    const bad = waiting.length === 1 ? waiting : named
    if (bad.length === 0) {
      pieces.again(...splitPiece(piece))
      return null
    }
    if (kind === 'wallets') {
      write({ requests: 0, wallets: bad.map((item) => toResult(item, message)) })
    } else write({ requests: 0, failures: bad.map(({ index }) => ({ index, reason: message })) })
    refusedAlone += bad.length
    pieces.again({ ...piece, waiting: waiting.filter((each) => !bad.includes(each)), whole: null })
    const isHopeless = answered === 0 && job.answered === 0 && refusedAlone >= maxRefusedAtFirst
    return isHopeless ? failed(`The gateway rejects all addresses. ${message}`) : null
  }

  function passBy(piece: Piece, refusal: Refusal & { kind: 'passing' }): JobEnd | null {
    const { message, retryAfterMs, isOwn, isTimeout } = refusal
    const troubles = piece.troubles + Number(isOwn)
    const answeredBefore = piece.answeredBefore ?? answered
    if (troubles > maxTroubles && answered > answeredBefore) {
      // Other requests succeeded meanwhile, so this piece counts as refused. Only later responses
      // decide about its halves: without any, the gateway is down.
      return refuse({ ...piece, troubles: 0, answeredBefore: answered }, message)
    }
    backoff.pause(message, retryAfterMs)
    const troubled = { ...piece, troubles, answeredBefore }
    if (isTimeout && piece.waiting.length > 1) pieces.again(...splitPiece(troubled))
    else if (troubles >= maxTroubles) pieces.later(troubled)
    else pieces.again(troubled)
    return null
  }

  return {
    next() {
      const piece = pieces.next()
      return piece === undefined ? null : pieces.whileInFlight(piece, request(piece))
    },
    maxParallel: () => (pieces.isParallel() ? maxParallel : 1),
    finish: () => ({ ...done, problem: describeExtras(extras) }),
    problem: () => describeExtras(extras),
    chunk: pieces.chunk,
  } satisfies JobWork & { chunk(): number }
}

const noWalletOf = (name: string) => `No wallet on this network has the name ${name}.`

/** An address that a response omits is requested again; after the second omission it fails. */
function readAccounts(
  { waiting, isSecondTry }: Piece,
  accounts: readonly AccountResponse[],
  currency: string | null,
  earlier: ReturnType<LookupLines['answered']>,
): PieceResults {
  const found = byAddress(accounts)
  const missing: Item[] = []
  const answers: LineResults['answers'][number][] = []
  const failures: LineResults['failures'][number][] = []
  for (const line of waiting) {
    const { index, address } = line
    const account = found.get(address ?? '')
    const read = account === undefined ? null : toLookedUpAccount(account, currency)
    if (account === undefined) missing.push(line)
    else if (read === null) failures.push({ index, reason: noBalance })
    else answers.push({ ...read, index, changes: changesBetween(earlier.get(index), read) })
  }
  if (isSecondTry) failures.push(...missing.map(({ index }) => ({ index, reason: leftOutProblem })))
  return { answers, failures, missing, returned: accounts.length }
}

function describeExtras(extras: number): string | null {
  if (extras <= 0) return null
  const accounts = extras === 1 ? 'one account' : `${extras} accounts`
  return `The gateway also returned ${accounts} that you did not request. Tondesk ignored ${extras === 1 ? 'it' : 'them'}.`
}

export function addLookupJobs(
  { access, database, jobs, values }: AppContext,
  lines: LookupLines,
  jettons: LookupJettons,
  describePause: (network: string) => string | null,
) {
  const table = createLookupJobTable(database)
  const limits = {
    accounts: createLearnedLimits(values, (network) => `lookup.chunk.${network}`),
    wallets: createLearnedLimits(values, (network) => `lookup.walletChunk.${network}`),
  }
  const lookups = jobs.add('lookup', {
    noun: 'lookup',
    unknownCode: lookupCodes.jobUnknown,
    table,
    items: lines,
    work: (job, control) => createLookupWork(job, control, access, lines, table, jettons, limits),
    left: ({ counts, answered, failed }) => counts.valid - answered - failed,
    show(job, work) {
      if (work === null) return job
      return { ...job, chunk: work.chunk(), problem: job.problem ?? describePause(job.network) }
    },
    beforeResume({ id, state, failed }) {
      if (state === 'done' || state === 'failed') lines.retry(id)
      return state !== 'done' || failed > 0
    },
    cancelGraceMs: 0,
  })
  return { lookups, table }
}
