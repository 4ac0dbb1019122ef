import { expect, test } from './fixture.ts'
import { accountEvent, post } from './sender.ts'
import { detail } from './pages/capture-detail.ts'
import { rows } from './pages/captures.ts'
import { openPage, section } from './pages/frame.ts'

test('the theme chosen and the width of the list are kept over a restart', async ({ tondesk }) => {
  await openPage(tondesk.page, 'settings')
  await section(tondesk.page, 'Appearance').getByRole('radio', { name: 'Dark' }).click()
  const ground = (page = tondesk.page) =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await expect.poll(() => ground()).toBe('rgb(16, 18, 20)')
  await expect(tondesk.page.getByText('Theme: dark').first()).toBeVisible()
  await post(tondesk.receiverUrl, accountEvent(1))
  await openPage(tondesk.page, 'inspector')
  await rows(tondesk.page).first().click()
  const splitter = () => tondesk.page.getByRole('separator', { name: 'List width' })
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
  await section(tondesk.page, 'Appearance').getByRole('radio', { name: 'Light' }).click()
  await expect.poll(() => ground()).toBe('rgb(255, 255, 255)')
})

test('the palette leads everywhere from the keyboard', async ({ tondesk }) => {
  const { page } = tondesk
  await openPage(page, 'overview')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search or run a command' })
  await palette.getByRole('combobox').fill('webhook tok')
  await page.keyboard.press('Enter')
  await expect(palette).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Webhook tokens' })).toBeFocused()

  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('theme dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')

  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
})

test('the list is used without a mouse: j, k, Enter, /, Escape, ?', async ({ tondesk }) => {
  const { page } = tondesk
  for (const lt of [1, 2, 3]) await post(tondesk.receiverUrl, accountEvent(lt))
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await expect(rows(page)).toHaveCount(3)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(detail(page)).toHaveAccessibleName('Capture 2')
  await page.keyboard.press('k')
  await expect(detail(page)).toHaveAccessibleName('Capture 3')
  await page.keyboard.press('p')
  await expect(page.locator('#capture-3').getByTitle('Pinned')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(detail(page)).toBeHidden()
  await page.keyboard.press('/')
  await expect(page.getByRole('combobox', { name: 'Search captures' })).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('Next capture')
})
