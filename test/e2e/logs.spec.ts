import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { openPage } from './pages/frame.ts'
import { logs } from './pages/settings.ts'

test('the log can be searched and copied, and after a kill the next start offers a report to copy', async ({
  tondesk,
}) => {
  await openPage(tondesk.page, 'settings')
  await expect(logs(tondesk.page).entry('started')).toBeVisible()
  await expect(logs(tondesk.page).crash).toBeHidden()

  await tondesk.kill()
  await tondesk.restart()
  const { page, dataDirectory } = tondesk
  await openPage(page, 'settings')
  const { entry, isEmpty, crash, openFolder, ...log } = logs(page)
  await expect(crash).toBeVisible()
  await log.copyReport()
  expect(await tondesk.readClipboard()).toMatch(/^Tondesk ended unexpectedly\n\nVersion {2}\d/)
  await expectAccessible(tondesk)('Logs')

  await log.search('no such entry')
  await expect(isEmpty).toBeVisible()
  await log.search('STARTED')
  await expect(entry('started')).toHaveCount(2)
  await log.copyEntries()
  expect(await tondesk.readClipboard()).toMatch(/info {2}app: started\n {4}version: /)
  // Only the desktop app can open a folder.
  await expect(openFolder).toBeHidden()
  await log.copyFolder()
  expect(await tondesk.readClipboard()).toContain(dataDirectory)
  await log.chooseErrors()
  await expect(isEmpty).toBeVisible()
})
