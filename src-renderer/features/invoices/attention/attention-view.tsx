import { useEffect } from 'react'
import type { Discrepancy } from '../../../../src-preload/contract/discrepancy.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { routeHref, useRoute } from '../../../app/route.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountName } from '../../../components/chain/account-link.tsx'
import {
  discrepancyTexts,
  discrepancyTones,
  discrepancyLabels,
} from '../../../components/invoices/invoice-labels.ts'
import { amountColumn, momentColumn } from '../../../components/invoices/invoice-cells.tsx'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { Choices, Button, Chip } from '../../../ui/button.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { type DataColumn, DataList } from '../../../ui/data-list.tsx'
import { formatCount } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Pane, Row, Tag, Text } from '../../../ui/layout.tsx'
import { EmptyState } from '../../../ui/loaded.tsx'
import { readNow } from '../list/sync-state.tsx'
import { useChanges } from '../use-changes.ts'
import { labelOf, nameOf } from '../../../components/invoices/discrepancies.ts'
import {
  describeAmount,
  handleDiscrepancies,
  orderedDiscrepancyKinds,
  discrepancyList,
  openDiscrepancy,
  useKindFilter,
} from './discrepancies.ts'
import { DiscrepancyDetail } from './discrepancy-detail.tsx'

const group = 'Attention'

const home = routeHref({ ...invoicesHome, view: 'attention', matter: null })

/** Shows discrepancies that need a decision, oldest first, with the possible actions. */
export function AttentionView() {
  const { id } = useShownNetwork()
  const open = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'attention' ? route.matter : null,
  )
  const shown = useKindFilter()
  const selected = discrepancyList.use((state) => state.selected)
  useEffect(() => discrepancyList.open({ network: id, ...shown }, { keep: true }), [id, shown])
  useChanges(id, discrepancyList, 'discrepancy.changed', 'invoice.changed', 'payment.changed')
  const key = shortcutsOf(group)
  useShortcuts([
    key(['h'], 'Mark as handled', () => {
      if (!shown.handled) handleChosen(id, open)
    }),
    key(['r'], 'Sync with the gateway and the chain', () => void readNow(id)),
  ])
  return (
    <Pane>
      <Row as="search" wrap gap="s" pad="m" line="below">
        <Kinds />
        <Chip
          large
          pressed={shown.handled}
          onPress={() => useKindFilter.setState({ handled: !shown.handled })}
        >
          Handled
        </Chip>
        <SearchField
          group={group}
          label="Search the discrepancies"
          placeholder="Invoice id, text or payer"
          value={shown.text}
          onSearch={(text) => useKindFilter.setState({ text })}
        />
      </Row>
      <ListSplitter
        back={{ href: home, label: 'All discrepancies' }}
        left={
          <Pane>
            {selected.size > 0 && (
              <Row pad="m" line="below" role="status">
                <Text size="s">
                  {formatCount(selected.size, 'discrepancy', 'discrepancies')} selected
                </Text>
                {!shown.handled && (
                  <Button onClick={() => handleSelected(id)}>Mark as handled</Button>
                )}
                <Button kind="quiet" onClick={discrepancyList.selectNone}>
                  Deselect all
                </Button>
              </Row>
            )}
            <DataList
              list={discrepancyList}
              columns={columns}
              of="discrepancies"
              thing="discrepancy"
              group={group}
              openId={open}
              onOpen={(discrepancy, by) => openDiscrepancy(id, discrepancy.key, by === 'walk')}
              onLeave={() => openDiscrepancy(id, null)}
              selectable={nameOf}
              empty={<Nothing />}
            />
          </Pane>
        }
        right={open === null ? null : <DiscrepancyDetail key={open} id={open} />}
      />
    </Pane>
  )
}

/** Marks the selected rows, or else the row at the cursor, as handled. The detail then shows the next row. */
function handleChosen(network: NetworkId, open: number | null): void {
  const { selected, cursor } = discrepancyList.use.getState()
  if (selected.size > 0) {
    handleSelected(network)
    return
  }
  const row = discrepancyList.cursorRow()
  if (row === null || cursor === null) return
  void handleDiscrepancies(network, [row.key])
  if (open !== row.key) return
  const next = discrepancyList.put(cursor + 1) ?? discrepancyList.put(Math.max(0, cursor - 1))
  if (next !== null) openDiscrepancy(network, next.key, true)
}

function handleSelected(network: NetworkId): void {
  const keys = [...discrepancyList.use.getState().selected.values()].map(({ key }) => key)
  discrepancyList.selectNone()
  void handleDiscrepancies(network, keys)
}

/** The filter by kind. A kind without a discrepancy is left out, unless it is the chosen one. */
function Kinds() {
  const { kind, handled } = useKindFilter()
  const byKind = discrepancyList.use((state) => state.extra)
  const counts = handled ? null : byKind
  const total =
    counts === null
      ? undefined
      : orderedDiscrepancyKinds.reduce((sum, each) => sum + counts[each], 0)
  return (
    <Choices
      label="Kind of discrepancy"
      value={kind}
      options={[
        { value: null, label: 'All', count: total },
        ...orderedDiscrepancyKinds
          .filter((each) => handled || each === kind || (counts?.[each] ?? 0) > 0)
          .map((each) => ({
            value: each,
            label:
              discrepancyLabels[each].charAt(0).toUpperCase() + discrepancyLabels[each].slice(1),
            count: counts?.[each],
          })),
      ]}
      onChange={(next) => useKindFilter.setState({ kind: next })}
    />
  )
}

function Nothing() {
  const { kind, handled, text } = useKindFilter()
  if (kind !== null || text !== '') {
    return (
      <EmptyState title="No discrepancy matches the filter">
        <Button onClick={() => useKindFilter.setState({ kind: null, text: '' })}>Show all</Button>
      </EmptyState>
    )
  }
  if (handled) {
    return (
      <EmptyState
        title="No discrepancies are marked as handled yet"
        detail="After you mark a discrepancy as handled, you find it here with your note."
      />
    )
  }
  return (
    <EmptyState
      title="Nothing needs attention"
      detail="This list shows overpayments, late or partial payments, and payments without an invoice. It also shows where the gateway, the chain and deliveries disagree."
    >
      <a href={routeHref(invoicesHome)}>All invoices</a>
    </EmptyState>
  )
}

const columns: DataColumn<Discrepancy>[] = [
  {
    name: 'Discrepancy',
    width: 138,
    cell: (discrepancy) => (
      <Tag tone={discrepancyTones[discrepancy.kind]}>{labelOf(discrepancy)}</Tag>
    ),
    title: ({ kind, payment }) =>
      payment === null || payment.names === null
        ? discrepancyTexts[kind]
        : 'The payment names this invoice, but the gateway does not count it.',
  },
  {
    name: 'Invoice',
    width: 140,
    grow: 1,
    cell: (discrepancy) => <Subject matter={discrepancy} />,
    title: ({ invoice, payment }) => invoice?.description ?? payment?.comment ?? undefined,
  },
  {
    name: 'What to do',
    width: 250,
    grow: 2,
    cell: ({ advice, note, refund }) => (
      <>
        {refund !== null && <Tag tone="ok">refund seen</Tag>} <UntrustedText text={advice.title} />
        {note !== '' && (
          <Text tone="faint">
            {' '}
            · <UntrustedText text={note} />
          </Text>
        )}
      </>
    ),
    title: ({ advice, note }) => (note === '' ? advice.title : `${advice.title}\nNote: ${note}`),
  },
  amountColumn(
    { name: 'Amount', width: 130, gives: 2, title: describeAmount },
    (discrepancy: Discrepancy) => discrepancy,
  ),
  momentColumn({ name: 'Since', width: 92, gives: 1 }, ({ since }) => since),
]

function Subject({ matter }: { matter: Discrepancy }) {
  const { invoice, payment } = matter
  const text = invoice?.description ?? payment?.comment ?? null
  return (
    <>
      <UntrustedText mono={invoice !== null} text={nameOf(matter)} />{' '}
      <Text tone="dim">
        {text === null ? (
          payment !== null && (
            <>
              from{' '}
              <AccountName
                account={{ address: payment.payer, label: payment.payerLabel, isWallet: true }}
              />
            </>
          )
        ) : (
          <UntrustedText text={text} />
        )}
      </Text>
    </>
  )
}
