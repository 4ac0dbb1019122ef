import { createServer } from 'node:net'
import { expect, freePort, test } from './fixture.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { respondWith, startEndpoint } from '../fixtures/endpoint.ts'
import { connectRequests } from './send-request.ts'
import { accountEvent, postDelivery } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, rows } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'
import {
  alertSettings,
  appearance,
  backups,
  receiverSettings,
  retention,
  settingsSearch,
  webhookTokens,
} from './pages/settings.ts'

test('the receiver URL is copied, and after rotating the token the old URL gets 404 and the new one works', async ({
  tondesk,
}) => {
  const { page, receiverUrl: former } = tondesk
  await frame(page).copyReceiverUrl()
  expect(await tondesk.readClipboard()).toBe(former)
  await openPage(page, 'settings')
  const receiver = receiverSettings(page)
  await receiver.rotateToken()
  await expect(receiver.rotateQuestion.cancel).toBeFocused()
  await receiver.rotateQuestion.confirm.click()
  await expect(receiver.hasNewUrl).toBeVisible()
  expect(await postDelivery(former, '{}')).toBe(404)
  await receiver.copyUrl()
  const url = await tondesk.readClipboard()
  expect(url).not.toBe(former)
  expect(await postDelivery(url, '{}')).toBe(200)
})

test('an invalid port is refused at its field, a valid one is used after a restart, and a taken one is replaced and reported', async ({
  tondesk,
}) => {
  const port = await freePort()
  await openPage(tondesk.page, 'settings')
  const receiver = receiverSettings(tondesk.page)
  // Earlier, the port of the settings was shown although this run used another one.
  await expect(receiver.section).toContainText(
    receiver.text.inUse(new URL(tondesk.receiverUrl).port),
  )
  await receiver.port.fill('80')
  await receiver.port.press('Enter')
  await expect(receiver.error).toContainText(receiver.text.portRange)
  await expect(receiver.port).toHaveAttribute('aria-invalid', 'true')
  await receiver.port.press('Escape')
  await expect(receiver.port).toHaveValue('4801')
  await expect(receiver.error).toBeHidden()
  await receiver.port.fill(String(port))
  await receiver.publicUrl.focus()
  await expect(receiver.saved).toBeVisible()
  await tondesk.restart([])
  expect(new URL(tondesk.receiverUrl).port).toBe(String(port))
  await tondesk.quit()

  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  try {
    await tondesk.restart([])
    const { page } = tondesk
    expect(new URL(tondesk.receiverUrl).port).not.toBe(String(port))
    expect(await postDelivery(tondesk.receiverUrl, '{}')).toBe(200)
    await openPage(page, 'settings')
    await expect(receiverSettings(page).portIsTaken(port)).toBeVisible()
    await expect(receiverSettings(page).section).toContainText(
      receiver.text.inUse(new URL(tondesk.receiverUrl).port),
    )
  } finally {
    await new Promise((resolve) => other.close(resolve))
  }
})

test('settings are found by any word and saved when the page is left, and a lower limit needs a confirmation', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'settings')
  const search = settingsSearch(page)
  await search.field.fill('oldest limit')
  await expect(search.sections).toHaveText(['Retention'])
  await search.field.fill('no such words')
  await expect(search.nothing).toBeVisible()
  await search.field.press('Escape')
  await expect(search.sections.first()).toHaveText('Networks and keys')

  // A shortcut leaves the page while a field has the focus.
  const receiver = receiverSettings(page)
  await receiver.publicUrl.fill('https://tunnel.example.com')
  await page.evaluate(() => {
    window.location.hash = '#/inspector'
  })
  await expect(rows(page)).toHaveCount(0)
  await openPage(page, 'settings')
  await expect(receiver.publicUrl).toHaveValue('https://tunnel.example.com')

  const { count, size, error, question } = retention(page)
  await size.fill('2')
  await size.press('Enter')
  await expect(error).toContainText('with its unit')
  await size.press('Escape')
  await count.fill('500')
  await count.press('Enter')
  await expect(question.cancel).toBeFocused()
  await question.cancel.click()
  await expect(count).toHaveValue('1000000')
  await count.fill('500')
  await count.press('Enter')
  await question.confirm.click()
  const ask = await connectRequests(tondesk)
  await expect.poll(async () => (await ask('settings.get')).retention.maxCount).toBe(500)
})

test('an alert destination is added and tested in Settings, and its secret is not shown again', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await using server = await startEndpoint()
  await openPage(page, 'settings')
  const alerts = alertSettings(page)
  const secret = await alerts.addWebhook(`${server.url}/alerts`)
  expect(secret).toMatch(/^whsec_/)
  await expect(alerts.isOn).toBeChecked()
  await expect(alerts.destination).toContainText(`…${secret.slice(-4)}`)
  expect(await page.content()).not.toContain(secret)
  await alerts.sendTest()
  await expect(alerts.result('sent')).toBeVisible()
  expect(server.received.map(({ headers }) => headers['webhook-signature'])).toEqual([
    expect.stringMatching(/^v1,/),
  ])
  server.answer = respondWith(500)
  await alerts.sendTest()
  await expect(alerts.result('failed')).toBeVisible()
  await expect(alerts.destination).toContainText('responded with 500')
})

test('the selected coin name, numbers, times and density apply to every page, also to an open one', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  await postDelivery(receiverUrl, invoiceBody('5f3c'))
  await openPage(page, 'inspector')
  const row = rows(page).first()
  await expect(row).toContainText('1.500000000 TON')
  const ask = await connectRequests(tondesk)
  await ask('settings.change', { appearance: { coinName: 'GRAM' } })
  await expect(row).toContainText('1.500000000 GRAM')
  await expect(row).not.toContainText('TON')
  await openPage(page, 'settings')
  await appearance(page).chooseCoinName('TON')
  await appearance(page).chooseNumbers('1.234.567,89')
  await openPage(page, 'inspector')
  await expect(row).toContainText('1,500000000 TON')
  const height = async () => (await row.boundingBox())?.height ?? 0
  const before = await height()
  await ask('settings.change', {
    appearance: { clock: '12h', time: 'absolute', density: 'compact', numbers: 'space-point' },
  })
  await expect(row).toContainText(/\d [ap]m/)
  await expect(row).toContainText('1.500000000 TON')
  expect(await height()).toBeLessThan(before)
})

test('a stored webhook token marks deliveries as right or wrong and is never shown', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  await openPage(page, 'settings')
  const tokens = webhookTokens(page)
  await tokens.waitForKeychain()
  await tokens.add('Shop', 'the-right-token-9f3a')
  await expect(tokens.token('Shop')).toContainText('9f3a')
  await expect(frame(page).document).not.toContainText('the-right-token')

  const json = { 'Content-Type': 'application/json' }
  await postDelivery(receiverUrl, accountEvent(1), {
    ...json,
    Authorization: 'Bearer the-right-token-9f3a',
  })
  await postDelivery(receiverUrl, accountEvent(2), {
    ...json,
    Authorization: 'Bearer something-else',
  })
  await postDelivery(receiverUrl, accountEvent(3), json)
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(3)
  for (const [id, verdict] of [
    [1, 'rightToken'],
    [2, 'wrongToken'],
    [3, 'missingToken'],
  ] as const) {
    await captureList(page).row(id).click()
    const open = captureDetail(page, id)
    await open.openTab('details')
    await expect(open.token).toHaveText(open.text[verdict])
  }

  await openPage(page, 'settings')
  await tokens.remove('Shop')
  await expect(tokens.token('Shop')).toBeHidden()
})

test('a body above the limit gets 413, and its beginning is stored and marked as truncated', async ({
  tondesk,
}) => {
  const { page } = tondesk
  expect(await postDelivery(tondesk.receiverUrl, 'x'.repeat(1024 * 1024 + 1))).toBe(413)
  await openPage(page, 'inspector')
  await expect(rows(page).first()).toContainText('413')
  await expect(rows(page).first()).toContainText(captureList(page).text.truncated)
})

test('the bar shows whether the receiver runs', async ({ tondesk }) => {
  const { page } = tondesk
  await openPage(page, 'settings')
  const { header, startReceiver, text } = frame(page)
  await receiverSettings(page).stop()
  await expect(header).toContainText(text.notReceiving)
  await expect(postDelivery(tondesk.receiverUrl, '{}')).rejects.toThrow()
  await startReceiver()
  await expect(header).toContainText(text.receivingOn)
})

test(
  'a backup is created, and restored with a restart',
  { tag: ['@every-host', '@long'] },
  async ({ tondesk }) => {
    await postDelivery(tondesk.receiverUrl, accountEvent(7))
    await openPage(tondesk.page, 'settings')
    const { make, newest } = backups(tondesk.page)
    await make()
    await expect(newest).toBeVisible()
    await openPage(tondesk.page, 'inspector')
    await captureList(tondesk.page).clear()
    await captureList(tondesk.page).clearQuestion(1).confirm.click()
    await expect(rows(tondesk.page)).toHaveCount(0)

    // A backup is restored from a file: another kind of file is refused, and no data changes until
    // the user confirms.
    const { chooseFile, error, restoreQuestion } = backups(tondesk.page)
    await openPage(tondesk.page, 'settings')
    await chooseFile({
      name: 'photo.db',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('JFIF'),
    })
    await expect(error).toContainText('“photo.db” was not restored.')
    const ask = await connectRequests(tondesk)
    const [backup] = await ask('backup.list')
    await chooseFile(backup?.path ?? '')
    await expect(restoreQuestion.dialog).toContainText('contains 1 capture')
    await restoreQuestion.confirm.click()
    await tondesk.followRestart()
    const { page } = tondesk
    await openPage(page, 'inspector')
    await expect(rows(page)).toHaveCount(1)
  },
)
