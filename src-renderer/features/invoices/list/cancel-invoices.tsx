import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { attempt, request } from '../../../app/bridge.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { formatMoney } from '../../../components/amount.ts'
import { useShownNetwork, confirmOn } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Row } from '../../../ui/layout.tsx'
import { copyText, announce, showToast } from '../../../ui/toast.tsx'
import { invoiceJobs, jobRoute } from '../jobs/invoice-jobs.tsx'
import { invoices } from './invoice-list.tsx'
import { filterOf, sumsOf } from './invoice-query.ts'

/** One job cancels at most this many invoices. */
const maxCancelled = 10_000
const pageSize = 500

/** The actions on the selected rows. */
export function SelectionBar() {
  const network = useShownNetwork()
  const selected = invoices.use((state) => state.selected)
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
        <Button kind="quiet" onClick={invoices.selectNone}>
          Deselect all
        </Button>
      </Row>
    </Row>
  )
}

/** Starts a job that cancels the pending ones, once the user has confirmed. */
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

/** The same for every pending invoice that the filter matches, also those that are not loaded. */
export async function cancelMatching(network: Network, query: InvoicesQuery): Promise<void> {
  const found = await attempt('Could not load the pending invoices', () =>
    loadPending(network, query),
  )
  if (found === undefined || invoices.use.getState().question?.query !== query) return
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

/** @param others selected, but not pending @param beyond pending, but more than one job takes */
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
  // Exactly those that were shown: invoices that arrived since are not cancelled.
  const job = await attempt('Could not start cancelling', () =>
    request('invoiceCancel.start', {
      network: network.id,
      invoices: { ids: pending.map(({ id }) => id) },
    }),
  )
  if (job === undefined) return
  invoices.selectNone()
  announce('Cancelling')
  // The message about the job's end replaces this one.
  showToast({
    id: `invoiceJob-${job.id}`,
    title: `Cancelling ${what}`,
    action: { label: 'Show the job', run: () => navigate(jobRoute(job)) },
  })
  invoiceJobs.begun(job)
}
