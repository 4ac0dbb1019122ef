import { useEffect, useRef } from 'react'
import type { Label } from '../../../../src-preload/contract/label.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatCount, fromMs } from '../../../format.ts'
import { useShortcuts } from '../../../keyboard.ts'
import { Moment } from '../../../moment.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import page from '../../../ui/page.module.css'
import pane from '../../../ui/pane.module.css'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../chain/account-link.tsx'
import { OfNetwork } from '../../chain/of-network.tsx'
import { DropZone, OpenFileButton } from '../../files/drop-zone.tsx'
import { NetworkTag } from '../../network-tag.tsx'
import { ListStates } from '../../list/list-states.tsx'
import { SearchField } from '../../list/search-field.tsx'
import { useGridKeys } from '../../list/use-grid-keys.ts'
import { Cell, WindowGrid } from '../../list/window-grid.tsx'
import { rowAt } from '../../list/windows.ts'
import { ImportReport } from './import-report.tsx'
import { exportLabels, importLabels, removeLabel } from './label-commands.ts'
import { LabelDialog } from './label-dialog.tsx'
import { followLabels, labels, openLabels, searchLabels, useLabels } from './labels.ts'
import styles from './labels.module.css'

const columns = [
  { name: 'Name' },
  { name: 'Address' },
  { name: 'Note' },
  { name: 'Changed' },
  { name: 'Actions', hideName: true },
]

/** The person's own names for addresses, of the network that is chosen. */
export function LabelsView({ network }: { network: Network }) {
  const { edited, imported } = useLabels()
  useEffect(() => openLabels(network.id), [network.id])
  useEffect(() => followLabels(network.id), [network.id])
  return (
    <OfNetwork network={network}>
      <DropZone
        hint="Drop it to import its names"
        className={pane['pane']}
        onFile={(file) => void importLabels(network.id, file)}
      >
        <Bar network={network} />
        <LabelList network={network} />
      </DropZone>
      {edited !== null && (
        <LabelDialog
          network={network.id}
          edited={edited}
          onClose={() => useLabels.setState({ edited: null })}
        />
      )}
      {imported !== null && (
        <ImportReport {...imported} onClose={() => useLabels.setState({ imported: null })} />
      )}
    </OfNetwork>
  )
}

const add = () => useLabels.setState({ edited: 'new' })

function Bar({ network }: { network: Network }) {
  const field = useRef<HTMLInputElement>(null)
  const searched = useLabels((state) => state.text)
  const state = labels.store()
  const isEmpty = searched === '' && state.status === 'ready' && state.total === 0
  const group = 'Address book'
  useShortcuts([
    { keys: ['a'], label: 'Add a name', group, run: add },
    {
      keys: ['e'],
      label: 'Export as CSV',
      group,
      run: () => {
        if (!isEmpty) void exportLabels(network.id, network.name)
      },
    },
    { keys: ['/'], label: 'Search', group, run: () => field.current?.focus() },
  ])
  return (
    <div className={page['bar']}>
      <NetworkTag id={network.id} />
      <search className={styles['search']}>
        <SearchField
          ref={field}
          label="Search the address book"
          placeholder="type to search names, notes and addresses"
          value={searched}
          onSearch={searchLabels}
        />
      </search>
      {state.status === 'ready' && (
        <span className={styles['count']}>{formatCount(state.total, 'name')}</span>
      )}
      <OpenFileButton
        label="Import CSV…"
        accept=".csv,.txt"
        onFile={(file) => void importLabels(network.id, file)}
      />
      <Button
        icon="download"
        disabled={isEmpty}
        onClick={() => void exportLabels(network.id, network.name)}
      >
        Export <Kbd>e</Kbd>
      </Button>
      <Button icon="plus" kind="main" onClick={add}>
        Add a name <Kbd>a</Kbd>
      </Button>
    </div>
  )
}

function LabelList({ network }: { network: Network }) {
  const state = labels.store()
  const { cursor, text: searched } = useLabels()
  const label = state.status === 'ready' && cursor !== null ? rowAt(state, cursor) : null
  const edit = (edited: Label) => useLabels.setState({ edited })
  const group = 'Address book'
  useGridKeys({
    group,
    thing: 'name',
    count: state.status === 'ready' ? state.total : 0,
    cursor,
    onCursor: (index) => useLabels.setState({ cursor: index }),
  })
  useShortcuts([
    { keys: ['Enter'], label: 'Change the name', group, run: () => label !== null && edit(label) },
    {
      keys: ['Delete'],
      label: 'Remove the name',
      group,
      run: () => {
        if (label !== null) void removeLabel(label)
      },
    },
  ])

  return (
    <ListStates
      list={labels}
      of="the address book"
      empty={<NoLabels network={network} searched={searched} />}
    >
      {(ready) => (
        <WindowGrid
          label="Address book"
          className={styles['columns']}
          columns={columns}
          list={labels}
          state={ready}
          cursor={cursor}
          onCursor={(index) => useLabels.setState({ cursor: index })}
          onOpen={edit}
          cells={(row) => <LabelCells label={row} onEdit={edit} />}
        />
      )}
    </ListStates>
  )
}

function NoLabels({ network, searched }: { network: Network; searched: string }) {
  if (searched !== '') {
    return (
      <EmptyState title={`No name, note or address holds “${searched}”`}>
        <Button onClick={() => searchLabels('')}>Show all names</Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={`No names yet for ${network.name}`}
      detail="Give addresses names of your own: they stand wherever the address would, before the gateway’s name for it. Each network has its own address book; a CSV with the columns address, name and note can be dropped here."
    >
      <Button kind="main" icon="plus" onClick={add}>
        Add a name <Kbd>a</Kbd>
      </Button>
    </EmptyState>
  )
}

function LabelCells({ label, onEdit }: { label: Label; onEdit: (label: Label) => void }) {
  const { address, name, note, changedAt } = label
  const account = { address, name: null, label: null, isScam: false, isWallet: false }
  return (
    <>
      <Cell title={name} className={styles['name']}>
        {name}
      </Cell>
      <Cell>
        <AccountLink account={account} tabIndex={-1} />
      </Cell>
      <Cell title={note} className={text['dim']}>
        {note}
      </Cell>
      <Cell className={text['dim']}>
        <Moment at={fromMs(changedAt)} />
      </Cell>
      <Cell className={styles['actions']}>
        <IconButton
          icon="note"
          label={`Change ${name}`}
          tabIndex={-1}
          onClick={() => onEdit(label)}
        />
        <IconButton
          icon="trash"
          label={`Remove ${name}`}
          tabIndex={-1}
          onClick={() => void removeLabel(label)}
        />
      </Cell>
    </>
  )
}
