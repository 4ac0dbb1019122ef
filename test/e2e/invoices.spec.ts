/** Tests invoices in the list and in detail, and the actions on them. */
import { connectRequests } from './send-request.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { attention } from './pages/attention.ts'
import { captureList } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'
import { invoiceDetail } from './pages/invoice-detail.ts'
import { invoiceList } from './pages/invoice-list.ts'
import { reportSettings } from './pages/settings.ts'

test.use({ withSandbox: true })
// The tests start their own sandbox, which takes longer.
test.slow()

const network = 'sandbox'

test('samples are created, overpaid and cancelled: list, detail, advice and filters are updated, and a view is saved', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const list = invoiceList(page)
  const detail = invoiceDetail(page)
  const ask = await connectRequests(tondesk)
  const look = expectAccessible(tondesk)
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

  // A pending invoice has its own link, advice, and several ways to pay.
  await coffee.click()
  await expect(detail.title).toHaveText(id)
  await expect(page).toHaveURL(new RegExp(`#/invoices/of/${id}\\?network=sandbox$`))
  await expect(detail.cancelButton).toBeVisible()
  await expect(detail.qrCode(id)).toBeVisible()
  await detail.copyPaymentLink()
  expect(await tondesk.readClipboard()).toContain(id)
  await look('A pending invoice')

  // The payment exceeds the amount, and every open view shows the overpayment without a reload.
  await ask('sandbox.pay', { id, how: 'over' })
  await expect(coffee).toContainText(list.text.overpaid)
  await expect(detail.refundButton).toBeVisible()
  await expect(detail.paidOverpaid).toBeVisible()
  await expect(detail.paymentReasons).toContainText(detail.text.paidByComment)
  await expect(detail.confirmed).toBeVisible()
  await expect(frame(page).entry('invoices')).toContainText(attention(page).text.needsAttention)
  await look('An overpaid invoice')

  // The timeline contains the user’s note; after the discrepancy is handled no entry needs attention.
  await detail.addNote('Asked the customer by mail')
  await expect(detail.historyEntry('by mail')).toContainText(detail.text.writtenByYou)
  await detail.markHandled()
  await expect(coffee).not.toContainText(list.text.overpaid)

  // The address contains the filter, so back and forward restore it.
  await page.keyboard.press('Escape')
  await expect(detail.open).toBeHidden()
  await list.filterPaid()
  await expect(list.rows).toHaveCount(1)
  await expect(page).toHaveURL(/status=paid/)
  await list.filterAmountFrom('2,5')
  await list.noneMatches.waitFor()
  await page.goBack()
  await expect(list.rows).toHaveCount(1)

  // A saved view can be opened again by its name.
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
  await list.views.showAll('Money in')

  // Cancelling applies to the invoices of the search: the dialog names them, and its default button
  // refuses.
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

  // The ledger is unchanged after the list was read again.
  await page.keyboard.press('r')
  await expect(list.agreesWithGateway).toBeVisible()
  await expect(coffees).toContainText(list.text.cancelled)
  await look('The list')
})

test('a part-paid invoice requests the rest, payments in another asset are shown, and expired invoices show no income', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const list = invoiceList(page)
  const detail = invoiceDetail(page)
  const ask = await connectRequests(tondesk)
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

  // The link, the QR code and the text request the 2 TON that are still due.
  await page.evaluate((id) => (location.hash = `#/invoices/of/${id}?network=sandbox`), part.id)
  await expect(detail.nextStep).toContainText(detail.text.askForTheRest('2 TON'))
  await detail.copyPaymentLink()
  expect(new URL(await tondesk.readClipboard()).searchParams.get('amount')).toBe('2000000000')
  await detail.copyTextToSend()
  expect(await tondesk.readClipboard()).toContain(detail.text.pleasePay('2.00 TON'))
  await expect(detail.due).toHaveText('2 TON')

  // Every page shows a payment in another asset at the invoice that it names, even after the
  // expiry.
  await ask('sandbox.advance', { byMs: 1_200_000 })
  await ask('invoiceSync.run', { network })
  await page.evaluate((id) => (location.hash = `#/invoices/of/${id}?network=sandbox`), other.id)
  await expect(detail.nextStep).toContainText(detail.text.returnAmount('295 USDT'))
  await expect(detail.nextStep).not.toContainText(detail.text.nothingPaid)
  await expect(detail.uncountedPayments).toContainText('295 USDT')
  await expect(list.row(other.id)).toContainText(list.text.receivedNotCounted('295 USDT'))
  await list.openAttention()
  const matters = attention(page)
  await matters.row(other.id).click()
  await expect(matters.open).toContainText(matters.text.cannotBePaidIn('USDT'))

  // Deliveries of an expired invoice have no plus sign, and the partial payment must be returned.
  await expect(matters.row(part.id)).toContainText(detail.text.returnAmount('2 TON'))
  await page.evaluate(() => (location.hash = '#/inspector'))
  const expired = captureList(page).rowOfInvoice(part.id, list.text.expired)
  await expect(expired).toContainText('4.000000000 TON')
  await expect(expired).not.toContainText('+4')
})

// Earlier, the value was missing until the page was reloaded, or shown without the time of its rate.
test('a payment shows its value in the currency of the settings, with the rate and its time', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const detail = invoiceDetail(page)
  const ask = await connectRequests(tondesk)
  const look = expectAccessible(tondesk)
  // The sandbox may not be running before this.
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
