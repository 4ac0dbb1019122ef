/** Invoices in the list and one by one: what becomes of them, and what is done about it. */
import type { Locator, Page } from '@playwright/test'
import { asking } from './ask.ts'
import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { copy } from './pages/frame.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const network = 'sandbox'

const rows = (page: Page) => page.getByRole('grid', { name: 'Invoices' }).locator('[data-index]')

/** The one that is open. */
const opened = (page: Page) => page.getByRole('region', { name: /^Invoice [0-9a-f]+$/ })

const filterChip = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filters' }).getByRole('button', { name, exact: true })

const idOf = (row: Locator) => row.getByRole('link').first().innerText()

test('samples are issued, overpaid and cancelled: list, detail, advice and filters follow, and a view is saved', async ({
  tondesk,
}) => {
  const { page, receiverUrl, host } = tondesk
  const ask = await asking(tondesk)
  // The same pages in the same Chromium: once is enough.
  const look = async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await page.getByRole('heading', { name: 'No invoice yet' }).waitFor()
  await look('No invoice')
  await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
  await page.getByRole('button', { name: 'Create two samples' }).click()
  await expect(rows(page)).toHaveCount(2)
  const coffee = rows(page).filter({ hasText: 'coffee and cake' })
  await expect(coffee).toContainText('pending')
  await expect(coffee).toContainText(/expires in \d+ min/)
  await expect(coffee).toContainText('1.500000000 TON')
  const id = await idOf(coffee)

  // One is opened: it has a link of its own, what to do, and the means to be paid.
  await coffee.click()
  const open = opened(page)
  await expect(open.getByRole('heading', { level: 2 })).toHaveText(id)
  await expect(page).toHaveURL(new RegExp(`#/invoices/of/${id}\\?network=sandbox$`))
  const next = open.getByRole('region', { name: 'What to do next' })
  await expect(next.getByRole('button', { name: 'Cancel invoice…' })).toBeVisible()
  await expect(open.getByRole('img', { name: `Payment link of invoice ${id}` })).toBeVisible()
  await copy(open, 'payment link')
  expect(await tondesk.readClipboard()).toContain(id)
  await look('A pending invoice')

  // Its payment is more than was asked. Whatever one looks at says so, without being asked.
  await ask('sandbox.pay', { id, how: 'over' })
  await expect(coffee).toContainText('overpaid')
  await expect(next.getByRole('button', { name: 'Prepare refund…' })).toBeVisible()
  await expect(open.getByText('paid, overpaid', { exact: true })).toBeVisible()
  await expect(open.getByRole('list', { name: /^Why it is taken/ })).toContainText('comment')
  await expect(open.getByText('confirmed', { exact: true })).toBeVisible()
  await expect(
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Invoices/ }),
  ).toContainText('needs attention')
  await look('An overpaid invoice')

  // A note of one's own stands in what became of it; once it is handled nothing needs attention.
  await open.getByRole('button', { name: 'Add a note' }).click()
  await open.getByRole('textbox', { name: 'Note' }).fill('Asked the customer by mail')
  await open.getByRole('button', { name: 'Add the note' }).click()
  await expect(open.getByRole('listitem').filter({ hasText: 'by mail' })).toContainText('you')
  await next.getByRole('button', { name: 'Mark handled' }).click()
  await expect(coffee).not.toContainText('overpaid')

  // A filter stands in the link, so back and forward go by it.
  await page.keyboard.press('Escape')
  await expect(open).toBeHidden()
  await filterChip(page, 'state').click()
  await page.getByRole('checkbox', { name: /^paid/ }).check()
  await page.keyboard.press('Escape')
  await expect(rows(page)).toHaveCount(1)
  await expect(page).toHaveURL(/status=paid/)
  await filterChip(page, 'amount').click()
  await page.getByRole('textbox', { name: 'At least' }).fill('2,5')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No invoice is like that' }).waitFor()
  await page.goBack()
  await expect(rows(page)).toHaveCount(1)

  // Under a name of one's own it can be come back to.
  await page.getByRole('button', { name: /^Views/ }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Money in')
  await look('Saving a view')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('button', { name: /^Views/ }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Money in' }).click()
  await expect(page).toHaveURL(/status=paid/)
  await page.getByRole('button', { name: /^Money in/ }).click()
  await page.getByRole('menuitem', { name: 'Remove “Money in”' }).click()
  // By its own toast: another may offer to undo something else.
  const removed = page.getByRole('dialog', { name: '“Money in” removed' })
  await removed.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: /^Money in/ }).waitFor()
  await page.getByRole('group', { name: 'Views' }).getByRole('button', { name: /^All/ }).click()

  // What is searched for is what is cancelled: it is named, and refusing is the default.
  await page.keyboard.press('/')
  await page.keyboard.type('two coffees')
  await expect(rows(page)).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(rows(page)).toHaveCount(2)
  const coffees = rows(page).filter({ hasText: 'two coffees' })
  await coffees.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Cancel selected…' }).click()
  const asked = page.getByRole('alertdialog')
  await expect(asked.getByRole('button', { name: 'Cancel', exact: true })).toBeFocused()
  await expect(asked).toContainText('4.200000 USDT')
  await expect(asked).toContainText('sandbox')
  await look('Cancelling')
  await asked.getByRole('button', { name: /^Cancel invoice/ }).click()
  await expect(coffees).toContainText('cancelled')

  // Read anew, the ledger is as it was told of.
  await page.keyboard.press('r')
  await expect(page.getByText('agrees with the gateway')).toBeVisible()
  await expect(coffees).toContainText('cancelled')
  await look('The list')
})

test('a part-paid invoice asks for the rest, money in another asset is shown on it, and what expired looks like no income', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const ask = await asking(tondesk)
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await page.getByRole('heading', { name: 'No invoice yet' }).waitFor()
  await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
  await ask('sandbox.setClock', { mode: 'virtual' })
  const form = { currency: 'TON', lifeTimeSeconds: 600 } as const
  const part = await ask('sandbox.createInvoice', { ...form, amount: '4000000000' })
  const other = await ask('sandbox.createInvoice', { ...form, amount: '295000000' })
  await ask('sandbox.pay', { id: part.id, how: 'under' })
  await ask('sandbox.pay', { id: other.id, how: 'wrong-asset' })
  await ask('invoiceSync.run', { network })

  // U1: link, picture and text ask for the 2 TON that are still due.
  await page.evaluate((id) => (location.hash = `#/invoices/of/${id}?network=sandbox`), part.id)
  const open = opened(page)
  await expect(open.getByRole('region', { name: 'What to do next' })).toContainText(
    'Ask the payer for another 2.000000000 TON.',
  )
  await copy(open, 'payment link')
  expect(new URL(await tondesk.readClipboard()).searchParams.get('amount')).toBe('2000000000')
  await copy(open, 'text to send')
  expect(await tondesk.readClipboard()).toContain('Please pay 2.00 TON')
  await expect(open.locator('dt:text-is("Due") + dd')).toHaveText('2.000000000 TON')

  // U2: what came in another asset is on the invoice it names, on every page, also once it expired.
  await ask('sandbox.advance', { byMs: 1_200_000 })
  await ask('invoiceSync.run', { network })
  await page.evaluate((id) => (location.hash = `#/invoices/of/${id}?network=sandbox`), other.id)
  const next = open.getByRole('region', { name: 'What to do next' })
  await expect(next).toContainText('Return 295.000000 USDT.')
  await expect(next).not.toContainText(/nothing was paid|no payment/i)
  const uncounted = open.getByRole('list', { name: 'Payments that are not counted' })
  await expect(uncounted).toContainText('295.000000 USDT')
  const row = rows(page).filter({ hasText: other.id })
  await expect(row).toContainText('295 USDT received, not counted')
  await page.getByRole('link', { name: /^Attention/ }).click()
  const matters = page.getByRole('grid', { name: 'What needs attention' }).locator('[data-index]')
  await matters.filter({ hasText: other.id }).click()
  await expect(page.getByRole('region', { name: 'The matter' })).toContainText(
    'cannot be paid in USDT',
  )

  // U3: the deliveries of what expired carry no plus, and the one in part is to be returned.
  await expect(matters.filter({ hasText: part.id })).toContainText('Return 2.000000000 TON.')
  await page.evaluate(() => (location.hash = '#/inspector'))
  const expired = page.getByRole('row').filter({ hasText: `${part.id} expired` })
  await expect(expired).toContainText('4.000000000 TON')
  await expect(expired).not.toContainText('+4')
})
