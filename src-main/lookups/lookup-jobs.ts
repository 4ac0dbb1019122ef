import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import { formatAssetAmount } from '../../src-preload/domain/amount.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { AppContext } from '../app/context.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import { createLookupJobTable, type JobRecord } from './store/lookup-jobs.ts'
import type { LookupLines, LineResults, Waiting, WalletResult } from './store/lookup-lines.ts'
import type { AccountResponse, RawAccountResponse } from '../gateway/query-responses.ts'
import { createChunkSize, readLimit } from '../jobs/chunk-size.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../jobs/job-run.ts'
import { type Refusal, readRefusal } from '../jobs/refusal.ts'
import { readAddress } from '../ton/address.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { byAddress, changesBetween, resolveName, toLookedUpAccount } from './looked-up-account.ts'
import type { Minter } from './jetton-wallets.ts'
import { type LookupJettons, loadLibrary } from './jettons.ts'

/** The work of a lookup: requests chunk after chunk and stores each response at once. */

type Item = Waiting & {
  /** Of the wallet that is read; empty until the wallet's address is known. */
  readonly owner: string
  /** Of the jetton whose wallet is read; null for the account itself. */
  readonly place: number | null
}

/** Accounts, or jetton wallets, of one request, or of several where the gateway requires it. */
type Piece = {
  readonly kind: 'accounts' | 'wallets'
  /** `address` is the wallet's in a piece of wallets. */
  readonly waiting: readonly Item[]
  /** The piece that this is half of: if both halves are accepted, the whole was too large. */
  readonly whole: { readonly length: number; halvesLeft: number } | null
  /** True for wallets whose addresses are not computed yet. */
  readonly isFresh: boolean
  /** True after a response that omitted the addresses. */
  readonly isSecondTry: boolean
  /** Requests that failed on the gateway's side. */
  readonly troubles: number
  /** Number of responses when its first failure occurred; null without one. */
  readonly answeredBefore: number | null
}

function pieceOf(kind: Piece['kind'], waiting: readonly Item[]): Piece {
  return {
    kind,
    waiting,
    isFresh: kind === 'wallets',
    whole: null,
    isSecondTry: false,
    troubles: 0,
    answeredBefore: null,
  }
}

function halves(piece: Piece): Piece[] {
  const { length } = piece.waiting
  const middle = Math.ceil(length / 2)
  const whole = { length, halvesLeft: 2 }
  return [piece.waiting.slice(0, middle), piece.waiting.slice(middle)].map((waiting) => ({
    ...piece,
    waiting,
    whole,
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
  table: ReturnType<typeof createLookupJobTable>,
  wallets: LookupJettons,
  limits: Record<Piece['kind'], ReturnType<typeof createLearnedLimits>>,
) {
  const { network, currency } = job
  const sizeOf = (kind: Piece['kind'], known = limits[kind].get(network)) =>
    createChunkSize(known, (n) => limits[kind].set(network, n))
  const accountSize = sizeOf('accounts')
  let walletSize: typeof accountSize | null = null
  const jettons = job.jettons.length === 0 ? [] : table.jettons(job.id)
  const asking = { signal: abort, priority: 'job' } as const
  const first: Piece[] = []
  const last: Piece[] = []
  let after = -1
  let afterWallet = { index: -1, place: -1 }
  /** Wallets are read when all accounts are answered, because names have their addresses then. */
  let accountsInFlight = 0
  let answered = 0
  let refusedAlone = 0
  let extras = 0

  /** Wallets most likely have the limit of accounts. */
  const size = (kind: Piece['kind']) =>
    kind === 'accounts'
      ? accountSize
      : (walletSize ??= sizeOf(kind, limits[kind].get(network) ?? limits.accounts.get(network)))

  function freshPiece(): Piece | undefined {
    const waiting = lines.waiting(job.id, after, accountSize.current())
    after = waiting.at(-1)?.index ?? after
    if (waiting.length > 0) {
      return pieceOf(
        'accounts',
        waiting.map((line) => ({ ...line, owner: '', place: null })),
      )
    }
    const isTooEarly = accountsInFlight > 0 || last.some(({ kind }) => kind === 'accounts')
    if (jettons.length === 0 || isTooEarly) return undefined
    const found = lines.waitingWallets(job.id, afterWallet, size('wallets').current())
    const end = found.at(-1)
    if (end === undefined) return undefined
    afterWallet = { index: end.index, place: end.place }
    return pieceOf(
      'wallets',
      found.map((each) => ({ ...each, owner: '' })),
    )
  }

  function nextPiece(): Piece | undefined {
    const piece = first.shift() ?? freshPiece() ?? last.shift()
    if (piece === undefined) return undefined
    const max = size(piece.kind).current()
    if (piece.waiting.length <= max) return piece
    // The limit was learned after the piece was made.
    again({ ...piece, waiting: piece.waiting.slice(max), whole: null })
    return { ...piece, waiting: piece.waiting.slice(0, max), whole: null }
  }

  function again(...pieces: readonly Piece[]): void {
    first.unshift(...pieces.filter(({ waiting }) => waiting.length > 0))
  }

  function write({ requests = 1, ...results }: Partial<LineResults>): void {
    const none = { answers: [], failures: [], wallets: [] }
    const chunk = accountSize.current()
    count(lines.keep(job.id, jettons.length, { ...none, ...results, requests, chunk }))
  }

  /** Names are resolved when their turn comes and stay resolved; a name without an address fails. */
  async function resolveNames(piece: Piece): Promise<Piece> {
    if (piece.kind === 'wallets') return piece
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

  async function request(requested: Piece): Promise<JobEnd | null> {
    let piece = requested
    try {
      piece = await (requested.isFresh ? findWallets(requested) : resolveNames(requested))
      const addresses = piece.waiting.flatMap(({ address }) => address ?? [])
      if (addresses.length === 0) return null
      const query = access.query(network)
      if (piece.kind === 'accounts') {
        const accounts = await query.accountsBulk(addresses, { currency, ...asking })
        if (!abort.aborted) keepAccounts(piece, accounts)
      } else {
        const found = await query.rawAccountsBulk(addresses, asking)
        if (!abort.aborted) await keepWallets(piece, found)
      }
      return null
    } catch (error) {
      if (abort.aborted) return null
      const refusal = readRefusal(error)
      write({})
      if (refusal.kind === 'standstill') throw error
      return refusal.kind === 'request' ? refuse(piece, refusal.message) : passBy(piece, refusal)
    }
  }

  async function load(hash: string): Promise<string | null> {
    const found = await loadLibrary(access.query(network), hash, asking)
    write({})
    return found
  }

  /** Groups the items of a piece by jetton, and keeps the libraries that the jetton needed. */
  async function ofEachJetton<I extends { readonly place: number | null }>(
    items: readonly I[],
    call: (jetton: (typeof jettons)[number], some: readonly I[]) => Promise<Minter>,
  ): Promise<void> {
    for (const [place, jetton] of jettons.entries()) {
      const some = items.filter((item) => item.place === place)
      if (some.length === 0) continue
      const minter = await call(jetton, some)
      if (minter === jetton.minter) continue
      jettons[place] = { ...jetton, minter }
      table.setLibraries(job.id, place, minter.libraries)
    }
  }

  /** Replaces the owners by their wallets. What the minter computes no wallet for is done. */
  async function findWallets(piece: Piece): Promise<Piece> {
    const found = new Map<Item, string>()
    const problems: WalletResult[] = []
    await ofEachJetton(piece.waiting, async ({ minter }, some) => {
      const owners = some.map(({ address }) => address ?? '')
      const response = await wallets.find(minter, owners, load)
      for (const [at, item] of some.entries()) {
        const one = response.result[at] ?? { problem: noWallet }
        const address = 'address' in one ? one.address : null
        if (address !== null) found.set(item, address)
        else problems.push(toResult(item, 'problem' in one ? one.problem : noWallet))
      }
      return response.minter
    })
    if (problems.length > 0 && !abort.aborted) write({ wallets: problems, requests: 0 })
    const waiting = piece.waiting.flatMap((item) => {
      const address = found.get(item)
      return address === undefined ? [] : [{ ...item, owner: item.address ?? '', address }]
    })
    return { ...piece, waiting, isFresh: false }
  }

  function accept({ kind, waiting, whole }: Piece): void {
    answered += 1
    backoff.answered()
    size(kind).accepted(waiting.length)
    if (whole === null) return
    whole.halvesLeft -= 1
    if (whole.halvesLeft === 0) size(kind).tooLarge(whole.length)
  }

  async function keepWallets(piece: Piece, accounts: readonly RawAccountResponse[]): Promise<void> {
    const { waiting, isSecondTry } = piece
    const found = new Map<string, RawAccountResponse>()
    for (const each of accounts) found.set(readAddress(each.address)?.raw ?? each.address, each)
    const missing = waiting.filter(({ address }) => !found.has(address ?? ''))
    const results: WalletResult[] = isSecondTry
      ? missing.map((item) => toResult(item, leftOut))
      : []
    const ends = [waiting[0]?.index ?? 0, waiting.at(-1)?.index ?? 0] as const
    const earlier = lines.walletBalances(job.comparedTo, ...ends)
    const keep = (item: Item, units: bigint) => {
      const before = earlier.get(`${item.index} ${item.place}`)
      const asset = jettons[item.place ?? -1]?.jetton
      const isChanged = before !== undefined && before !== units && asset !== undefined
      const sign = isChanged && units > before ? '+' : ''
      const change = isChanged
        ? `${asset.symbol} ${sign}${formatAssetAmount(units - before, asset)}`
        : null
      results.push({ ...toResult(item, null), balance: units.toString(), change })
    }
    const states = waiting.flatMap((item) => {
      const { status, code, data } = found.get(item.address ?? '') ?? {}
      if (status === undefined) return []
      if (status === 'active' && code && data) {
        return [{ ...item, state: { address: item.address ?? '', owner: item.owner, code, data } }]
      }
      if (status === 'nonexist' || status === 'uninit') keep(item, 0n)
      else results.push(toResult(item, `The wallet is ${status} and has no readable balance.`))
      return []
    })
    await ofEachJetton(states, async ({ minter }, some) => {
      const given = some.map(({ state }) => state)
      const response = await wallets.read(minter, given, load)
      for (const [at, item] of some.entries()) {
        const one = response.result[at] ?? { problem: noBalance }
        if ('units' in one) keep(item, BigInt(one.units))
        else results.push(toResult(item, one.problem))
      }
      return response.minter
    })
    if (abort.aborted) return
    accept(piece)
    extras += accounts.length - (waiting.length - missing.length)
    if (!isSecondTry) again({ ...pieceOf('wallets', missing), isFresh: false, isSecondTry: true })
    write({ wallets: results })
  }

  function keepAccounts(piece: Piece, accounts: readonly AccountResponse[]): void {
    const { waiting, isSecondTry } = piece
    accept(piece)
    const found = byAddress(accounts)
    const ends = [waiting[0]?.index ?? 0, waiting.at(-1)?.index ?? 0] as const
    const earlier = lines.answered(job.comparedTo, ...ends)
    const missing: Item[] = []
    const responses: LineResults['answers'][number][] = []
    const failures: LineResults['failures'][number][] = []
    for (const line of waiting) {
      const { index, address } = line
      const account = found.get(address ?? '')
      const response = account === undefined ? null : toLookedUpAccount(account, currency)
      if (account === undefined) missing.push(line)
      else if (response === null) failures.push({ index, reason: noBalance })
      else
        responses.push({
          ...response,
          index,
          changes: changesBetween(earlier.get(index), response),
        })
    }
    extras += accounts.length - (waiting.length - missing.length)
    if (isSecondTry) failures.push(...missing.map(({ index }) => ({ index, reason: leftOut })))
    else again({ ...pieceOf('accounts', missing), isSecondTry: true })
    write({ answers: responses, failures })
  }

  /** The gateway refused the request for its length or for an address in it. */
  function refuse(piece: Piece, message: string): JobEnd | null {
    const { waiting } = piece
    const limit = readLimit(message)
    if (limit !== null && limit < waiting.length) {
      size(piece.kind).told(limit)
      again({ ...piece, whole: null })
      return null
    }
    const named = waiting.filter(({ address }) => address && message.includes(address))
    const bad = waiting.length === 1 ? waiting : named
    if (bad.length === 0) {
      again(...halves(piece))
      return null
    }
    if (piece.kind === 'wallets') {
      write({ wallets: bad.map((item) => toResult(item, message)), requests: 0 })
    } else {
      write({ failures: bad.map(({ index }) => ({ index, reason: message })), requests: 0 })
    }
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
      if (piece === undefined) return null
      if (piece.kind === 'wallets') return request(piece)
      accountsInFlight += 1
      return request(piece).finally(() => (accountsInFlight -= 1))
    },
    maxParallel: () =>
      first.length > 0 || !(walletSize ?? accountSize).isProven() ? 1 : maxParallel,
    finish: () => ({ ...done, problem: extrasProblem() }),
    problem: extrasProblem,
    chunk: () => accountSize.current(),
  } satisfies JobWork & { chunk(): number }
}

function toResult({ index, place, owner, address }: Item, problem: string | null): WalletResult {
  const wallet = owner === '' ? null : address
  return { index, place: place ?? 0, wallet, balance: null, problem, change: null }
}

const noWallet = 'The jetton’s minter computes no wallet for this address.'
const leftOut = 'Two responses of the gateway did not contain this address.'
const noBalance = 'The balance that the gateway returned is not valid.'

export function addLookupJobs(
  { access, database, events, jobs, values }: AppContext,
  lines: LookupLines,
  jettons: LookupJettons,
  describePause: (network: string) => string | null,
) {
  const table = createLookupJobTable(database)
  const limits = {
    accounts: createLearnedLimits(values, (network) => `lookup.chunk.${network}`),
    wallets: createLearnedLimits(values, (network) => `lookup.walletChunk.${network}`),
  }
  const engine = jobs.add({
    noun: 'lookup',
    unknownCode: lookupCodes.jobUnknown,
    table,
    items: lines,
    work: (job, control) => createLookupWork(job, control, access, lines, table, jettons, limits),
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
  return { ...engine, table }
}
