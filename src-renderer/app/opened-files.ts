/** Handles files from outside the page: passed by the system, or chosen in the system's dialog. */
import type { OpenedFile } from '../../src-preload/contract/file.ts'
import type { FilePurpose } from '../../src-preload/domain/opened-files.ts'
import { bytesFromBase64 } from '../components/body/bytes.ts'
import { showToast } from '../ui/toast.tsx'
import { attempt, on, request } from './bridge.ts'
import { fileOpeners } from './features.tsx'
import type { FileContent, InputFile } from './input-file.ts'

/** The maximum number of bytes that one request returns. */
const pieceBytes = 524_288

/** Reads the bytes from `from` up to `to` of a file that the main process has. */
const contentOf = (id: string, from: number, to: number): FileContent => ({
  size: to - from,
  slice: (begin, end) => contentOf(id, Math.min(from + begin, to), Math.min(from + end, to)),
  async arrayBuffer() {
    const all = new Uint8Array(to - from)
    for (let offset = from; offset < to; offset += pieceBytes) {
      const bytes = Math.min(pieceBytes, to - offset)
      const { base64 } = await request('file.read', { id, offset, bytes })
      all.set(bytesFromBase64(base64), offset - from)
    }
    return all.buffer
  },
})

const toGiven = ({ id, name, bytes }: OpenedFile): InputFile => ({
  name,
  blob: contentOf(id, 0, bytes),
})

/** True if the window belongs to Electron, which has the system's dialogs for files. */
export const hasSystemDialogs = (): boolean => window.bridge !== undefined

/** Shows the system's dialog for a file. Resolves with undefined if the user cancels. */
export async function chooseFile(
  purpose: FilePurpose,
  extensions: readonly string[],
): Promise<InputFile | undefined> {
  const chosen = await attempt('Could not open the file', () =>
    request('file.choose', { purpose, extensions: [...extensions] }),
  )
  return chosen?.file === null || chosen === undefined ? undefined : toGiven(chosen.file)
}

/** Opens a file by its extension. */
function openInputFile(file: InputFile): void {
  const name = file.name.toLowerCase()
  const opener = fileOpeners().find(({ extensions }) =>
    extensions.some((extension) => name.endsWith(extension)),
  )
  if (opener !== undefined) {
    opener.open(file)
    return
  }
  const extensions = fileOpeners().flatMap((each) => each.extensions)
  showToast({
    title: `“${file.name}” could not be opened`,
    detail: `Tondesk opens files that end in ${extensions.join(', ')}.`,
    tone: 'bad',
  })
}

/**
 * Opens files that the system has passed before and after the window was opened, and files that are
 * dropped outside the areas for files.
 */
export function startOpenedFiles(): void {
  async function take(): Promise<void> {
    const taken = await attempt('Could not open the file', () => request('file.takeOpened'))
    if (taken === undefined) return
    for (const { title, detail } of taken.problems) {
      showToast({ id: `opened ${title}`, title, detail, tone: 'bad' })
    }
    const [file, ...others] = taken.files
    if (file === undefined) return
    openInputFile(toGiven(file))
    if (others.length > 0) reportOnlyFirst(file.name)
  }

  on('file.opened', () => void take())
  window.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  window.addEventListener('drop', (event) => {
    const [file, ...others] = event.dataTransfer?.files ?? []
    // Another area has taken the file, or text was dropped.
    if (event.defaultPrevented || file === undefined) return
    event.preventDefault()
    openInputFile({ name: file.name, blob: file })
    if (others.length > 0) reportOnlyFirst(file.name)
  })
  // In browser mode, no system passes files to the app.
  if (hasSystemDialogs()) void take()
}

export function reportOnlyFirst(name: string): void {
  showToast({ title: `Only “${name}” was opened`, detail: 'You can open one file at a time.' })
}
