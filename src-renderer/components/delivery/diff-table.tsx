import { Fragment, type ReactNode, useState } from 'react'
import type { DiffLine } from '../../../src-preload/contract/replay.ts'
import { formatCount } from '../../ui/format.ts'
import { Button } from '../../ui/button.tsx'
import { Row, Text, Small } from '../../ui/layout.tsx'
import hidden from '../../ui/text.module.css'
import { UntrustedText } from '../body/untrusted-text.tsx'
import styles from './diff.module.css'

/** Maximum number of rows shown at once; more would delay the page. */
const atOnce = 1500

type Kind = DiffLine['kind']

/** Signs and words for lines that differ, because color must never be the only sign. */
const marks: Readonly<Record<Kind, readonly [left: string, right: string, word: string]>> = {
  same: ['', '', ''],
  changed: ['~', '~', 'Changed'],
  left: ['−', '', 'Left only'],
  right: ['', '+', 'Right only'],
}

/** Compares the headers and the bodies of two requests or responses. */
export function MessageDiff({ head, body }: Record<'head' | 'body', readonly DiffLine[]>) {
  const parts = [
    { name: 'Headers', lines: head, none: 'Neither side has headers.' },
    { name: 'Body', lines: body, none: 'Both bodies are empty.' },
  ]
  return parts.map(({ name, lines, none }) => (
    <Fragment key={name}>
      <Row pad="m">
        <Text as="h3" tone="dim" size="s">
          {name}
        </Text>
      </Row>
      <DiffTable label={name} lines={lines} none={none} />
    </Fragment>
  ))
}

/** Shows two texts side by side, line by line. Equal lines are folded until the user opens them. */
function DiffTable({
  label,
  lines,
  none,
}: {
  label: string
  lines: readonly DiffLine[]
  /** The text if neither side has a line. */
  none: string
}) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [most, setMost] = useState(atOnce)
  if (lines.length === 0) return <Aside>{none}</Aside>
  const folded = foldEqual(lines, opened)
  const left = folded.length - most
  const starts = new Set(changeStarts(lines))
  return (
    <>
      <table className={styles['diff']} aria-label={label}>
        <colgroup>
          <col className={styles['markColumn']} />
          <col />
          <col className={styles['markColumn']} />
          <col />
        </colgroup>
        <thead className={hidden['hidden']}>
          <tr>
            <th scope="col">Change in the left column</th>
            <th scope="col">Left</th>

            <th scope="col">Change in the right column</th>

            <th scope="col">Right</th>
          </tr>
        </thead>
        <tbody>
          {folded.slice(0, most).map((each) =>
            each.kind === 'fold' ? (
              <tr key={`fold-${each.from}`}>
                <td colSpan={4} className={styles['fold']}>
                  <Button kind="link" onClick={() => setOpened(new Set([...opened, each.from]))}>
                    Show {formatCount(each.count, 'equal line')}
                  </Button>
                </td>
              </tr>
            ) : (
              <Line key={each.index} isStart={starts.has(each.index)} line={each.line} />
            ),
          )}
        </tbody>
      </table>
      {left > 0 && (
        <Aside>
          {formatCount(left, 'more line')}{' '}
          <Button onClick={() => setMost(most + atOnce)}>Show more lines</Button>
        </Aside>
      )}
    </>
  )
}

function Aside({ children }: { children: ReactNode }) {
  return (
    <Row pad="m">
      <Small>{children}</Small>
    </Row>
  )
}

function Line({ isStart, line }: { isStart: boolean; line: DiffLine }) {
  const { kind, left, right } = line
  const [leftMark, rightMark, word] = marks[kind]
  const parts =
    kind === 'changed' && left !== null && right !== null ? changedParts(left, right) : null
  return (
    <tr className={styles[kind]} data-change={isStart || undefined}>
      <Mark sign={leftMark} word={word} />
      <Side text={left} parts={parts?.[0] ?? null} className={styles['left']} />
      <Mark sign={rightMark} word={kind === 'right' ? word : ''} />
      <Side text={right} parts={parts?.[1] ?? null} className={styles['right']} />
    </tr>
  )
}

function Mark({ sign, word }: { sign: string; word: string }) {
  return (
    <td className={styles['mark']}>
      <span aria-hidden="true">{sign}</span>
      {sign !== '' && word !== '' && <Text hidden>{word}</Text>}
    </td>
  )
}

function Side({
  text: line,
  parts,
  className,
}: {
  text: string | null
  parts: Parts | null
  className: string | undefined
}): ReactNode {
  if (line === null) return <td className={styles['absent']} />
  if (parts === null) {
    return (
      <td className={className}>
        <UntrustedText text={line} />
      </td>
    )
  }
  return (
    <td className={className}>
      <UntrustedText text={parts.before} />
      {parts.changed !== '' && (
        <mark className={styles['part']}>
          <UntrustedText text={parts.changed} />
        </mark>
      )}
      <UntrustedText text={parts.after} />
    </td>
  )
}

/** One displayed row: a line, or the number of folded equal lines. */
type Folded =
  | { readonly kind: 'line'; readonly index: number; readonly line: DiffLine }
  | { readonly kind: 'fold'; readonly from: number; readonly count: number }

/** Number of equal lines shown around each change. */
const around = 3
/** Fewer equal lines are not folded. */
const least = 4

/**
 * Folds equal lines that are far from a change. `opened` contains the beginnings of the folds that
 * the user has opened.
 */
export function foldEqual(lines: readonly DiffLine[], opened: ReadonlySet<number>): Folded[] {
  const shown: Folded[] = []
  let from = 0
  while (from < lines.length) {
    const run = sameFrom(lines, from)
    const start = from === 0 ? from : from + around
    const end = from + run === lines.length ? lines.length : from + run - around
    const folds = end - start >= least && !opened.has(start)
    const stop = run === 0 ? from + 1 : from + run
    for (let index = from; index < stop; index += 1) {
      if (folds && index === start) shown.push({ kind: 'fold', from: start, count: end - start })
      const line = lines[index]
      if (line === undefined || (folds && index >= start && index < end)) continue
      shown.push({ kind: 'line', index, line })
    }
    from = stop
  }
  return shown
}

function sameFrom(lines: readonly DiffLine[], from: number): number {
  let at = from
  while (lines[at]?.kind === 'same') at += 1
  return at - from
}

/** Returns the index at which each run of changed lines begins. */
export const changeStarts = (lines: readonly DiffLine[]): number[] =>
  lines.flatMap((line, index) =>
    line.kind !== 'same' && (index === 0 || lines[index - 1]?.kind === 'same') ? [index] : [],
  )

export const countChanged = (lines: readonly DiffLine[]): number =>
  lines.filter(({ kind }) => kind !== 'same').length

type Parts = { readonly before: string; readonly changed: string; readonly after: string }

/** Returns the part of each of two lines in which they differ. */
export function changedParts(left: string, right: string): readonly [Parts, Parts] {
  const limit = Math.min(left.length, right.length)
  let head = 0
  while (head < limit && left[head] === right[head]) head += 1
  // A split between the two halves of a surrogate pair is avoided.
  if (isLowHalf(left.charCodeAt(head)) || isLowHalf(right.charCodeAt(head)))
    head -= head > 0 ? 1 : 0
  let tail = 0
  while (tail < limit - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1
  if (tail > 0 && isLowHalf(left.charCodeAt(left.length - tail))) tail -= 1
  const cut = (line: string): Parts => ({
    before: line.slice(0, head),
    changed: line.slice(head, line.length - tail),
    after: line.slice(line.length - tail),
  })
  return [cut(left), cut(right)]
}

const isLowHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff
