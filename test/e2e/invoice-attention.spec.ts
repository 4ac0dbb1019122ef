/** What needs a person: money given back from one's own wallet, and payments that name no invoice. */
import type { Page } from '@playwright/test'
import { asking } from './ask.ts'
import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { copy, openPage } from './pages/frame.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const network = 'sandbox'

const rows = (page: Page) =>
  page.getByRole('grid', { name: 'What needs attention' }).locator('[data-index]')

/** What stands beside the list. */
const next = (page: Page) => page.getByRole('region', { name: 'What to do next' })

test('an overpayment is returned, seen and handled, and a payment without a comment is linked by hand', async ({
  tondesk,
}) => {
  const { page, receiverUrl, host } = tondesk
  const ask = await asking(tondesk)
  // The same pages in the same Chromium: once is enough.
  const look = async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
  await openPage(page, 'invoices')
  await page.getByRole('heading', { name: 'No invoice yet' }).waitFor()
  await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
  await page.getByRole('link', { name: 'Attention', exact: true }).click()
  await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor()
  await look('Nothing needs attention')

  // It comes by its delivery, and is counted where one is not looking.
  const asked = { amount: '4200000', currency: 'USDT', lifeTimeSeconds: 3600 } as const
  const over = await ask('sandbox.createInvoice', { ...asked, description: 'order-4709' })
  await ask('sandbox.pay', { id: over.id, how: 'over', amount: '5450001' })
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('order-4709')
  await expect(rows(page)).toContainText('Return 1.250001 USDT')
  await expect(
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Invoices/ }),
  ).toContainText('1 needs attention')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#\/invoices\/attention\/\d+\?network=sandbox$/)

  // The link asks for what is too much, to the last unit; while a field is wrong there is none.
  await next(page).getByRole('button', { name: 'Prepare refund…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Prepare a refund' })
  const amount = dialog.getByRole('textbox', { name: 'Amount' })
  await expect(amount).toHaveValue('1.250001')
  const to = await dialog.getByRole('textbox', { name: 'To' }).inputValue()
  expect(to).toMatch(/^UQ[\w-]{46}$/)
  await copy(dialog, 'refund link')
  const link = new URL(await tondesk.readClipboard())
  expect(link.pathname).toBe(`/transfer/${to}`)
  expect(link.searchParams.get('amount')).toBe('1250001')
  await dialog.getByText('For a wallet that signs messages').click()
  await copy(dialog, 'message as BOC')
  expect(await tondesk.readClipboard()).toMatch(/^te6cc/)
  await look('A refund')
  await amount.fill('1.2500015')
  await expect(dialog.locator('[inert]')).toHaveCount(1)
  await expect(dialog.getByRole('button', { name: /^Send it/ })).toBeDisabled()
  await amount.fill('1.250001')
  await dialog.getByRole('button', { name: /^Send it/ }).click()
  await expect(dialog.getByRole('button', { name: 'Sent' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rows(page)).toContainText('refund seen')
  await expect(page.getByText(/sent back/)).toBeVisible()

  // What was agreed is kept with it; what is handled goes, and comes back when it is undone.
  await page.getByRole('textbox', { name: 'Note' }).fill('Told by mail')
  await page.getByRole('button', { name: 'Keep the note' }).click()
  await expect(rows(page)).toContainText('Told by mail')
  await next(page).getByRole('button', { name: 'Mark handled' }).click()
  await expect(rows(page)).toHaveCount(0)
  const toast = page.getByRole('dialog', { name: '1 matter handled' })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(rows(page)).toContainText('Told by mail')
  await next(page).getByRole('button', { name: 'Mark handled' }).click()
  await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor()

  // Without a comment it is nobody's, until a person says whose it is.
  const bare = await ask('sandbox.createInvoice', { ...asked, description: 'order-4710' })
  await ask('invoiceSync.run', { network })
  await ask('sandbox.pay', { id: bare.id, how: 'no-comment' })
  await page.keyboard.press('r')
  await expect(rows(page)).toContainText('matches no invoice')
  await rows(page).first().click()
  const candidate = page.getByRole('listitem').filter({ hasText: 'order-4710' })
  await expect(candidate).toContainText('It is exactly 4.200000 USDT')
  await look('A payment without an invoice')
  await candidate.getByRole('button', { name: 'It is of this one' }).click()
  await expect(rows(page)).toHaveCount(0)
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  const payments = page.getByRole('grid', { name: 'Payments' }).locator('[data-index]')
  await expect(payments.filter({ hasText: bare.id })).toHaveCount(1)
  await look('Payments')
})
