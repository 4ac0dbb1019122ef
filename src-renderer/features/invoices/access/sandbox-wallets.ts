import type { SandboxWallet } from '../../../../src-preload/contract/sandbox.ts'
import { request } from '../../../bridge.ts'
import { createResource } from '../../../resource.ts'

/** The play wallets of the network that invoices belong to. */
export const sandboxWallets = createResource<SandboxWallet[]>(
  async () => (await request('sandbox.chain', { network: 'mainnet' })).wallets,
)
