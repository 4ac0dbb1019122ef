/**
 * Tests the results of invoices: statistics, charts, files and the reconciliation of a day, on a real chain.
 */
import { expect, test } from './fixture.ts'
import { connectRequests } from './send-request.ts'
import { expectAccessible } from './axe.ts'
import { saveFile } from './saved.ts'
import { openPage } from './pages/frame.ts'
import { reconciliation, invoiceExport, invoiceStats } from './pages/invoice-charts.ts'
import { invoiceList } from './pages/invoice-list.ts'

test.use({ withSandbox: true })
// The test starts its own sandbox, which takes longer.
test.slow()

const network = 'sandbox'

test(
  'payments appear in statistics, charts, an exported file and the reconciliation, each with links to their rows',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page } = tondesk
    const look = expectAccessible(tondesk)
    const ask = await connectRequests(tondesk)
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
    const figures = invoiceStats(page)
    await figures.showCharts()
    await expect(figures.ofPeriod).toContainText('1.5 TON')
    await expect(figures.ofPeriod).toContainText('4.2 USDT')
    await expect(figures.ofPeriod).toContainText(figures.text.overpaid('0.100001 USDT'))
    await expect(figures.ofPeriod).toContainText('66.7 %')
    await expect(figures.ofPeriod).toContainText(figures.text.paidOf(2, 3))
    await expect(figures.ofPeriod).toContainText(figures.text.nothingBefore)
    await expect(figures.ofPeriod).toContainText('2.000000001 TON')
    await look('Figures and charts')

    // Another invoice is paid while the page is open.
    const late = await issue('2500000000', 'TON', 'cake')
    await ask('sandbox.pay', { id: late, how: 'exact' })
    await ask('invoiceSync.run', { network })
    await expect(figures.ofPeriod).toContainText('4 TON')
    await expect(figures.ofPeriod).toContainText('75 %')

    // A point links to its rows, by mouse and by keyboard.
    const { ids } = invoiceList(page)
    const { timeToPayment, states } = figures
    await expect(timeToPayment.panel).toContainText(figures.text.invoicesPaid(3))
    await states.figureOfNow('3 paid').focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/status=paid/)
    await expect(ids).toHaveCount(3)
    await timeToPayment.usdt.press('Enter')
    await expect(page).toHaveURL(/within=0-/)
    await expect(page).toHaveURL(/currency=USDT/)
    await expect(ids).toHaveText([over])

    // The filtered list is exported; a formula remains text.
    await page.goBack()
    await expect(ids).toHaveCount(3)
    await page.keyboard.press('e')
    const exporting = invoiceExport(page)
    await expect(exporting.form).toContainText(exporting.text.rows(3))
    await exporting.leaveOutColumn('network')
    await look('Export')
    const csv = await saveFile(tondesk, exporting.exportCsv)
    const [head, ...rows] = csv.replace('\ufeff', '').trim().split('\r\n')
    expect(head).toMatch(/^id,status,currency,amount,received,overpayment,description/)
    expect(rows.map((row) => row.split(',').slice(1, 7).join(' ')).toSorted()).toEqual([
      "paid TON 1.5 1.5 0 '=1+1",
      'paid TON 2.5 2.5 0 cake',
      'paid USDT 4.2 4.300001 0.100001 coffee',
    ])
    await expect(exporting.made).toContainText(exporting.text.checksum)
    await page.keyboard.press('Escape')

    // Gateway and chain agree so far, because the day is not over.
    const close = reconciliation(page)
    await close.show()
    await expect(close.paid).toContainText('4.000000000')
    await expect(close.received).toContainText('4.300001')
    await expect(close.difference).toContainText(
      close.text.noDifferenceSoFar('0.000000000', '0.000000'),
    )
    await expect(close.invoicesThatAgree).toHaveCount(2)
    await expect(close.overpaidInvoices).toHaveCount(1)
    await look('Reconciliation')
    await ask('sandbox.pay', { id: await issue('3000000000', 'TON', 'half'), how: 'under' })
    await ask('invoiceSync.run', { network })
    await expect(close.difference).toContainText(close.text.moreOnChain)
    await expect(close.firstInvoice).toContainText(close.text.notPaid)
  },
)
