import type { Ref } from 'react'
import type { QueryProblem } from '../../../src-preload/contract/capture-query.ts'
import styles from './query.module.css'

/**
 * The field's text once more behind it, invisible but for the lines under what is wrong. It is in the
 * same face and moves along with the field.
 */
export function ProblemMarks({
  text,
  problems,
  markAt,
  markRef,
  ref,
}: {
  text: string
  problems: readonly QueryProblem[]
  /** A place to be measured: where completion begins. */
  markAt: number
  markRef: Ref<HTMLSpanElement>
  ref: Ref<HTMLDivElement>
}) {
  return (
    <div ref={ref} className={styles['marks']} aria-hidden="true">
      <span className={styles['measure']}>
        {text.slice(0, markAt)}
        <span ref={markRef} />
      </span>
      {piecesOf(text, problems).map(({ at, piece, isWrong }) =>
        isWrong ? (
          <span key={at} className={styles['wrong']}>
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </div>
  )
}

type Piece = { readonly at: number; readonly piece: string; readonly isWrong: boolean }

/** A problem at the very end, where something is missing, still has something under it. */
export function piecesOf(text: string, problems: readonly QueryProblem[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const { from, to } of problems.toSorted((a, b) => a.from - b.from)) {
    const start = Math.max(at, Math.min(from, text.length))
    const end = Math.max(start, Math.min(to, text.length))
    if (start > at) pieces.push({ at, piece: text.slice(at, start), isWrong: false })
    const piece = end > start ? text.slice(start, end) : start === text.length ? '\u00a0' : ''
    if (piece !== '') pieces.push({ at: start, piece, isWrong: true })
    at = end
  }
  if (at < text.length) pieces.push({ at, piece: text.slice(at), isWrong: false })
  return pieces
}
