import { expect, test } from './fixture.ts'
import { frame, openPage } from './pages/frame.ts'
import { about } from './pages/settings.ts'

test('Settings show the licences and release notes of the build, and browser mode offers no updates', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'settings')
  // A section that loads moves the buttons below it.
  await frame(page).settled()
  const section = about(page)
  await section.openReleaseNotes()
  await expect(section.releaseNotes).toContainText('Changelog')
  await page.keyboard.press('Escape')
  await section.openLicences()
  await section.packageLicence(/^undici \d/).click()
  await expect(section.licenceText('undici')).toContainText('Permission is hereby granted')
  await page.keyboard.press('Escape')
  await expect(section.isOff).toBeVisible()
  await expect(section.checkButton).toHaveCount(0)
})
