import type { AddressText } from '../store/subscription-rows.ts'
import { readAddress } from '../../ton/address.ts'
import { readAddressRange } from '../../ton/address-range.ts'

/** What a person seeks by a text: an address in any form, the beginning of one, or a part. */
export function readAddressText(text: string): AddressText | null {
  const sought = text.trim()
  if (sought === '') return null
  const whole = readAddress(sought)
  if (whole !== null) return { address: whole.raw }
  return { part: sought.normalize('NFC').toLowerCase(), range: readAddressRange(sought) }
}
