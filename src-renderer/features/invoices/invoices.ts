import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { on, request } from '../../app/bridge.ts'
import { type Resource, createResource } from '../../app/resource.ts'

type Counts = Output<'invoice.counts'>

const counts = new Map<NetworkId, Resource<Counts>>()
const syncs = new Map<NetworkId, Resource<InvoiceSync>>()

/** How many there are of a network's ledger, by state, and how many need a decision. */
export function invoiceCounts(network: NetworkId): Resource<Counts> {
  const known = counts.get(network) ?? createResource(() => request('invoice.counts', { network }))
  counts.set(network, known)
  return known
}

/** How well its ledger agrees with gateway and chain. */
export function invoiceSyncOf(network: NetworkId): Resource<InvoiceSync> {
  const known =
    syncs.get(network) ?? createResource(() => request('invoiceSync.state', { network }))
  syncs.set(network, known)
  return known
}

export function startInvoices(): () => void {
  const stops = [
    on('invoice.changed', ({ network }) => void counts.get(network)?.reload()),
    on('matter.changed', ({ network }) => void counts.get(network)?.reload()),
    on('invoiceSync.changed', (state) => syncs.get(state.network)?.set(state)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
