/**
 * What became of an invoice, one sentence a line. `detail` of each kind; amounts are minimal units as
 * decimal text, beside their `currency`:
 * - created: amount, currency, status. status: from, to. overpayment: from, to, currency.
 * - reported: status, overpayment, currency.
 * - payment, linked, unlinked: amount, currency, and where it is known payer, certainty.
 * - cancel-asked: none. handled, reopened: matter, as words, and note. note: text.
 */
import { formatAmount, tonDecimals, usdtDecimals } from '../../../src-preload/domain/amount.ts'
import type { EventDetail, StoredEvent } from '../store/invoice-events.ts'
import { stateWords } from '../match/words.ts'

type Told = Pick<StoredEvent, 'kind' | 'source' | 'detail'>

export function formatEvent({ kind, source, detail }: Told): string {
  const text = (name: string) => textOf(detail[name])
  switch (kind) {
    case 'created':
      return source === 'created-here'
        ? `Created here for ${money(detail, 'amount')}.`
        : `Created for ${money(detail, 'amount')}; ${learnt[source]}.`
    case 'status': {
      const how = source === 'cancelled-here' ? 'it was cancelled here' : learnt[source]
      return `${capital(stateWords(text('to')))}; ${how}.`
    }
    case 'overpayment':
      return text('from') === '0'
        ? `The gateway counts ${money(detail, 'to')} as overpayment; ${learnt[source]}.`
        : `The gateway counts ${money(detail, 'to')} as overpayment (${money(detail, 'from')} before); ${learnt[source]}.`
    case 'reported': {
      const over = text('overpayment')
      const much =
        over === '' || over === '0' ? '' : `, overpaid by ${money(detail, 'overpayment')}`
      return `A delivery said that it is ${stateWords(text('status'))}${much}. The gateway was asked.`
    }
    case 'payment':
      return `${money(detail, 'amount')} arrived on the chain${payerOf(detail)}${sure(detail)}.`
    case 'cancel-asked':
      return 'The gateway was asked to cancel it.'
    case 'handled':
      return `Marked as handled${about(detail)}.`
    case 'reopened':
      return `Opened again${about(detail)}.`
    case 'note':
      return text('text')
    case 'linked':
      return `A payment of ${money(detail, 'amount')}${payerOf(detail)} was linked by hand.`
    case 'unlinked':
      return `A payment of ${money(detail, 'amount')}${payerOf(detail)} was unlinked by hand.`
  }
}

const learnt: Readonly<Record<StoredEvent['source'], string>> = {
  'created-here': 'told by the answer to its creation',
  'cancelled-here': 'told by the answer to its cancellation',
  listing: 'learnt from the gateway’s list',
  fetch: 'the gateway was asked',
  webhook: 'the gateway was asked after a delivery',
  chain: 'seen on the chain',
  person: 'by hand',
}

function textOf(value: EventDetail[string] | undefined): string {
  return value === null || value === undefined ? '' : String(value)
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function money(detail: EventDetail, name: string): string {
  const units = textOf(detail[name])
  const currency = textOf(detail['currency'])
  if (!/^\d+$/.test(units)) return `${units} ${currency}`.trim()
  const decimals = currency === 'USDT' ? usdtDecimals : tonDecimals
  return `${formatAmount(BigInt(units), decimals)} ${currency}`.trim()
}

function payerOf(detail: EventDetail): string {
  const payer = textOf(detail['payer'])
  return payer === '' ? '' : ` from ${payer}`
}

function sure(detail: EventDetail): string {
  const certainty = textOf(detail['certainty'])
  return certainty === 'likely' || certainty === 'guess' ? ` (${certainty})` : ''
}

function about(detail: EventDetail): string {
  const [matter, note] = [textOf(detail['matter']), textOf(detail['note'])]
  return `${matter === '' ? '' : `: ${matter}`}${note === '' ? '' : ` (${note})`}`
}
