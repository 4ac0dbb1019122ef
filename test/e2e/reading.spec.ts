import { expect, test } from './fixture.ts'
import { accountEvent, postDelivery, postMany } from './sender.ts'
import { captureList, rows } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'
import { repeatUntil } from '../deadlines.ts'

test('a scrolled list does not move when captures arrive: a bar collects them', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await postMany(tondesk.receiverUrl, 119)
  await openPage(page, 'inspector')
  const { grid, row, newCaptures } = captureList(page)
  await expect(rows(page).first()).toHaveAttribute('data-id', '119')
  // While the list is scrolled to the top, it follows new captures.
  await postDelivery(tondesk.receiverUrl, accountEvent(1))
  await expect(rows(page).first()).toHaveAttribute('data-id', '120')
  await grid.evaluate((element) => (element.scrollTop = 900))
  await expect(rows(page).filter({ hasText: /./ }).first()).not.toHaveAttribute('data-id', '120')
  const watched = row(90)
  const before = await watched.boundingBox()
  for (const lt of [2, 3, 4]) await postDelivery(tondesk.receiverUrl, accountEvent(lt))
  const bar = newCaptures(3)
  await expect(bar).toBeVisible()
  expect(await watched.boundingBox()).toEqual(before && { ...before, y: expect.any(Number) })

  await bar.click()
  await expect(bar).toBeHidden()
  await expect(rows(page).first()).toHaveAttribute('data-id', '123')
})

test(
  'captures beyond one page can be reached by keyboard, page by page',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page } = tondesk
    expect(await postMany(tondesk.receiverUrl, 450)).toBe(450)
    await openPage(page, 'inspector')
    const { grid, row } = captureList(page)
    await expect(grid).toHaveAttribute('aria-rowcount', '451')
    await grid.focus()
    // End moves only to the end of the loaded rows, so it takes several presses.
    await repeatUntil(async (timeout) => {
      await page.keyboard.press('End')
      await expect(row(1)).toBeVisible({ timeout })
    })
    // Only visible rows exist in the page.
    expect(await rows(page).count()).toBeLessThan(100)
  },
)
