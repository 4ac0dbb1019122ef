import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { AppContext } from '../app/context.ts'
import type { AccountRef } from '../../src-preload/contract/chain/references.ts'
import type { AccountAddress, TransactionResponse } from '../gateway/query-responses.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { readAddress, whyNoAddress } from '../ton/address.ts'

export type Naming = (account: AccountAddress | string) => AccountRef

export type LabelsOf = (addresses: readonly string[]) => ReadonlyMap<string, string>

/**
 * @param mentioned accounts of a response, possibly repeated
 * @param others further addresses to name, such as those in message bodies
 */
export function createNamer(
  mentioned: Iterable<AccountAddress>,
  others: Iterable<string>,
  labelsOf: LabelsOf,
): Naming {
  const accounts = new Map<string, AccountAddress>()
  for (const account of mentioned) {
    // The same account may be listed with and without its name.
    if (!accounts.get(account.address)?.name) accounts.set(account.address, account)
  }
  const labels = labelsOf([...new Set([...accounts.keys(), ...others])])
  return (account) => {
    const address = typeof account === 'string' ? account : account.address
    const mention = accounts.get(address) ?? (typeof account === 'string' ? undefined : account)
    return {
      address,
      name: mention?.name ?? null,
      label: labels.get(address) ?? null,
      isScam: mention?.is_scam ?? false,
      isWallet: mention?.is_wallet ?? false,
    }
  }
}

/** Names the accounts in a response by the gateway's names and the network's labels. */
export function nameMentioned(
  { labelsOf }: Pick<AppContext, 'labelsOf'>,
  network: NetworkId,
  mentioned: readonly (AccountAddress | null | undefined)[],
): Naming {
  const accounts = mentioned.flatMap((each) => each ?? [])
  return createNamer(accounts, [], (addresses) => labelsOf(network, addresses))
}

export function* accountsOf(transaction: TransactionResponse): Generator<AccountAddress> {
  yield transaction.account
  const { in_msg: incoming, out_msgs: outgoing } = transaction
  for (const message of incoming ? [incoming, ...outgoing] : outgoing) {
    if (message.source) yield message.source
    if (message.destination) yield message.destination
  }
}

/** An address without the test-only flag is valid on every network (TEP-2). */
export function readAddressInput(text: string, testOnly: boolean) {
  const parsed = readAddress(text)
  if (parsed === null) {
    return { address: null, reason: `Not a valid address: ${whyNoAddress(text) ?? ''}.` }
  }
  if (parsed.isTestOnly && !testOnly) return { address: null, reason: ofTestNetworks }
  return { address: parsed.raw, reason: null }
}

const ofTestNetworks =
  'This address is for test networks only. For the same account on this network, enter the address in raw form or in its Mainnet form.'

/** An address, a label, or the name of a wallet of the sandbox. @throws AppError CHAIN_BAD_ADDRESS */
export async function requireAccount(
  { access, accountsNamed }: Pick<AppContext, 'access' | 'accountsNamed'>,
  network: NetworkId,
  text: string,
  testOnly = access.info(network).testOnly,
): Promise<string> {
  if (readAddress(text) !== null) return requireAddress(text, testOnly)
  const named = (await accountsNamed(network))(text)
  if (named !== null) return requireAddress(named ?? text, testOnly)
  const message = `Several accounts have the name “${text}”. Enter the address instead.`
  throw new AppError(chainCodes.badAddress, message)
}

export function requireAddress(text: string, testOnly: boolean): string {
  const { address, reason } = readAddressInput(text, testOnly)
  if (address === null) throw new AppError(chainCodes.badAddress, reason)
  return address
}
