import { useShownNetwork } from '../../../components/network-tag.tsx'
import { runActOn } from '../detail/advice.tsx'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { create } from 'zustand'
import { useData } from '../../../app/bridge.ts'
import { type InvoicesQuery, everyInvoice, invoicesOf } from '../../../app/invoices-route.ts'
import { printRoute, useRoute } from '../../../app/route.ts'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { DataList } from '../../../ui/data-list.tsx'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Pane } from '../../../ui/layout.tsx'
import { ChartPanels } from '../charts/chart-panels.tsx'
import { InvoiceDetail } from '../detail/invoice-detail.tsx'
import { useChanges } from '../use-changes.ts'
import { SelectionBar, cancelInvoices } from './cancel-invoices.tsx'
import { hiddenColumns, invoiceColumns } from './columns.tsx'
import { FilterBar } from './filters.tsx'
import { changeQuery, closeInvoice, invoices, openInvoice, openInvoices } from './invoice-list.ts'
import { isFiltered, keyOf, nextInvoiceSort } from './invoice-query.ts'
import { NoInvoices } from './no-invoices.tsx'
import { PeriodBar } from './period-bar.tsx'
import { SyncProblem, readNow } from './sync-state.tsx'

const storageKey = 'tondesk.invoices-charts'

const useFolded = create<{ isFolded: boolean }>(() => ({
  isFolded: window.localStorage.getItem(storageKey) === 'folded',
}))

function fold(isFolded: boolean): void {
  window.localStorage.setItem(storageKey, isFolded ? 'folded' : 'open')
  useFolded.setState({ isFolded })
}

/** Figures and charts of a period, and below them the invoices with the open one beside them. */
export function ListView() {
  const network = useShownNetwork()
  const route = useRoute((state) => state.route)
  const isList = route.page === 'invoices' && route.view === 'list'
  const query = isList ? route.query : everyInvoice
  const openId = isList ? route.id : null
  const key = keyOf(query)
  const field = useRef<HTMLInputElement>(null)
  const { isFolded } = useFolded()
  const [withDetail, setWithDetail] = useState(false)
  if (openId === null && withDetail) setWithDetail(false)
  const total = useData('invoice.counts', { network: network.id }).data?.total
  // Without any invoice there is nothing to add up or to filter.
  const isBare = total === 0 && openId === null && !isFiltered(query)
  // An open invoice needs the room of the charts, unless the user shows them beside it.
  const hidesCharts = openId === null ? isFolded : !withDetail

  // Before the first paint: until then the list holds the invoices of the network before.
  useLayoutEffect(() => openInvoices(network.id, query), [network.id, key]) // oxlint-disable-line react/exhaustive-deps -- by what it shows
  useChanges(network.id, invoices, 'invoice.changed', 'matter.changed')

  return (
    <Pane roomy>
      <PeriodBar
        isFolded={isBare ? null : hidesCharts}
        onFold={openId === null ? fold : (folds) => setWithDetail(!folds)}
      />
      <SyncProblem />
      {!isBare && !hidesCharts && <ChartPanels />}
      <Pane>
        {!isBare && (
          <>
            <FilterBar query={query} field={field} />
            <SelectionBar />
          </>
        )}
        <ListSplitter
          left={<Rows query={query} openId={openId} field={field} />}
          right={openId === null ? null : <InvoiceDetail id={openId} />}
          back={{ href: printRoute(invoicesOf(query)), label: 'All invoices' }}
        />
      </Pane>
    </Pane>
  )
}

const group = 'Invoices'

function Rows({
  query,
  openId,
  field,
}: {
  query: InvoicesQuery
  openId: string | null
  field: RefObject<HTMLInputElement | null>
}) {
  const network = useShownNetwork()
  const hidden = hiddenColumns.useHidden()
  const key = shortcutsOf(group)
  useShortcuts([
    key(['c'], 'Copy the payment link', () => {
      const id = invoices.cursorRow()?.id ?? openId
      if (id !== null) void runActOn('share-link', network, id)
    }),
    key(['Delete'], 'Cancel…', () => {
      const { selected } = invoices.use.getState()
      const row = invoices.cursorRow()
      const chosen = selected.size > 0 ? [...selected.values()] : row === null ? [] : [row]
      if (chosen.length > 0) void cancelInvoices(network, chosen)
    }),
    key(['r'], 'Sync the invoices now', () => void readNow(network.id)),
    key(['/'], 'Search the invoices', () => field.current?.select()),
  ])
  return (
    <DataList
      list={invoices}
      columns={invoiceColumns(network, query)}
      of="invoices"
      thing="invoice"
      group={group}
      hidden={hidden}
      sort={query.sort}
      onSort={(by) => changeQuery({ sort: nextInvoiceSort(query.sort, by) }, true)}
      selectable={({ id }) => id}
      openId={openId}
      onOpen={({ id }, by) => openInvoice(network, id, by === 'walk')}
      onLeave={closeInvoice}
      empty={<NoInvoices query={query} />}
    />
  )
}
