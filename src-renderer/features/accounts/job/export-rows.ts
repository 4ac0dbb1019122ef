import { create } from 'zustand'
import type { ExportFormat, LookupJob } from '../../../../src-preload/contract/index.ts'
import { attempt } from '../../../attempt.ts'
import { request } from '../../../bridge.ts'
import { formatBytes } from '../../../format.ts'
import { saveBytes } from '../../../save-bytes.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { bytesFromBase64 } from '../../inspector/body/bytes.ts'
import { useRows } from './rows.ts'

type Exporting = {
  readonly jobId: number
  readonly format: ExportFormat
  readonly done: number
  /** Null while the file is being made. */
  readonly of: number | null
}

/** One at a time. */
export const useExport = create<{ now: Exporting | null }>(() => ({ now: null }))

/** Exports what is shown, in its order; a file of any size comes in pieces. */
export async function exportRows(job: LookupJob, format: ExportFormat): Promise<void> {
  if (useExport.getState().now !== null) return
  const begun: Exporting = { jobId: job.id, format, done: 0, of: null }
  useExport.setState({ now: begun })
  announce('Exporting')
  await attempt('Could not export', () => exportFile(begun))
  useExport.setState({ now: null })
}

export function cancelExport(): void {
  useExport.setState({ now: null })
  announce('Export cancelled')
}

async function exportFile(begun: Exporting): Promise<void> {
  const { filter, sort } = useRows.getState()
  const { format, jobId } = begun
  const file = await request('lookup.export', { id: jobId, format, filter, sort })
  const parts: Uint8Array<ArrayBuffer>[] = []
  let now: Exporting = begun
  for (let offset: number | null = 0; offset !== null;) {
    // Cancelled, perhaps begun anew.
    if (useExport.getState().now !== now) return
    now = { ...begun, done: offset, of: file.bytes }
    useExport.setState({ now })
    const piece: { base64: string; next: number | null } = await request('export.read', {
      id: file.id,
      offset,
    })
    parts.push(bytesFromBase64(piece.base64))
    offset = piece.next
  }
  if (useExport.getState().now !== now) return
  saveBytes(parts, file.name)
  showToast({ title: `${file.name} saved`, detail: formatBytes(file.bytes) })
}
