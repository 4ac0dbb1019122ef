import { useEffect, useMemo, useRef, useState } from 'react'
import type { LineStatus, LookupDraft, LookupLine } from '../../../src-preload/contract/lookup.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { throttle } from '../../ui/throttle.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { announce } from '../../ui/live-region.tsx'
import { Tag } from '../../ui/tag.tsx'
import text from '../../ui/text.module.css'
import { showToast } from '../../ui/toast.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { type Choice, ChoiceChips } from '../list/choice-chips.tsx'
import { ListStates, useTotal } from '../list/list-states.tsx'
import { useGridKeys } from '../list/use-grid-keys.ts'
import { Cell, WindowGrid } from '../list/window-grid.tsx'
import { type AddressList, loadLines } from './address-list.ts'
import { countAll, lineTones, lineWords, printLines, sayCounts } from './line-words.ts'
import styles from './address-list.module.css'

const columns = [{ name: 'Line', end: true }, { name: 'As it stands' }, { name: 'Understood as' }]

/** What was understood of the list, line by line. */
export function ListLines({
  list,
  draft,
  group,
}: {
  list: AddressList
  draft: LookupDraft
  /** Of the keys. */
  group: string
}) {
  const shown = list.store((state) => state.shown)
  const isReading = list.store((state) => state.reading !== null)
  const { counts } = draft
  const all = countAll(counts)

  useEffect(() => {
    if (!isReading) announce(sayCounts(counts))
  }, [isReading, counts])

  return (
    <section className={styles['lines']} aria-label="What was understood">
      <div className={styles['linesHead']}>
        <ChoiceChips<LineStatus | null>
          label="Lines shown"
          value={shown}
          onChange={(next) => list.store.setState({ shown: next })}
          choices={[{ value: null, label: 'All', count: all }, ...lineChoices(draft)]}
        />
        <CopyLines draft={draft.id} status={shown} />
      </div>
      <Remarks draft={draft} />
      <Lines list={list} draft={draft} shown={shown} group={group} />
    </section>
  )
}

function lineChoices({ counts }: LookupDraft): Choice<LineStatus | null>[] {
  return [
    { value: 'valid', label: 'Valid', count: counts.valid, tone: 'ok' },
    { value: 'duplicate', label: 'Duplicate', count: counts.duplicate },
    { value: 'wrong-network', label: 'Wrong network', count: counts.wrongNetwork, tone: 'warn' },
    { value: 'invalid', label: 'Invalid', count: counts.invalid, tone: 'bad' },
  ]
}

function Remarks({ draft: { remarks, counts } }: { draft: LookupDraft }) {
  if (remarks.length === 0 && counts.beyond === 0) return null
  return (
    <ul className={styles['remarks']}>
      {counts.beyond > 0 && (
        <li className={styles['beyond']}>
          {formatCount(counts.beyond, 'address', 'addresses')} beyond what is taken at once{' '}
          {counts.beyond === 1 ? 'is' : 'are'} left out. Take these first, then the rest of the
          list.
        </li>
      )}
      {remarks.map((remark) => (
        <li key={remark}>
          <UntrustedText text={remark} />
        </li>
      ))}
    </ul>
  )
}

/** While a file is read its list grows: it is looked at anew this often. */
const growMs = 500

function Lines({
  list: { lines, feed },
  draft,
  shown,
  group,
}: {
  list: AddressList
  draft: LookupDraft
  shown: LineStatus | null
  group: string
}) {
  const [cursor, setCursor] = useState<number | null>(null)
  const former = useRef<LineStatus | null | undefined>(undefined)
  const grow = useMemo(() => throttle(() => lines.refresh(), growMs), [lines])
  useEffect(() => grow.cancel, [grow])

  useEffect(() => {
    const load = loadLines(draft.id, shown)
    // Typed on, the list is another version of itself; another choice of lines begins at its top.
    if (former.current === shown) lines.follow(load)
    else lines.open(load, { keep: former.current !== undefined })
    former.current = shown
  }, [lines, draft.id, shown])

  useEffect(() => grow.call(), [draft.counts, grow])

  useGridKeys({
    group,
    count: useTotal(lines),
    cursor,
    onCursor: setCursor,
  })

  return (
    <ListStates
      list={lines}
      of="the lines"
      onRetry={() => void feed.again()}
      empty={
        <p className={styles['none']}>
          {shown === null ? 'There is no address in it.' : `No line is ${lineWords[shown]}.`}
        </p>
      }
    >
      {(state) => (
        <WindowGrid
          label="Lines"
          className={styles['lineColumns']}
          columns={columns}
          list={lines}
          state={state}
          cursor={cursor}
          onCursor={setCursor}
          cells={(line) => <LineCells line={line} />}
        />
      )}
    </ListStates>
  )
}

function LineCells({ line: { line, text: words, status, reason } }: { line: LookupLine }) {
  return (
    <>
      <Cell className={`${text['mono'] ?? ''} ${text['number'] ?? ''} ${text['faint'] ?? ''}`}>
        {formatNumber(line)}
      </Cell>
      <Cell className={text['mono']} title={words}>
        <UntrustedText text={words} />
      </Cell>
      <Cell title={reason ?? undefined}>
        <Tag tone={lineTones[status]}>{lineWords[status]}</Tag>
        {reason !== null && <span className={styles['reason']}>{reason}</span>}
      </Cell>
    </>
  )
}

const copyLimit = 500

function CopyLines({ draft, status }: { draft: string; status: LineStatus | null }) {
  const [busy, setBusy] = useState(false)
  const copy = async () => {
    setBusy(true)
    await attempt('Could not copy the lines', async () => {
      const found = await allLines(draft, status)
      if (!(await copyText(printLines(found), 'Lines'))) return
      showToast({ title: `${formatCount(found.length, 'line')} copied` })
    })
    setBusy(false)
  }
  return (
    <Button icon="copy" busy={busy} onClick={() => void copy()}>
      {busy ? 'Copying…' : 'Copy lines'}
    </Button>
  )
}

async function allLines(draft: string, status: LineStatus | null): Promise<LookupLine[]> {
  const found: LookupLine[] = []
  for (;;) {
    const offset = found.length
    const page = await request('lookup.draftLines', { draft, status, offset, limit: copyLimit })
    found.push(...page.lines)
    if (page.lines.length === 0 || found.length >= page.total) return found
  }
}
