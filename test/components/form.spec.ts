/** Tests `ui/form.tsx`, `ui/form-chip.tsx` and `app/use-form.ts`. */
import type { Page } from '@playwright/test'
import { expect, test } from './fixture.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Add a target' })
const field = (page: Page, name: string) => dialog(page).getByRole('textbox', { name })

test('each field that the contract refuses shows its error, and the first such field has the focus', async ({
  scene,
}) => {
  const page = await scene.show('form')
  await page.getByRole('button', { name: 'New target' }).click()
  await field(page, 'Port').fill('70000')
  await page.keyboard.press('Enter')
  await scene.control('Answer')
  await expect(field(page, 'Name')).toHaveAccessibleDescription('Enter a name.')
  await expect(field(page, 'Port')).toHaveAccessibleDescription('At most 65535.')
  await expect(field(page, 'URL')).not.toHaveAttribute('aria-invalid', 'true')
  await expect(field(page, 'Name')).toBeFocused()
  // A change clears the errors, because they describe the former input.
  await page.keyboard.type('n')
  await expect(field(page, 'Port')).toHaveAccessibleDescription('')
})

test('an error that belongs to no field is shown above the buttons', async ({ scene }) => {
  const page = await scene.show('form')
  await page.getByRole('button', { name: 'New target' }).click()
  await field(page, 'Name').fill('elsewhere')
  await page.keyboard.press('Enter')
  await scene.control('Answer')
  await expect(dialog(page).getByRole('alert')).toHaveText('The network is read-only.')
})

test('pressing Enter twice submits a form once, and a successful submit closes it without a confirmation', async ({
  scene,
}) => {
  const page = await scene.show('form')
  await page.getByRole('button', { name: 'New target' }).click()
  await field(page, 'Name').fill('shop')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  const add = dialog(page).getByRole('button', { name: 'Add target' })
  await expect(add).toHaveAttribute('aria-busy', 'true')
  await add.click({ force: true })
  await scene.control('Answer')
  await expect(dialog(page)).toBeHidden()
  await expect(scene.report()).toHaveText(['saves shop'])
})

test('Escape closes an unchanged form at once and confirms before it discards input; a click outside discards nothing', async ({
  scene,
}) => {
  const page = await scene.show('form')
  const opener = page.getByRole('button', { name: 'New target' })
  await opener.click()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(opener).toBeFocused()

  await page.keyboard.press('Enter')
  await field(page, 'Name').fill('shop')
  await page.mouse.click(5, 690)
  await expect(dialog(page)).toBeVisible()
  await page.keyboard.press('Escape')
  const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()
  await expect(field(page, 'Name')).toHaveValue('shop')
  await expect(dialog(page).locator(':focus')).toHaveCount(1)

  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(opener).toBeFocused()
})

test('a prefilled value is selected on focus by keyboard and mouse, so that typing replaces it', async ({
  scene,
}) => {
  const page = await scene.show('form')
  for (const focus of [
    () => field(page, 'Port').click(),
    async () => {
      await field(page, 'Name').focus()
      await page.keyboard.press('Tab')
    },
    () => field(page, 'Port').focus(),
  ]) {
    await page.getByRole('button', { name: 'New target' }).click()
    await focus()
    await page.keyboard.type('90')
    await expect(field(page, 'Port')).toHaveValue('90')
    // Moving the focus to a field does not select the text that the user has typed.
    await field(page, 'Name').focus()
    await field(page, 'Port').focus()
    await page.keyboard.press('End')
    await page.keyboard.type('1')
    await expect(field(page, 'Port')).toHaveValue('901')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  }
})

test('a suggested value is selected when it arrives in a focused field, and never replaces typed text', async ({
  scene,
}) => {
  const page = await scene.show('form')
  for (const typed of ['', 'h']) {
    await page.getByRole('button', { name: 'New target' }).click()
    await field(page, 'URL').focus()
    await page.keyboard.type(typed)
    await scene.control('Suggest')
    await page.keyboard.type('http://127.0.0.1')
    await expect(field(page, 'URL')).toHaveValue(`${typed}http://127.0.0.1`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
  }
})

test('a cancelled form is empty when its dialog opens again', async ({ scene }) => {
  const page = await scene.show('form')
  await page.getByRole('button', { name: 'New target' }).click()
  await field(page, 'Name').fill('shop')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'New target' }).click()
  await expect(field(page, 'Name')).toHaveValue('')
  await expect(field(page, 'Port')).toHaveValue('8080')
})

test('a period form refuses an empty day, and shows the error of a reversed period at its field', async ({
  scene,
}) => {
  const page = await scene.show('form')
  const chip = page.getByRole('button', { name: 'Period' })
  await chip.click()
  const [first, last] = [page.getByLabel('First day'), page.getByLabel('Last day')]
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(first).toBeFocused()
  expect(await first.evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true)
  await first.fill('2026-11-03')
  await last.fill('2026-11-01')
  await expect(last).toHaveAccessibleDescription('The last day is before the first day.')
  await page.keyboard.press('Enter')
  await expect(scene.report()).toHaveCount(0)
  await last.fill('2026-11-04')
  await page.keyboard.press('Enter')
  await expect(scene.report()).toHaveText('period of 2 days')
  await expect(chip).toBeFocused()
})
