import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type {
  FilterStage,
  QueryPart,
  QueryProblem,
} from '../../../src-preload/contract/capture-query.ts'
import { IconButton } from '../../ui/button.tsx'
import { Problem, Row, Stack, Text } from '../../ui/layout.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { type Choice, choiceId, CompletionList, ProblemMarks, QueryChips } from './query-parts.tsx'
import { applySuggestion, positionNow, negate, withoutPart } from './query-text.ts'
import { useQueryReading } from './use-query-reading.ts'
import styles from './query.module.css'

export type QueryFieldHandle = { readonly focus: () => void }

type Props = {
  label: string
  /** True to hide the label, except from screen readers. */
  hideLabel?: boolean
  value: string
  onChange: (text: string) => void
  /** Called on Enter if no suggestion is selected. */
  onEnter?: () => void
  placeholder?: string
  maxLength?: number
  /** Recent queries, newest first; arrow up in an empty field shows them. */
  recent?: readonly string[]
  /** Content at the end of the line of chips. */
  beside?: ReactNode
  /** True to save height: `beside` is on the line of the field, and chips have a line only if there are any. */
  isLow?: boolean
  /** The stage at which a rule's filter is evaluated. */
  stage?: FilterStage | undefined
  /** An error from another source, such as saving a rule. */
  error?: string | undefined
  ref?: Ref<QueryFieldHandle> | undefined
}

const noChoices: readonly Choice[] = []
/** The width in pixels of suggestions with their hints. */
const listWidth = 380

type Selection = { readonly from: number; readonly to: number }
type ChangeText = (text: string, selection?: Selection | null) => void
type Reading = ReturnType<typeof useQueryReading>

/** Changes the text, then focuses the field and selects a part. */
function useSelectingChange(
  input: RefObject<HTMLInputElement | null>,
  onChange: (text: string) => void,
  setCursor: (cursor: number) => void,
): ChangeText {
  /** The selection to make once the field has the text. */
  const wanted = useRef<Selection | null>(null)

  useLayoutEffect(() => {
    const selection = wanted.current
    if (selection === null) return
    wanted.current = null
    input.current?.focus()
    input.current?.setSelectionRange(selection.from, selection.to)
  })

  return (next, selection = null) => {
    wanted.current = selection
    if (selection !== null) setCursor(selection.to)
    onChange(next)
  }
}

type OpenList = 'closed' | 'completion' | 'recent'

function choicesOf(
  list: OpenList,
  recent: readonly string[],
  completion: Reading['completion'] | null,
): readonly Choice[] {
  if (list === 'recent') return recent.map((text) => ({ text, hint: 'recent' }))
  return list === 'completion' && completion !== null ? completion.choices : noChoices
}

/** Renders the list of suggestions or recent queries, and handles its keys. */
function useSuggestions({
  value,
  recent,
  completion,
  change,
  onChange,
  onEnter,
}: Pick<Props, 'value' | 'onChange'> & {
  readonly onEnter: Props['onEnter'] | undefined
  readonly recent: readonly string[]
  /** Null until the text has been parsed. */
  readonly completion: Reading['completion'] | null
  readonly change: ChangeText
}) {
  const [list, setList] = useState<OpenList>('closed')
  const [active, setActive] = useState<number | null>(null)
  const choices = choicesOf(list, recent, completion)
  const isOpen = choices.length > 0

  const close = () => {
    setList('closed')
    setActive(null)
  }

  const choose = (index: number) => {
    const choice = choices[index]
    if (choice === undefined) return
    if (list === 'recent') {
      change(choice.text, { from: choice.text.length, to: choice.text.length })
      close()
      return
    }
    if (completion === null) return
    const next = applySuggestion(value, completion, choice.text)
    change(next.text, { from: next.caret, to: next.caret })
    setActive(null)
    // After a field its values are suggested; after a whole term the list closes.
    setList(next.text.slice(0, next.caret).endsWith(' ') ? 'closed' : 'completion')
  }

  const walk = (step: 1 | -1) => {
    if (!isOpen) {
      if (step === -1 && value === '' && recent.length > 0) {
        setList('recent')
        setActive(0)
      } else if (step === 1) setList('completion')
      return
    }
    const from = active ?? (step === 1 ? -1 : choices.length)
    const next = from + step
    setActive(next < 0 || next >= choices.length ? null : next)
  }

  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault()
        walk(event.key === 'ArrowDown' ? 1 : -1)
        break
      case 'Tab': {
        // If there is no text to complete, Tab leaves the field as usual.
        const hasText = completion !== null && completion.to > completion.from
        const hasBegun = hasText || active !== null
        if (!isOpen || event.shiftKey || !hasBegun) return
        event.preventDefault()
        choose(active ?? 0)
        break
      }
      case 'Enter':
        if (isOpen && active !== null) {
          event.preventDefault()
          choose(active)
          return
        }
        close()
        if (onEnter === undefined) return
        event.preventDefault()
        onEnter()
        break
      case 'Escape':
        if (isOpen) {
          event.preventDefault()
          event.stopPropagation()
          close()
        } else if (value !== '' && onEnter !== undefined) {
          event.stopPropagation()
          onChange('')
        } else event.currentTarget.blur()
    }
  }

  const open = () => {
    setActive(null)
    setList('completion')
  }

  return { list, active, choices, isOpen, open, close, choose, press }
}

function EditableParts({
  reading,
  value,
  change,
}: {
  reading: Reading
  value: string
  change: ChangeText
}) {
  /** The parts belong to the text that was parsed last, and later typing has moved them. */
  const withPlace = (part: QueryPart, act: (part: QueryPart) => void) => {
    const now = positionNow(part, reading.text, value)
    if (now !== null) act({ ...part, ...now })
  }
  const turn = (part: QueryPart) => {
    const { text } = reading
    const before = negate(text, part)
    const back = { ...part, to: part.to + before.length - text.length, negated: !part.negated }
    const now = positionNow(part, text, value)
    // A second press, before the text is parsed again, reverts the part.
    const place = now ?? positionNow(back, before, value)
    if (place !== null) change(negate(value, { ...(now === null ? back : part), ...place }))
  }
  return (
    <QueryChips
      parts={reading.parts}
      onEdit={(part) => withPlace(part, (now) => change(value, now))}
      onTurn={turn}
      onRemove={(part, hadFocus) =>
        withPlace(part, (now) => {
          const next = withoutPart(value, now)
          const caret = Math.min(now.from, next.length)
          change(next, hadFocus ? { from: caret, to: caret } : null)
        })
      }
    />
  )
}

/**
 * A field for a query. Errors are underlined and listed below; arrow keys and Tab select
 * suggestions; each part is a chip below the field.
 */
export function QueryField({
  label,
  hideLabel = false,
  placeholder,
  maxLength = 1000,
  beside,
  isLow = false,
  value,
  onChange,
  onEnter,
  recent = [],
  stage,
  error,
  ref,
}: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const marks = useRef<HTMLDivElement>(null)
  const place = useRef<HTMLSpanElement>(null)
  const [cursor, setCursor] = useState<number | null>(null)
  const [left, setLeft] = useState(0)
  const reading = useQueryReading(value, cursor, stage)
  const isCurrent = reading.text === value
  const change = useSelectingChange(input, onChange, setCursor)
  const completion = isCurrent ? reading.completion : null
  const suggestions = useSuggestions({ value, recent, completion, change, onChange, onEnter })
  const { list, active, choices, isOpen } = suggestions
  // A text with suggestions is still being typed, so it is not wrong yet.
  const isBegun = (problem: QueryProblem) =>
    isOpen && cursor !== null && problem.from <= cursor && cursor <= problem.to
  const problems = isCurrent ? reading.problems.filter((problem) => !isBegun(problem)) : []
  // A problem with a position replaces the error from saving.
  const shownError = problems.length === 0 ? error : undefined

  useImperativeHandle(ref, () => ({
    focus() {
      input.current?.focus()
      input.current?.select()
    },
  }))

  useLayoutEffect(() => {
    if (!isOpen) return
    const start = place.current?.offsetLeft ?? 0
    const room = (input.current?.clientWidth ?? 0) - listWidth
    setLeft(list === 'recent' ? 0 : Math.max(0, Math.min(start - scrolled(input.current), room)))
  }, [isOpen, list, reading.completion.from, value])

  const listId = `${id}-list`
  const described = [
    problems.length > 0 && `${id}-problems`,
    shownError !== undefined && `${id}-error`,
  ].filter((each) => each !== false)
  return (
    <Stack gap="xs">
      <Text
        as="label"
        htmlFor={id}
        {...(hideLabel ? { hidden: true } : ({ size: 's', strong: true } as const))}
      >
        {label}
      </Text>
      <Row>
        <div className={styles['line']}>
          <ProblemMarks
            ref={marks}
            text={value}
            problems={problems}
            markAt={reading.completion.from}
            markRef={place}
          />
          <input
            ref={input}
            id={id}
            className={styles['input']}
            type="text"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            aria-activedescendant={isOpen && active !== null ? choiceId(listId, active) : undefined}
            aria-invalid={problems.length > 0 || shownError !== undefined}
            aria-describedby={described.length === 0 ? undefined : described.join(' ')}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            maxLength={maxLength}
            value={value}
            onChange={(event) => {
              setCursor(event.target.selectionStart)
              suggestions.open()
              onChange(event.target.value)
            }}
            onSelect={(event) => setCursor(event.currentTarget.selectionEnd)}
            onScroll={() => {
              if (marks.current !== null) marks.current.scrollLeft = scrolled(input.current)
            }}
            onKeyDown={suggestions.press}
            onBlur={() => {
              suggestions.close()
              setCursor(null)
            }}
          />
          {value !== '' && (
            <IconButton
              icon="close"
              label="Clear the query"
              onClick={() => change('', { from: 0, to: 0 })}
            />
          )}
          {isOpen && (
            <CompletionList
              id={listId}
              label={list === 'recent' ? 'Recent queries' : 'Suggestions'}
              choices={choices}
              active={active}
              left={left}
              onChoose={suggestions.choose}
            />
          )}
        </div>
        {isLow && beside}
      </Row>
      <Problems id={`${id}-problems`} text={value} problems={problems} />
      <Problem id={`${id}-error`}>{shownError}</Problem>
      {/* The row has the same height without chips, so that the content below does not move. */}
      <Row style={{ minHeight: isLow ? undefined : 28 }}>
        <EditableParts reading={reading} value={value} change={change} />
        {!isLow && beside}
      </Row>
    </Stack>
  )
}

function Problems({
  id,
  text: value,
  problems,
}: {
  id: string
  text: string
  problems: readonly QueryProblem[]
}) {
  if (problems.length === 0) return null
  return (
    <div id={id} role="alert">
      <ul>
        {problems.map(({ from, to, message }) => (
          <Text as="li" key={from} size="s" tone="bad" over="break">
            {to > from && (
              <code>
                <UntrustedText text={value.slice(from, to)} />
              </code>
            )}{' '}
            {message}
          </Text>
        ))}
      </ul>
    </div>
  )
}

const scrolled = (input: HTMLInputElement | null): number => input?.scrollLeft ?? 0
