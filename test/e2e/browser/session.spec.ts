import { expectAccessible } from '../axe.ts'
import { expect, test } from '../fixture.ts'
import { frame, openPage } from '../pages/frame.ts'
import { desktopSettings } from '../pages/settings.ts'

test('a start URL works once, and a second tab shows that its session has ended', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const other = await page.context().newPage()
  await other.goto(`${new URL(page.url()).origin}/#start=${'A'.repeat(43)}`)
  await expect(frame(other).sessionEnded).toBeVisible()
  await expectAccessible({ host: tondesk.host, page: other })('Another tab')
})

test('the start token is removed from the address bar, and a reload keeps the session', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const { header, navigation, text } = frame(page)
  // The token is used and the session exists only after the page has loaded.
  await expect(header).toContainText(text.receivingOn)
  await expect(page).not.toHaveURL(/start=/)
  await page.reload()
  await expect(navigation).toBeVisible()
  await expect(header).toContainText(text.receivingOn)
})

test('settings of the installed app say that they have no effect in a browser', async ({
  tondesk,
}) => {
  await openPage(tondesk.page, 'settings')
  await expect(desktopSettings(tondesk.page).isElsewhere).toBeVisible()
  await expect(desktopSettings(tondesk.page).startAtLogin).toHaveCount(0)
})
