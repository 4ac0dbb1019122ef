import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { copy, openPage, section } from './pages/frame.ts'

test.use({ withSandbox: true })
// It starts a TVM of its own.
test.slow()

test('what was asked of the gateway is listed, counted and copied as text', async ({ tondesk }) => {
  const { page } = tondesk
  await openPage(page, 'sandbox')
  await page
    .getByRole('row', { name: /merchant/ })
    .first()
    .waitFor()
  await openPage(page, 'settings')
  const diagnostics = section(page, 'Diagnostics')
  const root = diagnostics.getByRole('row', { name: /^Sandbox · Query/ }).first()
  await diagnostics.waitFor()
  // The webhooks are read by the app itself; the chain is asked by the person only.
  await expect(root).toBeHidden()

  await openPage(page, 'transactions')
  const field = page.getByRole('searchbox', { name: 'Search the chain' })
  const hash = 'ab'.repeat(32)
  await field.fill(hash)
  await field.press('Enter')
  await page
    .getByText(/nothing|not found/i)
    .first()
    .waitFor()

  await openPage(page, 'settings')
  await expect(root).toBeVisible()
  const recent = diagnostics.getByRole('region', { name: 'Recent requests' })
  await expect(recent.getByText('404').first()).toBeVisible()
  expect(await findings(page)).toEqual([])
  await copy(diagnostics, 'figures')
  expect(await tondesk.readClipboard()).toMatch(/GET {2}\/v2\/\S+ {2}404 {2}\d+ ms/)
})
