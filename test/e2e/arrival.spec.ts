import { expect, test } from './fixture.ts'
import { accountEvent, postDelivery, postMany } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, openNewest, rows } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'
import { overview } from './pages/overview.ts'

test('a delivery appears in the open list and is shown exactly', async ({ tondesk }, testInfo) => {
  const { page } = tondesk
  await openPage(page, 'inspector')
  const sent = performance.now()
  expect(await postDelivery(`${tondesk.receiverUrl}/shop?order=7`, accountEvent(47_000_001))).toBe(
    200,
  )
  await expect(rows(page)).toHaveCount(1)
  const seenAfter = Math.round(performance.now() - sent)
  testInfo.annotations.push({ type: 'seen after', description: `${seenAfter} ms` })
  await expect(rows(page).first()).toContainText('account_tx')
  await expect(rows(page).first()).toContainText('200')

  await openNewest(page)
  const { copyBodyText, openTab, urlEnd, words } = captureDetail(page)
  expect(await copyBodyText(tondesk.readClipboard)).toBe(accountEvent(47_000_001))
  await openTab('headers')
  await expect(words('application/json')).toBeVisible()
  await openTab('details')
  await expect(urlEnd('/shop?order=7')).toBeVisible()
  await expect(words('47000001', true)).toBeVisible()
})

test('deliveries that got a response are there after kill -9 and a new start', async ({
  tondesk,
}) => {
  expect(await postMany(tondesk.receiverUrl, 50)).toBe(50)
  expect(await postDelivery(tondesk.receiverUrl, accountEvent(99_000_001))).toBe(200)
  const { receiverUrl: former } = tondesk
  await tondesk.kill()
  await tondesk.restart()
  const { page } = tondesk
  await openPage(page, 'inspector')
  await expect(captureList(page).count(51)).toBeVisible()
  await expect(rows(page).first()).toContainText('99000001')
  await openNewest(page)
  const { copyBodyText } = captureDetail(page)
  expect(await copyBodyText(tondesk.readClipboard)).toBe(accountEvent(99_000_001))
  // The URL of the senders stays valid except for the port, which this test does not fix.
  expect(new URL(tondesk.receiverUrl).pathname).toBe(new URL(former).pathname)
})

test('the overview shows numbers after the first delivery, the navigation counts unread captures, and a link opens a capture', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'overview')
  await expect(overview(page).sendFirstWebhook).toBeVisible()
  await postDelivery(tondesk.receiverUrl, accountEvent(1))
  await expect(overview(page).sendFirstWebhook).toBeHidden()
  await expect(frame(page).receivingOn).toBeVisible()

  await postDelivery(tondesk.receiverUrl, accountEvent(2))
  const { entry, text } = frame(page)
  await expect(entry('inspector')).toHaveAccessibleName(text.unread(2))
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(2)
  await openPage(page, 'overview')
  await expect(entry('inspector')).not.toHaveAccessibleName(text.anyUnread)

  await openPage(page, 'inspector')
  await openNewest(page)
  const { open } = captureDetail(page)
  await expect(page).toHaveURL(/#\/inspector\/2$/)
  await page.goBack()
  await expect(open).toBeHidden()
  await page.goForward()
  await expect(open).toBeVisible()
  await page.reload()
  await expect(open).toBeVisible()
})
