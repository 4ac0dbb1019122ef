import type { InvoiceAccess } from '../../../../src-preload/contract/invoice-access.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { on, request } from '../../../app/bridge.ts'
import { type Resource, createResource } from '../../../app/resource.ts'

const known = new Map<NetworkId, Resource<InvoiceAccess>>()

/** How far a network's access to invoices has come. Asking for it asks the gateway. */
export function invoiceAccessOf(network: NetworkId): Resource<InvoiceAccess> {
  const access =
    known.get(network) ?? createResource(() => request('invoiceAccess.read', { network }))
  known.set(network, access)
  return access
}

export function startInvoiceAccess(): () => void {
  const again = (network: NetworkId) => {
    const access = known.get(network)
    // What nobody has looked at needs no request.
    if (access !== undefined && access.store.getState().status !== 'idle') void access.reload()
  }
  return on('invoiceAccess.changed', ({ network }) => again(network))
}
