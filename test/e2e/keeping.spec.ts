import { expect, test } from './fixture.ts'
import { accountEvent, postDelivery } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, openNewest, rows } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'
import { queryField } from './pages/query-field.ts'

test('pins and notes remain after a restart', async ({ tondesk }) => {
  await postDelivery(tondesk.receiverUrl, accountEvent(1))
  await postDelivery(tondesk.receiverUrl, accountEvent(2))
  await openPage(tondesk.page, 'inspector')
  const { open, pin, unpinButton, noteField, startNote, savedNote } = captureDetail(tondesk.page)
  await openNewest(tondesk.page)
  await pin()
  await expect(unpinButton).toBeVisible()
  await startNote()
  await noteField.fill('the one that failed')
  await noteField.press('Control+Enter')
  // The saved note is a button; while it is being edited, only the field has its text.
  await expect(savedNote('the one that failed')).toBeVisible()
  const name = await open.getAttribute('aria-label')

  await tondesk.restart()
  const { page } = tondesk
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(2)
  await queryField(page).field.fill('pinned:yes')
  await expect(rows(page)).toHaveCount(1)
  await openNewest(page)
  const kept = captureDetail(page)
  await expect(kept.open).toHaveAttribute('aria-label', name ?? 'the capture that was pinned')
  await expect(kept.words('the one that failed')).toBeVisible()
})

test('deleting needs a confirmation whose default is Cancel, and deletes only the named captures', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await postDelivery(tondesk.receiverUrl, accountEvent(1))
  await postDelivery(tondesk.receiverUrl, accountEvent(2))
  await openPage(page, 'inspector')
  await openNewest(page)
  await page.keyboard.press('Delete')
  const { dialog, cancel, confirm } = captureList(page).deleteQuestion(2)
  await expect(cancel).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(rows(page)).toHaveCount(2)

  await page.keyboard.press('Delete')
  await confirm.click()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toHaveAttribute('data-id', '1')
})

test('clearing keeps pinned captures by default', async ({ tondesk }) => {
  const { page } = tondesk
  for (const lt of [1, 2, 3]) await postDelivery(tondesk.receiverUrl, accountEvent(lt))
  await openPage(page, 'inspector')
  await openNewest(page)
  const { pin, unpinButton } = captureDetail(page)
  await pin()
  await expect(unpinButton).toBeVisible()
  const { clear, clearQuestion } = captureList(page)
  await clear()
  await clearQuestion(2).confirm.click()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toHaveAttribute('data-id', '3')
})
