import { type ReactNode, createContext, useContext } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'

const Shown = createContext<Network | null>(null)

/** What stands inside belongs to this network: its links lead there, its addresses are in its form. */
export function OfNetwork({ network, children }: { network: Network; children: ReactNode }) {
  return <Shown value={network}>{children}</Shown>
}

/** The network of what is shown here. */
export function useShownNetwork(): Network {
  const network = useContext(Shown)
  if (network === null) throw new Error('It stands outside of <OfNetwork>.')
  return network
}
