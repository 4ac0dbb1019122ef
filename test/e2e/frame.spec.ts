import { expect, test } from './fixture.ts'
import { accountEvent, postDelivery } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, rows } from './pages/captures.ts'
import { frame, keyHelp, openPage, palette } from './pages/frame.ts'
import { queryField } from './pages/query-field.ts'
import { appearance, webhookTokens } from './pages/settings.ts'

test('the selected theme and the width of the list remain after a restart', async ({ tondesk }) => {
  await openPage(tondesk.page, 'settings')
  await appearance(tondesk.page).chooseDark()
  const ground = (page = tondesk.page) =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await expect.poll(() => ground()).toBe('rgb(16, 18, 20)')
  await expect(appearance(tondesk.page).isDark).toBeVisible()
  await postDelivery(tondesk.receiverUrl, accountEvent(1))
  await openPage(tondesk.page, 'inspector')
  await rows(tondesk.page).first().click()
  const splitter = () => captureList(tondesk.page).listWidth
  await expect(splitter()).toHaveAttribute('aria-valuenow', '62')
  await splitter().focus()
  await tondesk.page.keyboard.press('ArrowLeft')
  await expect(splitter()).not.toHaveAttribute('aria-valuenow', '62')
  const left = await splitter().getAttribute('aria-valuenow')

  await tondesk.restart()
  await expect.poll(() => ground()).toBe('rgb(16, 18, 20)')
  await openPage(tondesk.page, 'inspector')
  await rows(tondesk.page).first().click()
  await expect(splitter()).toHaveAttribute('aria-valuenow', left ?? '')
  await openPage(tondesk.page, 'settings')
  await appearance(tondesk.page).chooseLight()
  await expect.poll(() => ground()).toBe('rgb(255, 255, 255)')
})

test('the command palette opens pages and changes settings by keyboard', async ({ tondesk }) => {
  const { page } = tondesk
  await openPage(page, 'overview')
  await page.keyboard.press('Control+k')
  const { commands, dialog, field } = palette(page)
  await field.fill(commands.webhookTokens)
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(webhookTokens(page).heading).toBeFocused()

  await page.keyboard.press('Control+k')
  await field.fill(commands.darkTheme)
  await page.keyboard.press('Enter')
  await expect(appearance(page).darkDocument).toHaveCount(1)

  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('the link to a page is copied with its network, also in browser mode', async ({ tondesk }) => {
  await openPage(tondesk.page, 'webhooks')
  await frame(tondesk.page).copyLink()
  await expect.poll(() => tondesk.readClipboard()).toBe('tondesk://webhooks?network=sandbox')
})

test('the list of captures can be used by keyboard: j, k, Enter, /, Escape, ?', async ({
  tondesk,
}) => {
  const { page } = tondesk
  for (const lt of [1, 2, 3]) await postDelivery(tondesk.receiverUrl, accountEvent(lt))
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await expect(rows(page)).toHaveCount(3)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const { open, text } = captureDetail(page)
  await expect(open).toHaveAccessibleName(text.name(2))
  await page.keyboard.press('k')
  await expect(open).toHaveAccessibleName(text.name(3))
  await page.keyboard.press('p')
  await expect(captureList(page).pin(3)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(open).toBeHidden()
  await page.keyboard.press('/')
  await expect(queryField(page).field).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(keyHelp(page).dialog).toContainText(keyHelp(page).text.nextCapture)
})
