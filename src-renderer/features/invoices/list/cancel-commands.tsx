import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { formatAmount } from '../../../components/amount.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { navigate } from '../../../app/route.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { confirmOn } from '../../../components/network-confirm.tsx'
import { invoiceJobs, jobRoute } from '../jobs/invoice-jobs.tsx'
import { filterOf, sumsOf } from './invoice-query.ts'
import { clearSelection, useInvoiceList } from './invoice-list.ts'
import { mostSelected } from './selecting.ts'

const pageSize = 500

/** Those of them that are pending, after asking; a job does it, and tells of each. */
export async function cancelInvoices(
  network: Network,
  invoices: readonly Invoice[],
): Promise<void> {
  const pending = invoices.filter(({ status }) => status === 'pending')
  if (pending.length === 0) {
    showToast({
      title: 'None of them can be cancelled',
      detail: 'Only a pending invoice can: the others are paid, expired or cancelled already.',
      tone: 'bad',
    })
    return
  }
  await cancelPending(network, pending, invoices.length - pending.length)
}

/** All that are pending of what the list shows, those out of sight too. */
export async function cancelShown(network: Network): Promise<void> {
  const { query } = useInvoiceList.getState()
  const read = await attempt('Could not add up what would be cancelled', () =>
    readPending(network, query),
  )
  if (read === undefined || useInvoiceList.getState().query !== query) return
  if (read.pending.length === 0) {
    showToast({ title: 'Nothing of what is shown is pending', tone: 'bad' })
    return
  }
  await cancelPending(network, read.pending, 0, read.beyond)
}

type Query = Parameters<typeof filterOf>[0]

async function readPending(network: Network, query: Query) {
  const filter = filterOf(query)
  const pending: Invoice[] = []
  // Other states alone are shown: nothing of that is pending.
  if (filter.statuses.length > 0 && !filter.statuses.includes('pending')) {
    return { pending, beyond: 0 }
  }
  let after: string | null = null
  for (;;) {
    const page: Output<'invoice.page'> = await request('invoice.page', {
      network: network.id,
      filter: { ...filter, statuses: ['pending'] },
      sort: query.sort,
      from: { after },
      limit: pageSize,
    })
    pending.push(...page.invoices)
    after = page.after
    if (after === null) return { pending, beyond: 0 }
    if (pending.length >= mostSelected) return { pending, beyond: page.total - pending.length }
  }
}

async function cancelPending(
  network: Network,
  pending: readonly Invoice[],
  others: number,
  beyond = 0,
): Promise<void> {
  const [only] = pending
  const what =
    pending.length === 1 && only !== undefined
      ? `invoice ${only.id}`
      : formatCount(pending.length, 'invoice')
  const sure = await confirmOn(network, {
    title: `Cancel ${what}?`,
    detail: (
      <>
        {sumsOf(pending).map(({ currency, count, sum }) => (
          <p key={currency}>
            {pending.length > 1 && `${formatNumber(count)} for `}
            <b>
              {formatAmount(String(sum), currency)} {currency}
            </b>
          </p>
        ))}
        <p>
          Who pays {pending.length === 1 ? 'it' : 'one of them'} all the same pays too much: all of
          it counts as overpayment, and is to be returned. This cannot be undone.
        </p>
        {others > 0 && (
          <p>
            {formatNumber(others)} of those selected {others === 1 ? 'is' : 'are'} not pending, and{' '}
            {others === 1 ? 'stays' : 'stay'} as {others === 1 ? 'it is' : 'they are'}.
          </p>
        )}
        {beyond > 0 && (
          <p>
            {formatCount(beyond, 'more invoice')} {beyond === 1 ? 'is' : 'are'} pending beyond
            these: one job cancels at most {formatNumber(mostSelected)}.
          </p>
        )}
      </>
    ),
    action: `Cancel ${what}`,
    destructive: true,
  })
  if (!sure) return
  // Those that were shown, and no other that has come since.
  const job = await attempt('Could not begin to cancel', () =>
    request('invoiceCancel.start', {
      network: network.id,
      invoices: { ids: pending.map(({ id }) => id) },
    }),
  )
  if (job === undefined) return
  clearSelection()
  announce('Cancelling')
  // Its end takes the place of this.
  showToast({
    id: `invoiceJob-${job.id}`,
    title: `Cancelling ${what}`,
    action: { label: 'Show the report', run: () => navigate(jobRoute(job)) },
  })
  invoiceJobs.begun(job)
}
