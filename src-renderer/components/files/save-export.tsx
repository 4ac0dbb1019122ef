import { create } from 'zustand'
import type { ExportFile } from '../../../src-preload/contract/lookup.ts'
import type { FilePurpose } from '../../../src-preload/domain/opened-files.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { attempt, request } from '../../app/bridge.ts'
import { hasSystemDialogs } from '../../app/opened-files.ts'
import { saveBytes } from '../../app/save-bytes.ts'
import { Button, type MenuItem, Menu } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Kbd, Row, Small } from '../../ui/layout.tsx'
import { announce, showToast } from '../../ui/toast.tsx'
import { Progress } from '../../ui/loaded.tsx'
import { bytesFromBase64 } from '../body/bytes.ts'

type Exporting = {
  /** The format, such as "CSV". */
  readonly format: string
  readonly done: number
  /** The size of the file; null while the main process writes the file. */
  readonly of: number | null
}

/** Only one export is saved at a time. */
export const useExport = create<{ now: Exporting | null }>(() => ({ now: null }))

/** Increases with each export and each cancellation; an older export then stops at its next piece. */
let run = 0

/**
 * Lets the main process write a file and saves it: by the system's dialog, which opens in the folder of
 * the last file for this purpose, or as a download of the browser. Resolves with whether it was saved.
 */
export async function saveExport(
  format: string,
  purpose: FilePurpose,
  make: () => Promise<ExportFile>,
): Promise<boolean> {
  if (useExport.getState().now !== null) return false
  run += 1
  const mine = run
  const isWanted = () => mine === run
  useExport.setState({ now: { format, done: 0, of: null } })
  announce('Exporting')
  const save = hasSystemDialogs() ? saveByDialog : fetchFile
  const isSaved = await attempt('Could not export', async () =>
    save(await make(), isWanted, { format, purpose }),
  )
  if (isWanted()) useExport.setState({ now: null })
  return isSaved === true
}

function cancelExport(): void {
  run += 1
  useExport.setState({ now: null })
  announce('Export cancelled')
}

type SaveOptions = { readonly format: string; readonly purpose: FilePurpose }

async function saveByDialog(
  { id, bytes }: ExportFile,
  isWanted: () => boolean,
  { purpose }: SaveOptions,
): Promise<boolean> {
  if (!isWanted()) return false
  const { name } = await request('export.save', { id, purpose })
  if (name === null) return false
  showToast({ title: `${name} saved`, detail: formatBytes(bytes) })
  return true
}

async function fetchFile(
  file: ExportFile,
  isWanted: () => boolean,
  { format }: SaveOptions,
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

/** Shows the formats of an export, or the progress while one is written and saved. */
export function ExportMenu({ items }: { items: readonly MenuItem[] }) {
  const now = useExport((state) => state.now)
  if (now !== null) {
    return (
      <Row role="status">
        <Small over="nowrap">
          {now.of === null ? `Writing the ${now.format} file…` : 'Saving'}
        </Small>
        {now.of !== null && <Progress label="Export" done={now.done} of={now.of} />}
        <Button onClick={cancelExport}>Cancel</Button>
      </Row>
    )
  }
  return (
    <Menu
      trigger={
        <Button icon="download">
          Export <Kbd>e</Kbd>
        </Button>
      }
      items={items}
    />
  )
}
