import type { Invoice, InvoiceDetail } from '../../src-preload/contract/invoice.ts'
import { describeMoney, moneyOf } from '../../src-preload/contract/invoice-money.ts'
import { createZoneTimes } from '../exports/zone-times.ts'
import { formatAmount, decimalsOf } from '../../src-preload/domain/amount.ts'
import { exitCodes } from './command.ts'
import type { InvoicesWork } from './invoices-work.ts'
import { plain } from './terminal.ts'

const pageRows = 500

/** Newest first. */
export const list: InvoicesWork = async (session, network, asked, { terminal, stop }) => {
  const { filter, limit, json, zone } = asked
  const times = createZoneTimes(zone)
  const most = limit === 0 ? Infinity : limit
  let shown = 0
  let all: number
  do {
    const { total, invoices } = await session.call('invoice.page', {
      network: network.id,
      filter,
      offset: shown,
      limit: Math.min(pageRows, Math.max(1, most - shown)),
    })
    all = total
    for (const invoice of invoices) {
      await terminal.print(
        json
          ? JSON.stringify({ event: 'invoice', ...invoice })
          : describe(invoice, (ms) => times.print(ms)),
      )
    }
    shown += invoices.length
    if (invoices.length === 0) break
  } while (shown < Math.min(all, most) && !stop.aborted)
  if (shown < all) terminal.note(`${shown} of ${all} are shown: see --limit.`)
  return exitCodes.ok
}

export function money(units: string, currency: Invoice['currency']): string {
  return `${formatAmount(BigInt(units), decimalsOf[currency])} ${currency}`
}

function describe(invoice: Invoice, moment: (ms: number) => string): string {
  const { id, status, isConfirmed, currency, amount, received, matters, description } = invoice
  const { excess, uncounted } = moneyOf(invoice)
  const isExact = status === 'paid' && received === amount && uncounted.length === 0
  const hasCome = received !== null && received !== '0'
  const parts = [
    moment(invoice.createdAt),
    plain(id).padEnd(10),
    (isConfirmed ? plain(status) : `(${plain(status)})`).padEnd(9),
    money(amount, currency).padStart(16),
    !isExact && (hasCome || excess > 0n || uncounted.length > 0) && describeMoney(invoice),
    matters.length > 0 && `! ${matters.join(', ')}`,
    description !== '' && plain(description),
  ]
  return parts.filter((part) => part !== false).join('  ')
}

/** One, with what became of it. */
export const show: InvoicesWork = async (session, network, { ids, json, zone }, { terminal }) => {
  const [id = ''] = ids
  const times = createZoneTimes(zone)
  const found = await session.call('invoice.get', { network: network.id, id })
  const lines = json
    ? [JSON.stringify({ event: 'invoice', ...found })]
    : describeWhole(found, (ms) => times.print(ms))
  for (const line of lines) await terminal.print(line)
  return exitCodes.ok
}

function describeWhole(invoice: InvoiceDetail, moment: (ms: number) => string): string[] {
  const { currency, paidBy, payerLabel, advice } = invoice
  const { due } = moneyOf(invoice)
  const facts: readonly (readonly [string, string | null])[] = [
    ['id', invoice.id],
    ['status', invoice.isConfirmed ? invoice.status : `${invoice.status}, not confirmed`],
    ['reported', invoice.reported?.status ?? null],
    ['amount', money(invoice.amount, currency)],
    ['received', describeMoney(invoice)],
    ['due', due === 0n ? null : money(String(due), currency)],
    ['description', invoice.description === '' ? null : invoice.description],
    [
      'payer',
      paidBy === null ? null : [payerLabel, paidBy].filter((each) => each !== null).join(' '),
    ],
    ['pay to', invoice.payTo],
    ['link', invoice.paymentLink],
    ['created', moment(invoice.createdAt)],
    ['expires', moment(invoice.expiresAt)],
    ['changed', moment(invoice.changedAt)],
    ['attention', invoice.matters.length === 0 ? null : invoice.matters.join(', ')],
    ['next', `${advice.title} ${advice.text}`],
  ]
  return [
    ...facts.flatMap(([name, value]) =>
      value === null ? [] : [`${name.padEnd(12)} ${plain(value)}`],
    ),
    ...invoice.payments.map(
      (payment) =>
        `${'payment'.padEnd(12)} ${moment(payment.at)}  ${money(payment.amount, payment.currency)}  ${payment.hash}`,
    ),
    ...invoice.unlinked.map(
      (payment) =>
        `${'not counted'.padEnd(12)} ${moment(payment.at)}  ${money(payment.amount, payment.currency)}  ${payment.hash}${payment.names === null ? '  may be for this invoice' : ''}`,
    ),
    ...invoice.events.map(
      (event) => `${'event'.padEnd(12)} ${moment(event.at)}  ${plain(event.text)}`,
    ),
  ]
}
