/**
 * Tests the window with the languages of other systems: its texts are English, and its numbers
 * follow the settings.
 */
import { connectLocalSocket } from '../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../src-main/bridge/local-socket.ts'
import { expect, test } from './fixture.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { openNewest, rows } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'
import { accountEvent, postDelivery } from './sender.ts'

// Detects Arabic or Japanese digits and dates among English words, and a page that is laid out from
// right to left.
test('in the languages tr-TR, ar-EG, ja-JP and de-CH the texts of the window are the same', async ({
  tondesk,
}) => {
  await postDelivery(tondesk.receiverUrl, accountEvent(25_713_146_000_003))
  const client = await connectLocalSocket(localSocketPath(tondesk.dataDirectory))
  for (const locale of ['tr-TR', 'ar-EG', 'ja-JP', 'de-CH']) {
    // Each address opens one session.
    const url = (await client?.open())?.url ?? ''
    const context = await tondesk.page.context().browser()?.newContext({ locale })
    if (context === undefined) throw new Error('The page has no browser.')
    const page = await context.newPage()
    await page.goto(url)
    const { locale: used } = await page.evaluate(() => new Intl.NumberFormat().resolvedOptions())
    expect(used).toBe(locale)
    const direction = await page.evaluate(() => getComputedStyle(document.body).direction)
    expect(direction, locale).toBe('ltr')
    for (const name of ['overview', 'inspector', 'invoices', 'sandbox', 'settings'] as const) {
      await openPage(page, name)
      await expect(frame(page).loading).toHaveCount(0)
      const text = await frame(page).document.innerText()
      // Matches digits and letters of scripts other than Latin.
      expect(
        text.match(/[\p{Script=Arabic}\p{Script=Han}\p{Script=Hiragana}\u0660-\u0669]+/gu),
        `${name} in ${locale}`,
      ).toBe(null)
    }
    await openPage(page, 'inspector')
    await expect(rows(page)).toHaveCount(1)
    await openNewest(page)
    await expect(captureDetail(page).open).toContainText('Transaction of 0:abab…abab')
    await context.close()
  }
  client?.dispose()
})
