import { codeHashOf } from './account-state.ts'
import type { JettonWallet } from './contracts.ts'
import type { QueryDeps } from './query-deps.ts'

type Deps = Pick<QueryDeps, 'chain' | 'contracts'>

/** Raw addresses of all jetton masters of the chain, found by their code. */
export async function jettonMasters({ chain, contracts }: Deps): Promise<string[]> {
  const masters: string[] = []
  for (const codeHash of chain.codeHashes()) {
    if (!(await contracts.isJettonMasterCode(codeHash))) continue
    masters.push(...chain.accountsByCode(codeHash))
  }
  return masters
}

export type OwnedJetton = { readonly address: string; readonly wallet: JettonWallet }

/** Jetton wallets of an owner that are deployed, by the order of their masters. */
export async function ownedJettons(owner: string, deps: Deps): Promise<OwnedJetton[]> {
  const owned: OwnedJetton[] = []
  for (const master of await jettonMasters(deps)) {
    const found = await ownedJetton(owner, master, deps)
    if (found !== null) owned.push(found)
  }
  return owned
}

/** Null where the owner has no wallet of this jetton. */
export async function ownedJetton(
  owner: string,
  master: string,
  { chain, contracts }: Deps,
): Promise<OwnedJetton | null> {
  const address = await contracts.walletAddress(master, owner)
  if (address === null || codeHashOf(chain.account(address)) === null) return null
  const wallet = await contracts.jettonWallet(address)
  return wallet?.master === master && wallet.owner === owner ? { address, wallet } : null
}
