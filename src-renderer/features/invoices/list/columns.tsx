import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import { describeMoney, moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { InvoiceSortBy, InvoicesQuery } from '../../../app/invoices-route.ts'
import { printRoute } from '../../../app/route.ts'
import { formatAmount, formatMoney } from '../../../components/amount.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { createHiddenColumns } from '../../../ui/data-columns.ts'
import type { DataColumn } from '../../../ui/data-list.tsx'
import { Text } from '../../../ui/layout.tsx'
import { InvoiceMoment, InvoiceState, Payer } from '../../../components/invoices/invoice-parts.tsx'
import { routeOfInvoice } from './invoice-list.ts'

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
        <a href={printRoute(routeOfInvoice(network, id, query))} tabIndex={-1}>
          <UntrustedText text={id} />
        </a>
      ),
      title: ({ id }) => id,
    },
    {
      name: 'State',
      width: 170,
      grow: 3,
      sort: 'status',
      cell: (invoice) => <InvoiceState invoice={invoice} />,
    },
    ...optionalColumns,
  ]
}

function dateColumn(
  id: 'created' | 'expires' | 'changed',
  rest: Pick<InvoiceColumn, 'name' | 'gives'> & { at: (invoice: Invoice) => number },
): InvoiceColumn {
  const { at, ...column } = rest
  return {
    id,
    sort: id,
    width: 92,
    look: 'dim',
    cell: (invoice) => <InvoiceMoment at={at(invoice)} />,
    ...column,
  }
}

/** Those that the user can hide. */
export const optionalColumns: readonly InvoiceColumn[] = [
  {
    id: 'amount',
    name: 'Amount',
    width: 60,
    gives: 1,
    look: 'amount',
    sort: 'amount',
    cell: ({ amount, currency }) => formatMoney(amount, currency),
    title: ({ amount, currency }) => formatMoney(amount, currency),
  },
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
        received !== '0' && formatAmount(received, currency)
      ),
    title: describeMoney,
  },
  {
    id: 'overpayment',
    name: 'To return',
    width: 80,
    gives: 4,
    look: 'amount',
    sort: 'overpayment',
    cell: (invoice) => {
      const { excess } = moneyOf(invoice)
      return excess > 0n && formatAmount(String(excess), invoice.currency)
    },
    title: (invoice) => (moneyOf(invoice).excess > 0n ? describeMoney(invoice) : undefined),
    tone: (invoice) => (moneyOf(invoice).isToReturn ? undefined : 'faint'),
  },
  {
    id: 'description',
    name: 'Description',
    width: 70,
    grow: 2,
    gives: 2,
    look: 'dim',
    sort: 'description',
    cell: ({ description }) => <UntrustedText text={description} />,
    title: ({ description }) => (description === '' ? undefined : description),
  },
  {
    id: 'payer',
    name: 'Payer',
    width: 92,
    gives: 5,
    sort: 'payer',
    cell: (invoice) => <Payer invoice={invoice} tabIndex={-1} canCopy={false} />,
  },
  dateColumn('created', { name: 'Created', gives: 7, at: ({ createdAt }) => createdAt }),
  dateColumn('expires', { name: 'Expires', gives: 8, at: ({ expiresAt }) => expiresAt }),
  dateColumn('changed', { name: 'Changed', gives: 3, at: ({ changedAt }) => changedAt }),
]
