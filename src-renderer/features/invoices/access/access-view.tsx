import type { Network } from '../../../../src-preload/contract/index.ts'

export function AccessView({ network }: { network: Network }) {
  return <p>{network.name}</p>
}
