import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { AddressError, parseAddress } from '../ton/address.ts'

type AddressInput =
  | { readonly address: string; readonly reason: null }
  | { readonly address: null; readonly reason: string }

/**
 * Raw form of an address as somebody gave it, or why it cannot be meant on this network. An
 * address without the test-only flag is good on every network (TEP-2).
 */
export function readAddressInput(text: string, testOnly: boolean): AddressInput {
  try {
    const { raw, isTestOnly } = parseAddress(text)
    if (isTestOnly && !testOnly) return { address: null, reason: ofTestNetworks }
    return { address: raw, reason: null }
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    return { address: null, reason: `This is no address: ${error.why}.` }
  }
}

const ofTestNetworks =
  'This address is marked as one of test networks only. If the same account is meant on this ' +
  'network, give it without the mark or in raw form.'

/** @throws AppError CHAIN_BAD_ADDRESS */
export function requireAddress(text: string, testOnly: boolean): string {
  const { address, reason } = readAddressInput(text, testOnly)
  if (address === null) throw new AppError(chainCodes.badAddress, reason)
  return address
}
