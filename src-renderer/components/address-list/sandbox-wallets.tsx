import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { Button } from '../../ui/button.tsx'
import type { AddressList } from './address-list.ts'

/** A newcomer has no addresses at hand. */
export function SandboxWallets({ list, network }: { list: AddressList; network: Network }) {
  if (network.kind !== 'sandbox') return null
  const type = async () => {
    const chain = await attempt('Could not list the wallets', () =>
      request('sandbox.chain', { network: 'mainnet' }),
    )
    if (chain !== undefined) {
      list.feed.type(chain.wallets.map(({ address }) => address).join('\n'))
    }
  }
  return <Button onClick={() => void type()}>Try it with the sandbox’s wallets</Button>
}
