import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useData, request, reload, useDataOf } from '../../app/bridge.ts'
import { type DialogProps, type OfferedCaptures, openDialog } from '../../app/features.tsx'
import { emptyQuery, routeHref, useRoute } from '../../app/route.ts'
import { createRecent } from '../../app/stored.ts'
import { ExportButton } from '../../components/files/export-button.tsx'
import { DropZone } from '../../components/files/drop-zone.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { QueryField } from '../../components/query/query-field.tsx'
import { Button, IconButton, Menu } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Pane, Stack, Text, Row, Small } from '../../ui/layout.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Switch } from '../../ui/form.tsx'
import { ReplayStrip, openReplay } from '../../components/delivery/replays.tsx'
import { ViewBar } from '../../components/page-views.tsx'
import { announce } from '../../ui/toast.tsx'
import { columnsOf, hiddenColumns } from './capture-cells.tsx'
import { openId, showCapture, useOpen } from './capture-detail.ts'
import { CaptureList } from './capture-list.tsx'
import {
  captureList,
  clearCaptures,
  copySnippet,
  deleteCaptures,
  editNote,
  subscribeToCaptures,
  leavePage,
  openPage,
  queryField,
  toggleGrouped,
  togglePin,
  useShell,
  search,
} from './captures-state.ts'
import { useQueryReading } from '../../components/query/use-query-reading.ts'
import { arrivalBarsId, useCountedData } from '../../components/charts/counted.ts'
import { useTypedSearch } from '../../ui/use-typed-search.ts'
import { NetworkFilter } from './network-menu.tsx'
import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import { createSavedViews } from '../../components/list/saved-views.tsx'
import { allCaptures, queryPresets } from './presets.ts'

/** The key under which saved queries of the Inspector are stored. */

const viewsId = 'capture-views'

const SavedViews = createSavedViews({
  routes: 'captureView',
  thing: 'query',
  contentOf: (view: CaptureView) => view.text,
  isSame: (a, b) => a === b,
  save: (name, text, id) => request('captureView.save', { id, name, text }),
  onShow: (text) => search(text),
})

function ViewsMenu({ text }: { text: string }) {
  // Counting takes time, so it begins only when the menu is opened.
  const [isCounted, setCounted] = useState(false)
  const { data: counts = [] } = useDataOf('captureView.counts', isCounted ? undefined : null)
  const isGrouped = captureList.use((state) => state.isGrouped)
  const hasNoQuery = text.trim() === ''
  return (
    <SavedViews
      id={viewsId}
      content={text}
      isEmpty={hasNoQuery}
      title="Saved views (v)"
      detail={(query) => query}
      hintOf={(view) => describeCount(counts.find(({ id }) => id === view.id))}
      onOpen={() => {
        setCounted(true)
        reload('captureView.counts')
      }}
      more={[
        { label: 'All captures', disabled: hasNoQuery, onSelect: () => search('') },
        'line',
        { label: 'One row per delivery', checked: !isGrouped, onSelect: toggleGrouped },
        'line',
        ...queryPresets.map((each) => ({ label: each.label, onSelect: () => search(each.text) })),
      ]}
    />
  )
}

function describeCount(known: { readonly count: number | null } | undefined): string | undefined {
  if (known === undefined) return undefined
  return known.count === null ? '–' : formatNumber(known.count)
}

/** A query is added to the recent ones after its captures have been displayed for this long. */
const rememberMs = 1500
const countMs = 2000

type Matches = { readonly text: string; readonly count: number; readonly isExact: boolean }

function QueryBar({ isLow }: { isLow: boolean }) {
  const route = useRoute((state) => state.route)
  const text = route.page === 'captures' ? route.query.text : ''
  const { typed, settle, type, enter } = useTypedSearch(text, search)
  const recent = recentQueries.use((state) => state.recent)
  const reading = useQueryReading(text, null)
  const matches = useMatches(text.trim())
  useRemembered()
  return (
    <>
      <Stack as="search" pad="m" line="below">
        <QueryField
          ref={queryField}
          label="Search captures"
          hideLabel
          placeholder="Type words, or filters such as event:account_tx amount:>1.5TON received:today"
          value={typed}
          onChange={type}
          onEnter={enter}
          recent={recent}
          isLow={isLow}
          beside={
            <Row last>
              <MatchCount matches={matches} />
              {text !== '' && (
                <Button
                  disabled={matches?.count === 0}
                  kind="quiet"
                  icon="play"
                  onClick={() => openReplay({ kind: 'query', text })}
                >
                  Replay all matches…
                </Button>
              )}
              <NetworkFilter parts={reading.parts} settle={settle} />
              <ViewsMenu text={text} />
            </Row>
          }
        />
      </Stack>
    </>
  )
}

/** Loads how many captures match. Returns null until the number is known, and for an empty query. */
function useMatches(text: string): Matches | null {
  const load = async (): Promise<Matches | null> =>
    text === '' ? null : { text, ...(await request('captureQuery.count', { query: { text } })) }
  const { data = null, error } = useCountedData('captureQuery.count', { text }, load, countMs)
  // The list and the field already show the error of a query.
  return error === null && data?.text === text ? data : null
}

function MatchCount({ matches }: { matches: Matches | null }) {
  const unsearched = captureList.use((state) => state.notYetSearchable)
  const announced = useRef<string | null>(null)
  // The count changes with each new capture, so it is announced only once for each query.
  useEffect(() => {
    if (matches === null || matches.text === announced.current) return
    announced.current = matches.text
    announce(formatCount(matches.count, 'match', 'matches'), 'matches')
  }, [matches])
  return (
    <Text tone="dim" over="nowrap" role="status" aria-live="off">
      {matches !== null && (
        <span
          title={matches.isExact ? undefined : 'Counting stopped early. More captures may match.'}
        >
          {matches.isExact
            ? formatCount(matches.count, 'match', 'matches')
            : `${formatNumber(matches.count)} or more matches`}
        </span>
      )}{' '}
      {unsearched > 0 && (
        <Small tone="faint">{formatCount(unsearched, 'new capture')} cannot be searched yet</Small>
      )}
    </Text>
  )
}

function useRemembered(): void {
  const text = captureList.use(({ status, query }) => (status === 'ready' ? query.text : ''))
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => recentQueries.remember(text), rememberMs)
    return () => clearTimeout(timer)
  }, [text])
}

const recentQueries = createRecent('tondesk.queries', 20)

// Rows come before the chart above them.
const Histogram = lazy(async () => ({ default: (await import('./histogram.tsx')).Histogram }))

// The code of the detail is loaded when a capture is first opened, so that the list appears sooner.
const DetailPanel = lazy(async () => ({
  default: (await import('./detail-panel.tsx')).DetailPanel,
}))

/** The Inspector: the list of everything that was received, and the open capture beside it. */
export function CapturesPage() {
  const query = captureList.use((state) => state.query)
  const isOpen = useOpen(({ open }) => open !== null)
  const isNarrow = useNarrow()
  useInspectorRoute()
  useInspectorKeys()
  return (
    <Page title="Inspector" scroll={false} beside={<ViewBar />} actions={<PageActions />}>
      <DropZone
        hint="Drop a HAR or JSON Lines file to import its captures"
        fill
        onFile={(file) => openDialog('importCaptures', file)}
      >
        <Pane>
          <Stack gap="none">
            <ReplayStrip />
            <QueryBar isLow={isOpen && isNarrow} />
            {!(isOpen && isNarrow) && (
              <Suspense fallback={<Skeleton rows={2} label="Loading the chart" />}>
                <Histogram />
              </Suspense>
            )}
          </Stack>
          <ListSplitter
            left={<CaptureList />}
            right={
              isOpen ? (
                <Suspense fallback={<Skeleton rows={8} label="Loading the capture" />}>
                  <DetailPanel />
                </Suspense>
              ) : null
            }
            back={{
              href: routeHref({ page: 'captures', captureId: null, query }),
              label: 'All captures',
            }}
          />
        </Pane>
      </DropZone>
    </Page>
  )
}

const openImport = () => openDialog('importCaptures', null)

/** Opens the export dialog for the selection, the open capture, the query, or all captures. */
function openExport(): void {
  const { selected, query } = captureList.use.getState()
  const ids = captureList.targets()
  const text = query.text.trim()
  const offered: (OfferedCaptures | false)[] = [
    selected.size > 0 && {
      label: formatCount(selected.size, 'selected capture'),
      subject: { kind: 'captures', ids: [...selected] },
    },
    ids.length > 0 &&
      selected.size === 0 && {
        label: ids.length === 1 ? `Capture ${ids[0]}` : `${ids.length} deliveries of the payment`,
        subject: { kind: 'captures', ids },
      },
    text !== '' && { label: 'Matching captures', subject: { kind: 'query', text } },
    allCaptures,
  ]
  openDialog(
    'exportCaptures',
    offered.filter((each) => each !== false),
  )
}

/** The columns for the menu in which the user hides some of them. */
const someColumns = columnsOf([])

function PageActions() {
  const { data: counts } = useData('capture.counts')
  const columnItems = hiddenColumns.useItems(someColumns)
  if (counts === undefined) return null
  const { total, others } = counts
  return (
    <>
      <Text tone="dim" over="nowrap">
        {formatCount(total, 'capture')}
        {others > 0 && `, ${formatNumber(others)} created by you`}
      </Text>
      <ExportButton kind="captureExport" onPress={openExport} />
      <Menu
        trigger={<IconButton icon="more" label="More actions" />}
        items={[
          { label: 'Import…', icon: 'upload', onSelect: openImport },
          'line',
          ...columnItems,
          'line',
          {
            label: 'Delete all captures…',
            icon: 'trash',
            danger: true,
            disabled: total + others === 0,
            onSelect: () => openDialog('clearCaptures', null),
          },
        ]}
      />
    </>
  )
}

/** Deletes all captures after a question, in which Cancel has the focus. */
export function ClearDialog({ onClose }: DialogProps<'clearCaptures'>) {
  const [keepPinned, setKeepPinned] = useState(true)
  const cancel = useRef<HTMLButtonElement>(null)
  const { data: counts } = useData('capture.counts')
  const { total = 0, others = 0, pinned = 0 } = counts ?? {}
  const deleted = formatCount(total + others - (keepPinned ? pinned : 0), 'capture')
  return (
    <Dialog
      open
      onClose={onClose}
      initialFocus={cancel}
      title={`Delete ${deleted}?`}
      detail="Received, imported and rebuilt captures are deleted from this computer. You cannot undo this."
      buttons={
        <>
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button
            kind="dangerMain"
            disabled={total + others === (keepPinned ? pinned : 0)}
            onClick={() => {
              onClose()
              void clearCaptures(keepPinned)
            }}
          >
            Delete {deleted}
          </Button>
        </>
      }
    >
      <Switch
        label="Keep pinned captures"
        hint={`${formatCount(pinned, 'capture')} pinned`}
        checked={keepPinned}
        onChange={setKeepPinned}
      />
    </Dialog>
  )
}

/** Shows the query and the capture that the link names. */
function useInspectorRoute(): void {
  const route = useRoute((state) => state.route)
  const isHere = route.page === 'captures'
  const captureId = isHere ? route.captureId : null
  const { text } = isHere ? route.query : emptyQuery

  useEffect(subscribeToCaptures, [])
  useEffect(() => void openPage({ text }), [text])
  useEffect(() => {
    if (captureId === openId()) return
    showCapture(captureId)
    if (captureId === null) captureList.catchUp()
    else {
      captureList.putId(captureId)
      void captureList.reach(captureId)
    }
  }, [captureId])
  useEffect(() => leavePage, [])
}

const group = 'Inspector'
const key = shortcutsOf(group)

/** Handles the keys of the page that the list does not handle. */
function useInspectorKeys(): void {
  const shell = useShell()
  const replay = (edited: boolean) => {
    const ids = captureList.targets()
    openReplay({ kind: 'captures', ids: edited ? ids.slice(0, 1) : ids }, { edited })
  }
  useShortcuts([
    key(['/'], 'Search', () => queryField.current?.focus()),
    key(['v'], 'Saved views', () => document.getElementById(viewsId)?.click()),
    key(['h'], 'Select a time: arrows, Shift to select, Enter', () =>
      document.getElementById(arrivalBarsId)?.focus(),
    ),
    key(['e'], 'Export…', openExport),
    key(['p'], 'Pin or unpin', () => void togglePin()),
    key(['n'], 'Edit the note', editNote),
    key(['c'], 'Copy as curl', () => {
      const [id] = captureList.targets()
      if (id !== undefined) void copySnippet(id, shell, 'curl command', false)
    }),
    key(['r'], 'Replay', () => replay(false)),
    key(['R'], 'Edit and replay', () => replay(true)),
    key(['Delete'], 'Delete', () => void deleteCaptures()),
  ])
}

/** The stylesheet of `Splitter` has the same limit: below this width an open detail covers its list. */
const narrow = window.matchMedia('(width < 1200px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/**
 * True if the window is narrow, so that a detail does not fit beside the list and charts do not fit
 * above it.
 */
const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
