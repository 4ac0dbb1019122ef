import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import { shorten } from '../ui/format.ts'
import { friendlyAddress } from './friendly-address.ts'
import { useResource, valueOf } from '../app/resource.ts'
import { useLabelOf } from '../app/account-labels.ts'
import { type AddressForm, useAddressForm } from './address.tsx'
import { networks } from '../app/networks.ts'

/** In the form that was chosen; raw where nothing tells which network's it would be. */
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

/** What the account of a capture is called: by the person's own name, else by its address. */
export function useAccountName(capture: {
  readonly network: NetworkId | null
  readonly account: string | null
}): string | null {
  const label = useLabelOf(capture)
  const form = useAddressForm((state) => state.form)
  const known = valueOf(useResource(networks))?.networks ?? []
  const network = known.find(({ id }) => id === capture.network) ?? null
  return label ?? (capture.account === null ? null : shortAccount(capture.account, network, form))
}
