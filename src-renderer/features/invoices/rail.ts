import type { Output } from '../../../src-preload/contract/routes.ts'
import { type Resource, createResource, useResource, valueOf } from '../../app/resource.ts'
import { useCurrentNetwork } from '../../app/networks.ts'
import { invoiceCounts } from './invoices.ts'

type Counts = Output<'invoice.counts'>

const noCounts = createResource<Counts | null>(() => Promise.resolve(null))

/** What needs a decision on the network that is chosen. */
export function useOpenMatters(): number {
  const network = useCurrentNetwork()
  const counts: Resource<Counts | null> = network === null ? noCounts : invoiceCounts(network.id)
  return valueOf(useResource(counts))?.matters ?? 0
}
