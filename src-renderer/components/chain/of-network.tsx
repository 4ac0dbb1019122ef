import { type ReactNode, createContext, useContext } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'

const Shown = createContext<Network | null>(null)

/** Links and addresses inside belong to this network. */
export function OfNetwork({ network, children }: { network: Network; children: ReactNode }) {
  return <Shown value={network}>{children}</Shown>
}

/** The network of what is shown here: the one that is passed, else that of `OfNetwork`. */
export function useShownNetwork(passed?: Network): Network {
  const around = useContext(Shown)
  const network = passed ?? around
  if (network === null) throw new Error('There is no <OfNetwork> around this component.')
  return network
}
