/** Tests the window with other colors, without images, and for screen readers. */
import type { Locator } from '@playwright/test'
import { expect, test } from './fixture.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, rows } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'
import { queryField } from './pages/query-field.ts'
import { accountEvent, postDelivery } from './sender.ts'

const styleOf = (
  element: Locator,
  name: 'backgroundColor' | 'borderLeftStyle' | 'borderTopStyle',
) => element.evaluate((each, property) => getComputedStyle(each)[property], name)

// The browser replaces colors and removes shadows and gradients, as with the contrast themes of Windows.
test('unread rows, filled dots and rejected captures can be distinguished in forced colours', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  await page.emulateMedia({ forcedColors: 'active' })
  await postDelivery(receiverUrl, accountEvent(1))
  await openPage(page, 'inspector')
  await rows(page).first().waitFor()
  // A capture counts as read after the list has been opened again.
  await expect(page).toHaveTitle(/^Inspector/)
  await openPage(page, 'overview')
  await openPage(page, 'inspector')
  await rows(page).first().waitFor()
  // Captures that arrive now are unread; a body that is too large is rejected.
  expect(await postDelivery(receiverUrl, 'x'.repeat(1024 * 1024 + 1))).toBe(413)
  const list = captureList(page)
  await list.row(2).waitFor()
  const [unread, read] = [list.row(2), list.row(1)]
  expect(await styleOf(unread, 'borderLeftStyle')).not.toBe(await styleOf(read, 'borderLeftStyle'))

  const { filledDot, document } = frame(page)
  const canvas = await styleOf(document, 'backgroundColor')
  expect(await styleOf(filledDot, 'backgroundColor')).not.toBe(canvas)

  await expect(list.rejectedBar).toBeVisible()
  expect(await styleOf(list.rejectedBar, 'borderTopStyle')).not.toBe('none')
})

test('the bar chart of arrivals can be shown as a table, and a time selected in the table filters the captures', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  for (const lt of [1, 2, 3]) await postDelivery(receiverUrl, accountEvent(lt))
  await openPage(page, 'inspector')
  const { arrivals, showArrivalsAsTable, chooseArrivals } = captureList(page)
  await showArrivalsAsTable.click()
  // The captures are in one interval of 20 seconds, or in two.
  await expect(arrivals.first()).toContainText(/[1-3]\s*0$/)
  await chooseArrivals(0)
  await expect(queryField(page).field).toHaveValue(/^received:/)
})

test('new captures and actions are announced to screen readers', async ({ tondesk }) => {
  const { page, receiverUrl } = tondesk
  await postDelivery(receiverUrl, accountEvent(1))
  await openPage(page, 'inspector')
  await rows(page).first().waitFor()
  await postDelivery(receiverUrl, accountEvent(2))
  const { announcement } = frame(page)
  await expect(announcement).toHaveText('1 new capture')
  await captureList(page).row(2).click()
  await captureDetail(page, 2).open.waitFor()
  await page.keyboard.press('p')
  await expect(announcement).toHaveText(/pinned$/)
})
