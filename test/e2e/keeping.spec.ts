import { expect, test } from './fixture.ts'
import { accountEvent, post } from './sender.ts'
import { openNewest, rows } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'

test('pins and notes are kept over a restart', async ({ tondesk }) => {
  await post(tondesk.receiverUrl, accountEvent(1))
  await post(tondesk.receiverUrl, accountEvent(2))
  await openPage(tondesk.page, 'inspector')
  const open = await openNewest(tondesk.page)
  await open.getByRole('button', { name: 'Pin (p)' }).click()
  await expect(open.getByRole('button', { name: 'Unpin (p)' })).toBeVisible()
  await open.getByRole('button', { name: 'Note (n)' }).click()
  await open.getByRole('textbox', { name: 'Note' }).fill('the one that failed')
  await open.getByRole('textbox', { name: 'Note' }).press('Control+Enter')
  // As a button it is what was saved; its text alone is in the field already while it is written.
  await expect(open.getByRole('button', { name: 'the one that failed' })).toBeVisible()
  const name = await open.getAttribute('aria-label')

  await tondesk.restart()
  const { page } = tondesk
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('combobox', { name: 'Search captures' }).fill('pinned:yes')
  await expect(rows(page)).toHaveCount(1)
  const kept = await openNewest(page)
  await expect(kept).toHaveAttribute('aria-label', name ?? 'the capture that was pinned')
  await expect(kept.getByText('the one that failed')).toBeVisible()
})

test('deleting asks first, rests on Cancel, and deletes only what it named', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await post(tondesk.receiverUrl, accountEvent(1))
  await post(tondesk.receiverUrl, accountEvent(2))
  await openPage(page, 'inspector')
  await openNewest(page)
  await page.keyboard.press('Delete')
  const question = page.getByRole('alertdialog', { name: 'Delete capture 2?' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()
  await expect(rows(page)).toHaveCount(2)

  await page.keyboard.press('Delete')
  await question.getByRole('button', { name: 'Delete capture' }).click()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toHaveAttribute('data-id', '1')
})

test('clearing keeps what is pinned unless told otherwise', async ({ tondesk }) => {
  const { page } = tondesk
  for (const lt of [1, 2, 3]) await post(tondesk.receiverUrl, accountEvent(lt))
  await openPage(page, 'inspector')
  const open = await openNewest(page)
  await open.getByRole('button', { name: 'Pin (p)' }).click()
  await expect(open.getByRole('button', { name: 'Unpin (p)' })).toBeVisible()
  await page
    .getByRole('button', { name: /^Clear/ })
    .last()
    .click()
  const question = page.getByRole('dialog', { name: 'Delete 2 captures?' })
  await question.getByRole('button', { name: /^Delete 2 captures/ }).click()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toHaveAttribute('data-id', '3')
})
