import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { accountEvent, post } from './sender.ts'
import { openNewest } from './pages/captures.ts'
import { openPage, section } from './pages/frame.ts'

test('axe finds nothing serious on any page, in both themes', async ({ tondesk }) => {
  // A dozen full passes.
  test.slow()
  const { page, receiverUrl } = tondesk
  await openPage(page, 'settings')
  await section(page, 'Appearance').waitFor()
  expect.soft(await findings(page), 'Settings').toEqual([])
  await openPage(page, 'overview')
  expect.soft(await findings(page), 'Overview, empty').toEqual([])
  await openPage(page, 'inspector')
  expect.soft(await findings(page), 'Inspector, empty').toEqual([])
  await openPage(page, 'invoices')
  await page.getByRole('link', { name: 'Access' }).last().waitFor()
  expect.soft(await findings(page), 'Invoices, without access').toEqual([])

  await post(receiverUrl, accountEvent(1))
  await post(receiverUrl, accountEvent(1))
  await post(receiverUrl, 'not json \u0000', { 'Content-Type': 'text/plain' })
  await post(receiverUrl, 'x'.repeat(1024 * 1024 + 1))
  await openPage(page, 'overview')
  await page.getByRole('heading', { name: 'Send your first webhook' }).waitFor({ state: 'hidden' })
  expect.soft(await findings(page), 'Overview, full').toEqual([])
  await openPage(page, 'inspector')
  await page.locator('#capture-1').waitFor()
  expect.soft(await findings(page), 'Inspector, full').toEqual([])

  await openNewest(page)
  await page.locator('#capture-1').click()
  const open = page.getByRole('region', { name: 'Capture 1' })
  await open.getByRole('heading', { name: 'Of an unknown network' }).waitFor()
  expect.soft(await findings(page), 'Inspector, Meaning').toEqual([])
  await open.getByRole('tab', { name: 'Body' }).click()
  for (const view of ['Tree', 'Text', 'Hex']) {
    await open.getByRole('button', { name: view, exact: true }).click()
    expect.soft(await findings(page), `Inspector, ${view}`).toEqual([])
  }
  for (const tab of [/^Headers/, /^Timeline/, /^Details/]) {
    await open.getByRole('tab', { name: tab }).click()
    expect.soft(await findings(page), `Inspector, ${tab.source}`).toEqual([])
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  expect.soft(await findings(page), 'Palette').toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Search captures' }).fill('nothing-like-it')
  await page.getByText('No capture matches').waitFor()
  expect.soft(await findings(page), 'Inspector, nothing found').toEqual([])
})
