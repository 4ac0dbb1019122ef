import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type StandIn, launchStandIn } from '../../stand-in/launch.ts'
import { type Tondesk, expect, test } from '../fixture.ts'
import { createBrowserHost } from '../hosts/browser-host.ts'
import { post } from '../sender.ts'
import { rows } from '../pages/captures.ts'
import { frame, openPage } from '../pages/frame.ts'
import { appearance } from '../pages/settings.ts'
import { webhookDetail } from '../pages/webhooks.ts'

function standInOf({ running }: Tondesk): StandIn {
  if (!running.standIn) throw new Error('This test is about the stand-in.')
  return running.standIn
}

test('a second start ends at once and brings the first window to the front', async ({
  tondesk,
  sharedBrowser,
}) => {
  const { dataDirectory } = tondesk
  const browserEndpoint = (await sharedBrowser()).endpoint
  const args = ['--evil=app://x', 'https://evil.test/']
  const second = launchStandIn({ dataDirectory, args, browserEndpoint })
  expect((await second.exit).code).toBe(0)
  const { windows, opened } = await standInOf(tondesk).ask('report')
  expect(windows).toHaveLength(1)
  expect(windows[0]).toMatchObject({ visible: true, focused: true })
  expect(opened).toEqual([])
})

test('a directory held by browser mode is explained, and its page can be opened instead', async ({
  tondesk,
  sharedBrowser,
}) => {
  const { dataDirectory } = tondesk
  await tondesk.quit()
  const holder = await createBrowserHost(async () => (await sharedBrowser()).browser)({
    dataDirectory,
    args: ['--receiver-port', '0'],
    onProblem: () => undefined,
  })
  try {
    const browserEndpoint = (await sharedBrowser()).endpoint
    const app = launchStandIn({ dataDirectory, browserEndpoint })
    expect(await app.dialog()).toMatchObject({
      message: expect.stringMatching(/already running in browser mode \(process \d+\)/),
      buttons: ['Quit', 'Open in Browser'],
    })
    await app.ask('answerDialog', { button: 1 })
    await app.exit
  } finally {
    await holder.kill()
  }
})

test('a database of a newer Tondesk is refused with a sentence', async ({
  tondesk,
  sharedBrowser,
}) => {
  const { dataDirectory } = tondesk
  await tondesk.quit()
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(join(dataDirectory, 'tondesk.db'))
  // A newer version has another schema: with ours, the number of the version would be damaged.
  database.exec('CREATE TABLE of_a_newer_version (id); PRAGMA user_version = 9999')
  database.close()
  const browserEndpoint = (await sharedBrowser()).endpoint
  const app = launchStandIn({ dataDirectory, browserEndpoint })
  expect(await app.dialog()).toMatchObject({
    message: 'Tondesk cannot start.',
    detail: expect.stringMatching(/newer/),
  })
  await app.ask('answerDialog', { button: 0 })
  expect((await app.exit).code).toBe(1)
})

test('quitting answers what is under way first, and ends in time whatever hangs', async ({
  tondesk,
}) => {
  const standIn = standInOf(tondesk)
  const { hostname, port, pathname } = new URL(tondesk.receiverUrl)
  // One request that never ends, and one that has all but its last byte.
  const hanging = connect(Number(port), hostname)
  hanging.on('error', () => undefined)
  hanging.write(`POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegin`)
  expect(await post(tondesk.receiverUrl, '{"kept":true}')).toBe(200)
  const began = performance.now()
  expect(await tondesk.quit()).toBe(0)
  // The deadline of three seconds is the app's own promise, not a measurement of speed.
  expect(performance.now() - began).toBeLessThan(8000)
  expect(standIn.stderr()).toBe('')
  hanging.destroy()
  await tondesk.restart()
  await openPage(tondesk.page, 'inspector')
  await expect(rows(tondesk.page).filter({ hasText: 'kept' })).toHaveCount(1)
})

test('the window opens where it was left, if there is still a display there', async ({
  tondesk,
}) => {
  const left = { x: 40, y: 60, width: 1100, height: 700 }
  await standInOf(tondesk).ask('setBounds', left)
  await tondesk.restart()
  expect((await standInOf(tondesk).ask('report')).windows[0]?.bounds).toEqual(left)
  await tondesk.quit()

  const file = join(tondesk.dataDirectory, 'electron', 'window.json')
  writeFileSync(file, JSON.stringify({ ...left, x: 9000, maximized: true }))
  await tondesk.restart()
  const [elsewhere] = (await standInOf(tondesk).ask('report')).windows
  expect(elsewhere).toMatchObject({ maximized: true, bounds: { width: 1100, height: 700 } })
  expect(elsewhere?.bounds.x).toBeLessThan(1920)
  await tondesk.quit()

  writeFileSync(file, '{"x": "far", "width": -3')
  await tondesk.restart()
  expect((await standInOf(tondesk).ask('report')).windows[0]?.bounds.width).toBe(1280)
})

test('the theme of the system’s own parts and the window’s ground follow the setting', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const standIn = standInOf(tondesk)
  expect(await standIn.ask('report')).toMatchObject({
    themeSource: 'system',
    windows: [{ backgroundColor: '#ffffff', title: expect.stringMatching(/Tondesk$/) }],
  })
  await standIn.ask('setSystemDark', { dark: true })
  await expect
    .poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches))
    .toBe(true)
  await openPage(page, 'settings')
  await appearance(page).chooseLight()
  await expect.poll(async () => (await standIn.ask('report')).themeSource).toBe('light')
  expect((await standIn.ask('report')).windows[0]?.backgroundColor).toBe('#ffffff')
  await tondesk.restart()
  expect((await standInOf(tondesk).ask('report')).themeSource).toBe('light')
})

test('a window that crashes is loaded again once, then the person decides', async ({ tondesk }) => {
  const standIn = standInOf(tondesk)
  tondesk.expectProblem(/crash/i)
  const page = await standIn.reloaded(() => standIn.ask('crashWindow'))
  await expect(frame(page).navigation).toBeVisible()
  expect(await post(tondesk.receiverUrl, '{}')).toBe(200)
  await standIn.ask('crashWindow')
  expect(await standIn.dialog()).toMatchObject({ buttons: ['Quit', 'Reload'] })
  await standIn.ask('answerDialog', { button: 0 })
  expect((await standIn.exit).code).toBe(0)
})

test('the start is safe: sandbox on and scheme registered before ready, a menu without tools when installed', async ({
  tondesk,
  sharedBrowser,
}) => {
  const { sandboxEnabled, schemes, menu } = await standInOf(tondesk).ask('report')
  expect(sandboxEnabled).toBe(true)
  expect(schemes).toEqual(['app'])
  expect(JSON.stringify(menu)).toContain('toggleDevTools')
  await tondesk.quit()

  const env = { STAND_IN_PACKAGED: '1', ELECTRON_RENDERER_URL: 'https://evil.test/' }
  const { dataDirectory } = tondesk
  const browserEndpoint = (await sharedBrowser()).endpoint
  const args = ['--receiver-port', '0']
  const installed = launchStandIn({ dataDirectory, args, env, browserEndpoint })
  await installed.page()
  const report = await installed.ask('report')
  expect(JSON.stringify(report.menu)).not.toContain('toggleDevTools')
  expect(report.windows[0]).toMatchObject({
    url: expect.stringMatching(/^app:\/\/tondesk\//),
    webPreferences: { devTools: false },
  })
  await installed.kill()

  const debugged = launchStandIn({
    dataDirectory,
    args: ['--remote-debugging-port=9222'],
    env,
    browserEndpoint,
  })
  expect((await debugged.exit).code).toBe(1)
})

test('--no-open receives without a window; a second start then brings one', async ({
  tondesk,
  sharedBrowser,
}) => {
  await tondesk.quit()
  const { dataDirectory } = tondesk
  const browserEndpoint = (await sharedBrowser()).endpoint
  const args = ['--no-open', '--receiver-port', '0']
  const app = launchStandIn({ dataDirectory, args, browserEndpoint })
  const { receiverUrl } = await app.ready
  expect(await post(receiverUrl ?? '', '{}')).toBe(200)
  expect((await app.ask('report')).windows).toEqual([])
  await launchStandIn({ dataDirectory, browserEndpoint }).exit
  const page = await app.page()
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(1)
  await app.kill()
})

test('a data directory that cannot be used is said before anything else', async ({ tondesk }) => {
  const path = join(tondesk.dataDirectory, 'a-file')
  mkdirSync(tondesk.dataDirectory, { recursive: true })
  writeFileSync(path, '')
  const app = launchStandIn({ dataDirectory: path })
  expect((await app.exit).code).toBe(1)
  expect(app.stderr()).toContain(`The data directory ${path} cannot be used`)
  expect(app.stderr()).toContain('--data-dir')
})

test.describe('with the sandbox', () => {
  test.use({ withSandbox: true })

  test('what goes wrong is told by the system, and a click leads to the webhook', async ({
    tondesk,
  }) => {
    const { page } = tondesk
    const standIn = standInOf(tondesk)
    const ask = async (name: string, input?: unknown) => {
      const asked = [name, input] as const
      const answer = await page.evaluate(
        ([route, given]) => window.bridge?.request(route, given),
        asked,
      )
      return answer?.ok === true ? (answer.data as Record<string, unknown>) : {}
    }
    await expect.poll(async () => (await ask('sandbox.state'))['status']).toBe('running')
    await ask('sandbox.doStep', { step: 'webhook' })
    await ask('sandbox.doStep', { step: 'account' })
    await ask('settings.change', { monitoring: { failedAttempts: 1 } })
    await ask('receiver.stop')
    await ask('sandbox.send', { from: 'wallet-1', to: 'merchant', amount: '1000000' })
    await expect
      .poll(async () => {
        await ask('sampler.run', { network: 'sandbox' })
        return (await standIn.ask('report')).notifications
      })
      .toMatchObject([{ title: expect.stringMatching(/^Deliveries to .* fail for /) }])

    await page.evaluate(() => Object.assign(window, { isStillHere: true }))
    await standIn.ask('clickNotification', { action: null })
    const failures = /^#\/webhooks\/\d+\/failures\?network=sandbox$/
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(failures)
    expect(await page.evaluate(() => Reflect.get(window, 'isStillHere') as unknown)).toBe(true)
    await expect(webhookDetail(page).failuresTab).toBeVisible()
    expect((await standIn.ask('report')).windows).toMatchObject([{ visible: true, focused: true }])
  })
})
