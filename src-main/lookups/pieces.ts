/**
 * Manages the pieces of a lookup, each with the addresses of one request. A piece that the gateway
 * refuses for its length is halved, and the accepted length is learned.
 */
import type { createLearnedLimits } from '../app/store/settings.ts'
import { type ChunkSize, createChunkSize } from '../jobs/chunk-size.ts'
import type { LookupLines, Waiting } from './store/lookup-lines.ts'

export type Item = Waiting & {
  /** The owner of the wallet; empty until the wallet's address is known. */
  readonly owner: string
  /** The jetton's place among the jettons of the lookup; null for the account itself. */
  readonly place: number | null
}

/** Accounts or jetton wallets of one request, or of several if the gateway requires smaller ones. */
export type Piece = {
  readonly kind: 'accounts' | 'wallets'
  /** In a piece of wallets, `address` is the wallet's address. */
  readonly waiting: readonly Item[]
  /** The piece that was halved to this one: if both halves are accepted, the whole piece was too large. */
  readonly whole: { readonly length: number; halvesLeft: number } | null
  /** True for wallets whose addresses are not computed yet. */
  readonly isFresh: boolean
  /** True after a response that omitted the addresses. */
  readonly isSecondTry: boolean
  /** Number of requests that failed on the gateway's side. */
  readonly troubles: number
  /** Number of responses at the time of the piece's first failure; null without a failure. */
  readonly answeredBefore: number | null
}

export const pieceOf = (kind: Piece['kind'], waiting: readonly Item[]): Piece => ({
  kind,
  waiting,
  isFresh: kind === 'wallets',
  whole: null,
  isSecondTry: false,
  troubles: 0,
  answeredBefore: null,
})

export function splitPiece(piece: Piece): Piece[] {
  const { length } = piece.waiting
  const middle = Math.ceil(length / 2)
  const whole = { length, halvesLeft: 2 }
  return [piece.waiting.slice(0, middle), piece.waiting.slice(middle)].map((waiting) => ({
    ...piece,
    waiting,
    whole,
  }))
}

export type LookupLimits = Record<Piece['kind'], ReturnType<typeof createLearnedLimits>>

/** @param limits the learned numbers of addresses per request of a network */
export function createPieces(
  job: { readonly id: number; readonly network: string; readonly hasJettons: boolean },
  lines: Pick<LookupLines, 'waiting' | 'waitingWallets'>,
  limits: LookupLimits,
) {
  const { id, network, hasJettons } = job
  const sizeOf = (kind: Piece['kind'], learned = limits[kind].get(network)) =>
    createChunkSize(learned, (n) => limits[kind].set(network, n))
  const accountSize = sizeOf('accounts')
  let walletSize: ChunkSize | null = null
  const first: Piece[] = []
  const last: Piece[] = []
  let after = -1
  let afterWallet = { index: -1, place: -1 }
  /** Wallets are read after all accounts, because names have addresses only then. */
  let accountsInFlight = 0

  /** Wallets most likely have the same limit as accounts. */
  const size = (kind: Piece['kind']) =>
    kind === 'accounts'
      ? accountSize
      : (walletSize ??= sizeOf(kind, limits[kind].get(network) ?? limits.accounts.get(network)))

  function freshPiece(): Piece | undefined {
    const waiting = lines.waiting(id, after, accountSize.current())
    after = waiting.at(-1)?.index ?? after
    if (waiting.length > 0) {
      return pieceOf(
        'accounts',
        waiting.map((line) => ({ ...line, owner: '', place: null })),
      )
    }
    const isTooEarly = accountsInFlight > 0 || last.some(({ kind }) => kind === 'accounts')
    if (!hasJettons || isTooEarly) return undefined
    const found = lines.waitingWallets(id, afterWallet, size('wallets').current())
    const end = found.at(-1)
    if (end === undefined) return undefined
    afterWallet = { index: end.index, place: end.place }
    return pieceOf(
      'wallets',
      found.map((each) => ({ ...each, owner: '' })),
    )
  }

  function again(...pieces: readonly Piece[]): void {
    first.unshift(...pieces.filter(({ waiting }) => waiting.length > 0))
  }

  function next(): Piece | undefined {
    const piece = first.shift() ?? freshPiece() ?? last.shift()
    if (piece === undefined) return undefined
    const max = size(piece.kind).current()
    if (piece.waiting.length <= max) return piece
    // The limit was learned after the piece was created.
    again({ ...piece, waiting: piece.waiting.slice(max), whole: null })
    return { ...piece, waiting: piece.waiting.slice(0, max), whole: null }
  }

  return {
    next,
    /** Queues a piece before all others. */
    again,
    /** Queues a piece after all others. */
    later: (piece: Piece) => void last.push(piece),
    /** Resolves with the result of `request`; wallets wait until no accounts are being requested. */
    async whileInFlight<T>({ kind }: Piece, request: Promise<T>): Promise<T> {
      if (kind === 'wallets') return request
      accountsInFlight += 1
      return request.finally(() => (accountsInFlight -= 1))
    },
    accepted({ kind, waiting, whole }: Piece): void {
      size(kind).accepted(waiting.length)
      if (whole === null) return
      whole.halvesLeft -= 1
      if (whole.halvesLeft === 0) size(kind).tooLarge(whole.length)
    },
    /** Call this when the gateway has stated its limit. */
    limited({ kind }: Piece, limit: number): void {
      size(kind).told(limit)
    },
    /** False while a piece was refused, or until a request has shown that its size is accepted. */
    isParallel: () => first.length === 0 && (walletSize ?? accountSize).isProven(),
    chunk: () => accountSize.current(),
  }
}
