import type { Waiting } from './store/lookup-lines.ts'

/** Addresses asked in one request, or in several where the gateway wants it so. */
export type Piece = {
  readonly waiting: readonly Waiting[]
  /** Of which this is a half: when both are taken whole, the whole was too large. */
  readonly whole: Split | null
  /** It was left out of an answer once. */
  readonly isSecondTry: boolean
  /** Requests that ended in trouble of the gateway's own. */
  readonly troubles: number
  /** Requests that had been answered when its trouble began; null when it never had any. */
  readonly answeredBefore: number | null
}

type Split = { readonly length: number; halvesLeft: number }

type Pieces = {
  /** The next to ask about, of at most so many; null when there is none left. */
  next(max: number): Piece | null
  /** To be asked before all others. */
  again(...pieces: readonly Piece[]): void
  /** To be asked after all others. */
  later(piece: Piece): void
  /** Some are to be asked again. */
  isMending(): boolean
}

/** @param read addresses that wait behind an index, in order */
export function createPieces(read: (after: number, limit: number) => readonly Waiting[]): Pieces {
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
      // The limit has been learned since.
      first.unshift({ ...piece, waiting: piece.waiting.slice(max), whole: null })
      return { ...piece, waiting: piece.waiting.slice(0, max), whole: null }
    },
    again: (...pieces) => void first.unshift(...pieces.filter(({ waiting }) => waiting.length > 0)),
    later: (piece) => void last.push(piece),
    isMending: () => first.length > 0,
  }
}

export function pieceOf(waiting: readonly Waiting[]): Piece {
  return { waiting, whole: null, isSecondTry: false, troubles: 0, answeredBefore: null }
}

export function halves(piece: Piece): [Piece, Piece] {
  const { length } = piece.waiting
  const middle = Math.ceil(length / 2)
  const whole: Split = { length, halvesLeft: 2 }
  const half = (waiting: readonly Waiting[]) => ({ ...piece, waiting, whole })
  return [half(piece.waiting.slice(0, middle)), half(piece.waiting.slice(middle))]
}
