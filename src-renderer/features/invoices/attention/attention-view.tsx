import type { Network } from '../../../../src-preload/contract/index.ts'

export function AttentionView({ network }: { network: Network }) {
  return <p>{network.name}</p>
}
