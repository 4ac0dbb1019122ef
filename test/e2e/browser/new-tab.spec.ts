import { expect, test } from '../fixture.ts'
import { captureDetail } from '../pages/capture-detail.ts'
import { openNewest } from '../pages/captures.ts'
import { frame, openPage, palette } from '../pages/frame.ts'
import { accountEvent, postDelivery } from '../sender.ts'

// Detects a tab without a session, which could only report that the session has ended.
test('an object opens in a new tab, which has a session and shows new captures', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  await postDelivery(receiverUrl, accountEvent(7))
  await openPage(page, 'inspector')
  await openNewest(page)
  const tab = await tondesk.running.opened(async () => {
    await page.keyboard.press('ControlOrMeta+k')
    await palette(page).field.fill(palette(page).commands.newWindow)
    await page.keyboard.press('Enter')
  })
  await expect(captureDetail(tab, 1).open).toBeVisible()
  await expect(frame(tab).sessionEnded).toBeHidden()
  await postDelivery(receiverUrl, accountEvent(8))
  // The list is not updated while a capture is open in it.
  await expect(frame(tab).document).toContainText('2 captures')
})
