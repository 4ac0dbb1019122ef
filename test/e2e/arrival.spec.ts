import { expect, test } from './fixture.ts'
import { accountEvent, post, postMany } from './sender.ts'
import { copyText, detail } from './pages/capture-detail.ts'
import { openNewest, rows } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'

test('a webhook that is sent appears in the open list and reads back', async ({
  tondesk,
}, testInfo) => {
  const { page } = tondesk
  await openPage(page, 'inspector')
  const sent = performance.now()
  expect(await post(`${tondesk.receiverUrl}/shop?order=7`, accountEvent(47_000_001))).toBe(200)
  await expect(rows(page)).toHaveCount(1)
  const seenAfter = Math.round(performance.now() - sent)
  testInfo.annotations.push({ type: 'seen after', description: `${seenAfter} ms` })
  await expect(rows(page).first()).toContainText('account_tx')
  await expect(rows(page).first()).toContainText('200')

  const open = await openNewest(page)
  expect(await copyText(open, tondesk.readClipboard)).toBe(accountEvent(47_000_001))
  await open.getByRole('tab', { name: /^Headers/ }).click()
  await expect(open.getByText('application/json')).toBeVisible()
  await open.getByRole('tab', { name: 'Details' }).click()
  await expect(open.getByText(/\/shop\?order=7$/)).toBeVisible()
  await expect(open.getByText('47000001', { exact: true })).toBeVisible()
})

test('what was answered is there after kill -9 and a new start', async ({ tondesk }) => {
  expect(await postMany(tondesk.receiverUrl, 50)).toBe(50)
  expect(await post(tondesk.receiverUrl, accountEvent(99_000_001))).toBe(200)
  const { receiverUrl: former } = tondesk
  await tondesk.kill()
  await tondesk.restart()
  const { page } = tondesk
  await openPage(page, 'inspector')
  await expect(page.getByText('51 captures', { exact: true }).first()).toBeVisible()
  await expect(rows(page).first()).toContainText('99000001')
  expect(await copyText(await openNewest(page), tondesk.readClipboard)).toBe(
    accountEvent(99_000_001),
  )
  // The URL that senders were given is still right but for the port, which this test leaves open.
  expect(new URL(tondesk.receiverUrl).pathname).toBe(new URL(former).pathname)
})

test('the overview turns to figures, the rail counts what is unread, a link to a capture opens it', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'overview')
  await expect(page.getByRole('heading', { name: 'Send your first webhook' })).toBeVisible()
  await post(tondesk.receiverUrl, accountEvent(1))
  await expect(page.getByRole('heading', { name: 'Send your first webhook' })).toBeHidden()
  await expect(page.getByText(/^Receiving on/).first()).toBeVisible()

  await post(tondesk.receiverUrl, accountEvent(2))
  const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', {
    name: /^Inspector/,
  })
  await expect(entry).toHaveAccessibleName(/2 unread/)
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(2)
  await openPage(page, 'overview')
  await expect(entry).not.toHaveAccessibleName(/unread/)

  await openPage(page, 'inspector')
  await openNewest(page)
  await expect(page).toHaveURL(/#\/inspector\/2$/)
  await page.goBack()
  await expect(detail(page)).toBeHidden()
  await page.goForward()
  await expect(detail(page)).toBeVisible()
  await page.reload()
  await expect(detail(page)).toBeVisible()
})
