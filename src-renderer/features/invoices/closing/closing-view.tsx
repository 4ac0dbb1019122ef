import type { Network } from '../../../../src-preload/contract/index.ts'

export function ClosingView({ network }: { network: Network }) {
  return <p>{network.name}</p>
}
