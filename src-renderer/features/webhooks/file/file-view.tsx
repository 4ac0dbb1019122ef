import type { Network } from '../../../../src-preload/contract/index.ts'

/** Subscriptions as a file: plan, apply, undo. */
export function FileView({ network }: { network: Network }) {
  return <p>{network.name}</p>
}
