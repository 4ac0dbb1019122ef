import type { AppContext } from '../app/context.ts'
import type {
  Advice,
  Invoice,
  InvoiceSource,
  InvoiceSync,
} from '../../src-preload/contract/invoice.ts'
import type { Closing, ClosingRow } from '../../src-preload/contract/matter.ts'
import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import type { Payment } from '../../src-preload/contract/payment.ts'
import type { InvoiceEntry } from '../gateway/invoice-answers.ts'
import type { Asking } from '../gateway/query.ts'
import type { InvoiceJobItems } from './store/invoice-jobs.ts'
import type { StoredPayment } from './store/payments.ts'
import type { StoredInvoice } from './store/stored-invoice.ts'

export type GatewayAccess = Pick<
  AppContext['access'],
  'invoices' | 'query' | 'interest' | 'info' | 'current'
>

export type Networks = () => readonly Network[]

export type LabelsOf = AppContext['labelsOf']

/** Everything is on disk and reconciled when a call returns. */
export type Ledger = {
  find(network: NetworkId, id: string): StoredInvoice | null
  /** @throws AppError INVOICE_UNKNOWN */
  get(network: NetworkId, id: string): StoredInvoice
  /**
   * Records a response in one transaction; one that is older than the row (by its date_change) changes
   * nothing. `askedAt`, this computer's time of the request, orders responses of the same date_change.
   */
  record(
    network: NetworkId,
    entries: readonly InvoiceEntry[],
    source: InvoiceSource,
    askedAt?: number,
  ): void
  /**
   * Null when the gateway does not have the invoice.
   * @throws AppError as the client does
   */
  fetch(
    network: NetworkId,
    id: string,
    source: InvoiceSource,
    asking?: Asking,
  ): Promise<StoredInvoice | null>
  addEvent(
    key: number,
    event: {
      readonly at: number
      readonly source: InvoiceSource
      readonly kind:
        'cancel-asked' | 'handled' | 'reopened' | 'note' | 'linked' | 'unlinked' | 'payment'
      readonly detail: Readonly<Record<string, string | number | null>>
      readonly transaction?: string
    },
  ): void
  view(network: NetworkId, invoices: readonly StoredInvoice[]): Invoice[]
  /** Emits changes of these rows; null means many. */
  tell(network: NetworkId, ids: readonly string[] | null): void
}

export type Reconciler = {
  /**
   * Links payments to these rows and writes `received`, `paidAt` and discrepancies, within the transaction
   * that wrote the rows. Rows that only a delivery reported (confirmedAt null) must match nothing, because
   * anybody could have sent them.
   */
  reconcile(network: NetworkId, keys: readonly number[]): void
  payments(invoice: StoredInvoice): Payment[]
  uncounted(
    network: NetworkId,
    invoices: readonly StoredInvoice[],
  ): ReadonlyMap<number, readonly StoredPayment[]>
  unlinked(invoice: StoredInvoice): Payment[]
  advise(invoice: StoredInvoice): Advice
  /** False until the invoice's address was read; until then `received` has no meaning. Cheap. */
  isRead(invoice: Pick<StoredInvoice, 'network' | 'payTo' | 'createdAt'>): boolean
}

export type ChainWatcher = {
  /** @throws AppError as the query client does; the signal's reason */
  read(network: NetworkId, signal: AbortSignal): Promise<void>
  /** Reads these raw addresses soon, in the background; ignores accounts without invoices. */
  nudge(network: NetworkId, accounts: readonly string[]): void
  state(network: NetworkId): InvoiceSync['chain']
  forget(network: NetworkId): Promise<void>
}

/** The application's ids as the user entered them; null where missing. */
export type ApplicationIds = (network: NetworkId) => {
  readonly appId: string | null
  readonly projectId: string | null
}

export type InvoiceWorkDeps = {
  readonly access: Pick<GatewayAccess, 'invoices'>
  readonly ledger: Pick<Ledger, 'find' | 'record' | 'fetch' | 'addEvent'>
  readonly items: InvoiceJobItems
  readonly ids: ApplicationIds
  readonly now: () => number
}

export type ClosingSpan = {
  readonly network: NetworkId
  /** Milliseconds; `from` is inclusive, `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly zone: string
}

/** Reconciles a period in slices, so that it never blocks the event loop. */
export type ClosingReader = {
  /** @throws the signal's reason */
  read(span: ClosingSpan, signal?: AbortSignal): Promise<Closing>
  page(
    span: ClosingSpan,
    page: { readonly onlyDifferences: boolean; readonly offset: number; readonly limit: number },
  ): Promise<{ total: number; rows: ClosingRow[] }>
  rows(span: ClosingSpan, limit?: number): AsyncIterable<ClosingRow[]>
}
