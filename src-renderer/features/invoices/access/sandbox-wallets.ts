import type { SandboxWallet } from '../../../../src-preload/contract/sandbox.ts'
import { request } from '../../../app/bridge.ts'
import { createResource } from '../../../app/resource.ts'

/** The play wallets of the network that invoices belong to. */
export const sandboxWallets = createResource<SandboxWallet[]>(
  async () => (await request('sandbox.chain', { network: 'mainnet' })).wallets,
)
