import { expect, test } from './fixture.ts'
import { post } from './sender.ts'
import { openPage, rows } from './window.ts'

test.beforeEach(async ({ tondesk }) => {
  const { receiverUrl } = tondesk
  await post(receiverUrl, '{"memo":"strawberry shipment"}')
  await post(`${receiverUrl}/warehouse`, '{"memo":"blueberry"}')
  await post(receiverUrl, '{"memo":"plain"}', { 'X-Courier': 'pigeon-express' })
})

test('words and their beginnings are found in body, path and headers, inside words if asked', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'Inspector')
  await expect(rows(page)).toHaveCount(3)
  const field = page.getByRole('searchbox', { name: 'Search captures' })
  for (const [text, expected] of [
    ['strawberry', 'strawberry'],
    ['straw ship', 'strawberry'],
    ['warehouse', 'blueberry'],
    ['pigeon', 'plain'],
  ] as const) {
    await field.fill(text)
    await expect(rows(page)).toHaveCount(1)
    await expect(rows(page).first()).toContainText(expected)
  }
  await field.fill('')
  await expect(rows(page)).toHaveCount(3)

  // Inside words only when asked, and it says so.
  await field.fill('berry')
  await expect(page.getByText('No capture matches “berry”')).toBeVisible()
  await page.getByRole('button', { name: /^Look inside words/ }).click()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('button', { name: /^inside words/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  await expect(page.getByText(/All history was looked at/)).toBeVisible()
})

test('a search is in the address, outlives a reload and goes on with what arrives', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'Inspector')
  await page.getByRole('searchbox', { name: 'Search captures' }).fill('blueberry')
  await expect(rows(page)).toHaveCount(1)
  await expect(page).toHaveURL(/q=blueberry/)
  await page.reload()
  await expect(page.getByRole('searchbox', { name: 'Search captures' })).toHaveValue('blueberry')
  await expect(rows(page)).toHaveCount(1)

  // What arrives afterwards is shown if it matches.
  await page.getByRole('searchbox', { name: 'Search captures' }).fill('straw')
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toContainText('strawberry')
  await post(tondesk.receiverUrl, '{"memo":"gooseberry"}')
  await post(tondesk.receiverUrl, '{"memo":"straw again"}')
  await expect(rows(page).filter({ hasText: 'straw again' })).toHaveCount(1)
  await expect(rows(page).filter({ hasText: 'gooseberry' })).toHaveCount(0)
})
