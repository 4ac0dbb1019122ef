import { asking } from '../ask.ts'
import { type Tondesk, expect, test } from '../fixture.ts'
import { frame, openPage } from '../pages/frame.ts'
import { logs } from '../pages/settings.ts'
import { post } from '../sender.ts'
import { mainProcess } from './main-process.ts'

declare global {
  /** In the main process: the dialogs shown since `holdDialogs`, and what answers the last. */
  var heldDialogs: string[] | undefined
  var answerDialog: ((button: number) => void) | undefined
  var loads: number | undefined
}

/** Dialogs wait for `answer` instead of a user. */
async function holdDialogs(tondesk: Tondesk) {
  const main = mainProcess(tondesk)
  await main.evaluate(({ dialog, BrowserWindow }) => {
    globalThis.heldDialogs = []
    globalThis.loads = 0
    const hold = (_window: unknown, { message }: { message: string }) => {
      globalThis.heldDialogs?.push(message)
      return new Promise((resolve) => {
        globalThis.answerDialog = (response) => resolve({ response, checkboxChecked: false })
      })
    }
    Object.assign(dialog, { showMessageBox: hold })
    BrowserWindow.getAllWindows()[0]?.webContents.on('did-finish-load', () => {
      globalThis.loads = (globalThis.loads ?? 0) + 1
    })
  })
  return {
    shown: () => main.evaluate(() => globalThis.heldDialogs),
    loads: () => main.evaluate(() => globalThis.loads),
    answer: (button: number) =>
      main.evaluate((_, chosen) => globalThis.answerDialog?.(chosen), button),
    hang: () =>
      main.evaluate(({ BrowserWindow }) => {
        BrowserWindow.getAllWindows()[0]?.emit('unresponsive')
      }),
  }
}

// Catches a receiver that stays down after an error, or returns at another URL.
test('after an uncaught error the app starts again, receives at the same URL and reports the crash', async ({
  tondesk,
}) => {
  const { receiverUrl, running } = tondesk
  await mainProcess(tondesk).evaluate(() => {
    setTimeout(() => {
      throw new TypeError('a bug: Bearer c4n4ry in it')
    })
  })
  expect(await running.exit).toBe(1)
  // Electron starts it by itself; the stand-in leaves that to the test.
  if (tondesk.host === 'stand-in') await tondesk.followRestart()
  await expect.poll(() => post(receiverUrl, '{}').catch(() => 0)).toBe(200)
  const ask = await asking(tondesk)
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

test(
  'a window that does not respond asks once: wait, or reload',
  { tag: '@long' },
  async ({ tondesk }) => {
    tondesk.expectProblem(/crash/i)
    const { shown, loads, answer, hang } = await holdDialogs(tondesk)
    const question = 'The Tondesk window does not respond.'
    // Catches a dialog for each time that Chromium reports it.
    for (let times = 0; times < 3; times += 1) await hang()
    expect(await shown()).toEqual([question])
    await answer(0)
    await hang()
    expect(await shown()).toEqual([question])
    expect(await loads()).toBe(0)
  },
)

test(
  'a window that does not respond is loaded again when the user wants it',
  { tag: '@long' },
  async ({ tondesk }) => {
    tondesk.expectProblem(/crash/i)
    const { shown, loads, answer, hang } = await holdDialogs(tondesk)
    await hang()
    await answer(1)
    await expect.poll(loads).toBe(1)
    // Catches a second question about the process that the app itself has ended.
    expect(await shown()).toHaveLength(1)
    expect(await post(tondesk.receiverUrl, '{}')).toBe(200)
  },
)

// Catches an app that cannot start any more, because the driver of the graphics card ends it.
test(
  'after three crashes of the graphics process the next start draws in software, until it is undone',
  { tag: '@long' },
  async ({ tondesk }) => {
    const isAccelerated = () =>
      mainProcess(tondesk).evaluate(({ app }) => app.isHardwareAccelerationEnabled())
    await mainProcess(tondesk).evaluate(({ app }) => {
      const details = { type: 'GPU', reason: 'crashed', exitCode: 139 }
      for (let times = 0; times < 3; times += 1) app.emit('child-process-gone', {}, details)
    })
    await tondesk.restart()
    expect(await isAccelerated()).toBe(false)
    const ask = await asking(tondesk)
    expect(await ask('notice.list')).toMatchObject([
      { id: 'desktop.softwareDrawing', level: 'info' },
    ])
    await tondesk.restart(['--receiver-port', '0', '--with-gpu'])
    if (tondesk.host === 'stand-in') expect(await isAccelerated()).toBe(true)
    expect(await (await asking(tondesk))('notice.list')).toEqual([])
  },
)

test('the log’s folder is opened', { tag: '@long' }, async ({ tondesk }) => {
  const { page } = tondesk
  await mainProcess(tondesk).evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    Object.assign(shell, {
      openPath: (path: string) => Promise.resolve(opened.push(path)).then(() => ''),
    })
  })
  await openPage(page, 'settings')
  await logs(page).openFolder.click()
  const opened = () =>
    mainProcess(tondesk).evaluate(() => Reflect.get(globalThis, 'opened') as string[])
  await expect.poll(opened).toEqual([expect.stringMatching(/[\\/]logs$/)])
  await expect(frame(page).navigation).toBeVisible()
})

test.describe('with the sandbox', () => {
  test.use({ withSandbox: true })

  test(
    'a sandbox process that is killed is started again',
    { tag: '@long' },
    async ({ tondesk }) => {
      const ask = await asking(tondesk)
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
    },
  )
})
