/** Types that the modules of this room share. */
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

/** Records invoices. Everything is on disk and reconciled when a call returns. */
export type Ledger = {
  find(network: NetworkId, id: string): StoredInvoice | null
  /** @throws AppError INVOICE_UNKNOWN */
  get(network: NetworkId, id: string): StoredInvoice
  /**
   * Records a response of the gateway: rows and events, in one transaction. A response that is older than
   * the row (by its date_change) changes nothing.
   * @param askedAt when the request was made, by this computer: orders responses of the same date_change
   */
  record(
    network: NetworkId,
    entries: readonly InvoiceEntry[],
    source: InvoiceSource,
    askedAt?: number,
  ): void
  /**
   * Requests one invoice and records it; null when the gateway does not have it.
   * @throws AppError as the client does
   */
  fetch(
    network: NetworkId,
    id: string,
    source: InvoiceSource,
    asking?: Asking,
  ): Promise<StoredInvoice | null>
  /** Adds a line to the invoice's history. */
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
  /** Emits that these rows have changed; null: many. */
  tell(network: NetworkId, ids: readonly string[] | null): void
}

/** What payments on the chain make of invoices. */
export type Reconciler = {
  /**
   * Called within the transaction that has written these rows: looks for their payments, writes
   * received, paid_at and what needs a decision. Rows that only a delivery has told of (confirmedAt null)
   * are never among them, and must be matched to nothing: anybody could have sent them, and they may go.
   * What deliveries told that the gateway says otherwise: store.reports.withOutcome(…, 'differs').
   */
  reconcile(network: NetworkId, keys: readonly number[]): void
  /** Of one invoice, oldest first. */
  payments(invoice: StoredInvoice): Payment[]
  /** Payments that name these invoices and count for none, by the invoices' keys. */
  uncounted(
    network: NetworkId,
    invoices: readonly StoredInvoice[],
  ): ReadonlyMap<number, readonly StoredPayment[]>
  /** Of no invoice, but they name this one, or are exactly its amount in its time at its address. */
  unlinked(invoice: StoredInvoice): Payment[]
  advise(invoice: StoredInvoice): Advice
  /** False while its address was not read so far: `received` says nothing then. Costs nothing. */
  isRead(invoice: Pick<StoredInvoice, 'network' | 'payTo' | 'createdAt'>): boolean
}

/** Reads the addresses that invoices name. */
export type ChainWatcher = {
  /**
   * Reads new transactions of all addresses and links their payments.
   * @throws AppError as the query client does; the signal's reason
   */
  read(network: NetworkId, signal: AbortSignal): Promise<void>
  /**
   * Reads these accounts (raw) soon, in the background; accounts of no invoice are ignored. The reconciler
   * calls this where the gateway says more than the chain.
   */
  nudge(network: NetworkId, accounts: readonly string[]): void
  state(network: NetworkId): InvoiceSync['chain']
  forget(network: NetworkId): Promise<void>
}

/** The application's ids as the user entered them; null where missing. */
export type ApplicationIds = (network: NetworkId) => {
  readonly appId: string | null
  readonly projectId: string | null
}

/** What a job that issues or cancels needs of the room. */
export type InvoiceWorkDeps = {
  readonly access: Pick<GatewayAccess, 'invoices'>
  readonly ledger: Pick<Ledger, 'find' | 'record' | 'fetch' | 'addEvent'>
  readonly items: InvoiceJobItems
  readonly ids: ApplicationIds
  readonly now: () => number
}

export type ClosingSpan = {
  readonly network: NetworkId
  /** Milliseconds; `from` is included, `to` is not. */
  readonly from: number
  readonly to: number
  /** IANA name; for the words only. */
  readonly zone: string
}

/** The close of a period: invoices against the chain. Reads in slices, so that nothing waits for it. */
export type ClosingReader = {
  /** @throws the signal's reason */
  read(span: ClosingSpan, signal?: AbortSignal): Promise<Closing>
  page(
    span: ClosingSpan,
    page: { readonly onlyDifferences: boolean; readonly offset: number; readonly limit: number },
  ): Promise<{ total: number; rows: ClosingRow[] }>
  /** Differences first, then by time, in batches; all of them unless there is a limit. */
  rows(span: ClosingSpan, limit?: number): AsyncIterable<ClosingRow[]>
}
