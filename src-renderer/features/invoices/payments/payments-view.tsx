import type { Network } from '../../../../src-preload/contract/index.ts'

export function PaymentsView({ network }: { network: Network }) {
  return <p>{network.name}</p>
}
