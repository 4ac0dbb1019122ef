import type { AccountRef } from '../../src-preload/contract/index.ts'
import type { AccountAddress } from '../gateway/query-answers.ts'

/** A person's own names by address. */
export type LabelNames = ReadonlyMap<string, string>

export function accountRef(account: AccountAddress, labels: LabelNames): AccountRef {
  return {
    address: account.address,
    name: account.name ?? null,
    label: labels.get(account.address) ?? null,
    isScam: account.is_scam,
    isWallet: account.is_wallet,
  }
}
