import type { Network } from '../../../../src-preload/contract/index.ts'

export function CreateDialog({ network }: { network: Network }) {
  return <p>{network.name}</p>
}
