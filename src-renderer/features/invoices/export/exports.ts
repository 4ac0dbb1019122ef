/** Exports of invoices since the app was started. */
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { InvoiceExport } from '../../../../src-preload/contract/invoice-export.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, onReconnect, request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { createExportRuns } from '../../../components/files/export-runs.ts'
import { isDialogOpen } from './dialog-state.ts'

export const invoiceExports = createExportRuns<InvoiceExport>({
  what: 'invoices',
  cancel: (id) => request('invoiceExport.cancel', { id }),
  isWaitedFor: isDialogOpen,
  sayCount: ({ rows }) => formatCount(rows, 'row'),
})

let isFollowing = false

/** From the first time that exports are shown on; never stopped, for they outlive their page. */
export function followExports(): void {
  if (isFollowing) return
  isFollowing = true
  on('invoiceExport.changed', ({ exports }) => invoiceExports.take(exports))
}

export async function listExports(network: NetworkId): Promise<void> {
  invoiceExports.take(await request('invoiceExport.list', { network }))
}

/** @throws AppError as the route does */
export async function startExport(order: Input<'invoiceExport.start'>): Promise<void> {
  invoiceExports.started(await request('invoiceExport.start', order))
}

export function reloadAfterLoss(network: NetworkId): () => void {
  return onReconnect(() => void attempt('Could not list the exports', () => listExports(network)))
}
