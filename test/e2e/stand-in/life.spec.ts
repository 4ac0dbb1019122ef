import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StandIn, launchStandIn } from '../../stand-in/launch.ts'
import { type Tondesk, expect, test } from '../fixture.ts'
import { createBrowserHost } from '../hosts/browser-host.ts'
import { postDelivery } from '../sender.ts'
import { rows } from '../pages/captures.ts'
import { openPage } from '../pages/frame.ts'
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

test('a data directory that browser mode uses is explained, and its page can be opened instead', async ({
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

test('the start enables the sandbox and registers the scheme before ready, and the installed app has no developer tools', async ({
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

test('with --no-open the app receives without a window, and a second start opens one', async ({
  tondesk,
  sharedBrowser,
}) => {
  await tondesk.quit()
  const { dataDirectory } = tondesk
  const browserEndpoint = (await sharedBrowser()).endpoint
  const args = ['--no-open', '--receiver-port', '0']
  const app = launchStandIn({ dataDirectory, args, browserEndpoint })
  const { receiverUrl } = await app.ready
  expect(await postDelivery(receiverUrl ?? '', '{}')).toBe(200)
  expect((await app.ask('report')).windows).toEqual([])
  await launchStandIn({ dataDirectory, browserEndpoint }).exit
  const page = await app.page()
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(1)
  await app.kill()
})

test('an unusable data directory is reported before the start, with --data-dir as the alternative', async ({
  tondesk,
}) => {
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

  test('a failure causes a system notification, and a click opens the webhook', async ({
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
    const failures = /^#\/webhooks\/\d+\/deliveries\?network=sandbox$/
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(failures)
    expect(await page.evaluate(() => Reflect.get(window, 'isStillHere') as unknown)).toBe(true)
    await expect(webhookDetail(page).deliveriesTab).toBeVisible()
    expect((await standIn.ask('report')).windows).toMatchObject([{ visible: true, focused: true }])
  })
})
