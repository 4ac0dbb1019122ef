import { useEffect, useRef, useState } from 'react'
import type { Matter, Network } from '../../../../src-preload/contract/index.ts'
import { formatCount } from '../../../format.ts'
import { invoicesHome } from '../../../invoices-route.ts'
import { shortcutsOf, useShortcuts } from '../../../keyboard.ts'
import { printRoute, useRoute } from '../../../route.ts'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import { ListSplitter } from '../../list-splitter.tsx'
import { ChoiceChips } from '../../list/choice-chips.tsx'
import { ListStates, useTotal } from '../../list/list-states.tsx'
import { SearchField } from '../../list/search-field.tsx'
import { useGridKeys } from '../../list/use-grid-keys.ts'
import { Cell, WindowGrid } from '../../list/window-grid.tsx'
import { rowAt } from '../../list/windows.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { matterWords, matterTexts, matterTones } from '../invoice-words.ts'
import { handleMatters, openMatter } from './matter-commands.ts'
import { MatterDetail } from './matter-detail.tsx'
import { followMatters, matters, openMatters, useShown } from './matter-list.ts'
import { amountWords, matterKinds, subjectOf } from './matter-words.ts'
import styles from './attention.module.css'

/** What needs a person's decision, the oldest first, and what can be done about each. */
export function AttentionView({ network }: { network: Network }) {
  const route = useRoute((each) => each.route)
  const open = route.page === 'invoices' && route.view === 'attention' ? route.matter : null
  const shown = useShown()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => openMatters(network.id), [network.id, shown])
  useEffect(() => followMatters(network.id), [network.id])
  return (
    <div className={pane['pane']}>
      <search className={styles['filter']}>
        <Kinds />
        <Chip
          large
          pressed={shown.handled}
          onPress={() => useShown.setState({ handled: !shown.handled })}
        >
          Handled
        </Chip>
        <SearchField
          ref={field}
          label="Search what needs attention"
          placeholder="type to search id, text, payer"
          value={shown.text}
          onSearch={(typed) => useShown.setState({ text: typed })}
        />
      </search>
      <ListSplitter
        left={<Rows network={network} open={open} field={field} />}
        right={open === null ? null : <MatterDetail key={open} network={network} id={open} />}
      />
    </div>
  )
}

/** Kinds of which there is none are left out, but for the one that is shown. */
function Kinds() {
  const { kind, handled } = useShown()
  const state = matters.store()
  const counts = state.status === 'ready' && !handled ? state.extra : null
  const total =
    counts === null ? undefined : matterKinds.reduce((sum, each) => sum + counts[each], 0)
  return (
    <ChoiceChips
      label="What needs attention"
      value={kind}
      choices={[
        { value: null, label: 'All', count: total },
        ...matterKinds
          .filter((each) => handled || each === kind || (counts?.[each] ?? 0) > 0)
          .map((each) => ({
            value: each,
            label: capital(matterWords[each]),
            count: counts?.[each],
          })),
      ]}
      onChange={(next) => useShown.setState({ kind: next })}
    />
  )
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

const columns = [
  { name: 'What' },
  { name: 'Invoice' },
  { name: 'Amount', end: true },
  { name: 'What to do' },
  { name: 'Since' },
]

function Rows({
  network,
  open,
  field,
}: {
  network: Network
  open: number | null
  field: React.RefObject<HTMLInputElement | null>
}) {
  const { handled } = useShown()
  const [cursor, setCursor] = useState<number | null>(null)
  const [selected, setSelected] = useState<ReadonlyMap<number, Matter>>(new Map())
  const state = matters.store()
  const count = useTotal(matters)
  const at = (index: number | null) =>
    state.status === 'ready' && index !== null ? rowAt(state, index) : null
  const row = at(cursor)

  const put = (index: number | null) => {
    setCursor(index)
    const there = at(index)
    // Beside an open one, what is walked to is shown at once.
    if (there !== null && open !== null) openMatter(network.id, there.key, true)
  }
  const toggle = (matter: Matter) => {
    const next = new Map(selected)
    if (!next.delete(matter.key)) next.set(matter.key, matter)
    setSelected(next)
  }
  const handle = (keys: readonly number[]) => {
    setSelected(new Map())
    if (keys.length > 0) void handleMatters(network.id, keys)
  }
  const meant = selected.size > 0 ? [...selected.keys()] : row === null ? [] : [row.key]

  const key = shortcutsOf('Attention')
  useGridKeys({ group: 'Attention', thing: 'matter', count, cursor, onCursor: put })
  useShortcuts([
    key(['Enter'], 'Open it', () => {
      if (row !== null) openMatter(network.id, row.key)
    }),
    key(['x', ' '], 'Select or deselect', () => {
      if (row !== null) toggle(row)
    }),
    key(['h'], 'Mark handled', () => {
      if (!handled) handle(meant)
    }),
    key(['/'], 'Search what needs attention', () => {
      field.current?.focus()
      field.current?.select()
    }),
    key(['Escape'], 'Put away the selection, the detail', () => {
      if (selected.size > 0) setSelected(new Map())
      else if (open !== null) openMatter(network.id, null)
    }),
  ])

  return (
    <div className={styles['rows']}>
      {selected.size > 0 && (
        <div className={styles['selection']} role="status">
          {formatCount(selected.size, 'matter')} selected
          {!handled && <Button onClick={() => handle([...selected.keys()])}>Mark handled</Button>}
          <Button kind="quiet" onClick={() => setSelected(new Map())}>
            Deselect
          </Button>
        </div>
      )}
      <ListStates list={matters} of="what needs attention" empty={<Nothing />}>
        {(ready) => (
          <WindowGrid
            label="What needs attention"
            className={styles['columns']}
            columns={columns}
            list={matters}
            state={ready}
            cursor={cursor}
            onCursor={(index) => {
              setCursor(index)
              const there = rowAt(ready, index)
              if (there !== null) openMatter(network.id, there.key)
            }}
            isSelected={({ key: each }) => selected.has(each)}
            onSelect={(index) => {
              const there = rowAt(ready, index)
              if (there !== null) toggle(there)
            }}
            cells={(matter) => <MatterCells matter={matter} />}
          />
        )}
      </ListStates>
    </div>
  )
}

function Nothing() {
  const { kind, handled, text: typed } = useShown()
  if (kind !== null || typed !== '') {
    return (
      <EmptyState title="Nothing here is like that">
        <Button onClick={() => useShown.setState({ kind: null, text: '' })}>Show all</Button>
      </EmptyState>
    )
  }
  if (handled) {
    return (
      <EmptyState
        title="Nothing was handled yet"
        detail="What you mark as handled is kept here, with its note."
      />
    )
  }
  return (
    <EmptyState
      title="Nothing needs you"
      detail="Overpayments, late and partial payments, payments without an invoice, and states on which gateway, chain and deliveries do not agree are listed here."
    >
      <a href={printRoute(invoicesHome)}>All invoices</a>
    </EmptyState>
  )
}

function MatterCells({ matter }: { matter: Matter }) {
  const { kind, invoice, payment, amount, currency, since, advice, note, refund } = matter
  const about = invoice?.description ?? payment?.comment ?? ''
  return (
    <>
      <Cell title={matterTexts[kind]}>
        <Tag tone={matterTones[kind]}>{matterWords[kind]}</Tag>
      </Cell>
      <Cell title={about === '' ? undefined : about}>
        <span className={text['mono']}>
          <UntrustedText text={subjectOf(matter)} />
        </span>{' '}
        <span className={text['dim']}>
          <UntrustedText text={about} />
        </span>
      </Cell>
      <Cell className={text['number']} title={amountWords[kind]}>
        {amount !== null && <InvoiceAmount units={amount} currency={currency} />}
      </Cell>
      <Cell title={note === '' ? advice.title : `${advice.title}\nNote: ${note}`}>
        {refund !== null && <Tag tone="ok">refund seen</Tag>} <UntrustedText text={advice.title} />
        {note !== '' && (
          <span className={text['faint']}>
            {' '}
            · <UntrustedText text={note} />
          </span>
        )}
      </Cell>
      <Cell className={classes(text['dim'])}>
        <InvoiceMoment at={since} />
      </Cell>
    </>
  )
}
