import type { Handlers } from '../../../src-preload/contract/routes.ts'
import {
  type InvoiceDetail,
  type InvoiceView,
  invoiceFilter,
  invoiceSort,
} from '../../../src-preload/contract/invoice.ts'
import { AppError, invoiceCodes } from '../../../src-preload/domain/app-error.ts'
import { createSavedViews } from '../../database/saved-views.ts'
import { json } from '../../database/sql.ts'
import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import type { InvoiceReader } from '../store/invoice-reader.ts'
import { type StoredInvoice, rootOf } from '../store/invoice-rows.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoicesRoom } from '../invoices-room.ts'
import { syncProblem } from '../sync/schedule.ts'
import { maxReports, unknownInvoice } from './ledger.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'
import { foldId, namesId } from '../../../src-preload/domain/payment-comment.ts'
import type { StoredEvent } from '../store/invoice-reports.ts'
import { adviseOnInvoice } from '../matching/advice.ts'
import { linkOfGroup } from '../matching/together.ts'
import { endOf } from '../matching/discrepancies.ts'
import { distinctRows } from '../store/payments.ts'
import { clockSlackMs } from '../matching/match.ts'
import { formatStatus } from '../matching/labels.ts'

/**
 * An invoice's history, one sentence per event. `detail` by kind; amounts are decimal minimal units beside
 * their `currency`:
 * - created: amount, currency, status. status: from, to. overpayment: from, to, currency.
 * - reported: status, overpayment, currency.
 * - payment, linked, unlinked: amount, currency, and where known payer, certainty.
 * - `cancel-asked`: none. handled, reopened: `matter`, as words, and note. note: text.
 */

export function formatEvent(
  event: Pick<StoredEvent, 'kind' | 'source' | 'detail'>,
  nameOf: (account: string) => string,
): string {
  const { kind, source, detail } = event
  const text = (name: string) => String(detail[name] ?? '')
  const currency = text('currency') === 'USDT' ? 'USDT' : 'TON'
  const money = (name: string) => formatMoney(text(name), currency)
  const payer = text('payer') === '' ? '' : ` from ${nameOf(text('payer'))}`
  const discrepancy = text('matter') === '' ? '' : `: ${text('matter')}`
  const about = `${discrepancy}${text('note') === '' ? '' : ` (${text('note')})`}`
  switch (kind) {
    case 'created':
      return source === 'created-here'
        ? `Created with Tondesk for ${money('amount')}.`
        : `Created for ${money('amount')}; ${learnt[source]}.`
    case 'status': {
      const state = formatStatus(text('to'))
      const how = source === 'cancelled-here' ? 'cancelled with Tondesk' : learnt[source]
      return `${state.charAt(0).toUpperCase()}${state.slice(1)}; ${how}.`
    }
    case 'overpayment': {
      const before = text('from') === '0' ? '' : ` (${money('from')} before)`
      return `The gateway counts an overpayment of ${money('to')}${before}; ${learnt[source]}.`
    }
    case 'reported': {
      const isOver = !['', '0'].includes(text('overpayment'))
      const over = isOver ? `, overpaid by ${money('overpayment')}` : ''
      return `A delivery reported ${formatStatus(text('status'))}${over}. Tondesk checked with the gateway.`
    }
    case 'payment': {
      const isSure = !['likely', 'guess'].includes(text('certainty'))
      return `${money('amount')} arrived on the chain${payer}${isSure ? '' : ` (${text('certainty')})`}.`
    }
    case 'cancel-asked':
      return 'Cancellation requested.'
    case 'handled':
      return `Marked as handled${about}.`
    case 'reopened':
      return `Reopened${about}.`
    case 'note':
      return text('text')
    case 'linked':
    case 'unlinked':
      return `A payment of ${money('amount')}${payer} was ${kind} by hand.`
  }
}

const learnt: Readonly<Record<StoredEvent['source'], string>> = {
  'created-here': 'in the response to its creation',
  'cancelled-here': 'in the response to its cancellation',
  listing: 'in the gateway’s list',
  fetch: 'checked with the gateway',
  webhook: 'checked with the gateway after a delivery',
  chain: 'seen on the chain',
  person: 'by hand',
}

type InvoiceRoutes = Pick<
  Handlers,
  `invoice.${'page' | 'get' | 'fetch' | 'setNote' | 'setOrder' | 'counts'}`
>

const maxEvents = 500
const maxFitting = 20

export function createInvoiceRoutes(
  { access, nameAccount, networks, now, store }: InvoicesContext,
  { book, chain, changes, ledger, uncounted, view, writer }: InvoicesRoom,
  reader: Pick<InvoiceReader, 'ask'>,
): InvoiceRoutes {
  function describePayments(
    invoice: StoredInvoice,
  ): Pick<InvoiceDetail, 'payments' | 'unlinked' | 'advice'> {
    const { id, key, network, payTo: account, currency, amount, createdAt, changedAt } = invoice
    const readTo = book.of(network, account)?.readTo ?? 0
    if (!book.isRead(invoice) || readTo < changedAt) chain.nudge(network, [account])
    const { whole, own, all, together } = writer.wholeOf(invoice)
    const [from, to] = [createdAt - clockSlackMs, endOf(invoice)]
    const like = { network, account, currency, amount, from, to, payer: null }
    const fitting = distinctRows([
      ...store.payments.mentioning(network, foldId(id), from),
      ...store.payments.openByAmount(like, maxFitting),
    ])
      .filter((payment) => payment.invoiceKey === null && uncounted.invoiceOf(payment) === null)
      .map((payment) => ({ ...payment, isNaming: namesId(payment.comment, id) }))
    const shown = store.matters
      .of({ invoiceKey: key })
      .filter(({ closedAt }) => closedAt === null)
      .map(({ kind, handled }) => ({ kind, isHandled: handled !== null }))
    const input = writer.adviceInput(invoice, { together })
    return {
      payments: view(network, own),
      unlinked: view(network, [...input.uncounted, ...fitting]),
      advice: adviseOnInvoice(whole, all, shown, { ...input, fitting }),
    }
  }

  function detail(stored: StoredInvoice): InvoiceDetail {
    const { key, network, id, comment, firstSeenAt, firstSource, confirmedAt, raw } = stored
    const [shown] = ledger.view(network, [stored])
    if (shown === undefined) throw unknownInvoice(id)
    const group = store.figures.groups([stored]).get(rootOf(stored))
    const nameOf = (address: string) => nameAccount(network, { address, isWallet: true })
    return {
      ...shown,
      comment,
      firstSeenAt,
      firstSource,
      confirmedAt,
      raw,
      paymentLink: group ? linkOfGroup(group) : linkForDue(stored.paymentLink, shown),
      events: store.events.list(key, maxEvents).map(({ detail: fields, ...event }) => {
        return { ...event, text: formatEvent({ ...event, detail: fields }, nameOf) }
      }),
      ...describePayments(stored),
      reports: store.reports
        .ofInvoice(network, id, maxReports)
        .map(({ network: of, invoice, changedAt, overpayment, ...report }) => report),
    }
  }

  return {
    async 'invoice.page'(input) {
      access.info(input.network)
      const page = await reader.ask('page', input)
      return { ...page, invoices: ledger.view(input.network, page.invoices) }
    },
    'invoice.get': ({ network, id }) => detail(ledger.get(network, id)),
    async 'invoice.fetch'({ network, id }) {
      access.info(network)
      const why = syncProblem(networks.state().networks.find((each) => each.id === network))
      if (why !== null) throw new AppError(invoiceCodes.noAccess, why)
      const askedAt = now()
      const found = await ledger.fetch(network, id, 'fetch', { signal: access.interest(network) })
      if (found !== null) return detail(found)
      ledger.missing(network, id, askedAt)
      throw new AppError(invoiceCodes.unknown, `The gateway has no invoice ${id}.`)
    },
    'invoice.setNote'({ network, id, text }) {
      const { key } = ledger.get(network, id)
      ledger.addEvent(key, { at: now(), source: 'person', kind: 'note', detail: { text } })
      changes.invoices(network, [id])
      return detail(ledger.get(network, id))
    },
    'invoice.setOrder'({ network, id, reference }) {
      ledger.setOrder(network, id, reference)
      return detail(ledger.get(network, id))
    },
    'invoice.counts'({ network }) {
      access.info(network)
      const byStatus = store.rows.countByStatus(network)
      const confirmed = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
      const total = confirmed + store.rows.countUnconfirmed(network)
      return { total, byStatus, matters: store.matters.open(network) }
    },
  }
}

type ViewRoutes = Pick<Handlers, 'invoiceView.list' | 'invoiceView.save' | 'invoiceView.remove'>

export function createViewRoutes({ database, events }: InvoicesContext): ViewRoutes {
  const views = createSavedViews<InvoiceView>(
    database,
    ['invoice_views', 'name, filter, sort'],
    { filter: json, sort: json },
    [invoiceCodes.viewUnknown, 'This view no longer exists.'],
    () => events.emit('invoiceView.changed', {}),
  )
  return {
    // Parts of a filter that this version cannot parse are omitted.
    'invoiceView.list': () =>
      views.all().map(({ id, name, filter, sort }) => ({
        id,
        name,
        filter: invoiceFilter.catch(invoiceFilter.parse({})).parse(filter),
        sort: invoiceSort.catch(invoiceSort.parse({})).parse(sort),
      })),
    'invoiceView.save': ({ id, ...view }) => ({ id: views.save(id, view), ...view }),
    'invoiceView.remove': views.remove,
  }
}
