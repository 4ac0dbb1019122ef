import type { AccountRef } from '../../src-preload/contract/chain.ts'
import type { AccountAddress, TransactionAnswer } from '../gateway/query-answers.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { AddressError, parseAddress } from '../ton/address.ts'

/** Names an account in passing: by what the gateway said of it, by the person's own label. */
export type Naming = (account: AccountAddress | string) => AccountRef

/** The person's names by raw address, of those that have one. */
export type LabelsOf = (addresses: readonly string[]) => ReadonlyMap<string, string>

/**
 * @param known accounts of an answer, any number of times each
 * @param others addresses that will be asked for besides, such as those in message bodies
 */
export function createNaming(
  known: Iterable<AccountAddress>,
  others: Iterable<string>,
  labelsOf: LabelsOf,
): Naming {
  const accounts = new Map<string, AccountAddress>()
  for (const account of known) {
    // Only some mentions of an account carry its name.
    if (!accounts.get(account.address)?.name) accounts.set(account.address, account)
  }
  const labels = labelsOf([...new Set([...accounts.keys(), ...others])])
  return (account) => {
    const address = typeof account === 'string' ? account : account.address
    const told = accounts.get(address) ?? (typeof account === 'string' ? undefined : account)
    return {
      address,
      name: told?.name ?? null,
      label: labels.get(address) ?? null,
      isScam: told?.is_scam ?? false,
      isWallet: told?.is_wallet ?? false,
    }
  }
}

/** Every account a transaction speaks of. */
export function* accountsOf(transaction: TransactionAnswer): Generator<AccountAddress> {
  yield transaction.account
  const { in_msg: incoming, out_msgs: outgoing } = transaction
  for (const message of incoming ? [incoming, ...outgoing] : outgoing) {
    if (message.source) yield message.source
    if (message.destination) yield message.destination
  }
}

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
