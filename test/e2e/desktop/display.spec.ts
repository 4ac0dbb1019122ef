import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Tondesk, expect, test } from '../fixture.ts'
import { openNewest } from '../pages/captures.ts'
import { captureDetail } from '../pages/capture-detail.ts'
import { frame, openPage, palette } from '../pages/frame.ts'
import { accountEvent, postDelivery } from '../sender.ts'
import { mainProcess } from './main-process.ts'

test('the app has its name in the system before its first window', async ({ tondesk }) => {
  expect(await mainProcess(tondesk).evaluate(({ app }) => app.getName())).toBe('Tondesk')
})

async function run(page: Page, command: keyof ReturnType<typeof palette>['commands']) {
  await page.keyboard.press('ControlOrMeta+k')
  await palette(page).field.fill(palette(page).commands[command])
  await page.keyboard.press('Enter')
  // The keys of a second command would go to a palette that is still closing.
  await expect(palette(page).dialog).toBeHidden()
}

const windows = (tondesk: Tondesk) =>
  mainProcess(tondesk).evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => ({
      bounds: window.getBounds(),
      url: window.webContents.getURL(),
      zoom: Math.round(window.webContents.getZoomFactor() * 100),
    })),
  )

test.describe('a second window', () => {
  test('a second window shows the same object beside the first one, with the same guards', async ({
    tondesk,
  }) => {
    const { page } = tondesk
    await postDelivery(tondesk.receiverUrl, accountEvent(7))
    await openPage(page, 'inspector')
    await openNewest(page)
    const second = await tondesk.running.opened(() => run(page, 'newWindow'))
    await expect(captureDetail(second, 1).open).toBeVisible()
    const all = await windows(tondesk)
    const [one, other] = [all.find(({ url }) => url === all[0]?.url), all.at(-1)]
    expect(all).toHaveLength(2)
    expect(one?.url).toBe(other?.url)
    // The second window must be shifted, because a window that exactly covers another looks as if
    // none had opened.
    expect(all[0]?.bounds).not.toEqual(all[1]?.bounds)
    // The capture must appear in both windows.
    await postDelivery(tondesk.receiverUrl, accountEvent(8))
    await expect(frame(second).document).toContainText('2 captures')

    // Opening the same object again shows its window instead of a third one.
    await run(page, 'newWindow')
    await expect.poll(async () => (await windows(tondesk)).length).toBe(2)
    // The link neither leaves the app nor opens a page of another origin.
    await second.evaluate(() => {
      window.open('app://tondesk/#/settings')
    })
    expect((await windows(tondesk)).length).toBe(2)
  })

  test('a second window opens only at addresses of the page itself', async ({ tondesk }) => {
    const answers = await tondesk.page.evaluate(
      async (hashes) => {
        const all = hashes.map(async (hash) => window.bridge?.request('window.open', { hash }))
        return (await Promise.all(all)).map((answer) => answer?.ok)
      },
      ['https://evil.test/', '//evil.test', '#', '#/a b', '#/\u0000', 'javascript:alert(1)'],
    )
    expect(answers).toEqual([false, false, false, false, false, false])
    expect(await windows(tondesk)).toHaveLength(1)
  })
})

test.describe('the zoom', () => {
  const press = (tondesk: Tondesk, key: string) =>
    mainProcess(tondesk).evaluate(({ BrowserWindow }, pressed) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      const mod = process.platform === 'darwin' ? { meta: true } : { control: true }
      const input = { type: 'keyDown', key: pressed, code: '', alt: false, ...mod }
      const held = { control: false, meta: false }
      contents?.emit(
        'before-input-event',
        { preventDefault: () => undefined },
        { ...held, ...input },
      )
    }, key)

  test('the zoom is changed by keys, is shown, and remains after a restart', async ({
    tondesk,
  }) => {
    await press(tondesk, '=')
    await press(tondesk, '+')
    await expect(frame(tondesk.page).zoom(125)).toBeVisible()
    await press(tondesk, '-')
    await expect(frame(tondesk.page).zoom(110)).toBeVisible()
    await tondesk.restart()
    await expect.poll(async () => (await windows(tondesk))[0]?.zoom).toBe(110)
    await press(tondesk, '0')
    await expect(frame(tondesk.page).zoom(100)).toBeVisible()
  })

  test('each window has its own zoom, and a new one begins with the zoom of the window in front', async ({
    tondesk,
  }) => {
    await press(tondesk, '+')
    await tondesk.running.opened(() => run(tondesk.page, 'newWindow'))
    await expect
      .poll(async () => (await windows(tondesk)).map(({ zoom }) => zoom))
      .toEqual([110, 110])
    await press(tondesk, '0')
    const zooms = async () => (await windows(tondesk)).map(({ zoom }) => zoom).toSorted()
    await expect.poll(zooms).toEqual([100, 110])
  })
})

test('a window whose display is unplugged moves to another display', async ({ tondesk }) => {
  const main = mainProcess(tondesk)
  // The window is on a display to the right of the first one, which is then removed.
  await main.evaluate(({ BrowserWindow, screen }) => {
    const [first] = screen.getAllDisplays()
    if (first === undefined) throw new Error('There is no display.')
    const { x, width, y } = first.workArea
    BrowserWindow.getAllWindows()[0]?.setBounds({
      x: x + width + 200,
      y,
      width: 900,
      height: 600,
    })
    screen.emit('display-removed', {}, first)
  })
  const isBack = () =>
    main.evaluate(({ BrowserWindow, screen }) => {
      const bounds = BrowserWindow.getAllWindows()[0]?.getBounds()
      const area = screen.getAllDisplays()[0]?.workArea
      return (
        bounds !== undefined && area !== undefined && bounds.x + bounds.width <= area.x + area.width
      )
    })
  await expect.poll(isBack).toBe(true)
})

test('a window that was maximized on the second display opens maximized there', async ({
  tondesk,
}) => {
  test.skip(tondesk.host === 'electron', 'It needs two displays.')
  const file = join(tondesk.dataDirectory, 'electron', 'window.json')
  await mainProcess(tondesk).evaluate(({ BrowserWindow }) => {
    const window = BrowserWindow.getAllWindows()[0]
    if (window === undefined) throw new Error('There is no window.')
    // For a window that was moved to another display while it was maximized, some systems report these bounds.
    window.getNormalBounds = () => ({ x: 10, y: 10, width: 1000, height: 700 })
    window.getBounds = () => ({ x: 1920, y: 0, width: 1280, height: 800 })
    window.maximize()
    window.emit('move')
  })
  await expect
    .poll(() => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : null))
    .toMatchObject({ x: 1920, y: 0, maximized: true })
})

test('printing opens the system’s dialog, and a failure is shown', async ({ tondesk }) => {
  const { page } = tondesk
  const main = mainProcess(tondesk)
  await main.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    if (contents === undefined) throw new Error('There is no window.')
    let times = 0
    contents.print = (_options, done) => {
      times += 1
      Object.assign(globalThis, { printed: times })
      done?.(times === 1, times === 1 ? '' : 'Invalid printer settings')
    }
  })
  await run(page, 'print')
  await expect.poll(() => main.evaluate(() => (globalThis as { printed?: number }).printed)).toBe(1)
  await run(page, 'print')
  await expect(frame(page).document).toContainText('Invalid printer settings')
})
