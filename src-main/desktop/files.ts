/**
 * Handles the user's files in Electron: the system's dialogs, downloads of the page, and files
 * dragged out of the page.
 */
import {
  type BrowserWindow,
  type OpenDialogOptions,
  type Session,
  app,
  dialog,
  nativeImage,
} from 'electron'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type FilePurpose, filePurposes } from '../../src-preload/domain/opened-files.ts'
import type { FileDialogs } from '../app/context.ts'
import type { Log } from '../app/log.ts'
import { createStateFile } from '../app/state-file.ts'

const folders = z.partialRecord(z.enum(filePurposes), z.string().max(4096))

/** Remembers the folder that dialogs of each purpose chose last. */
export function createFolders() {
  const file = createStateFile(join(app.getPath('userData'), 'folders.json'), folders)
  return {
    /**
     * The path where a dialog opens. If the folder is unknown or deleted, the path is only the
     * name, and the system chooses a folder.
     */
    pathOf(purpose: FilePurpose, name = ''): string {
      const folder = file.read()?.[purpose]
      return folder !== undefined && existsSync(folder) ? join(folder, name) : name
    },
    remember(purpose: FilePurpose, path: string): void {
      file.write({ ...file.read(), [purpose]: dirname(path) })
    },
  }
}

type Folders = ReturnType<typeof createFolders>

/** @param window the window whose front the dialogs belong to, and from which files are dragged */
export function createFileDialogs(
  folders: Folders,
  window: () => BrowserWindow | undefined,
): FileDialogs {
  return {
    async chooseFile(purpose, extensions) {
      const path = await choosePath(window(), ['openFile'], folders.pathOf(purpose), [
        { name: 'Suitable files', extensions: [...extensions] },
        { name: 'All files', extensions: ['*'] },
      ])
      if (path !== null) folders.remember(purpose, path)
      return path
    },
    async chooseTarget(purpose, name) {
      const options = { defaultPath: folders.pathOf(purpose, name) }
      const front = window()
      const { canceled, filePath } = await (front === undefined
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(front, options))
      if (canceled || filePath === '') return null
      folders.remember(purpose, filePath)
      return filePath
    },
    startDrag(file) {
      window()?.webContents.startDrag({ file, icon: fileIcon() })
    },
  }
}

/**
 * Saves small files that the page itself has made, such as a QR code, by the system's dialog. A
 * page cannot save anything else.
 */
export function guideDownloads(
  session: Session,
  { folders, origin, log }: { folders: Folders; origin: string; log: Log },
): void {
  session.on('will-download', (event, item) => {
    // The page of this origin creates such content itself.
    if (!item.getURL().startsWith(`blob:${origin}/`)) {
      event.preventDefault()
      log.write('warn', 'Denied: a download that the page did not make.')
      return
    }
    item.setSaveDialogOptions({ defaultPath: folders.pathOf('other', item.getFilename()) })
    item.once('done', (_event, state) => {
      if (state === 'completed') folders.remember('other', item.getSavePath())
    })
  })
}

/** @param from the folder or file where the dialog opens; empty if the system chooses a folder */
export async function choosePath(
  window: BrowserWindow | undefined,
  properties: NonNullable<OpenDialogOptions['properties']>,
  from: string,
  filters: NonNullable<OpenDialogOptions['filters']> = [],
): Promise<string | null> {
  const options = { properties, filters, ...(from !== '' && { defaultPath: from }) }
  const { filePaths } = await (window === undefined
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(window, options))
  return filePaths[0] ?? null
}

const iconSize = 32

/** An icon of a sheet of paper, because Electron requires an image under the pointer. */
function fileIcon() {
  const pixels = Buffer.alloc(iconSize * iconSize * 4)
  for (let y = 2; y < iconSize - 2; y += 1) {
    for (let x = 6; x < iconSize - 6; x += 1) {
      const isEdge = y === 2 || y === iconSize - 3 || x === 6 || x === iconSize - 7
      const isLine = y > 8 && y < iconSize - 8 && y % 5 === 0 && x > 9 && x < iconSize - 10
      pixels.fill(
        isEdge || isLine ? 0x80 : 0xff,
        (y * iconSize + x) * 4,
        (y * iconSize + x) * 4 + 3,
      )
      pixels[(y * iconSize + x) * 4 + 3] = 0xff
    }
  }
  return nativeImage.createFromBitmap(pixels, { width: iconSize, height: iconSize })
}
