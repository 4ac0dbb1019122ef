/** Parses and formats addresses. Inside the app an address is raw: `0:<64 hex>`. */
import { Address, crc16 } from '@ton/core'

type AddressForm = 'raw' | 'bounceable' | 'non_bounceable'

type ParsedAddress = {
  /** The raw form is `0:<64 lower-case hex>`. */
  readonly raw: string
  readonly form: AddressForm
  /** The test-only flag of a friendly address; false for a raw one. */
  readonly isTestOnly: boolean
}

export class AddressError extends Error {
  /** The part after the address: `its checksum does not match, …`. */
  readonly why: string

  constructor(address: string, why: string) {
    super(`can't decode address ${address}: ${why}`)
    this.why = why
  }
}

const rawForm = /^(-?\d{1,11}):([0-9a-fA-F]{64})$/
const friendlyForm = /^(?:[A-Za-z0-9+/]{48}|[A-Za-z0-9_-]{48})$/

const forms: ReadonlyMap<number, AddressForm> = new Map([
  [0x11, 'bounceable'],
  [0x51, 'non_bounceable'],
])
const testOnlyFlag = 0x80

/**
 * Parses raw and friendly addresses, the latter in base64 or base64url.
 * @throws AddressError
 */
export function parseAddress(text: string): ParsedAddress {
  const raw = rawForm.exec(text)
  if (raw !== null) {
    const [, workchain, hash = ''] = raw
    requireWorkchain(text, Number(workchain))
    return { raw: `${Number(workchain)}:${hash.toLowerCase()}`, form: 'raw', isTestOnly: false }
  }
  if (friendlyForm.test(text)) return parseFriendly(text)
  throw problem(text, 'it is neither <workchain>:<64 hex digits> nor 48 characters of base64')
}

export function readAddress(text: string): ParsedAddress | null {
  try {
    return parseAddress(text)
  } catch {
    return null
  }
}

/** Returns the raw form, which identifies an account. Text that is not an address stays unchanged. */
export const rawAddress = (text: string): string => readAddress(text)?.raw ?? text

/** @returns the reason why the text is not an address, as the end of a sentence; null for an address */
export function whyNoAddress(text: string): string | null {
  try {
    parseAddress(text)
    return null
  } catch (error) {
    if (error instanceof AddressError) return error.why
    throw error
  }
}

/** Parses an address for contracts and messages of @ton/core. @throws AddressError */
export const toAddress = (text: string): Address => Address.parseRaw(parseAddress(text).raw)

export function formatFriendly(
  raw: string,
  form: { readonly bounceable: boolean; readonly testOnly: boolean; readonly urlSafe?: boolean },
): string {
  return Address.parseRaw(raw).toString(form)
}

function parseFriendly(text: string): ParsedAddress {
  const bytes = Buffer.from(text, 'base64url')
  const content = bytes.subarray(0, 34)
  if (!crc16(content).equals(bytes.subarray(34))) {
    throw problem(text, 'the checksum does not match, so a character is mistyped')
  }
  const tag = bytes.readUInt8(0)
  const isTestOnly = (tag & testOnlyFlag) !== 0
  const form = forms.get(tag & ~testOnlyFlag)
  if (form === undefined) throw problem(text, `its first byte 0x${tag.toString(16)} is unknown`)
  const workchain = bytes.readInt8(1)
  requireWorkchain(text, workchain)
  return { raw: `${workchain}:${content.subarray(2).toString('hex')}`, form, isTestOnly }
}

/** Only the workchains 0 and -1 exist. */
function requireWorkchain(text: string, workchain: number): void {
  if (workchain !== 0 && workchain !== -1) {
    throw problem(text, `there is no workchain ${workchain}`)
  }
}

const maxShown = 80

function problem(text: string, why: string): AddressError {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
  return new AddressError(shown, why)
}
