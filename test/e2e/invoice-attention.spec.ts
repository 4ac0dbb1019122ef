/** Tests "Needs attention": refunds from the user's own wallet, and payments that name no invoice. */
import { connectRequests } from './send-request.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { attention } from './pages/attention.ts'
import { frame, openPage } from './pages/frame.ts'
import { invoiceList } from './pages/invoice-list.ts'

test.use({ withSandbox: true })
// The test starts its own sandbox, which takes longer.
test.slow()

const network = 'sandbox'

test(
  'an overpayment is refunded, found on the chain and handled, and a payment without a comment is linked by hand',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page, receiverUrl } = tondesk
    const list = attention(page)
    const ask = await connectRequests(tondesk)
    const look = expectAccessible(tondesk)
    await openPage(page, 'invoices')
    await invoiceList(page).isEmpty.waitFor()
    await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
    await list.show()
    await list.isEmpty.waitFor()
    await look('Nothing needs attention')

    // The overpayment is reported by its delivery, and the navigation on other pages shows the number.
    const asked = { amount: '4200000', currency: 'USDT', lifeTimeSeconds: 3600 } as const
    const over = await ask('sandbox.createInvoice', { ...asked, description: 'order-4709' })
    await ask('sandbox.pay', { id: over.id, how: 'over', amount: '5450001' })
    await expect(list.rows).toHaveCount(1)
    await expect(list.rows).toContainText('order-4709')
    await expect(list.rows).toContainText(list.text.returnAmount('1.250001 USDT'))
    await expect(frame(page).entry('invoices')).toContainText(`1 ${list.text.needsAttention}`)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/#\/invoices\/attention\/\d+\?network=sandbox$/)

    // The link requests the exact overpaid amount; while a field is invalid there is no link.
    await list.prepareRefund()
    const { refund } = list
    await expect(refund.amount).toHaveValue('1.250001')
    const to = await refund.recipient.inputValue()
    expect(to).toMatch(/^UQ[\w-]{46}$/)
    await refund.copyLink()
    const link = new URL(await tondesk.readClipboard())
    expect(link.pathname).toBe(`/transfer/${to}`)
    expect(link.searchParams.get('amount')).toBe('1250001')
    await refund.showSignedMessage()
    await refund.copyMessage()
    expect(await tondesk.readClipboard()).toMatch(/^te6cc/)
    await look('A refund')
    await refund.amount.fill('1.2500015')
    await expect(refund.disabledParts).toHaveCount(1)
    await expect(refund.send).toBeDisabled()
    await refund.amount.fill('1.250001')
    await refund.send.click()
    await expect(refund.sent).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(list.rows).toContainText(list.text.refundSeen)
    await expect(list.refundSentBack).toBeVisible()

    // The note is stored with the discrepancy; a handled discrepancy disappears, and returns on
    // undo.
    await list.saveNote('Told by mail')
    await expect(list.rows).toContainText('Told by mail')
    await list.markHandled()
    await expect(list.rows).toHaveCount(0)
    await list.undoHandled()
    await expect(list.rows).toContainText('Told by mail')
    await list.markHandled()
    await list.isEmpty.waitFor()

    // A payment without a comment has no invoice until the user links one.
    const bare = await ask('sandbox.createInvoice', { ...asked, description: 'order-4710' })
    await ask('invoiceSync.run', { network })
    await ask('sandbox.pay', { id: bare.id, how: 'no-comment' })
    await page.keyboard.press('r')
    await expect(list.rows).toContainText(list.text.matchesNoInvoice)
    await list.rows.first().click()
    await expect(list.candidate('order-4710')).toContainText(list.text.isExactly('4.2 USDT'))
    await look('A payment without an invoice')
    await list.linkTo('order-4710')
    await expect(list.rows).toHaveCount(0)
    await invoiceList(page).openPayments()
    await expect(list.payment(bare.id)).toHaveCount(1)
    await look('Payments')
  },
)
