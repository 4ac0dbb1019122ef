import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { accountEvent, post } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, openCapture, openNewest } from './pages/captures.ts'
import { openPage, palette } from './pages/frame.ts'
import { invoiceAccess } from './pages/invoice-access.ts'
import { overview } from './pages/overview.ts'
import { queryField } from './pages/query-field.ts'
import { appearance } from './pages/settings.ts'

test('axe finds nothing serious on any page, in both themes', async ({ tondesk }) => {
  // A dozen full passes.
  test.slow()
  const { page, receiverUrl } = tondesk
  await openPage(page, 'settings')
  await appearance(page).section.waitFor()
  expect.soft(await findings(page), 'Settings').toEqual([])
  await openPage(page, 'overview')
  expect.soft(await findings(page), 'Overview, empty').toEqual([])
  await openPage(page, 'inspector')
  expect.soft(await findings(page), 'Inspector, empty').toEqual([])
  await openPage(page, 'invoices')
  await invoiceAccess(page).link.waitFor()
  expect.soft(await findings(page), 'Invoices, without access').toEqual([])

  await post(receiverUrl, accountEvent(1))
  await post(receiverUrl, accountEvent(1))
  await post(receiverUrl, 'not json \u0000', { 'Content-Type': 'text/plain' })
  await post(receiverUrl, 'x'.repeat(1024 * 1024 + 1))
  await openPage(page, 'overview')
  await overview(page).sendFirstWebhook.waitFor({ state: 'hidden' })
  expect.soft(await findings(page), 'Overview, full').toEqual([])
  await openPage(page, 'inspector')
  await captureList(page).row(1).waitFor()
  expect.soft(await findings(page), 'Inspector, full').toEqual([])

  await openNewest(page)
  await openCapture(page, 1)
  const { isOfUnknownNetwork, openTab, showBodyAs } = captureDetail(page, 1)
  await isOfUnknownNetwork.waitFor()
  expect.soft(await findings(page), 'Inspector, Meaning').toEqual([])
  await openTab('body')
  for (const view of ['tree', 'text', 'hex'] as const) {
    await showBodyAs(view)
    expect.soft(await findings(page), `Inspector, ${view}`).toEqual([])
  }
  for (const tab of ['headers', 'timeline', 'details'] as const) {
    await openTab(tab)
    expect.soft(await findings(page), `Inspector, ${tab}`).toEqual([])
  }
  await page.keyboard.press('Control+k')
  await palette(page).field.waitFor()
  expect.soft(await findings(page), 'Palette').toEqual([])
  await page.keyboard.press('Escape')
  await queryField(page).field.fill('nothing-like-it')
  await queryField(page).noMatch.waitFor()
  expect.soft(await findings(page), 'Inspector, nothing found').toEqual([])
})
