import type { Network } from '../../../../src-preload/contract/index.ts'

export function ListView({ network }: { network: Network }) {
  return <p>{network.name}</p>
}
