/** The list of invoices: its rows, its links and its columns. */
import { describeMoney, moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt, request } from '../../../app/bridge.ts'
import {
  type InvoiceSortBy,
  type InvoicesQuery,
  type InvoicesRoute,
  everyInvoice,
  invoicesHome,
} from '../../../app/invoices-route.ts'
import { navigate, routeHref, useRoute } from '../../../app/route.ts'
import { formatColumnMoney, formatMoney } from '../../../components/amount.ts'
import { untrustedColumn, UntrustedText } from '../../../components/body/untrusted-text.tsx'
import {
  amountColumn,
  InvoiceState,
  momentColumn,
  Payer,
} from '../../../components/invoices/invoice-cells.tsx'
import { createHiddenColumns } from '../../../ui/data-columns.ts'
import type { DataColumn } from '../../../ui/data-list.tsx'
import { Row, Text } from '../../../ui/layout.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { filterOf, keyOf, sumsOf } from './invoice-query.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { confirmOn, useShownNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { announce, copyText, showToast } from '../../../ui/toast.tsx'
import { invoiceJobs, jobRoute } from '../jobs/invoice-jobs.tsx'

type Question = { readonly network: NetworkId; readonly query: InvoicesQuery }

/**
 * The page cursors by the index of the row after them, so that rows keep their position when newer
 * ones arrive.
 */
let cursors = new Map<number, string>()

export const invoiceList = createLiveList({
  load: async ({ network, query }: Question, offset, limit) => {
    const known = cursors
    const start = Math.max(0, ...[...known.keys()].filter((index) => index <= offset))
    const page = await request('invoice.page', {
      network,
      filter: filterOf(query),
      sort: query.sort,
      from: { after: known.get(start) ?? null },
      skip: offset - start,
      limit,
    })
    if (page.after !== null) known.set(offset + page.invoices.length, page.after)
    return { total: page.total, rows: page.invoices, extra: null }
  },
  idOf: ({ id }: Invoice) => id,
  loadOne: ({ network }, id) => request('invoice.get', { network, id: String(id) }),
  onAnew: () => {
    cursors = new Map()
  },
  pollMs: 400,
})

/** Shows the invoices that the address selects. */
export function openInvoices(network: NetworkId, query: InvoicesQuery): void {
  const { question } = invoiceList.use.getState()
  const before = question?.network === network ? question.query : null
  invoiceList.open(
    { network, query },
    {
      keep: before !== null,
      // Another filter clears the selection, because rows out of sight must not be cancelled.
      keepSelected: before !== null && keyOf({ ...before, sort: query.sort }) === keyOf(query),
    },
  )
}

type ListRoute = Extract<InvoicesRoute, { view: 'list' }>

/** Returns the list's filter and the invoice that is open beside the list. */
function listRoute(): ListRoute {
  const { route } = useRoute.getState()
  if (route.page === 'invoices' && route.view === 'list') return route
  return { ...invoicesHome, view: 'list', id: null, query: everyInvoice }
}

/** Returns the link of an invoice; the list beside it does not change. */
function routeOfInvoice(network: Network, id: string, query: InvoicesQuery): ListRoute {
  return { ...invoicesHome, network: network.id, view: 'list', id, query }
}

/** Opens an invoice. While the user walks through the list, the back button skips the invoices between. */
export function openInvoice(network: Network, id: string, isWalk = false): void {
  navigate(routeOfInvoice(network, id, listRoute().query), { replace: isWalk })
}

export const closeInvoice = (): void => navigate({ ...listRoute(), id: null, network: null })

/** Changes the filter or the order. Typed characters add no steps to the history of the window. */
export function changeQuery(change: Partial<InvoicesQuery>, isTyped = false): void {
  const route = listRoute()
  navigate({ ...route, query: { ...route.query, ...change } }, { replace: isTyped })
}

type InvoiceColumn = DataColumn<Invoice, InvoiceSortBy>

export const hiddenColumns = createHiddenColumns('tondesk.invoices-columns')

export function invoiceColumns(network: Network, query: InvoicesQuery): InvoiceColumn[] {
  return [
    {
      name: 'Invoice',
      width: 66,
      sort: 'id',
      look: 'mono',
      cell: ({ id }) => (
        <UntrustedText
          as="a"
          href={routeHref(routeOfInvoice(network, id, query))}
          tabIndex={-1}
          text={id}
        />
      ),
      title: ({ id }) => id,
    },
    {
      name: 'State',
      width: 170,
      grow: 5,
      sort: 'status',
      cell: (invoice) => <InvoiceState invoice={invoice} />,
    },
    ...optionalColumns,
  ]
}

/** The columns that the user can hide. */
export const optionalColumns: readonly InvoiceColumn[] = [
  amountColumn(
    { id: 'amount', name: 'Amount', width: 60, gives: 1, sort: 'amount' },
    (invoice) => invoice,
  ),
  {
    id: 'received',
    name: 'Received',
    width: 60,
    gives: 6,
    look: 'amount',
    sort: 'received',
    cell: ({ received, currency }) =>
      received === null ? (
        <Text tone="faint">?</Text>
      ) : (
        received !== '0' && formatColumnMoney(received, currency)
      ),
    title: describeMoney,
  },
  {
    id: 'overpayment',
    name: 'To refund',
    width: 80,
    gives: 3,
    look: 'amount',
    sort: 'overpayment',
    cell: (invoice) => {
      const { excess, isToReturn, toReturn } = moneyOf(invoice)
      const shown = isToReturn ? toReturn : excess
      return shown > 0n && formatColumnMoney(String(shown), invoice.currency)
    },
    title: (invoice) => (moneyOf(invoice).excess > 0n ? describeMoney(invoice) : undefined),
    tone: (invoice) => (moneyOf(invoice).isToReturn ? undefined : 'faint'),
  },
  {
    id: 'refunded',
    name: 'Refunded',
    width: 80,
    gives: 10,
    look: 'amount',
    cell: ({ refunded, currency }) => refunded !== '0' && formatColumnMoney(refunded, currency),
    title: describeMoney,
  },
  untrustedColumn(
    {
      id: 'description',
      name: 'Description',
      width: 70,
      grow: 2,
      gives: 2,
      look: 'dim',
      sort: 'description',
    },
    ({ description }) => description,
  ),
  untrustedColumn(
    { id: 'order', name: 'Order', width: 70, gives: 9, sort: 'order' },
    ({ orderReference }) => orderReference,
  ),
  {
    id: 'payer',
    name: 'Payer',
    width: 92,
    gives: 5,
    sort: 'payer',
    cell: (invoice) => <Payer invoice={invoice} tabIndex={-1} canCopy={false} />,
  },
  momentColumn(
    { id: 'created', name: 'Created', width: 92, gives: 7, sort: 'created' },
    ({ createdAt }) => createdAt,
  ),
  momentColumn(
    { id: 'expires', name: 'Expires', width: 92, gives: 8, sort: 'expires' },
    ({ expiresAt }) => expiresAt,
  ),
  momentColumn(
    { id: 'changed', name: 'Changed', width: 92, gives: 4, sort: 'changed' },
    ({ changedAt }) => changedAt,
  ),
]

/** One job cancels at most this many invoices. */
const maxCancelled = 10_000
const pageSize = 500

/** The bar with the actions on the selected rows. */
export function SelectionBar() {
  const network = useShownNetwork()
  const selected = invoiceList.use((state) => state.selected)
  if (selected.size === 0) return null
  const chosen = [...selected.values()]
  const sums = sumsOf(chosen).map(({ currency, sum }) => formatMoney(String(sum), currency))
  return (
    <Row wrap pad="m" line="below" role="group" aria-label="Selected invoices">
      <span role="status">
        {formatCount(selected.size, 'invoice')} selected, {sums.join(' and ')}
      </span>
      <Button
        icon="copy"
        onClick={() => void copyText(chosen.map(({ id }) => id).join('\n'), 'Ids')}
      >
        Copy ids
      </Button>
      <Button kind="danger" onClick={() => void cancelInvoices(network, chosen)}>
        Cancel selected invoices…
      </Button>
      <Row last>
        <Button kind="quiet" onClick={invoiceList.selectNone}>
          Deselect all
        </Button>
      </Row>
    </Row>
  )
}

/** Starts a job that cancels the pending invoices among the chosen ones, after the user has confirmed. */
export async function cancelInvoices(network: Network, chosen: readonly Invoice[]): Promise<void> {
  const pending = chosen.filter(({ status }) => status === 'pending')
  if (pending.length === 0) {
    showToast({
      title: 'None of these invoices can be cancelled',
      detail: 'Only pending invoices can be cancelled. These invoices are no longer pending.',
      tone: 'bad',
    })
    return
  }
  await cancelPending(network, pending, { others: chosen.length - pending.length, beyond: 0 })
}

/** Cancels every pending invoice that matches the filter, including those that are not loaded. */
export async function cancelMatching(network: Network, query: InvoicesQuery): Promise<void> {
  const found = await attempt('Could not load the pending invoices', () =>
    loadPending(network, query),
  )
  if (found === undefined || invoiceList.use.getState().question?.query !== query) return
  if (found.pending.length === 0) {
    showToast({ title: 'This list has no pending invoices', tone: 'bad' })
    return
  }
  await cancelPending(network, found.pending, { others: 0, beyond: found.beyond })
}

async function loadPending(network: Network, query: InvoicesQuery) {
  const filter = filterOf(query)
  const pending: Invoice[] = []
  if (filter.statuses.length > 0 && !filter.statuses.includes('pending')) {
    return { pending, beyond: 0 }
  }
  let after: string | null = null
  do {
    const page: Output<'invoice.page'> = await request('invoice.page', {
      network: network.id,
      filter: { ...filter, statuses: ['pending'] },
      sort: query.sort,
      from: { after },
      limit: pageSize,
    })
    pending.push(...page.invoices)
    after = page.after
    if (after !== null && pending.length >= maxCancelled) {
      return { pending, beyond: page.total - pending.length }
    }
  } while (after !== null)
  return { pending, beyond: 0 }
}

/**
 * @param others the number of selected invoices that are not pending @param beyond the number of
 * pending invoices that exceed the limit of one job
 */
async function cancelPending(
  network: Network,
  pending: readonly Invoice[],
  { others, beyond }: { others: number; beyond: number },
): Promise<void> {
  const [first] = pending
  const what =
    pending.length === 1 && first !== undefined
      ? `invoice ${first.id}`
      : formatCount(pending.length, 'invoice')
  const isConfirmed = await confirmOn(network, {
    title: `Cancel ${what}?`,
    points: [
      ...sumsOf(pending).map(
        ({ currency, count, sum }) =>
          `${formatCount(count, 'invoice')}: ${formatMoney(String(sum), currency)}`,
      ),
      ...(others > 0
        ? [`Unchanged because not pending: ${formatCount(others, 'selected invoice')}`]
        : []),
      ...(beyond > 0
        ? [
            `One job cancels at most ${formatNumber(maxCancelled)} invoices. Still pending afterwards: ${formatNumber(beyond)}`,
          ]
        : []),
    ],
    detail:
      'You cannot undo this. A payment that arrives for a cancelled invoice counts as an overpayment that you have to return.',
    action: `Cancel ${what}`,
    destructive: true,
  })
  if (!isConfirmed) return
  // The job cancels exactly the invoices that were displayed; invoices that arrived later are not cancelled.
  const job = await attempt('Could not start cancelling', () =>
    request('invoiceCancel.start', {
      network: network.id,
      invoices: { ids: pending.map(({ id }) => id) },
    }),
  )
  if (job === undefined) return
  invoiceList.selectNone()
  announce('Cancelling')
  // The message about the end of the job will replace this message.
  showToast({
    id: `invoiceJob-${job.id}`,
    title: `Cancelling ${what}`,
    action: { label: 'Show the job', run: () => navigate(jobRoute(job)) },
  })
  invoiceJobs.begun(job)
}
