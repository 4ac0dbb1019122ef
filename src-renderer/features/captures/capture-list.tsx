import { lazy, Suspense, useEffect, useMemo } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { useData } from '../../app/bridge.ts'
import { queryTerm } from '../../components/query-term.ts'
import { applySuggestion } from '../../components/query/query-text.ts'
import { useQueryReading } from '../../components/query/use-query-reading.ts'
import { Button } from '../../ui/button.tsx'
import { DataList } from '../../ui/data-list.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatCount, formatExact, formatMoment } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Pane, Row } from '../../ui/layout.tsx'
import { useNow } from '../../ui/time.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { compareCaptures } from '../../components/delivery/comparable.ts'
import { openReplay } from '../../components/delivery/replays.tsx'
import { columnsOf, hiddenColumns } from './capture-cells.tsx'
import { useOpen } from './capture-detail.ts'
import { invalidQuery, isEmptyQuery, isScan, maxRows } from './capture-rows.ts'
import {
  assignNetwork,
  captureList,
  closeDetail,
  deleteCaptures,
  openCapture,
  queryField,
  search,
  togglePin,
  moveCursorTo,
} from './captures-state.ts'
import { NetworkMenu } from './network-menu.tsx'

const noNetworks: readonly Network[] = []

const FirstCapture = lazy(async () => ({
  default: (await import('../../components/start/first-capture.tsx')).FirstCapture,
}))

export function CaptureList() {
  const isInvalid = captureList.use((state) => state.error?.code === invalidQuery)
  const refusal = captureList.use((state) => state.refusal)
  // Half typed for a moment; then the rows of the query before would seem to be its own.
  const isRefused = useSettled(refusal) === refusal && refusal !== null
  const openId = useOpen(({ open }) => open?.id ?? null)
  const networks = useData('network.list').data?.networks ?? noNetworks
  const columns = useMemo(() => columnsOf(networks), [networks])
  const hidden = new Set(hiddenColumns.useHidden())
  // A column that would say the same in each row.
  if (captureList.use(({ query }) => ofOneNetwork.test(query.text))) hidden.add('Network')
  if (captureList.use((state) => !state.isGrouped)) hidden.add('Deliveries')
  useGroupKeys()
  useEffect(() => {
    if (openId !== null) captureList.noteOpened(openId)
  }, [openId])
  if (isInvalid || isRefused) return <InvalidQuery />
  return (
    <Pane>
      <SelectionBar />
      <DataList
        list={captureList}
        columns={columns}
        hidden={hidden}
        of="captures"
        thing="capture"
        group="Inspector"
        openId={openId}
        onOpen={({ id }, by) => (by === 'walk' ? moveCursorTo(id) : openCapture(id))}
        onLeave={() => (openId === null ? captureList.put(null) : closeDetail())}
        selectable={({ id }) => `capture ${id}`}
        isMarked={(row) => captureList.isUnread(row)}
        empty={<Empty />}
        foot={<Foot />}
      />
    </Pane>
  )
}

const ofOneNetwork = /(?:^|\s)network:[^\s,"]+(?:,unknown)?(?:\s|$)/i

/** The right arrow opens a payment and the left one closes it; another key does both, also beside a detail. */
function useGroupKeys(): void {
  const group = captureList.use(({ shown, cursorId }) => shown.groups.get(cursorId ?? 0))
  const isOpenable = group !== undefined && group.ids.length > 1
  const key = shortcutsOf('Inspector')
  const toggle = () => captureList.toggleGroup(group?.ids[0] ?? 0)
  const label = 'Show or hide the deliveries of a payment'
  useShortcuts([
    key(['d'], label, toggle),
    ...(isOpenable && !group.isExpanded ? [key(['ArrowRight'], label, toggle)] : []),
    ...(isOpenable && group.isExpanded ? [key(['ArrowLeft'], label, toggle)] : []),
  ])
}

function InvalidQuery() {
  const message = captureList.use((state) => (state.refusal?.error ?? state.error)?.message)
  return (
    <EmptyState title="This query is not valid" detail={message}>
      <Button onClick={() => search('')}>Show all captures</Button>
    </EmptyState>
  )
}

function Empty() {
  const { query, refusal } = captureList.use()
  if (refusal !== null) return <InvalidQuery />
  return isEmptyQuery(query) ? (
    <Suspense>
      <FirstCapture />
    </Suspense>
  ) : (
    <NoMatch />
  )
}

function NoMatch() {
  const state = captureList.use()
  const { text } = state.query
  const isPlainWords = !/[":-]/.test(text)
  const { completion, text: read } = useQueryReading(text, text.length)
  const fields = read === text ? completion.choices.filter((each) => each.text.endsWith(':')) : []
  const begin = (field: string) => {
    queryField.current?.focus()
    search(applySuggestion(text, completion, field).text)
  }
  return (
    <EmptyState
      title={`No capture matches “${text}”`}
      detail={
        isScan(state)
          ? 'All captures were searched one by one.'
          : `${formatCount(state.counts?.total ?? 0, 'capture')} searched. Each search word matches the beginning of a word.${describeUnsearched(state.notYetSearchable)}`
      }
    >
      {fields.map((field) => (
        <Button key={field.text} title={field.hint} onClick={() => begin(field.text)}>
          Filter by {field.text}…
        </Button>
      ))}
      {isPlainWords && (
        <Button kind="main" onClick={() => search(queryTerm('contains', text.trim()))}>
          Search inside words (slow)
        </Button>
      )}
      <Button onClick={() => search('')}>Show all captures</Button>
    </EmptyState>
  )
}

const describeUnsearched = (count: number): string =>
  count === 0 ? '' : ` ${formatCount(count, 'new capture')} cannot be searched yet.`

/** The actions on several captures at once. */
function SelectionBar() {
  const selected = captureList.use((state) => state.selected)
  const ids = [...selected]
  const [a, b] = ids
  if (ids.length === 0) return null
  return (
    <Row pad="m" line="below" wrap role="toolbar" aria-label="Selected captures">
      <b>{formatCount(ids.length, 'capture')} selected</b>
      <Button icon="play" onClick={() => openReplay({ kind: 'captures', ids })}>
        Replay…
      </Button>
      {a !== undefined && b !== undefined && ids.length === 2 && (
        <Button onClick={() => compareCaptures([a, b])}>Compare</Button>
      )}
      <Button icon="pin" onClick={() => void togglePin()}>
        Pin
      </Button>
      <NetworkMenu
        label="Set network"
        current={undefined}
        onChoose={(network) => void assignNetwork(ids, network)}
      />
      <Button icon="trash" kind="danger" onClick={() => void deleteCaptures()}>
        Delete
      </Button>
      <Row last>
        <Button kind="quiet" onClick={() => captureList.selectNone()}>
          Clear selection
        </Button>
      </Row>
    </Row>
  )
}

/** The text below the last row: the progress of a slow scan, or the reason why no more rows follow. */
function Foot() {
  const state = captureList.use()
  const now = useNow()
  const { tail, scannedBack, nextBefore, ids } = state
  const found = formatCount(ids.length, 'match', 'matches')
  if (tail.status === 'failed') {
    return (
      <Row pad="m" role="alert">
        Could not load older captures: {tail.error.message}
        <Button onClick={() => void captureList.resume()}>Try again</Button>
      </Row>
    )
  }
  if (scannedBack === null) return null
  if (nextBefore === null) return <Row pad="m">All captures were searched: {found}.</Row>
  if (tail.status === 'full') {
    return (
      <Row pad="m">
        The newest {formatCount(maxRows, 'match', 'matches')} are shown. Narrow the query to see
        others.
      </Row>
    )
  }
  const isLoading = tail.status === 'loading'
  return (
    <Row pad="m" role="status" aria-live={isLoading ? 'off' : 'polite'}>
      <span>
        {isLoading ? 'Searching' : 'Searched'}{' '}
        <span title={formatExact(scannedBack)}>back to {formatMoment(scannedBack, now)}</span>:{' '}
        {found}
      </span>
      {isLoading ? (
        <Button icon="stop" onClick={captureList.stopScan}>
          Stop searching
        </Button>
      ) : (
        <Button onClick={() => void captureList.resume()}>Search older captures</Button>
      )}
    </Row>
  )
}
