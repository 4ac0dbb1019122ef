/** What invoices came to: figures, charts, files and the close of a day, on a real chain. */
import { expect, test } from './fixture.ts'
import type { Page } from '@playwright/test'
import { asking } from './ask.ts'
import { findings } from './axe.ts'
import { saved } from './saved.ts'
import { openPage } from './pages/frame.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const network = 'sandbox'

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('what was paid is in figures, charts, a file and the close of the day, and each leads to its rows', async ({
  tondesk,
}) => {
  const { page, host } = tondesk
  const look = async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
  const ask = await asking(tondesk)
  await expect.poll(async () => (await ask('sandbox.state')).status).toBe('running')
  const issue = async (amount: string, currency: 'TON' | 'USDT', description: string) => {
    const { id } = await ask('sandbox.createInvoice', {
      amount,
      currency,
      lifeTimeSeconds: 600,
      description,
    })
    return id
  }
  const first = await issue('1500000000', 'TON', '=1+1')
  const over = await issue('4200000', 'USDT', 'coffee')
  await issue('2000000001', 'TON', 'waits')
  await ask('sandbox.pay', { id: first, how: 'exact' })
  await ask('sandbox.pay', { id: over, how: 'over', amount: '4300001' })
  await ask('invoiceSync.run', { network })

  await openPage(page, 'invoices')
  const figures = page.getByRole('group', { name: 'Figures of the period' })
  await expect(figures).toContainText('1.500000000 TON')
  await expect(figures).toContainText('4.200000 USDT')
  await expect(figures).toContainText('overpaid 0.100001 USDT')
  await expect(figures).toContainText('66.7 %')
  await expect(figures).toContainText('2 of 3')
  // Of today only what has passed counts: in its first hour that is no day.
  await expect(figures).toContainText(/nothing in the (29|30) days before/)
  await expect(figures).toContainText('2.000000001 TON')
  await look('Figures and charts')

  // While one looks, another is paid.
  const late = await issue('2500000000', 'TON', 'cake')
  await ask('sandbox.pay', { id: late, how: 'exact' })
  await ask('invoiceSync.run', { network })
  await expect(figures).toContainText('4.000000000 TON')
  await expect(figures).toContainText('75.0 %')

  // A bar leads to its rows, and so does the same figure of its table, by keyboard.
  const list = page.getByRole('grid', { name: 'Invoices', exact: true })
  const ids = list.getByRole('row').locator('a[href*="/of/"]')
  const times = panel(page, 'Time to payment')
  await expect(times).toContainText('3 invoices paid')
  await panel(page, 'Created, paid, expired, cancelled')
    .getByRole('button', { name: /as a table$/ })
    .click()
  const today = panel(page, 'Created, paid, expired, cancelled').getByRole('row').nth(1)
  await today.getByRole('link', { name: '3' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/status=paid/)
  await expect(ids).toHaveCount(3)
  const area = await times.locator('[data-press]').boundingBox()
  if (area === null) throw new Error('The chart has no area.')
  // All were paid within a minute; USDT stands on top of TON.
  await page.mouse.click(area.x + 6, area.y + 3)
  await expect(page).toHaveURL(/within=0-/)
  await expect(page).toHaveURL(/currency=USDT/)
  await expect(ids).toHaveText([over])

  // The list as it is filtered, in a file; a formula stays text.
  await page.goBack()
  await expect(ids).toHaveCount(3)
  await page.keyboard.press('e')
  const form = page.getByRole('form', { name: 'Export invoices' })
  await expect(form).toContainText('3 rows')
  await form.getByRole('button', { name: /^Columns/ }).click()
  await form.getByRole('checkbox', { name: 'network' }).uncheck()
  await look('Export')
  const csv = await saved(tondesk, () => form.getByRole('button', { name: 'Export CSV' }).click())
  const [head, ...rows] = csv.replace('\ufeff', '').trim().split('\r\n')
  expect(head).toMatch(/^id,status,currency,amount,received,overpayment,description/)
  expect(rows.map((row) => row.split(',').slice(1, 7).join(' ')).toSorted()).toEqual([
    "paid TON 1.5 1.5 0 '=1+1",
    'paid TON 2.5 2.5 0 cake',
    'paid USDT 4.2 4.300001 0.100001 coffee',
  ])
  const made = page.getByRole('region', { name: 'Exports' }).getByRole('listitem')
  await expect(made).toContainText('SHA-256')
  await page.keyboard.press('Escape')

  // Gateway and chain come to the same.
  await page.getByRole('link', { name: 'Close of day' }).click()
  const statement = page.getByRole('region', { name: 'Statement' })
  await expect(statement.getByRole('row', { name: /^Paid/ })).toContainText('4.000000000')
  await expect(statement.getByRole('row', { name: /^Received/ })).toContainText('4.300001')
  await expect(statement.getByRole('row', { name: /^Difference/ })).toContainText(
    /0\.000000000\s*agrees\s*0\.000000\s*agrees/,
  )
  const rowsOf = page.getByRole('grid', { name: 'Invoices against the chain' })
  await expect(rowsOf.getByText('agrees', { exact: true })).toHaveCount(3)
  await look('Close of day')
  await ask('sandbox.pay', { id: await issue('3000000000', 'TON', 'half'), how: 'under' })
  await ask('invoiceSync.run', { network })
  await expect(statement.getByRole('row', { name: /^Difference/ })).toContainText(
    'more on the chain',
  )
  await expect(rowsOf.getByRole('row').nth(1)).toContainText('not paid')
})
