/** Tests the keyboard focus of `ui/dialog.tsx` and `ui/form-chip.tsx`. */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixture.ts'

/** Presses Tab through a whole cycle, because a focus outside the dialog would act on the page below. */
async function expectFocusStays(page: Page, area: Locator, stops: number): Promise<void> {
  const focused = area.locator(':focus')
  for (const key of ['Tab', 'Shift+Tab']) {
    const seen = new Set<string>()
    for (let step = 0; step < stops + 1; step += 1) {
      await page.keyboard.press(key)
      await expect(focused, `${key} ${step + 1}`).toHaveCount(1)
      seen.add(await focused.evaluate((element) => element.outerHTML))
    }
    expect(seen.size, key).toBe(stops)
  }
}

test('a dialog takes the focus, keeps it on Tab and Shift+Tab, and returns it to its opener', async ({
  scene,
}) => {
  const page = await scene.show('dialog')
  const opener = page.getByRole('button', { name: 'Open the label' })
  await opener.click()
  const dialog = page.getByRole('dialog', { name: 'Label' })
  await expect(dialog.getByRole('textbox', { name: 'Note' })).toBeFocused()
  await expectFocusStays(page, dialog, 3)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(opener).toBeFocused()
})

test('a confirmation above a dialog focuses Cancel, and returns the focus to the dialog', async ({
  scene,
}) => {
  const page = await scene.show('dialog')
  await page.getByRole('button', { name: 'Open the label' }).click()
  const dialog = page.getByRole('dialog', { name: 'Label' })
  const remove = dialog.getByRole('button', { name: 'Delete label' })
  await remove.click()
  const question = page.getByRole('alertdialog', { name: 'Delete this label?' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expectFocusStays(page, question, 2)
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(dialog).toBeVisible()
  await expect(remove).toBeFocused()
  await page.keyboard.press('Enter')
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(remove).toBeFocused()
  await expect(scene.report()).toHaveText(['kept', 'deleted'])
})

test('a confirmation on the page returns the focus to the button that opened it', async ({
  scene,
}) => {
  const page = await scene.show('dialog')
  const remove = page.getByRole('button', { name: 'Delete all labels' })
  await remove.click()
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(remove).toBeFocused()
  await expect(scene.report()).toHaveText('kept')
})

test('the form of a filter chip takes the focus, and Escape returns the focus to the chip', async ({
  scene,
}) => {
  const page = await scene.show('form')
  const chip = page.getByRole('button', { name: 'Period' })
  await chip.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('First day')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('First day')).toBeHidden()
  await expect(chip).toBeFocused()
})
