import { useEffect, useMemo, useState } from 'react'
import type { LineStatus, LookupDraft, LookupLine } from '../../../src-preload/contract/lookup.ts'
import { attempt, request } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { copyText, announce, showToast } from '../../ui/toast.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { formatCount, formatNumber, shorten } from '../../ui/format.ts'
import { Pane, Row, Stack, Tag, Text } from '../../ui/layout.tsx'
import { throttle } from '../../ui/throttle.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { type Choice, ChoiceChips } from '../list/choice-chips.tsx'
import type { AddressList } from './address-list.ts'
import { countAll, lineTones, lineWords, printLines, sayCounts } from './line-words.ts'

/** While a file is being parsed, the lines are loaded this often. */
const growMs = 500

/** The result for each line of a list. */
export function ListLines({
  list: { store, lines },
  draft,
  group,
}: {
  list: AddressList
  draft: LookupDraft
  /** The heading of the keys in the sheet of shortcuts. */
  group: string
}) {
  const { shown, reading } = store()
  const { counts } = draft
  const isReading = reading !== null
  const grow = useMemo(() => throttle(lines.refresh, growMs), [lines])
  useEffect(() => {
    if (!isReading) announce(sayCounts(counts))
  }, [isReading, counts])
  // The lines of an earlier list are not shown, not even until the first lines are there.
  const [firstDraft] = useState(draft.id)
  useEffect(() => {
    const keep = lines.use.getState().question?.firstDraft === firstDraft
    lines.open({ status: shown, firstDraft }, { keep })
  }, [lines, shown, firstDraft])
  useEffect(() => grow.call(), [draft.id, counts, grow])
  useEffect(() => grow.cancel, [grow])
  return (
    <Pane role="region" aria-label="Parsed addresses">
      <Row wrap pad="m" line="below" justify="between">
        <ChoiceChips<LineStatus | null>
          label="Lines shown"
          value={shown}
          onChange={(next) => store.setState({ shown: next })}
          choices={choicesOf(draft)}
        />
        <CopyLines draft={draft.id} status={shown} />
      </Row>
      <Remarks draft={draft} />
      <DataList
        list={lines}
        columns={columns}
        of="lines"
        thing="line"
        group={group}
        empty={
          <Stack pad="l">
            <Text as="p" size="s" tone="dim">
              {shown === null ? 'The list has no addresses.' : `No line is ${lineWords[shown]}.`}
            </Text>
          </Stack>
        }
      />
    </Pane>
  )
}

function choicesOf({ counts }: LookupDraft): Choice<LineStatus | null>[] {
  return [
    { value: null, label: 'All', count: countAll(counts) },
    { value: 'valid', label: 'Valid', count: counts.valid, tone: 'ok' },
    { value: 'duplicate', label: 'Duplicate', count: counts.duplicate },
    { value: 'wrong-network', label: 'Wrong network', count: counts.wrongNetwork, tone: 'warn' },
    { value: 'invalid', label: 'Invalid', count: counts.invalid, tone: 'bad' },
  ]
}

function Remarks({ draft: { remarks, counts } }: { draft: LookupDraft }) {
  if (remarks.length === 0 && counts.beyond === 0) return null
  return (
    <Stack as="ul" gap="xs" pad="m" line="below">
      {counts.beyond > 0 && (
        <Text as="li" size="s" tone="warn">
          The list is too long: its last {formatCount(counts.beyond, 'address', 'addresses')} are
          left out. Continue with these, then add the rest.
        </Text>
      )}
      {remarks.map((remark) => (
        <Text as="li" key={remark} size="s" tone="dim">
          <UntrustedText text={remark} />
        </Text>
      ))}
    </Stack>
  )
}

/** As long as an address in its raw form with some room; longer input is shortened in its middle. */
const maxInput = 24

const columns: readonly DataColumn<LookupLine>[] = [
  {
    name: 'Line',
    width: 52,
    look: 'number',
    cell: ({ line }) => <Text tone="faint">{formatNumber(line)}</Text>,
  },
  {
    name: 'Input',
    width: 160,
    look: 'mono',
    cell: ({ text }) => (
      <UntrustedText text={text.length > maxInput ? shorten(text, 10, 8) : text} />
    ),
    title: ({ text }) => text,
  },
  {
    name: 'Result',
    width: 200,
    grow: 1,
    cell: ({ status, reason }) => (
      <Row>
        <Tag tone={lineTones[status]}>{lineWords[status]}</Tag>
        <Text size="s" tone="dim" over="cut">
          {reason}
        </Text>
      </Row>
    ),
    title: ({ reason }) => reason ?? undefined,
  },
]

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
