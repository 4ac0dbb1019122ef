/** The elements around the field of a query: suggestions, marks under errors, and chips for its parts. */
import { type MouseEvent, type Ref, type WheelEvent, useEffect, useRef } from 'react'
import type { QueryPart, QueryProblem } from '../../../src-preload/contract/capture-query.ts'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { Row, Text, textClasses } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { formatSpan, readSpan } from './received-span.ts'
import styles from './query.module.css'

export type Choice = { readonly text: string; readonly hint: string }

export const choiceId = (listId: string, index: number) => `${listId}-${index}`

/** Lists suggestions for the text at the cursor. The field keeps the focus and names the active suggestion. */
export function CompletionList({
  id,
  label,
  choices,
  active,
  left,
  onChoose,
}: {
  id: string
  label: string
  choices: readonly Choice[]
  active: number | null
  /** The beginning of the completed text, in pixels from the left edge of the field. */
  left: number
  onChoose: (index: number) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active !== null) list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className={classes(surface['raised'], styles['choices'])}
      style={{ left, maxWidth: `min(560px, calc(100% - ${left}px))` }}
      // Pressing must not take the focus from the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {choices.map((choice, index) => (
        <div
          key={choice.text}
          id={choiceId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classes(
            surface['hover'],
            styles['choice'],
            index === active && surface['chosen'],
          )}
          onClick={() => onChoose(index)}
        >
          <span className={classes(styles['choiceText'], textClasses({ mono: true, over: 'cut' }))}>
            {choice.text}
          </span>
          <span
            className={classes(
              styles['hint'],
              textClasses({ tone: index === active ? 'dim' : 'faint', over: 'cut' }),
            )}
          >
            {choice.hint}
          </span>
        </div>
      ))}
    </div>
  )
}

/**
 * Repeats the field's text behind the field, invisible except for the lines under errors. It has
 * the same font and scrolls with the field.
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
  /** The position of the suggestions, which is measured to place their list. */
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

/** A problem at the end, where text is missing, is marked on a space. */
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

/**
 * Shows the parts of a query, which can be edited, negated and removed by buttons, or removed with
 * Backspace.
 */
export function QueryChips({
  parts,
  onEdit,
  onTurn,
  onRemove,
}: {
  parts: readonly QueryPart[]
  onEdit: (part: QueryPart) => void
  onTurn: (part: QueryPart) => void
  /** `hadFocus` is true if the focus is in the part and would be lost with it. */
  onRemove: (part: QueryPart, hadFocus: boolean) => void
}) {
  if (parts.length === 0) return null
  return (
    <Row
      as="ul"
      grow
      gap="s"
      style={{ overflowX: 'auto', scrollbarWidth: 'none' }}
      aria-label="Terms of the query"
      onWheel={({ currentTarget, deltaY }: WheelEvent) => currentTarget.scrollBy(deltaY, 0)}
      // The focus must not move: a problem that appears when the field loses it would shift the parts.
      onMouseDown={(event: MouseEvent) => event.preventDefault()}
    >
      {parts.map((part, index) => {
        const name = part.field === null ? part.value : `${part.field}:${part.value}`
        return (
          <li
            key={`${index} ${name}`}
            className={classes(styles['chip'], part.negated && styles['negated'])}
            onKeyDown={(event) => {
              if (event.key !== 'Backspace' && event.key !== 'Delete') return
              // Without this, the key would also delete a character of the field, which has the focus by then.
              event.preventDefault()
              onRemove(part, true)
            }}
          >
            <button
              type="button"
              className={classes(surface['hover'], styles['turn'])}
              aria-pressed={part.negated}
              aria-label={`Exclude ${name}`}
              title={part.negated ? 'Excluded. Click to include it.' : 'Click to exclude it.'}
              onClick={() => onTurn(part)}
            >
              {part.negated ? 'not' : '+'}
            </button>
            <button
              type="button"
              className={classes(surface['hover'], styles['part'])}
              aria-label={`Edit ${name}`}
              title={`Click to edit ${name}`}
              onClick={() => onEdit(part)}
            >
              {part.field !== null && (
                <Text tone={part.negated ? 'warn' : 'accent'}>{part.field}:</Text>
              )}
              <span className={classes(styles['value'], textClasses({ over: 'cut' }))}>
                <UntrustedText text={shownValue(part)} />
              </span>
              {part.slow && (
                <Text
                  size="xs"
                  tone="warn"
                  title="This term has no index, so Tondesk searches the captures one by one."
                >
                  slow
                </Text>
              )}
            </button>
            <button
              type="button"
              className={classes(surface['hover'], styles['remove'])}
              aria-label={`Remove ${name}`}
              title="Remove (Backspace)"
              onClick={({ currentTarget }) =>
                onRemove(part, currentTarget === document.activeElement)
              }
            >
              <Icon name="close" size={11} />
            </button>
          </li>
        )
      })}
    </Row>
  )
}

/** A time that was selected on the chart is shown in local time. */
function shownValue({ field, value }: QueryPart): string {
  const span = field === 'received' ? readSpan(value) : null
  return span === null ? value : formatSpan(span)
}
