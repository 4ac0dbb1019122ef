import { currencyName, formatMoney as formatSum } from '../../../src-preload/domain/amount.ts'
import type { Invoice, InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import { type Line, type Statement, formatStatement } from '../../exports/pdf.ts'
import { readLogo } from '../../exports/logo.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import { formatFriendly, readAddress } from '../../ton/address.ts'
import type { InvoiceExportOrder } from './content.ts'

export type Fact = Statement['facts'][number]

export function networkAndPeriod({ network, options }: InvoiceExportOrder, period: string): Fact[] {
  return [
    { name: 'Network', text: network.name },
    { name: 'Period', text: period },
    { name: 'Time zone', text: options.zone },
  ]
}

/** A statement whose cover ends with the time of its creation. */
export function formatInvoiceStatement(
  { network, at, appVersion, merchantName, logo }: InvoiceExportOrder,
  times: ZoneTimes,
  { facts, ...rest }: Pick<Statement, 'title' | 'facts' | 'write'>,
) {
  const made = `${formatMoment(at, times)}, from the local ledger`
  const period = facts.find(({ name }) => name === 'Period')?.text ?? ''
  return formatStatement({
    ...rest,
    at,
    appVersion,
    merchantName,
    logo: readLogo(logo),
    subject: `${network.name} · ${period}`,
    foot: `Created by Tondesk ${appVersion} on ${made}`,
    facts: [...facts, { name: 'Created', text: made }],
  })
}

export const faint = (text: string): Line => ({ text, tone: 'faint' })

/** Exact, with at least two decimals: `1,234.50` or `1.234,50`. `units` are signed minimal units. */
export function formatMoney(units: bigint, decimals: number, mark: '.' | ','): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals).replace(/\B(?=(\d{3})+$)/g, mark === '.' ? ',' : '.')
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0')
  return `${units < 0n ? '−' : ''}${whole}${mark}${fraction}`
}

/**
 * Sentences have decimal points; a statement has the chosen mark everywhere, or `1.234` could mean both. No
 * line ends between an amount and its unit.
 */
export function withMark(sentence: string, mark: '.' | ','): string {
  return sentence.replace(
    /(\d+)(?:\.(\d+))? (?=(?:TON|GRAM|USDT)\b)/g,
    (_, whole: string, fraction?: string) =>
      `${whole}${fraction === undefined ? '' : mark + fraction}\u00a0`,
  )
}

export function refundedLine(
  { refunded, currency }: Pick<Invoice, 'refunded' | 'currency'>,
  { decimalMark }: InvoiceExportOrder['options'],
): Line {
  return { text: withMark(`${formatSum(refunded, currency)} refunded`, decimalMark) }
}

/** `2026-10-25 02:30:00 +01`: the offset distinguishes hours that occur twice. */
export function formatMoment(ms: number, times: ZoneTimes): string {
  const [date = '', time = ''] = times.print(ms).split('T')
  const offset = /[+-]\d\d:\d\d$/.exec(time)?.[0].replace(/:00$/, '') ?? ''
  return `${date} ${time.slice(0, 8)}${offset === '' ? '' : ` ${offset}`}`
}

const dayMs = 86_400_000

/** `1 January 2026 to 31 January 2026`; with times unless both ends are midnights of the zone. */
export function formatSpan(
  from: number | null,
  to: number | null,
  zone: string,
  times: ZoneTimes,
): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: zone })
  const isMidnight = (ms: number) => (ms + times.offsetAt(ms)) % dayMs === 0
  const first =
    from === null ? null : isMidnight(from) ? day.format(from) : formatMoment(from, times)
  const last = to === null ? null : isMidnight(to) ? day.format(to - 1) : formatMoment(to, times)
  if (first === null && last === null) return 'all'
  if (first === null) return `up to ${last ?? ''}`
  if (last === null) return `from ${first}`
  return first === last ? first : `${first} to ${last}`
}

const periodWords = { created: 'created', ended: 'ended', expires: 'expiring' } as const

export function formatFilter(filter: InvoiceFilter): string | null {
  const { statuses, currencies, amountFrom, amountTo, overpaid, matter, paidWithin, text } = filter
  const parts = [
    statuses.length > 0 && statuses.join(' or '),
    currencies.length === 1 && `in ${currencyName(currencies.join(''))}`,
    amountFrom !== null && `amount ${amountFrom} or more`,
    amountTo !== null && `amount ${amountTo} or less`,
    overpaid && 'overpaid',
    matter !== null && (matter === 'any' ? 'needs attention' : `needs attention: ${matter}`),
    paidWithin !== null &&
      `paid ${paidWithin.from}${paidWithin.to === null ? ' s or more' : ` to ${paidWithin.to} s`} after creation`,
    text.trim() !== '' && `contains “${text.trim()}”`,
  ]
  const told = parts.filter((part) => part !== false)
  return told.length === 0 ? null : told.join(', ')
}

export function formatPeriod(filter: InvoiceFilter, zone: string, times: ZoneTimes): string | null {
  const { period } = filter
  if (period === null || (period.from === null && period.to === null)) return null
  return `${periodWords[period.by]} ${formatSpan(period.from, period.to, zone, times)}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

export function counted(count: number, one: string, more = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : more}`
}

export function friendlyAddress(address: string, testOnly: boolean): string {
  return readAddress(address) === null
    ? address
    : formatFriendly(address, { bounceable: false, testOnly })
}
