/** What a person seeks, as the store looks for it. Pure. */
import type { InvoiceCurrency, InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import type { ListFilter, SoughtWord, UnitsRange } from '../store/list-asked.ts'
import { readAddress } from '../../ton/address.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import { type AddressRange, readAddressRange } from '../../ton/address-range.ts'
import { readListText } from '../../ton/list-text.ts'

/** Of a raw address without its workchain. */
const beginning = /^[0-9a-f]{4,64}$/
/** Shorter parts are rather of an id; of an address they are its beginning. */
const middle = /^[0-9a-f]{9,64}$/

export function readFilter(filter: InvoiceFilter): ListFilter {
  const { amountFrom, amountTo, text, ...rest } = filter
  const rangeOf = (currency: InvoiceCurrency): UnitsRange => ({
    from: amountFrom === null ? null : unitsOf(amountFrom, decimalsOf[currency]).atLeast,
    to: amountTo === null ? null : unitsOf(amountTo, decimalsOf[currency]).atMost,
  })
  return {
    ...rest,
    currencies: [...new Set(rest.currencies)],
    amounts:
      amountFrom === null && amountTo === null
        ? null
        : { TON: rangeOf('TON'), USDT: rangeOf('USDT') },
    words: [...new Set(ungroup(text).split(/\s+/u))].filter((word) => word !== '').map(readWord),
  }
}

function readWord(text: string): SoughtWord {
  const lower = text.toLowerCase()
  const address = readAddress(text)?.raw ?? null
  return {
    text,
    address,
    range: address === null ? readRange(text, lower) : null,
    amounts: readListText(text).amounts,
    part: address === null && middle.test(lower) ? lower : null,
  }
}

/** Amounts of the lists have narrow spaces between their thousands: each is one word. */
function ungroup(text: string): string {
  return text.replaceAll(/(?<=\d)[\u00a0\u2009\u202f](?=\d{3})/g, '')
}

/** The workchain may be left out: it is the basechain's then. */
function readRange(text: string, lower: string): AddressRange | null {
  return readAddressRange(text) ?? (beginning.test(lower) ? readAddressRange(`0:${lower}`) : null)
}

const largest = 2n ** 63n - 1n

/** What is finer than a unit is divisible is between two of them. */
function unitsOf(decimal: string, places: number): { atLeast: bigint; atMost: bigint } {
  const [whole = '', fraction = ''] = decimal.split('.')
  const units = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
  const isBetween = /[1-9]/.test(fraction.slice(places))
  const inColumn = (value: bigint) => (value > largest ? largest : value)
  return { atLeast: inColumn(isBetween ? units + 1n : units), atMost: inColumn(units) }
}
