import { create } from 'zustand'
import type { ExportFile } from '../../../src-preload/contract/lookup.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { formatBytes } from '../../ui/format.ts'
import { saveBytes } from '../../app/save-bytes.ts'
import { announce } from '../../ui/live-region.tsx'
import { showToast } from '../../ui/toast.tsx'
import { bytesFromBase64 } from '../body/bytes.ts'

type Exporting = {
  /** "CSV". */
  readonly format: string
  readonly done: number
  /** Null while the file is being made. */
  readonly of: number | null
}

/** One at a time. */
export const useExport = create<{ now: Exporting | null }>(() => ({ now: null }))

/** Grows with each export and when one is cancelled: an older one then stops at its next piece. */
let run = 0

/** Has a file made and saves it; one of any size comes in pieces. False when it is not saved. */
export async function saveExport(
  format: string,
  make: () => Promise<ExportFile>,
): Promise<boolean> {
  if (useExport.getState().now !== null) return false
  run += 1
  const mine = run
  const isWanted = () => mine === run
  useExport.setState({ now: { format, done: 0, of: null } })
  announce('Exporting')
  const isSaved = await attempt('Could not export', async () =>
    fetchFile(format, await make(), isWanted),
  )
  if (isWanted()) useExport.setState({ now: null })
  return isSaved === true
}

export function cancelExport(): void {
  run += 1
  useExport.setState({ now: null })
  announce('Export cancelled')
}

async function fetchFile(
  format: string,
  file: ExportFile,
  isWanted: () => boolean,
): Promise<boolean> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let offset: number | null = 0; offset !== null && isWanted();) {
    useExport.setState({ now: { format, done: offset, of: file.bytes } })
    const piece: Output<'export.read'> = await request('export.read', { id: file.id, offset })
    parts.push(bytesFromBase64(piece.base64))
    offset = piece.next
  }
  if (!isWanted()) return false
  saveBytes(parts, file.name)
  showToast({ title: `${file.name} saved`, detail: formatBytes(file.bytes) })
  return true
}
