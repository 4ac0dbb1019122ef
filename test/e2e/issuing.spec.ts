/** Invoices from the way to them to the links that are sent: one, and many from a file. */
import { asking } from './ask.ts'
import { findings } from './axe.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { saved } from './saved.ts'
import { copy } from './pages/frame.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const network = 'sandbox'

/** The same pages in the same Chromium: once is enough. */
const looker =
  ({ page, host }: Tondesk) =>
  async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }

test('access is walked step by step; an invoice is created once, though its answer is lost, and handed out', async ({
  tondesk,
}) => {
  const { page, host } = tondesk
  const look = looker(tondesk)
  const ask = await asking(tondesk)
  await page.evaluate(() => (location.hash = '#/invoices/access'))
  const steps = page.getByRole('list', { name: 'Steps' }).locator(':scope > li')
  const asked = page.getByRole('alertdialog')

  // The sandbox grants access from the start: the way is walked from its beginning.
  await page.getByRole('button', { name: 'More of the access' }).click()
  await page.getByRole('menuitem', { name: 'Walk the steps from the first' }).click()
  await steps.nth(1).getByRole('button', { name: 'Send the project id' }).click()
  await steps.nth(2).getByRole('button', { name: 'Grant access' }).click()
  await expect(steps.nth(2)).toContainText('done')

  // What is no address is said at the field; another recipient is asked about.
  await steps.nth(3).getByRole('button', { name: 'Change…' }).click()
  const application = page.getByRole('form', { name: 'Application' })
  const recipient = application.getByLabel('Recipient address')
  await application.getByLabel('Name').fill('My shop')
  await recipient.fill('EQnoaddress')
  await page.keyboard.press('Enter')
  await asked.getByRole('button', { name: 'Change the recipient' }).click()
  await expect(application.getByRole('alert')).toBeVisible()
  await application.getByRole('button', { name: 'wallet-2' }).click()
  await look('Access, on the way')
  await application.getByRole('button', { name: 'Change the application' }).click()
  await asked.getByRole('button', { name: 'Change the recipient' }).click()
  await expect(steps.nth(3)).toContainText('My shop')

  // The token is on the clipboard when it is asked for, and never in the page.
  await copy(steps.nth(4), 'invoices token')
  const first = await tondesk.readClipboard()
  await steps.nth(4).getByRole('button', { name: 'Rotate…' }).click()
  await expect(asked.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await asked.getByRole('button', { name: 'Rotate token' }).click()
  await expect(steps.nth(4)).not.toContainText(`…${first.slice(-4)}`)
  await copy(steps.nth(4), 'invoices token')
  const second = await tondesk.readClipboard()
  expect(second).not.toBe(first)
  expect(await page.content()).not.toContain(second)

  await steps.nth(5).getByRole('button', { name: 'Register this receiver' }).click()
  await expect(steps.nth(5).getByRole('listitem')).toContainText('this receiver')
  await expect(page.getByRole('heading', { name: 'Invoices of Sandbox are ready' })).toBeVisible()
  await look('Access, ready')

  // What is typed is read as one types; what would be asked for stands there to its last unit.
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New invoice' })
  const amount = dialog.getByLabel('Amount')
  await expect(amount).toBeFocused()
  await amount.fill('1.1234567')
  await dialog.getByRole('combobox', { name: 'Currency' }).click()
  await page.getByRole('option', { name: 'USDT' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('USDT has 6 decimals; this has 7.')
  await amount.fill('1 284,75 TON')
  await expect(amount).toHaveValue('1 284,75')
  await expect(dialog).toContainText('1\u202f284.750000000 TON')
  await dialog.getByLabel('Description').fill('order-4711')
  await dialog.getByRole('button', { name: '7 d' }).click()
  await look('New invoice')
  if (host === 'browser') {
    // The gateway is asked, and the window does not learn of it.
    tondesk.expectProblem(/Failed to load resource/)
    let lost = false
    await page.route('**/request', async (route) => {
      const isStart = (route.request().postData() ?? '').includes('"invoiceIssue.start"')
      if (!isStart || lost) return route.continue()
      lost = true
      await route.fetch()
      await route.abort()
    })
  }
  await dialog.getByRole('button', { name: 'Create the invoice' }).dblclick()
  if (host === 'browser') await dialog.getByRole('button', { name: 'Look again' }).click()

  const created = page.getByRole('dialog', { name: /^Invoice [0-9a-f]+ is created$/ })
  await expect(created).toContainText('1\u202f284.750000000 TON')
  expect((await ask('invoice.counts', { network })).total).toBe(1)
  const [job] = await ask('invoiceJob.list', { network })
  const { items } = await ask('invoiceJob.items', { id: job?.id ?? 0, offset: 0, limit: 2 })
  const id = items[0]?.invoice ?? 'none'
  await expect(created.getByRole('img', { name: `Payment link of invoice ${id}` })).toBeVisible()
  await look('Created')
  await copy(created, 'payment link')
  const link = await tondesk.readClipboard()
  expect(link).toContain('amount=1284750000000')
  await expect(created.getByLabel('Text to share')).toHaveValue(/Until \d{4}-\d\d-\d\d/)
  await copy(created, 'share text')
  const text = await tondesk.readClipboard()
  expect(text).toMatch(/^Please pay 1284\.75 TON\norder-4711\n/)
  expect(text).toContain(link)
  const svg = await saved(tondesk, () =>
    created.getByRole('button', { name: 'SVG: save the QR code' }).click(),
  )
  expect(svg).toContain(`<title>Payment link of invoice ${id}</title>`)
  await created.getByRole('button', { name: 'Open invoice' }).click()
  await expect(page).toHaveURL(new RegExp(`#/invoices/of/${id}\\?network=sandbox$`))
})

test('many are read from a file with their problems first, issued as they were confirmed, and their links saved', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const look = looker(tondesk)
  const ask = await asking(tondesk)
  await page.evaluate(() => (location.hash = '#/invoices/issue'))
  const lines = [
    'description;amount;currency',
    ...Array.from({ length: 40 }, (_, index) => `order-${index};${index + 1},25;USDT`),
    'broken;1e3;TON',
    'too fine;0,0000000001;TON',
    // A formula stays text, and the line takes the currency of those that say nothing.
    '"=1+1";2,5;',
    'order-0;1,25;USDT',
  ]
  const zone = page.getByRole('region', { name: 'Issue from a file' })
  await look('Issue from a file')
  const data = await page.evaluateHandle((file) => {
    const given = new DataTransfer()
    given.items.add(new File([file], 'october.csv', { type: 'text/csv' }))
    return given
  }, lines.join('\r\n'))
  for (const type of ['dragenter', 'drop']) await zone.dispatchEvent(type, { dataTransfer: data })

  await expect(page.getByRole('heading', { name: 'october.csv' })).toBeVisible()
  const grid = page.getByRole('grid', { name: 'Lines' })
  await expect(grid.locator('[data-index]')).toHaveCount(2)
  await expect(grid.locator('[data-index="0"]')).toContainText('42')
  await expect(grid.locator('[data-index="1"]')).toContainText('TON has 9 decimals')
  await look('A draft')
  await page.getByRole('button', { name: /^All/ }).click()
  await expect(grid.locator('[data-index="0"]')).toContainText('order-0')
  await page.keyboard.press('End')
  await expect(grid.locator('[data-index="43"]')).toContainText('2')
  await expect(page.getByText('1 invoice, 2.500000000 TON')).toBeVisible()
  // By other defaults it is another sum: the lines are read anew.
  await page.getByRole('combobox', { name: 'Currency where a line has none' }).click()
  await page.getByRole('option', { name: 'USDT' }).click()
  await expect(page.getByText('42 invoices, 833.750000 USDT')).toBeVisible()

  // Left alone it is kept, and taken up again; of the former reading nothing is left.
  await page.keyboard.press('Escape')
  const unfinished = page.getByRole('region', { name: 'Unfinished' })
  await expect(unfinished.getByRole('listitem')).toHaveCount(1)
  await unfinished.getByRole('link', { name: '44 lines' }).click()
  await page.getByRole('button', { name: 'Issue 42 invoices…' }).click()
  const asked = page.getByRole('alertdialog')
  await expect(asked).toContainText('on Sandbox')
  await expect(asked).toContainText('833.750000 USDT')
  await expect(asked).toContainText('2 lines are left out')
  await asked.getByRole('button', { name: 'Issue 42 invoices' }).click()

  // Wherever one is by then, its end is told, with the way to its report.
  await expect(page).toHaveURL(/#\/invoices\/jobs\/\d+/)
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  const told = page.getByRole('dialog', { name: 'Issue 42 invoices' })
  await expect(told).toContainText('42 issued')
  await told.getByRole('button', { name: 'Open' }).click()
  // Until it is gone the keys are its own.
  await expect(told).toBeHidden()
  const items = page.getByRole('grid', { name: 'Invoices of this job' })
  await expect(items.locator('[data-index="0"]')).toContainText('1.250000 USDT')
  await page.keyboard.press('End')
  await expect(items.locator('[data-index="40"]')).toContainText('=1+1')
  await look('A job')
  const csv = await saved(tondesk, () =>
    page.getByRole('button', { name: 'Save the links' }).click(),
  )
  expect(csv.split('\n').filter((line) => line.includes('https://'))).toHaveLength(42)
  expect(csv).toContain("'=1+1")
  const { byStatus } = await ask('invoice.counts', { network })
  expect(byStatus['pending']).toBe(42)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('link', { name: 'Issue 42 invoices' })).toBeVisible()
  await look('Jobs')
})
