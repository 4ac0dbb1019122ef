import type { NetworkId } from '../../src-preload/contract/network.ts'
import { createSteps } from '../jobs/steps.ts'

export type InvoiceLife = ReturnType<typeof createInvoiceLife>

/** The steps in the life of an invoice, in order. */
type InvoiceSteps = {
  /**
   * A delivery reports the invoice. Anyone can send deliveries, so the invoice must be requested
   * from the gateway.
   */
  request: { readonly network: NetworkId; readonly id: string }
  /** In the transaction that wrote the rows, payments are linked to them and discrepancies are found. */
  reconcile: { readonly network: NetworkId; readonly keys: readonly number[] }
  /** The gateway reports more than was read from the chain, so these addresses are read soon. */
  readChain: { readonly network: NetworkId; readonly accounts: readonly string[] }
  /** Lists that show the invoices load them again. */
  notify: { readonly network: NetworkId; readonly ids: readonly string[] }
}

/** A step that fails throws, because its error must undo the transaction around it. */
export const createInvoiceLife = () =>
  createSteps<InvoiceSteps>((_, error) => {
    throw error
  })
