import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { AppContext } from '../app/context.ts'
import type { InvoiceStore } from './store/invoice-store.ts'

export type InvoicesContext = AppContext & { readonly store: InvoiceStore }

export type GatewayAccess = Pick<
  AppContext['access'],
  'invoices' | 'query' | 'interest' | 'info' | 'current'
>

export type LabelsOf = AppContext['labelsOf']

/** The application's ids that the user entered; null if missing. */
export type ApplicationIds = (network: NetworkId) => {
  readonly appId: string | null
  readonly projectId: string | null
}
