/** The invoice desk: a ledger that agrees with gateway and chain, and what is done with it. */
import type {
  EventName,
  Events,
  Handlers,
  NetworkId,
  Settings,
} from '../../src-preload/contract/index.ts'
import type { ExportFiles } from '../files/export-files.ts'
import type { InvoiceStore } from '../store/invoices/invoice-store.ts'
import { createLedger } from './ledger/ledger.ts'
import type { GatewayAccess, LabelsOf, Networks } from './parts.ts'

export type InvoicesDeps = {
  readonly access: GatewayAccess
  readonly networks: Networks
  readonly store: InvoiceStore
  readonly settings: () => Settings
  /** Where the receiver is or, while it does not listen, would be posted to. */
  readonly receiverUrl: () => string
  readonly labelsOf: LabelsOf
  readonly files: ExportFiles
  /** By the clock that dates the network's blocks: the sandbox's may have been turned. */
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
  readonly now: () => number
  /** Rejects when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
}

type Domain =
  | 'invoice'
  | 'invoiceView'
  | 'invoiceSync'
  | 'invoiceAccess'
  | 'invoiceIssue'
  | 'invoiceCancel'
  | 'invoiceJob'
  | 'invoiceStats'
  | 'invoiceExport'
  | 'payment'
  | 'matter'
  | 'refund'
  | 'closing'

export type Invoices = {
  readonly handlers: Partial<Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>>>
  /** Goes on with what ran when the app ended, and begins to listen and to follow. Not for a command. */
  start(): void
  /** Deliveries up to this capture are classified: some may tell of invoices. */
  classified(upTo: number): void
  /** The network is gone, or another gateway's: nothing of its invoices stays. */
  forget(network: NetworkId): Promise<void>
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

export function createInvoices(deps: InvoicesDeps): Invoices {
  const ledger = createLedger({
    ...deps,
    // M2 puts its own here.
    judge: { judge: () => undefined, isRead: () => false },
    onChanged: (network, ids) => deps.emit('invoice.changed', { network, ids }),
  })
  return {
    handlers: {},
    start: () => undefined,
    classified: () => undefined,
    forget: () => Promise.resolve(),
    stop() {
      ledger.stop()
      return Promise.resolve()
    },
  }
}
