import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceReader } from '../store/invoice-reader.ts'
import type { GatewayAccess, Ledger } from '../parts.ts'
import { readFilter } from './read-filter.ts'

type ListRouteDeps = {
  readonly access: Pick<GatewayAccess, 'info'>
  readonly reader: Pick<InvoiceReader, 'ask'>
  readonly ledger: Pick<Ledger, 'view'>
}

/** Pages of the list, read beside the main thread. */
export function createListRoutes(deps: ListRouteDeps): Pick<Handlers, 'invoice.page'> {
  return {
    async 'invoice.page'({ network, filter, sort, offset, limit }) {
      deps.access.info(network)
      const asked = { network, filter: readFilter(filter), sort, offset, limit }
      const { total, invoices } = await deps.reader.ask('page', asked)
      return { total, invoices: deps.ledger.view(network, invoices) }
    },
  }
}
