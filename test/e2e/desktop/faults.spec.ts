import { connectRequests } from '../send-request.ts'
import { type Tondesk, expect, test } from '../fixture.ts'
import { frame, openPage } from '../pages/frame.ts'
import { logs } from '../pages/settings.ts'
import { postDelivery } from '../sender.ts'
import { holdDialogs, mainProcess, recordOpened } from './main-process.ts'

declare global {
  /** A variable of the main process: the number of loads of the window since `holdWindow`. */
  var loads: number
}

/** Makes dialogs wait for `answer`, and counts loads of the window. */
async function holdWindow(tondesk: Tondesk) {
  const main = mainProcess(tondesk)
  await main.evaluate(({ BrowserWindow }) => {
    globalThis.loads = 0
    BrowserWindow.getAllWindows()[0]?.webContents.on('did-finish-load', () => {
      globalThis.loads += 1
    })
  })
  const { shown, answer } = await holdDialogs(tondesk)
  return {
    shown: async () => (await shown()).map(({ message }) => message),
    answer,
    loads: () => main.evaluate(() => globalThis.loads),
    hang: () =>
      main.evaluate(({ BrowserWindow }) => {
        BrowserWindow.getAllWindows()[0]?.emit('unresponsive')
      }),
    crash: () =>
      main.evaluate(({ BrowserWindow }) => {
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer()
      }),
  }
}

// Detects a receiver that stays stopped after an error, or that gets another URL.
test('after an uncaught error the app restarts, receives at the same URL and reports the crash', async ({
  tondesk,
}) => {
  const { receiverUrl, running } = tondesk
  await mainProcess(tondesk).evaluate(() => {
    setTimeout(() => {
      throw new TypeError('a bug: Bearer c4n4ry in it')
    })
  })
  expect(await running.exit).toBe(1)
  // Electron itself restarts the app; on the stand-in the test restarts it.
  if (tondesk.host === 'stand-in') await tondesk.followRestart()
  await expect.poll(() => postDelivery(receiverUrl, '{}').catch(() => 0)).toBe(200)
  const ask = await connectRequests(tondesk)
  const { crash } = await ask('log.crash')
  expect(crash).toMatchObject({ error: 'TypeError: a bug: Bearer *** in it' })
  expect(crash?.report).not.toContain('c4n4ry')
  if (tondesk.host === 'electron') {
    process.kill((await ask('app.info')).processId)
    return
  }
  const { page } = tondesk
  await logs(page).showReport()
  await logs(page).copyReport()
  expect(await tondesk.readClipboard()).toContain('TypeError: a bug: Bearer *** in it')
})

test('for a window that does not respond, one dialog offers to wait or reload', async ({
  tondesk,
}) => {
  tondesk.expectProblem(/crash/i)
  const { shown, loads, answer, hang } = await holdWindow(tondesk)
  const question = 'The Tondesk window does not respond.'
  // Detects a dialog for each report of Chromium instead of one.
  for (let times = 0; times < 3; times += 1) await hang()
  expect(await shown()).toEqual([question])
  await answer(0)
  await hang()
  expect(await shown()).toEqual([question])
  expect(await loads()).toBe(0)
})

test('a window that does not respond is reloaded if the user chooses so', async ({ tondesk }) => {
  tondesk.expectProblem(/crash/i)
  const { shown, loads, answer, hang } = await holdWindow(tondesk)
  await hang()
  await answer(1)
  await expect.poll(loads).toBe(1)
  // Detects a second dialog about the process that the app itself has ended.
  expect(await shown()).toHaveLength(1)
  expect(await postDelivery(tondesk.receiverUrl, '{}')).toBe(200)
})

// Detects an app that shows an empty window, or that reloads a crashing page forever.
test('a window that crashes is reloaded once, then the user decides', async ({ tondesk }) => {
  tondesk.expectProblem(/crash/i)
  const { shown, loads, answer, crash } = await holdWindow(tondesk)
  await crash()
  await expect.poll(loads).toBe(1)
  expect(await postDelivery(tondesk.receiverUrl, '{}')).toBe(200)
  expect(await shown()).toEqual([])
  await crash()
  await expect.poll(shown).toHaveLength(1)
  expect(await loads()).toBe(1)
  // "Quit" is the first button; the process may end before the call returns.
  await answer(0).catch(() => undefined)
  expect(await tondesk.running.exit).toBe(0)
})

// Detects an app that can no longer start because the graphics driver crashes.
test('after three crashes of the graphics process the next start renders in software, until --with-gpu', async ({
  tondesk,
}) => {
  const isAccelerated = () =>
    mainProcess(tondesk).evaluate(({ app }) => app.isHardwareAccelerationEnabled())
  await mainProcess(tondesk).evaluate(({ app }) => {
    const details = { type: 'GPU', reason: 'crashed', exitCode: 139 }
    for (let times = 0; times < 3; times += 1) app.emit('child-process-gone', {}, details)
  })
  await tondesk.restart()
  expect(await isAccelerated()).toBe(false)
  const ask = await connectRequests(tondesk)
  expect(await ask('notice.list')).toMatchObject([{ id: 'desktop.softwareDrawing', level: 'info' }])
  await tondesk.restart(['--receiver-port', '0', '--with-gpu'])
  if (tondesk.host === 'stand-in') expect(await isAccelerated()).toBe(true)
  expect(await (await connectRequests(tondesk))('notice.list')).toEqual([])
})

test('Settings open the log’s folder', async ({ tondesk }) => {
  const { page } = tondesk
  const opened = await recordOpened(tondesk)
  await openPage(page, 'settings')
  await logs(page).openFolder.click()
  await expect.poll(opened).toEqual([expect.stringMatching(/[\\/]logs$/)])
  await expect(frame(page).navigation).toBeVisible()
})

test.describe('with the sandbox', () => {
  test.use({ withSandbox: true })

  test('a killed sandbox process is restarted', { tag: '@long' }, async ({ tondesk }) => {
    const ask = await connectRequests(tondesk)
    await ask('sandbox.start')
    const status = async () => (await ask('sandbox.state')).status
    await expect.poll(status).toBe('running')
    const sandboxProcess = () =>
      mainProcess(tondesk).evaluate(({ app }) => {
        const found = app.getAppMetrics().find(({ name }) => name === 'Tondesk sandbox')
        return found?.pid ?? null
      })
    const first = await sandboxProcess()
    if (first === null) throw new Error('The sandbox has no process.')
    process.kill(first, 'SIGKILL')
    await expect
      .poll(async () => [await status(), (await sandboxProcess()) === first])
      .toEqual(['running', false])
    const { entries } = await ask('log.list', { text: 'A child process has ended' })
    expect(entries.map(({ details }) => details).join()).toContain('name: Tondesk sandbox')
  })
})
