import type { Network } from '../../src-preload/contract/network.ts'
import { shorten } from '../ui/format.ts'
import type { AddressForm } from './address.tsx'
import { friendlyAddress } from './friendly-address.ts'

/** The short address in the chosen form; raw where the network is unknown. */
export function shortAccount(
  account: string,
  network: Pick<Network, 'testOnly'> | null,
  form: AddressForm,
): string {
  const friendly =
    form === 'raw' || network === null
      ? null
      : friendlyAddress(account, { bounceable: true, testOnly: network.testOnly })
  return shorten(friendly ?? account)
}
