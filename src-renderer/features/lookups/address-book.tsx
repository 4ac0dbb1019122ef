/** The user's own labels for addresses of a network; each network has its own address book. */
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import type { Label, LabelImport } from '../../../src-preload/contract/label.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { attempt, on, request } from '../../app/bridge.ts'
import type { InputFile } from '../../app/input-file.ts'
import { saveBytes } from '../../app/save-bytes.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { editLabel } from '../../components/chain/account-card.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { OfNetwork, NetworkTag } from '../../components/network-tag.tsx'
import { DropZone, OpenFileButton } from '../../components/files/drop-zone.tsx'
import { readText } from '../../components/files/read-file.ts'
import { SearchField } from '../../components/list/search-field.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton, announce, showToast } from '../../ui/toast.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { Kbd, Text, Pane, Row, Stack } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { createLiveList } from '../../ui/live-list.ts'
import { Table } from '../../ui/table.tsx'

const group = 'Address book'

/** The search is kept while the user looks at other pages. */
const useSearch = create<{ text: string }>(() => ({ text: '' }))

const labels = createLiveList({
  load: async (question: { network: NetworkId; text: string }, offset, limit) => {
    const page = await request('label.list', { ...question, offset, limit })
    return { total: page.total, rows: page.labels, extra: null }
  },
  idOf: ({ address }: Label) => address,
})

type Imported = { readonly file: string; readonly outcome: LabelImport }

export function AddressBook({ network }: { network: Network }) {
  const { text } = useSearch()
  const total = labels.use((state) => state.total)
  const [imported, setImported] = useState<Imported | null>(null)
  useEffect(() => labels.open({ network: network.id, text }, { keep: true }), [network.id, text])
  useEffect(
    () => on('label.changed', (changed) => changed.network === network.id && labels.refresh()),
    [network.id],
  )
  const importFile = (file: InputFile) => void importLabels(network.id, file, setImported)
  const addButton = (
    <Button kind="main" icon="plus" onClick={() => void editLabel(network.id)}>
      Add a label <Kbd>a</Kbd>
    </Button>
  )
  const key = shortcutsOf(group)
  useShortcuts([
    key(['a'], 'Add a label', () => void editLabel(network.id)),
    key(['e'], 'Export as CSV', () => void exportLabels(network)),
    key(['Delete'], 'Remove the label', () => {
      const label = labels.cursorRow()
      if (label !== null) void removeLabel(label)
    }),
  ])
  return (
    <OfNetwork network={network}>
      <DropZone fill hint="Drop the file to import its labels" onFile={importFile}>
        <Pane>
          <Row pad="m" line="below" wrap>
            <NetworkTag id={network.id} />
            <Row as="search" grow>
              <SearchField
                group={group}
                label="Search the address book"
                placeholder="Label, note or address"
                value={text}
                onSearch={(next) => useSearch.setState({ text: next })}
              />
            </Row>
            <Text tone="dim">{formatCount(total, 'label')}</Text>
            <OpenFileButton
              label="Import CSV…"
              purpose="labels"
              accept=".csv,.txt"
              onFile={importFile}
            />
            <Button
              icon="download"
              disabled={total === 0 && text === ''}
              onClick={() => void exportLabels(network)}
            >
              Export <Kbd>e</Kbd>
            </Button>
            {addButton}
          </Row>
          <DataList
            list={labels}
            columns={columns}
            of="labels"
            thing="label"
            group={group}
            onOpen={edit}
            empty={
              text === '' ? (
                <EmptyState
                  title={`No labels on ${network.name} yet`}
                  detail="A label is your own name for an address. Tondesk shows the label wherever the address appears. To import labels, drop a CSV file here, with the columns address, name and note."
                >
                  {addButton}
                </EmptyState>
              ) : (
                <EmptyState title={`No label, note or address contains “${text}”`}>
                  <Button onClick={() => useSearch.setState({ text: '' })}>Show all labels</Button>
                </EmptyState>
              )
            }
          />
        </Pane>
      </DropZone>
      {imported !== null && <ImportReport {...imported} onClose={() => setImported(null)} />}
    </OfNetwork>
  )
}

const edit = ({ network, address }: Label) => void editLabel(network, address)

const columns: DataColumn<Label>[] = [
  {
    name: 'Label',
    width: 140,
    grow: 1,
    look: 'strong',
    cell: ({ name }) => name,
    title: ({ name }) => name,
  },
  {
    name: 'Address',
    width: 140,
    cell: ({ address }) => <AccountLink account={{ address }} show="address" tabIndex={-1} />,
  },
  {
    name: 'Note',
    width: 140,
    grow: 1.4,
    look: 'dim',
    cell: ({ note }) => note,
    title: ({ note }) => note,
  },
  {
    name: 'Last changed',
    width: 110,
    gives: 1,
    look: 'dim',
    cell: ({ changedAt }) => <Moment at={fromMs(changedAt)} />,
  },
  {
    name: 'Actions',
    width: 60,
    hideName: true,
    cell: (label) => (
      <Row gap="none" justify="end">
        <IconButton
          icon="note"
          label={`Edit ${label.name}`}
          tabIndex={-1}
          onClick={() => edit(label)}
        />
        <IconButton
          icon="trash"
          label={`Remove ${label.name}`}
          tabIndex={-1}
          onClick={() => void removeLabel(label)}
        />
      </Row>
    ),
  },
]

/** Shows the result of an import, with each skipped line and its reason. */
function ImportReport({ file, outcome, onClose }: Imported & { onClose: () => void }) {
  const { added, changed, unchanged, refused, refusedCount } = outcome
  const printed = refused.map(({ line, text, reason }) => `${line}\t${text}\t${reason}`)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`“${file}” imported`}
      detail={`${formatCount(added, 'label')} added, ${formatNumber(changed)} changed, ${formatNumber(unchanged)} unchanged.`}
      buttons={
        <>
          {refused.length > 0 && <CopyButton text={printed.join('\n')} what="Skipped lines" />}
          <Button kind="main" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {refusedCount > 0 && (
        <Stack>
          <h3>{formatCount(refusedCount, 'line')} skipped</h3>
          <Table
            label="Skipped lines"
            boxed
            rows={refused}
            keyOf={({ line }) => line}
            columns={[
              { name: 'Line', look: 'number', cell: ({ line }) => formatNumber(line) },
              {
                name: 'Text',
                look: 'mono',
                cell: ({ text }) => <UntrustedText text={text} />,
              },
              { name: 'Reason', cell: ({ reason }) => reason },
            ]}
          />
          {refusedCount > refused.length && (
            <Text as="p" tone="dim">
              Only the first {formatNumber(refused.length)} are shown.
            </Text>
          )}
        </Stack>
      )}
    </Dialog>
  )
}

/** Removes a label at once and offers to undo this. */
async function removeLabel({ network, address, name, note }: Label): Promise<void> {
  const set = (to: string) => request('label.set', { network, address, name: to, note })
  const done = await attempt('Could not remove the label', () => set(''))
  if (done === undefined) return
  showToast({
    title: `Label “${name}” removed`,
    action: { label: 'Undo', run: () => void attempt('Could not undo', () => set(name)) },
  })
}

/** The maximum number of characters that the main process takes at once. */
const maxImported = 900_000

async function importLabels(
  network: NetworkId,
  file: InputFile,
  onDone: (imported: Imported) => void,
): Promise<void> {
  await attempt(`Could not import “${file.name}”`, async () => {
    const csv = await readText(file, maxImported)
    if (csv === null) {
      throw new Error(
        `The file is larger than ${maxImported / 1000} kB. Split the file and import each part.`,
      )
    }
    const outcome = await request('label.import', { network, csv })
    onDone({ file: file.name, outcome })
    announce(`${outcome.added} added, ${outcome.changed} changed, ${outcome.refusedCount} skipped`)
  })
}

async function exportLabels({ id, name }: Network): Promise<void> {
  await attempt('Could not export the address book', async () => {
    const { csv } = await request('label.export', { network: id })
    const file = `tondesk-labels-${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.csv`
    saveBytes([new TextEncoder().encode(csv)], file)
    showToast({ title: `${file} saved` })
  })
}
