import { useEffect, useLayoutEffect, useState } from 'react'
import { coinName } from '../../../../src-preload/domain/amount.ts'
import { create } from 'zustand'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { reload, useData, useDataOf, attempt, request } from '../../../app/bridge.ts'
import {
  type InvoicesQuery,
  everyInvoice,
  invoicesHome,
  invoicesOf,
} from '../../../app/invoices-route.ts'
import { navigate, routeHref, useRoute } from '../../../app/route.ts'
import { currencyChoices } from '../../../components/amount.ts'
import { useClockOffset } from '../../../components/gateway-clock.ts'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Button, Chip, Choices, ActionButton } from '../../../ui/button.tsx'
import { DataList } from '../../../ui/data-list.tsx'
import { DaySpanForm, FormChip } from '../../../ui/form-chip.tsx'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Row, Kbd, Pane } from '../../../ui/layout.tsx'
import { useNow } from '../../../ui/time.tsx'
import { EmptyState, Skeleton } from '../../../ui/loaded.tsx'
import { ChartPanels } from '../charts/chart-panels.tsx'
import { openCreate } from '../create/issuing.ts'
import { runActOn } from '../detail/advice.tsx'
import { InvoiceDetail } from '../detail/invoice-detail.tsx'
import { invoiceJobs } from '../jobs/invoice-jobs.tsx'
import {
  chooseDays,
  choosePeriod,
  choosePeriodCurrencies,
  fitPeriod,
  periodPresets,
  formatPeriod,
  renewPeriod,
  usePeriod,
} from '../period.ts'
import { useChanges } from '../use-changes.ts'
import { FilterBar } from './filters.tsx'
import {
  SelectionBar,
  cancelInvoices,
  changeQuery,
  hiddenColumns,
  invoiceColumns,
  closeInvoice,
  invoiceList,
  openInvoice,
  openInvoices,
} from './invoice-list.tsx'
import { isFiltered, keyOf, nextInvoiceSort } from './invoice-query.ts'
import { SyncState, SyncProblem, readNow } from './sync-state.tsx'

const storageKey = 'tondesk.invoices-charts'

const useFolded = create<{ isFolded: boolean }>(() => ({
  isFolded: window.localStorage.getItem(storageKey) !== 'open',
}))

function fold(isFolded: boolean): void {
  window.localStorage.setItem(storageKey, isFolded ? 'folded' : 'open')
  useFolded.setState({ isFolded })
}

const group = 'Invoices'

/**
 * Shows the figures and charts of a period, and below them the list of invoices with the open
 * invoice beside it.
 */
export function ListView() {
  const network = useShownNetwork()
  const route = useRoute((state) => state.route)
  const isList = route.page === 'invoices' && route.view === 'list'
  const query = isList ? route.query : everyInvoice
  const openId = isList ? route.id : null
  const queryKey = keyOf(query)
  const { isFolded } = useFolded()
  const [withDetail, setWithDetail] = useState(false)
  if (openId === null && withDetail) setWithDetail(false)
  const total = useData('invoice.counts', { network: network.id }).data?.total
  // If there are no invoices, there is nothing to add up or to filter.
  const isBare = total === 0 && openId === null && !isFiltered(query)
  // An open invoice needs the space of the figures and charts, unless the user wants to see them beside it.
  const hidesCharts = openId === null ? isFolded : !withDetail

  // This runs before the first paint, because until then the list contains the invoices of the
  // previous network.
  // oxlint-disable-next-line react/exhaustive-deps -- `queryKey` stands for the query, a new object in each render
  useLayoutEffect(() => openInvoices(network.id, query), [network.id, queryKey])
  useChanges(network.id, invoiceList, 'invoice.changed', 'discrepancy.changed')
  const hidden = hiddenColumns.useHidden()
  const key = shortcutsOf(group)
  useShortcuts([
    key(['c'], 'Copy the payment link', () => {
      const id = invoiceList.cursorRow()?.id ?? openId
      if (id !== null) void runActOn('share-link', network, id)
    }),
    key(['Delete'], 'Cancel…', () => {
      const { selected } = invoiceList.use.getState()
      const row = invoiceList.cursorRow()
      const chosen = selected.size > 0 ? [...selected.values()] : row === null ? [] : [row]
      if (chosen.length > 0) void cancelInvoices(network, chosen)
    }),
    key(['r'], 'Sync the invoices now', () => void readNow(network.id)),
  ])

  return (
    <Pane roomy>
      <Row wrap pad="m" line="below">
        {!isBare && (
          <>
            <Button
              kind="quiet"
              icon={hidesCharts ? 'right' : 'down'}
              aria-expanded={!hidesCharts}
              onClick={() => (openId === null ? fold(!hidesCharts) : setWithDetail(hidesCharts))}
            >
              {hidesCharts ? 'Show charts' : 'Hide charts'}
            </Button>
            <PeriodChip />
          </>
        )}
        <SyncState />
      </Row>
      <SyncProblem />
      {!isBare && (openId === null || !hidesCharts) && <ChartPanels showsCharts={!hidesCharts} />}
      <Pane>
        {!isBare && (
          <>
            <FilterBar query={query} />
            <SelectionBar />
          </>
        )}
        <ListSplitter
          left={
            <DataList
              list={invoiceList}
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
          }
          right={openId === null ? null : <InvoiceDetail id={openId} />}
          back={{ href: routeHref(invoicesOf(query)), label: 'All invoices' }}
        />
      </Pane>
    </Pane>
  )
}

/** Explains why the list is empty, and offers one next step. */
function NoInvoices({ query }: { query: InvoicesQuery }) {
  const network = useShownNetwork()
  const { data: sync } = useData('invoiceSync.state', { network: network.id })
  if (isFiltered(query)) {
    return (
      <EmptyState title="No invoice matches the filters">
        <Button onClick={() => changeQuery({ ...everyInvoice, sort: query.sort })}>
          Show all invoices
        </Button>
      </EmptyState>
    )
  }
  if (sync?.status === 'off') {
    return (
      <EmptyState
        title={`Invoices are not set up on ${network.name}`}
        detail={`An invoice requests an exact amount of ${coinName()} or USDT, and Tondesk shows when it is paid. ${sync.problem ?? 'Before you can create invoices, set them up in a few steps.'}`}
      >
        <Button kind="main" onClick={() => navigate({ ...invoicesHome, view: 'setup' })}>
          Set up invoices
        </Button>
      </EmptyState>
    )
  }
  if (sync?.status === 'reading' && sync.lastAt === null) {
    return <Skeleton rows={12} label="Loading the invoices" />
  }
  return (
    <EmptyState
      title="No invoices yet"
      detail={`An invoice requests an exact amount of ${coinName()} or USDT and expires after a time you choose. Send its link or its QR code to the payer. Tondesk shows when it is paid, and what needs your decision.`}
    >
      <Button kind="main" icon="plus" onClick={() => openCreate()}>
        New invoice <Kbd>n</Kbd>
      </Button>
      {network.kind === 'sandbox' && <Samples />}
    </EmptyState>
  )
}

const samples = [
  { amount: '1.5', currency: 'TON', lifeTimeSeconds: 3600, description: 'Sample: coffee and cake' },
  { amount: '4.2', currency: 'USDT', lifeTimeSeconds: 3600, description: 'Sample: two coffees' },
] as const

function Samples() {
  const { id: network } = useShownNetwork()
  const create = () =>
    attempt('Could not create the sample invoices', async () => {
      const draft = await request('invoiceIssue.draft', { network, lines: [...samples] })
      invoiceJobs.begun(await request('invoiceIssue.start', { draft: draft.id }))
    })
  return <ActionButton action={create}>Create two sample invoices</ActionButton>
}

function PeriodChip() {
  const { id } = useShownNetwork()
  const period = usePeriod()
  const offset = useClockOffset(id)
  const now = useNow() / 1000 + offset
  const day = new Date(now).toDateString()
  useEffect(() => renewPeriod(offset), [day, offset])
  useFittingPeriod(id)
  return (
    <FormChip
      label={`Period: ${[formatPeriod(period, now), ...period.currencies].join(', ')} ▾`}
      isOn={false}
      title="Period"
    >
      {(close) => (
        <DaySpanForm
          required
          from={period.from}
          to={period.to - 1}
          onDone={({ from, to }) => {
            if (from !== null && to !== null) chooseDays(from, to)
            close()
          }}
        >
          <Choices<InvoiceCurrency | null>
            label="Currencies in the charts"
            value={period.currencies.length === 1 ? (period.currencies[0] ?? null) : null}
            options={[{ value: null, label: 'All currencies' }, ...currencyChoices()]}
            onChange={(currency) => choosePeriodCurrencies(currency === null ? [] : [currency])}
          />
          <Row wrap gap="s" role="group" aria-label="Period">
            {periodPresets.map(({ value, label }) => (
              <Chip
                key={value}
                pressed={value === period.preset}
                onPress={() => {
                  choosePeriod(value)
                  close()
                }}
              >
                {label}
              </Chip>
            ))}
          </Row>
        </DaySpanForm>
      )}
    </FormChip>
  )
}

/** Chooses the smallest period that contains all invoices, until the user chooses one. */
function useFittingPeriod(id: NetworkId): void {
  const total = useData('invoice.counts', { network: id }).data?.total ?? 0
  const fullAt = useData('invoiceSync.state', { network: id }).data?.fullAt
  const first = { network: id, sort: { by: 'created', descending: false }, limit: 1 } as const
  const oldest = useDataOf('invoice.page', total > 0 ? first : null).data?.invoices[0]
  // A full sync may add older invoices.
  useEffect(() => reload('invoice.page', { network: id }), [id, fullAt])
  const createdAt = oldest?.network === id ? oldest.createdAt : null
  useEffect(() => {
    if (createdAt !== null) fitPeriod(createdAt)
  }, [createdAt])
}
