import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type Tondesk } from '../fixture.ts'
import { connectRequests } from '../send-request.ts'
import { accountEvent, postDelivery } from '../sender.ts'
import { captureExport, captureImport } from '../pages/capture-files.ts'
import { rows } from '../pages/captures.ts'
import { frame, openPage } from '../pages/frame.ts'
import { mainProcess } from './main-process.ts'

/** Passes a file to the app as macOS does. */
async function openFile(tondesk: Tondesk, path: string): Promise<void> {
  await mainProcess(tondesk).evaluate(({ app }, file) => {
    app.emit('open-file', { preventDefault: () => undefined }, file)
  }, path)
}

/** Makes the system’s dialogs return this path, and records their options. */
async function answerDialogs(tondesk: Tondesk, path: string): Promise<void> {
  await mainProcess(tondesk).evaluate(({ dialog }, filePath) => {
    const asked: unknown[] = []
    const take = (given: readonly unknown[]) => asked.push(given.at(-1))
    Object.assign(globalThis, { asked })
    Object.assign(dialog, {
      showSaveDialog: (...given: unknown[]) => {
        take(given)
        return Promise.resolve({ canceled: false, filePath })
      },
      showOpenDialog: (...given: unknown[]) => {
        take(given)
        return Promise.resolve({ canceled: false, filePaths: [filePath] })
      },
    })
  }, path)
}

const asked = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(
    () => (globalThis as unknown as { asked: { defaultPath?: string }[] }).asked,
  )

async function exportJsonLines({ page, receiverUrl }: Tondesk): Promise<void> {
  await postDelivery(receiverUrl, accountEvent(1))
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(1)
  await page.keyboard.press('e')
  await captureExport(page).chooseJsonLines()
  await captureExport(page).exportFile()
}

test('an export is saved with the system’s dialog, and the next dialog of captures opens in the same folder', async ({
  tondesk,
}) => {
  const { page, dataDirectory } = tondesk
  const folder = join(dataDirectory, 'chosen')
  const path = join(folder, 'mine.jsonl')
  mkdirSync(folder)
  await answerDialogs(tondesk, path)
  await exportJsonLines(tondesk)
  await expect(frame(page).message('mine.jsonl saved')).toBeVisible()
  expect(readFileSync(path, 'utf8')).toContain('"tondesk"')
  await page.keyboard.press('Escape')

  const importing = captureImport(page)
  await importing.show()
  await importing.choose()
  await expect(importing.imported(1, 'mine.jsonl')).toBeVisible()
  const [save, open] = await asked(tondesk)
  expect(save?.defaultPath).toMatch(/^[^/\\]+\.jsonl$/)
  expect(open?.defaultPath).toBe(folder)
})

test('an exported file can be dragged out of the window under its own name', async ({
  tondesk,
}) => {
  await answerDialogs(tondesk, join(tondesk.dataDirectory, 'saved.jsonl'))
  await exportJsonLines(tondesk)
  await mainProcess(tondesk).evaluate(({ BrowserWindow }) => {
    const files: (string | undefined)[] = []
    Object.assign(globalThis, { asked: files })
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    const drag = contents?.startDrag.bind(contents)
    if (!contents || !drag) return
    contents.startDrag = (item) => {
      files.push(item.file)
      // In Electron a drag without a pressed mouse button does not end.
      if ('dragged' in contents) drag(item)
    }
  })
  await captureExport(tondesk.page).dragHandle.dispatchEvent('dragstart')
  const files = async () => (await asked(tondesk)) as unknown as string[]
  await expect.poll(files).toEqual([expect.stringMatching(/captures-[\d-]+\.jsonl$/)])
  expect(readFileSync((await files())[0] ?? '', 'utf8')).toContain('"tondesk"')
})

test('a capture file opened by the system is imported only after a confirmation', async ({
  tondesk,
}) => {
  const { page, dataDirectory } = tondesk
  const path = join(dataDirectory, 'opened.jsonl')
  await answerDialogs(tondesk, path)
  await exportJsonLines(tondesk)
  await expect(frame(page).message('opened.jsonl saved')).toBeVisible()
  await page.keyboard.press('Escape')
  await openPage(page, 'overview')

  const importing = captureImport(page)
  await openFile(tondesk, path)
  await expect(importing.question('opened.jsonl')).toBeVisible()
  await importing.cancel()
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(1)

  // A second start passes the file in its arguments.
  await mainProcess(tondesk).evaluate(({ app }, folder) => {
    app.emit('second-instance', {}, ['tondesk', 'opened.jsonl'], folder, null)
  }, dataDirectory)
  await expect(importing.question('opened.jsonl')).toBeVisible()
  await importing.confirm()
  await expect(importing.imported(1, 'opened.jsonl')).toBeVisible()
})

test('a link, a folder or a missing file is refused with the reason', async ({ tondesk }) => {
  const { page, dataDirectory } = tondesk
  const at = (name: string) => join(dataDirectory, name)
  mkdirSync(at('folder.har'))
  writeFileSync(at('real.har'), '{}')
  symlinkSync(at('real.har'), at('link.har'))
  for (const [name, reason] of [
    ['folder.har', 'is a folder'],
    ['link.har', 'is a link to another file'],
    ['missing.har', 'does not exist'],
    ['program.exe', 'Tondesk opens files that end in'],
  ] as const) {
    await openFile(tondesk, at(name))
    await expect(frame(page).message(`“${name}” could not be opened`)).toContainText(reason)
  }
})

test('a file that starts the app is offered for import when the window is ready', async ({
  tondesk,
}) => {
  const path = join(tondesk.dataDirectory, 'first.har')
  writeFileSync(path, '{"log":{"version":"1.2","entries":[]}}')
  await tondesk.restart(['--receiver-port', '0', path])
  await expect(captureImport(tondesk.page).question('first.har')).toBeVisible()
})

test('a file that the page creates is saved where the system’s dialog says, and other downloads are refused', async ({
  tondesk,
}) => {
  const { page, dataDirectory } = tondesk
  const path = (count: number) => join(dataDirectory, `saved-${count}`)
  await mainProcess(tondesk).evaluate(
    ({ session }, prefix) => {
      const kept: { defaultPath?: string | undefined }[] = []
      Object.assign(globalThis, { asked: kept })
      session.defaultSession.on('will-download', (_event, item) => {
        kept.push({ defaultPath: item.getSaveDialogOptions().defaultPath })
        item.setSavePath(`${prefix}${kept.length}`)
      })
    },
    path(0).slice(0, -1),
  )
  const download = async (href: string | null, count: number) => {
    await page.evaluate((url) => {
      const link = document.createElement('a')
      link.href = url ?? URL.createObjectURL(new Blob(['made']))
      link.download = 'made.txt'
      link.click()
    }, href)
    await expect.poll(() => asked(tondesk)).toHaveLength(count)
  }
  await download(null, 1)
  await expect.poll(() => readIfThere(path(1))).toBe('made')
  await download('data:text/plain,foreign', 2)
  await download(null, 3)
  await expect.poll(() => readIfThere(path(3))).toBe('made')
  expect(readIfThere(path(2))).toBeNull()
  // The dialog opens in the folder of the previous dialog.
  expect((await asked(tondesk)).at(-1)?.defaultPath).toBe(join(dataDirectory, 'made.txt'))
})

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

test('the taskbar shows the progress and the failure of a job, and clears them', async ({
  tondesk,
}) => {
  await mainProcess(tondesk).evaluate(({ BrowserWindow }) => {
    const shown: string[] = []
    Object.assign(globalThis, { asked: shown })
    const window = BrowserWindow.getAllWindows()[0]
    if (!window) return
    window.isFocused = () => false
    window.setProgressBar = (progress, options) => void shown.push(`${options?.mode} ${progress}`)
  })
  const ask = await connectRequests(tondesk)
  const begin = async () => {
    const { id } = await ask('captureImport.start', { name: 'x.jsonl', bytes: 1000 })
    const base64 = Buffer.from('{').toString('base64')
    await ask('captureImport.append', { id, offset: 0, base64 })
    return id
  }
  const last = async () => (await asked(tondesk)).at(-1) as unknown as string
  const first = await begin()
  await expect.poll(last).toBe('indeterminate 2')
  await ask('captureImport.cancel', { id: first })
  await expect.poll(last).toBe('none -1')

  const second = await begin()
  await expect.poll(last).toBe('indeterminate 2')
  await ask('captureImport.end', { id: second })
  await expect.poll(last).toBe('error 1')
  await mainProcess(tondesk).evaluate(({ app, BrowserWindow }) => {
    const window = BrowserWindow.getAllWindows()[0]
    if (window) window.isFocused = () => true
    app.emit('browser-window-focus')
  })
  await expect.poll(last).toBe('none -1')
})
