/** Parses the part of the address bar for the Invoices page. */
import {
  invoiceCurrencies,
  type invoicePeriods,
  invoiceSorts,
  discrepancyKinds,
} from '../../src-preload/domain/invoice-values.ts'
import type { InvoiceCurrency, DiscrepancyKind } from '../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { formatLink, parseId } from './link.ts'

/** The filter of the invoice list in its link; other fields have the contract's defaults. */
export type InvoicesQuery = {
  readonly text: string
  readonly statuses: readonly string[]
  readonly currencies: readonly InvoiceCurrency[]
  /** The times are in milliseconds; `to` is exclusive. */
  readonly period: {
    readonly by: (typeof invoicePeriods)[number]
    readonly from: number | null
    readonly to: number | null
  } | null
  /** An amount in whole units. */
  readonly amountFrom: string | null
  readonly amountTo: string | null
  readonly overpaid: boolean
  readonly matter: DiscrepancyKind | 'any' | null
  /** The number of seconds from creation to payment. */
  readonly paidWithin: { readonly from: number; readonly to: number | null } | null
  /** The default is `created`, descending, which the link omits. */
  readonly sort: { readonly by: InvoiceSortBy; readonly descending: boolean }
}

export type InvoiceSortBy = (typeof invoiceSorts)[number]

/** `network` is the network of the link; null for the selected network. */
export type InvoicesRoute = {
  readonly page: 'invoices'
  readonly network: NetworkId | null
} & InvoicesView

type InvoicesView =
  /** Statistics, charts and the list, with an open invoice beside it. */
  | { readonly view: 'list'; readonly id: string | null; readonly query: InvoicesQuery }
  | { readonly view: 'attention'; readonly matter: number | null }
  /** Payments on the chain, and their matching. */
  | { readonly view: 'payments' }
  | { readonly view: 'reconciliation' }
  /** Many invoices from a file; `draft` is a draft that was begun. */
  | { readonly view: 'issue'; readonly draft: string | null }
  /** A job that issued or cancelled invoices; the list of jobs is on the Jobs page. */
  | { readonly view: 'jobs'; readonly job: number }
  /** The access to the network's invoices. */
  | { readonly view: 'setup' }

export const everyInvoice: InvoicesQuery = {
  text: '',
  statuses: [],
  currencies: [],
  period: null,
  amountFrom: null,
  amountTo: null,
  overpaid: false,
  matter: null,
  paidWithin: null,
  sort: { by: 'created', descending: true },
}

export const invoicesHome: InvoicesRoute = {
  page: 'invoices',
  network: null,
  view: 'list',
  id: null,
  query: everyInvoice,
}

export const invoiceRoute = (id: string, query: InvoicesQuery = everyInvoice): InvoicesRoute => ({
  page: 'invoices',
  network: null,
  view: 'list',
  id,
  query,
})

/** Returns the route of the invoices that a number, a bar or a slice stands for. */
export const invoicesOf = (query: Partial<InvoicesQuery>): InvoicesRoute => ({
  ...invoicesHome,
  view: 'list',
  id: null,
  query: { ...everyInvoice, ...query },
})

const matters: readonly (DiscrepancyKind | 'any')[] = ['any', ...discrepancyKinds]

/** @returns null for an unknown path */
export function parseInvoices(
  parts: readonly string[],
  search: URLSearchParams,
): InvoicesRoute | null {
  const of = { page: 'invoices', network: search.get('network') } as const
  const [first = '', second = ''] = parts
  const item = parseId(second)
  switch (first) {
    case '':
      return { ...of, view: 'list', id: null, query: parseQuery(search) }
    // Ids are below `of`, because a word of the window could be the id of an invoice.
    case 'of':
      return second === '' ? null : { ...of, view: 'list', id: second, query: parseQuery(search) }
    case 'attention':
      return { ...of, view: first, matter: item }
    case 'jobs':
      return item === null ? null : { ...of, view: first, job: item }
    case 'issue':
      return { ...of, view: first, draft: second === '' ? null : second }
    case 'payments':
    case 'reconciliation':
    case 'setup':
      return { ...of, view: first }
    // Earlier versions used these addresses.
    case 'closing':
      return { ...of, view: 'reconciliation' }
    case 'access':
      return { ...of, view: 'setup' }
    default:
      return null
  }
}

export function formatInvoicesRoute(route: InvoicesRoute): string {
  const { network } = route
  switch (route.view) {
    case 'list': {
      const path = ['invoices', route.id === null ? '' : 'of', route.id]
      return formatLink(path, { network, ...formatInvoicesQuery(route.query) })
    }
    case 'attention':
      return formatLink(['invoices', 'attention', route.matter], { network })
    case 'jobs':
      return formatLink(['invoices', 'jobs', route.job], { network })
    case 'issue':
      return formatLink(['invoices', 'issue', route.draft], { network })
    case 'payments':
    case 'reconciliation':
    case 'setup':
      return formatLink(['invoices', route.view], { network })
  }
}

const span = /^(created|ended|expires),(\d{0,15}),(\d{0,15})$/
const amount = /^\d{1,18}(\.\d{1,9})?$/
const within = /^(\d{1,9})-(\d{0,9})$/

function parseQuery(search: URLSearchParams): InvoicesQuery {
  const list = (name: string) => (search.get(name) ?? '').split(',').filter((part) => part !== '')
  const numberOr = (text: string | undefined) => (text ? Number(text) : null)
  const amountOf = (name: string) => {
    const text = search.get(name)
    return text !== null && amount.test(text) ? text : null
  }
  const [, by, from, to] = span.exec(search.get('when') ?? '') ?? []
  const [, shortest, longest] = within.exec(search.get('within') ?? '') ?? []
  const sort = search.get('sort') ?? ''
  const sortBy = invoiceSorts.find((each) => each === sort.replace(/^-/, ''))
  return {
    text: (search.get('q') ?? '').slice(0, 200),
    statuses: list('status').slice(0, 20),
    currencies: invoiceCurrencies.filter((each) => list('currency').includes(each)),
    period:
      by === undefined
        ? null
        : {
            by: by as (typeof invoicePeriods)[number],
            from: numberOr(from),
            to: numberOr(to),
          },
    amountFrom: amountOf('min'),
    amountTo: amountOf('max'),
    overpaid: search.get('overpaid') === '1',
    matter: matters.find((each) => each === search.get('matter')) ?? null,
    paidWithin: shortest === undefined ? null : { from: Number(shortest), to: numberOr(longest) },
    sort:
      sortBy === undefined ? everyInvoice.sort : { by: sortBy, descending: sort.startsWith('-') },
  }
}

function formatInvoicesQuery(query: InvoicesQuery): Record<string, string | null> {
  const { period, paidWithin, sort } = query
  const isDefaultSort = sort.by === 'created' && sort.descending
  return {
    q: query.text,
    status: query.statuses.join(','),
    currency: query.currencies.join(','),
    when: period && `${period.by},${period.from ?? ''},${period.to ?? ''}`,
    min: query.amountFrom,
    max: query.amountTo,
    overpaid: query.overpaid ? '1' : null,
    matter: query.matter,
    within: paidWithin && `${paidWithin.from}-${paidWithin.to ?? ''}`,
    sort: isDefaultSort ? null : `${sort.descending ? '-' : ''}${sort.by}`,
  }
}
