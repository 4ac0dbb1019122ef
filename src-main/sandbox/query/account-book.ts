import { walletVersionOf } from '../../ton/wallet.ts'
import type { Chain } from '../chain/chain.ts'
import { codeHashOf } from './account-state.ts'

export type NamedAccount = {
  /** `0:<64 hex>` */
  readonly address: string
  readonly name: string
}

/** What an address is shown with wherever it appears; AccountAddress of the service. */
type DescribedAccount = {
  readonly address: string
  readonly name?: string
  readonly is_scam: boolean
  readonly is_wallet: boolean
}

/** Remembers what it has told: for one answer, during which the chain stands still. */
export type AccountBook = {
  describe(address: string): DescribedAccount
  isWallet(address: string): boolean
}

export function createAccountBook(chain: Chain, names: ReadonlyMap<string, string>): AccountBook {
  const known = new Map<string, DescribedAccount>()

  function describe(address: string): DescribedAccount {
    const before = known.get(address)
    if (before !== undefined) return before
    const codeHash = codeHashOf(chain.account(address))
    const name = names.get(address)
    const described = {
      address,
      ...(name === undefined ? {} : { name }),
      is_scam: false,
      is_wallet: codeHash !== null && walletVersionOf(codeHash) !== null,
    }
    known.set(address, described)
    return described
  }

  return { describe, isWallet: (address) => describe(address).is_wallet }
}
