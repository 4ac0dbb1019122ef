import { type RefObject, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useData } from '../../app/bridge.ts'
import { emptyQuery, printRoute, useRoute } from '../../app/route.ts'
import { arrivalBarsId } from '../../components/charts/arrival-bars.tsx'
import { ExportButton } from '../../components/files/export-button.tsx'
import { DropZone } from '../../components/files/drop-zone.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import type { QueryFieldHandle } from '../../components/query/query-field.tsx'
import { Button, IconButton, Menu } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Pane, Stack, Text } from '../../ui/layout.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Switch } from '../../ui/form.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { ReplayStrip, openReplay } from '../../components/delivery/replays.tsx'
import { InspectorViews } from '../../components/delivery/inspector-views.tsx'
import { columnsOf, hiddenColumns } from './capture-cells.tsx'
import { openId, showCapture, useOpen } from './capture-detail.ts'
import { CaptureList } from './capture-list.tsx'
import { openClear, openExport, openImport, useDialogs } from './dialogs.ts'
import { Histogram } from './histogram.tsx'
import {
  captures,
  clearCaptures,
  copyCurl,
  deleteCaptures,
  editNote,
  followEvents,
  leavePage,
  openPage,
  togglePin,
  useShell,
} from './inspector.ts'
import { QueryBar } from './query-bar.tsx'
import { viewsId } from './views-menu.tsx'

// Loaded when they are first opened, so that the list is there sooner.
const ExportDialog = lazy(async () => ({
  default: (await import('./export-dialog.tsx')).ExportDialog,
}))
const ImportDialog = lazy(async () => ({
  default: (await import('./import-dialog.tsx')).ImportDialog,
}))
const DetailPanel = lazy(async () => ({
  default: (await import('./detail-panel.tsx')).DetailPanel,
}))

/** Everything that was received: the list, and beside it the open capture. */
export function InspectorPage() {
  const query = captures.use((state) => state.query)
  const isOpen = useOpen(({ open }) => open !== null)
  const isNarrow = useNarrow()
  const field = useRef<QueryFieldHandle>(null)
  useInspectorRoute()
  useInspectorKeys(field)
  return (
    <Page title="Inspector" scroll={false} beside={<InspectorViews />} actions={<PageActions />}>
      <DropZone
        hint="Drop a HAR or JSON Lines file to import its captures"
        fill
        onFile={(file) => void importFile(file)}
      >
        <Pane>
          <Stack gap="none">
            <ReplayStrip />
            <QueryBar field={field} />
            {!(isOpen && isNarrow) && <Histogram />}
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
              href: printRoute({ page: 'inspector', captureId: null, query }),
              label: 'All captures',
            }}
          />
        </Pane>
      </DropZone>
      <Dialogs />
    </Page>
  )
}

/** A file that was dropped on the page. */
async function importFile(blob: File): Promise<void> {
  openImport()
  const dialog = await import('./import-dialog.tsx')
  await dialog.importFile({ name: blob.name, blob })
}

/** Once opened, they stay: a dialog fades out. */
function Dialogs() {
  const { offered, isImporting } = useDialogs()
  const [opened, setOpened] = useState({ export: false, import: false })
  const now = {
    export: opened.export || offered !== null,
    import: opened.import || isImporting,
  }
  if (now.export !== opened.export || now.import !== opened.import) setOpened(now)
  return (
    <Suspense>
      {now.export && <ExportDialog />}
      {now.import && <ImportDialog />}
    </Suspense>
  )
}

/** For the menu that hides them. */
const someColumns = columnsOf([], () => false)

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
      <ExportButton list="exchange.exports" onPress={openExport} />
      <Menu
        trigger={<IconButton icon="more" label="More actions" />}
        items={[
          { label: 'Import…', icon: 'upload', onSelect: openImport },
          'line',
          ...columnItems,
          'line',
          {
            label: 'Clear all…',
            icon: 'trash',
            danger: true,
            disabled: total + others === 0,
            onSelect: openClear,
          },
        ]}
      />
      <ClearDialog />
    </>
  )
}

/** Deletes all captures; the focus is on Cancel. */
function ClearDialog() {
  const isOpen = useDialogs((state) => state.isClearing)
  const [keepPinned, setKeepPinned] = useState(true)
  const cancel = useRef<HTMLButtonElement>(null)
  const { data: counts } = useData('capture.counts')
  const { total = 0, others = 0, pinned = 0 } = counts ?? {}
  const close = () => useDialogs.setState({ isClearing: false })
  const deleted = formatCount(total + others - (keepPinned ? pinned : 0), 'capture')
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      initialFocus={cancel}
      title={`Delete ${deleted}?`}
      detail="Received, imported and rebuilt captures are deleted from this computer. You cannot undo this."
      buttons={
        <>
          <Button ref={cancel} onClick={close}>
            Cancel
          </Button>
          <Button
            kind="dangerMain"
            disabled={total + others === (keepPinned ? pinned : 0)}
            onClick={() => {
              close()
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

/** Shows the query and the capture of the address. */
function useInspectorRoute(): void {
  const route = useRoute((state) => state.route)
  const isHere = route.page === 'inspector'
  const captureId = isHere ? route.captureId : null
  const { text } = isHere ? route.query : emptyQuery

  useEffect(followEvents, [])
  useEffect(() => void openPage({ text }), [text])
  useEffect(() => {
    if (captureId === openId()) return
    showCapture(captureId)
    if (captureId === null) captures.catchUp()
    else captures.putId(captureId)
  }, [captureId])
  useEffect(() => leavePage, [])
}

const group = 'Inspector'
const key = shortcutsOf(group)

/** The keys of the page besides those of the list. */
function useInspectorKeys(field: RefObject<QueryFieldHandle | null>): void {
  const shell = useShell()
  const replay = (edited: boolean) => {
    const ids = captures.targets()
    openReplay({ kind: 'captures', ids: edited ? ids.slice(0, 1) : ids }, { edited })
  }
  useShortcuts([
    key(['/'], 'Search', () => field.current?.focus()),
    key(['v'], 'Saved views', () => document.getElementById(viewsId)?.click()),
    key(['h'], 'Select a time: arrows, Shift to select, Enter', () =>
      document.getElementById(arrivalBarsId)?.focus(),
    ),
    key(['e'], 'Export…', openExport),
    key(['p'], 'Pin or unpin', () => void togglePin()),
    key(['n'], 'Edit the note', editNote),
    key(['c'], 'Copy as curl', () => {
      const [id] = captures.targets()
      if (id !== undefined) void copyCurl(id, shell, false)
    }),
    key(['r'], 'Replay', () => replay(false)),
    key(['R'], 'Edit and replay', () => replay(true)),
    key(['Delete'], 'Delete', () => void deleteCaptures()),
  ])
}
