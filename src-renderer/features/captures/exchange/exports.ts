/** Exports of captures since the app was started. */
import type { CaptureExport } from '../../../../src-preload/contract/exchange.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, onReconnect, request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { createExportRuns } from '../../../components/files/export-runs.ts'
import { isExportOpen } from './export-dialog-state.ts'

export const captureExports = createExportRuns<CaptureExport>({
  what: 'captures',
  cancel: (id) => request('exchange.cancelExport', { id }),
  isWaitedFor: isExportOpen,
  sayCount: ({ captures }) => formatCount(captures, 'capture'),
})

let isFollowing = false

/** From the first time that the dialog is there on; never stopped, for they outlive their page. */
export function followExports(): void {
  if (isFollowing) return
  isFollowing = true
  on('exchange.exportChanged', ({ exports }) => captureExports.take(exports))
  const list = () =>
    void attempt('Could not list the exports', async () =>
      captureExports.take(await request('exchange.exports')),
    )
  onReconnect(list)
  list()
}

/** @throws AppError as the route does */
export async function startExport(order: Input<'exchange.export'>): Promise<void> {
  captureExports.started(await request('exchange.export', order))
}
