import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import type { Tondesk } from './fixture.ts'

/** Returns the contents of the file that `act` saves. */
export async function saveFile(
  { page, running, dataDirectory }: Tondesk,
  act: () => Promise<void>,
): Promise<string> {
  const { mainProcess } = running
  if (mainProcess === undefined) {
    const [file] = await Promise.all([page.waitForEvent('download'), act()])
    return readFileSync(await file.path(), 'utf8')
  }
  // In Electron an export is saved by the system’s dialog, and a file of the page itself as a
  // download.
  const path = join(dataDirectory, `saved-${crypto.randomUUID()}`)
  await mainProcess.evaluate(({ dialog, session }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    session.defaultSession.once('will-download', (_event, item) => item.setSavePath(filePath))
  }, path)
  await act()
  let text = ''
  await expect
    .poll(() => {
      try {
        text = readFileSync(path, 'utf8')
      } catch {
        return ''
      }
      return text
    })
    .not.toBe('')
  return text
}
