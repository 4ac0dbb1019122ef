/** What is shown to those who see other colours, no pictures, or nothing at all. */
import type { Locator } from '@playwright/test'
import { expect, test } from './fixture.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, rows } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'
import { queryField } from './pages/query-field.ts'
import { accountEvent, post } from './sender.ts'

const styleOf = (
  element: Locator,
  name: 'backgroundColor' | 'borderLeftStyle' | 'stroke' | 'fill',
) => element.evaluate((each, property) => getComputedStyle(each)[property], name)

// The browser replaces colours and drops shadows and gradients, as with Windows contrast themes.
test('in forced colours unread rows, filled dots and rejected captures are still told apart', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  await page.emulateMedia({ forcedColors: 'active' })
  await post(receiverUrl, accountEvent(1))
  await openPage(page, 'inspector')
  await rows(page).first().waitFor()
  // It counts as read once it was seen, from the next visit on.
  await expect(page).toHaveTitle(/^Inspector/)
  await openPage(page, 'overview')
  await openPage(page, 'inspector')
  await rows(page).first().waitFor()
  // What arrives now is unread; too large a body is rejected.
  expect(await post(receiverUrl, 'x'.repeat(1024 * 1024 + 1))).toBe(413)
  const list = captureList(page)
  await list.row(2).waitFor()
  const [unread, read] = [list.row(2), list.row(1)]
  expect(await styleOf(unread, 'borderLeftStyle')).not.toBe(await styleOf(read, 'borderLeftStyle'))

  const { filledDot, document } = frame(page)
  const canvas = await styleOf(document, 'backgroundColor')
  expect(await styleOf(filledDot, 'backgroundColor')).not.toBe(canvas)

  await expect(list.rejectedBar).toBeVisible()
  expect(await styleOf(list.rejectedBar, 'stroke')).not.toBe('none')
})

test(
  'the bars above the captures as a table: the same numbers, and a time that is chosen from it',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page, receiverUrl } = tondesk
    for (const lt of [1, 2, 3]) await post(receiverUrl, accountEvent(lt))
    await openPage(page, 'inspector')
    const { arrivals, showArrivalsAsTable, chooseArrivals } = captureList(page)
    await showArrivalsAsTable.click()
    await expect(arrivals).toHaveCount(1)
    await expect(arrivals).toContainText('3')
    await chooseArrivals(0)
    await expect(queryField(page).field).toHaveValue(/^received:/)
  },
)

test('captures that arrive are announced to screen readers, and so is an action', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  await post(receiverUrl, accountEvent(1))
  await openPage(page, 'inspector')
  await rows(page).first().waitFor()
  await post(receiverUrl, accountEvent(2))
  const { announcement } = frame(page)
  await expect(announcement).toHaveText('1 new capture')
  await captureList(page).row(2).click()
  await captureDetail(page, 2).open.waitFor()
  await page.keyboard.press('p')
  await expect(announcement).toHaveText(/pinned$/)
})
