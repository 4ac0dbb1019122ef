/** Invoices in the list and one by one: what becomes of them, and what is done about it. */
import { asking } from './ask.ts'
import { looking } from './axe.ts'
import { expect, test } from './fixture.ts'
import { attention } from './pages/attention.ts'
import { captureList } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'
import { invoiceDetail } from './pages/invoice-detail.ts'
import { invoiceList } from './pages/invoice-list.ts'
import { reportSettings } from './pages/settings.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const network = 'sandbox'

test('samples are issued, overpaid and cancelled: list, detail, advice and filters follow, and a view is saved', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const list = invoiceList(page)
  const detail = invoiceDetail(page)
  const ask = await asking(tondesk)
  const look = looking(tondesk)
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await list.isEmpty.waitFor()
  await look('No invoice')
  await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
  await list.createSamples()
  await expect(list.rows).toHaveCount(2)
  const coffee = list.row(list.sampleOfTon)
  await expect(coffee).toContainText(list.text.pending)
  await expect(coffee).toContainText(list.text.expiresSoon)
  await expect(coffee).toContainText('1.500000000 TON')
  const id = await list.idOf(coffee)

  // One is opened: it has a link of its own, what to do, and the means to be paid.
  await coffee.click()
  await expect(detail.title).toHaveText(id)
  await expect(page).toHaveURL(new RegExp(`#/invoices/of/${id}\\?network=sandbox$`))
  await expect(detail.cancelButton).toBeVisible()
  await expect(detail.qrCode(id)).toBeVisible()
  await detail.copyPaymentLink()
  expect(await tondesk.readClipboard()).toContain(id)
  await look('A pending invoice')

  // Its payment is more than was asked. Whatever one looks at says so, without being asked.
  await ask('sandbox.pay', { id, how: 'over' })
  await expect(coffee).toContainText(list.text.overpaid)
  await expect(detail.refundButton).toBeVisible()
  await expect(detail.paidOverpaid).toBeVisible()
  await expect(detail.paymentReasons).toContainText(detail.text.paidByComment)
  await expect(detail.confirmed).toBeVisible()
  await expect(frame(page).entry('invoices')).toContainText(attention(page).text.needsAttention)
  await look('An overpaid invoice')

  // A note of one's own stands in what became of it; once it is handled nothing needs attention.
  await detail.addNote('Asked the customer by mail')
  await expect(detail.historyEntry('by mail')).toContainText(detail.text.writtenByYou)
  await detail.markHandled()
  await expect(coffee).not.toContainText(list.text.overpaid)

  // A filter stands in the link, so back and forward go by it.
  await page.keyboard.press('Escape')
  await expect(detail.open).toBeHidden()
  await list.filterPaid()
  await expect(list.rows).toHaveCount(1)
  await expect(page).toHaveURL(/status=paid/)
  await list.filterAmountFrom('2,5')
  await list.noneMatches.waitFor()
  await page.goBack()
  await expect(list.rows).toHaveCount(1)

  // Under a name of one's own it can be come back to.
  await list.views.save()
  await list.views.nameField.fill('Money in')
  await look('Saving a view')
  await page.keyboard.press('Enter')
  await list.clearFilters()
  await expect(list.rows).toHaveCount(2)
  await list.views.open('Money in')
  await expect(page).toHaveURL(/status=paid/)
  await list.views.remove('Money in')
  await list.views.undoRemoval('Money in')
  await list.views.menu('Money in').waitFor()
  await list.views.showAll()

  // What is searched for is what is cancelled: it is named, and refusing is the default.
  await page.keyboard.press('/')
  await page.keyboard.type(list.sampleOfUsdt)
  await expect(list.rows).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(list.rows).toHaveCount(2)
  const coffees = list.row(list.sampleOfUsdt)
  await list.checkboxOf(coffees).check()
  await list.cancelSelected()
  await expect(list.cancelQuestion.cancel).toBeFocused()
  await expect(list.cancelQuestion.dialog).toContainText('4.2 USDT')
  await expect(list.cancelQuestion.dialog).toContainText(network)
  await look('Cancelling')
  await list.cancelQuestion.confirm.click()
  await expect(coffees).toContainText(list.text.cancelled)

  // Read anew, the ledger is as it was told of.
  await page.keyboard.press('r')
  await expect(list.agreesWithGateway).toBeVisible()
  await expect(coffees).toContainText(list.text.cancelled)
  await look('The list')
})

test('a part-paid invoice asks for the rest, money in another asset is shown on it, and what expired looks like no income', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const list = invoiceList(page)
  const detail = invoiceDetail(page)
  const ask = await asking(tondesk)
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await list.isEmpty.waitFor()
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
  await expect(detail.nextStep).toContainText(detail.text.askForTheRest('2 TON'))
  await detail.copyPaymentLink()
  expect(new URL(await tondesk.readClipboard()).searchParams.get('amount')).toBe('2000000000')
  await detail.copyTextToSend()
  expect(await tondesk.readClipboard()).toContain(detail.text.pleasePay('2.00 TON'))
  await expect(detail.due).toHaveText('2.000000000 TON')

  // U2: what came in another asset is on the invoice it names, on every page, also once it expired.
  await ask('sandbox.advance', { byMs: 1_200_000 })
  await ask('invoiceSync.run', { network })
  await page.evaluate((id) => (location.hash = `#/invoices/of/${id}?network=sandbox`), other.id)
  await expect(detail.nextStep).toContainText(detail.text.returnAmount('295 USDT'))
  await expect(detail.nextStep).not.toContainText(detail.text.nothingPaid)
  await expect(detail.uncountedPayments).toContainText('295.000000 USDT')
  await expect(list.row(other.id)).toContainText(list.text.receivedNotCounted('295 USDT'))
  await list.openAttention()
  const matters = attention(page)
  await matters.row(other.id).click()
  await expect(matters.open).toContainText(matters.text.cannotBePaidIn('USDT'))

  // U3: the deliveries of what expired carry no plus, and the one in part is to be returned.
  await expect(matters.row(part.id)).toContainText(detail.text.returnAmount('2 TON'))
  await page.evaluate(() => (location.hash = '#/inspector'))
  const expired = captureList(page).rowOfInvoice(part.id, list.text.expired)
  await expect(expired).toContainText('4.000000000 TON')
  await expect(expired).not.toContainText('+4')
})

// The value stood nowhere until the page was loaded again, or without the time of its rate.
test('a payment has its value in the currency that the settings name, with the rate and its time', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const detail = invoiceDetail(page)
  const ask = await asking(tondesk)
  const look = looking(tondesk)
  // Until then the sandbox may not run yet.
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await invoiceList(page).isEmpty.waitFor()
  await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
  const form = { currency: 'TON', lifeTimeSeconds: 600, amount: '4115000000' } as const
  const { id } = await ask('sandbox.createInvoice', form)
  await ask('sandbox.pay', { id, how: 'exact' })
  await ask('invoiceSync.run', { network })
  const settings = reportSettings(page)
  await openPage(page, 'settings')
  await settings.chooseFiatCurrency('USD')
  await look('The settings of reports')
  await page.evaluate((of) => (location.hash = `#/invoices/of/${of}?network=sandbox`), id)
  await expect(detail.payments).toContainText(
    /about 12\.35 USD; rate 3 USD per TON from the gateway, .*\d\d:\d\d/,
  )
  await look('A payment with its value')
  await ask('settings.change', { reports: { fiatCurrency: 'CHF' } })
  await expect(detail.payments).toContainText(
    'Value in CHF unknown. The gateway has no rate in CHF near the payment’s time.',
  )
})
