import { type ClipboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { attempt, request } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { ActionButton, Button, Choices, type Choice } from '../../ui/button.tsx'
import { EmptyState, FailedState, Progress, Skeleton } from '../../ui/loaded.tsx'
import { formatBytes, formatCount, formatNumber, shorten } from '../../ui/format.ts'
import { Kbd, Pane, Problem, Row, Stack, Tag, Text, Small, Hint } from '../../ui/layout.tsx'
import { formatKeys, useShortcuts } from '../../ui/keyboard.ts'
import { Splitter } from '../../ui/splitter.tsx'
import { TextArea } from '../../ui/form.tsx'
import { DropZone, OpenFileButton } from '../files/drop-zone.tsx'
import type { InputFile } from '../../app/input-file.ts'
import { NetworkTag } from '../network-tag.tsx'
import type { AddressList } from './address-list.ts'
import { maxTyped } from './list-upload.ts'
import type { LineStatus, LookupDraft, LookupLine } from '../../../src-preload/contract/lookup.ts'
import { announce, copyText, showToast } from '../../ui/toast.tsx'
import { DataList, type DataColumn } from '../../ui/data-list.tsx'
import { throttle } from '../../ui/throttle.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { AccountName } from '../chain/account-link.tsx'
import { countAll, lineTones, lineLabels, formatLines, describeLineCounts } from './line-labels.ts'

type Entry = {
  readonly list: AddressList
  readonly network: Network
  /** The title, such as “New lookup”. */
  readonly title: string
  /** Returns the button's text for a number of valid addresses, which is 0 at first. */
  readonly action: (valid: number) => string
  /** Starts the work with a draft of `lookup.begin`. @throws AppError, which the form shows */
  readonly onHand: (draft: string) => Promise<void>
  /** Additional fields. */
  readonly children?: ReactNode
}

/** Renders the entry of a list of addresses: the input on the left, the result for each line on the right. */
export function ListEntry(entry: Entry) {
  const { list, network } = entry
  const [percent, setPercent] = useState(42)
  useEffect(() => list.feed.useNetwork(network.id), [list, network.id])
  return (
    <DropZone fill hint="Drop the file to read its addresses" onFile={list.feed.openFile}>
      <Splitter
        label="List width"
        percent={percent}
        min={28}
        max={64}
        onCommit={setPercent}
        left={<InputForm entry={entry} />}
        right={<Result entry={entry} />}
      />
    </DropZone>
  )
}

function InputForm({ entry }: { entry: Entry }) {
  const { list, network, title, action, onHand, children } = entry
  const { file, draft, reading } = list.store()
  const valid = draft?.counts.valid ?? 0
  const isReady = valid > 0 && !(file !== null && reading !== null)
  const form = useForm({}, async () => {
    if (isReady) await list.feed.hand(onHand)
  })
  useShortcuts([{ keys: ['mod+Enter'], label: 'Start', group: title, run: form.submit }])
  return (
    <Stack
      as="form"
      fill
      scroll
      pad="l"
      gap="l"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        form.submit()
      }}
    >
      <ListSource list={list}>
        <AddressBookButton list={list} network={network} />
      </ListSource>
      {children}
      <Problem>{form.problem}</Problem>
      <Row wrap gap="l">
        <Button type="submit" kind="main" busy={form.busy} disabled={!isReady}>
          {form.busy ? 'Starting…' : action(valid)} <Kbd>{formatKeys('mod+Enter')}</Kbd>
        </Button>
        <Small>
          on <NetworkTag id={network.id} />
        </Small>
      </Row>
      {network.problem !== null && <Hint>{network.problem}</Hint>}
    </Stack>
  )
}

const labelsPerPage = 500

/** Adds all labelled addresses to the entered list. */
function AddressBookButton({ list, network: { id, name } }: Pick<Entry, 'list' | 'network'>) {
  const { file, typed } = list.store()
  const add = () =>
    attempt('Could not load the address book', async () => {
      const addresses: string[] = []
      for (;;) {
        const offset = addresses.length
        const page = await request('label.list', { network: id, offset, limit: labelsPerPage })
        addresses.push(...page.labels.map(({ address }) => address))
        if (page.labels.length === 0 || addresses.length >= page.total) break
      }
      if (addresses.length === 0) {
        showToast({ title: `The address book of ${name} is empty` })
        return
      }
      list.feed.type([typed.trimEnd(), ...addresses].filter((line) => line !== '').join('\n'))
    })
  if (file !== null) return null
  return <ActionButton action={add}>Add the address book</ActionButton>
}

/** Renders the field for the list, or the file that replaces it; `children` are next to the buttons. */
export function ListSource({ list, children }: { list: AddressList; children?: ReactNode }) {
  const { file, typed } = list.store()
  return (
    <>
      {file === null ? <TypedList list={list} /> : <FileCard list={list} file={file} />}
      <Row wrap gap="l">
        <OpenFileButton
          label="Open a file…"
          purpose="addresses"
          accept=".txt,.csv,.tsv"
          onFile={list.feed.openFile}
        />
        {(file !== null || typed !== '') && (
          <Button kind="quiet" onClick={() => list.feed.clear()}>
            Clear
          </Button>
        )}
        {children}
      </Row>
    </>
  )
}

function TypedList({ list: { store, feed } }: { list: AddressList }) {
  const typed = store((state) => state.typed)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])

  // Without this, the browser would first lay out megabytes of text in the field, which takes seconds.
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain')
    if (typed.length + pasted.length <= maxTyped) return
    event.preventDefault()
    feed.type(typed === '' ? pasted : `${typed}\n${pasted}`)
  }
  return (
    <TextArea
      ref={area}
      label="Addresses"
      hint="Enter one address per line, or CSV. All address formats and your labels are accepted. Tondesk checks every line while you type."
      placeholder={'EQCxE6…\n0:83df…\nor drop a .txt or .csv file here'}
      mono
      rows={14}
      wrap="off"
      spellCheck={false}
      value={typed}
      onChange={(next) => feed.type(next)}
      onPaste={paste}
    />
  )
}

function FileCard({ list: { store, feed }, file }: { list: AddressList; file: InputFile }) {
  const reading = store((state) => state.reading)
  const isFull = store((state) => state.draft?.isFull ?? false)
  return (
    <Stack pad="xl" line="box" role="group" aria-label={file.name}>
      <Text as="p" strong over="break">
        {file.name}
      </Text>
      {reading === null ? (
        <Hint>
          {formatBytes(file.blob.size)}
          {isFull && ', read up to the maximum number of addresses'}
        </Hint>
      ) : (
        <>
          <Progress label={`Reading ${file.name}`} done={reading.done} of={reading.total} />
          <Hint role="status">
            {formatBytes(reading.done)} of {formatBytes(reading.total)} read
          </Hint>
        </>
      )}
      <Button onClick={() => feed.closeFile()}>
        {reading === null ? 'Remove the file' : 'Stop reading'}
      </Button>
    </Stack>
  )
}

function Result({ entry }: { entry: Entry }) {
  const { list, network } = entry
  const { draft, problem, reading } = list.store()
  if (problem !== null) {
    return (
      <FailedState
        what="Could not read the list"
        why={problem}
        onRetry={() => void list.feed.again()}
      />
    )
  }
  if (draft !== null) return <ListLines entry={entry} draft={draft} />
  if (reading !== null) return <Skeleton rows={8} label="Reading the list" />
  return (
    <EmptyState
      title="Parsed addresses appear here"
      detail="Each line is marked as valid, duplicate, wrong network or invalid, with the reason. All lines are shown in their original order."
    >
      {network.kind === 'sandbox' && (
        <Button onClick={() => void enterWallets(list)}>Use the wallets of the sandbox</Button>
      )}
    </EmptyState>
  )
}

async function enterWallets({ feed }: AddressList): Promise<void> {
  const chain = await attempt('Could not list the wallets', () =>
    request('sandbox.chain', { network: 'mainnet' }),
  )
  if (chain !== undefined) feed.type(chain.wallets.map(({ address }) => address).join('\n'))
}

/** While a file is being parsed, the lines are loaded at this interval. */
const growMs = 500

/** Lists the result for each line. */
function ListLines({ entry, draft }: { entry: Entry; draft: LookupDraft }) {
  const { network, title } = entry
  const { store, lines } = entry.list
  const { shown, reading } = store()
  const { counts } = draft
  const columns = useMemo(() => columnsOf(network), [network])
  const isReading = reading !== null
  const grow = useMemo(() => throttle(lines.refresh, growMs), [lines])
  useEffect(() => {
    if (!isReading) announce(describeLineCounts(counts))
  }, [isReading, counts])
  // The lines of an earlier list are hidden, even before the first new lines have arrived.
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
        <Choices<LineStatus | null>
          label="Lines to show"
          value={shown}
          onChange={(next) => store.setState({ shown: next })}
          options={choicesOf(draft)}
        />
        <CopyLines draft={draft.id} status={shown} />
      </Row>
      <Remarks draft={draft} />
      <DataList
        list={lines}
        columns={columns}
        of="lines"
        thing="line"
        group={title}
        empty={
          <Stack pad="l">
            <Hint>
              {shown === null
                ? 'The list has no addresses.'
                : `No lines with the result “${lineLabels[shown]}”.`}
            </Hint>
          </Stack>
        }
      />
    </Pane>
  )
}

const choicesOf = ({ counts }: LookupDraft): Choice<LineStatus | null>[] => [
  { value: null, label: 'All', count: countAll(counts) },
  { value: 'valid', label: 'Valid', count: counts.valid, tone: 'ok' },
  { value: 'duplicate', label: 'Duplicate', count: counts.duplicate },
  { value: 'wrong-network', label: 'Wrong network', count: counts.wrongNetwork, tone: 'warn' },
  { value: 'invalid', label: 'Invalid', count: counts.invalid, tone: 'bad' },
]

function Remarks({ draft: { remarks, counts } }: { draft: LookupDraft }) {
  if (remarks.length === 0 && counts.beyond === 0) return null
  return (
    <Stack as="ul" gap="xs" pad="m" line="below">
      {counts.beyond > 0 && (
        <Text as="li" size="s" tone="warn">
          The list is too long: Tondesk left out its last{' '}
          {formatCount(counts.beyond, 'address', 'addresses')}. Continue without them, then add them
          in a second list.
        </Text>
      )}
      {remarks.map((remark) => (
        <UntrustedText as="li" key={remark} size="s" tone="dim" text={remark} />
      ))}
    </Stack>
  )
}

/** The length of a raw address with some margin; longer input is shortened in its middle. */
const maxInput = 24

const columnsOf = (network: Network): readonly DataColumn<LookupLine>[] => [
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
    cell: ({ text, address }) =>
      address === null ? (
        <UntrustedText text={text.length > maxInput ? shorten(text, 10, 8) : text} />
      ) : (
        <AccountName account={{ address }} network={network} />
      ),
    title: ({ text }) => text,
  },
  {
    name: 'Result',
    width: 200,
    grow: 1,
    cell: ({ status, reason }) => (
      <Row>
        <Tag tone={lineTones[status]}>{lineLabels[status]}</Tag>
        <Small over="cut">{reason}</Small>
      </Row>
    ),
    title: ({ reason }) => reason ?? undefined,
  },
]

const copyLimit = 500

function CopyLines({ draft, status }: { draft: string; status: LineStatus | null }) {
  const copy = () =>
    attempt('Could not copy the lines', async () => {
      const found = await allLines(draft, status)
      if (!(await copyText(formatLines(found), 'Lines'))) return
      showToast({ title: `${formatCount(found.length, 'line')} copied` })
    })
  return (
    <ActionButton icon="copy" action={copy}>
      Copy lines
    </ActionButton>
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
