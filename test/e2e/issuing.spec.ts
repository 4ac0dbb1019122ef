/** Tests issuing invoices, from access to the links for payers: one invoice, and many from a file. */
import { connectRequests } from './send-request.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { saveFile } from './saved.ts'
import { invoiceAccess } from './pages/invoice-access.ts'
import { issuingFromFile, issuingJob, newInvoice } from './pages/issuing.ts'

test.use({ withSandbox: true })
// The tests start their own sandbox, which takes longer.
test.slow()

const network = 'sandbox'

test('access is set up step by step, and an invoice is created once although its response is lost, and can be shared', async ({
  tondesk,
}) => {
  const { page, host } = tondesk
  const look = expectAccessible(tondesk)
  const ask = await connectRequests(tondesk)

  // The sandbox grants access at its start, so the test starts again at the first step.
  await expect.poll(async () => (await ask('sandbox.state')).status).toBe('running')
  await ask('sandbox.setAccess', { state: 'registered' })
  await page.evaluate(() => (location.hash = '#/invoices/access'))
  const access = invoiceAccess(page)
  await access.sendProjectId()
  await access.grantAccess()
  await expect(access.grantStep).toContainText(access.text.done)

  // An invalid address is reported at its field, and a changed recipient needs a confirmation.
  const { application, recipientQuestion, rotateQuestion } = access
  await application.open()
  await application.name.fill('My shop')
  await application.recipient.fill('EQnoaddress')
  await page.keyboard.press('Enter')
  await recipientQuestion.confirm.click()
  await expect(application.error).toBeVisible()
  await application.chooseWallet('wallet-2')
  await look('Access, on the way')
  await application.save()
  await recipientQuestion.confirm.click()
  await expect(access.applicationStep).toContainText('My shop')

  // The token is copied to the clipboard on request, and never appears in the page.
  await access.copyToken()
  const first = await tondesk.readClipboard()
  await access.rotateToken()
  await expect(rotateQuestion.cancel).toBeFocused()
  await rotateQuestion.confirm.click()
  await expect(access.tokenStep).not.toContainText(`…${first.slice(-4)}`)
  await access.copyToken()
  const second = await tondesk.readClipboard()
  expect(second).not.toBe(first)
  expect(await page.content()).not.toContain(second)

  await access.registerReceiver()
  await expect(access.webhook).toContainText(access.text.thisReceiver)
  await expect(access.isReady).toBeVisible()
  await look('Access, ready')

  // The amount is parsed while the user types, and shown with all decimals.
  await page.keyboard.press('n')
  const dialog = newInvoice(page)
  await expect(dialog.amount).toBeFocused()
  // Cancelled input is not restored, and Escape needs a confirmation before it discards input.
  await page.keyboard.type('2')
  await page.keyboard.press('Escape')
  await dialog.discardQuestion.confirm.click()
  await expect(dialog.dialog).toBeHidden()
  await page.keyboard.press('n')
  await expect(dialog.amount).toBeFocused()
  await expect(dialog.amount).toHaveValue('')
  await page.keyboard.type('5')
  await dialog.cancel.click()
  await expect(dialog.dialog).toBeHidden()
  await page.keyboard.press('n')
  await expect(dialog.amount).toBeFocused()
  await expect(dialog.amount).toHaveValue('')
  // The form offers both readings of an ambiguous amount.
  await page.keyboard.type('1.234')
  await dialog.reading('1234 TON').click()
  await expect(dialog.dialog).toContainText('1\u202f234 TON')
  await dialog.amount.fill('1.1234567')
  await dialog.chooseCurrency('USDT')
  await expect(dialog.error).toHaveText(dialog.text.usdtDecimals(7))
  await dialog.amount.fill('1 284,75 TON')
  await expect(dialog.amount).toHaveValue('1 284,75')
  await expect(dialog.dialog).toContainText('1\u202f284.75 TON')
  await dialog.description.fill('order-4711')
  await dialog.chooseSevenDays()
  await look('New invoice')
  if (host === 'browser') {
    // The gateway creates the invoice, but the window gets no response.
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
  await dialog.createTwice()
  if (host === 'browser') await dialog.lookForLostAnswer()

  const { created } = dialog
  await expect(created.dialog).toContainText('1\u202f284.75 TON')
  expect((await ask('invoice.counts', { network })).total).toBe(1)
  const [job] = await ask('job.list', { kind: 'invoiceJob', network })
  const { items } = await ask('invoiceJob.items', { id: job?.id ?? 0, offset: 0, limit: 2 })
  const id = items[0]?.invoice ?? 'none'
  await expect(created.qrCode(id)).toBeVisible()
  await look('Created')
  await created.copyPaymentLink()
  const link = await tondesk.readClipboard()
  expect(link).toContain('amount=1284750000000')
  await expect(created.shareText).toHaveValue(dialog.text.until)
  await created.copyShareText()
  const text = await tondesk.readClipboard()
  expect(text.split('\n', 2)).toEqual([dialog.text.pleasePay('1284.75 TON'), 'order-4711'])
  expect(text).toContain(link)
  const svg = await saveFile(tondesk, created.saveQrCode)
  expect(svg).toContain(created.qrCodeTitle(id))
  await created.openInvoice()
  await expect(page).toHaveURL(new RegExp(`#/invoices/of/${id}\\?network=sandbox$`))
})

test('invoices are read from a file with their problems, issued after a confirmation, and their links saved', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const look = expectAccessible(tondesk)
  const ask = await connectRequests(tondesk)
  await page.evaluate(() => (location.hash = '#/invoices/issue'))
  const lines = [
    'description;amount;currency',
    ...Array.from({ length: 40 }, (_, index) => `order-${index};${index + 1},25;USDT`),
    'broken;1e3;TON',
    'too fine;0,0000000001;TON',
    // A formula remains text, and a line without a currency gets the default currency.
    '"=1+1";2,5;',
    'order-0;1,25;USDT',
  ]
  const draft = issuingFromFile(page)
  await look('Issue from a file')
  const drop = async (name: string, content: string) => {
    const data = await page.evaluateHandle(
      (file) => {
        const given = new DataTransfer()
        given.items.add(new File([file.content], file.name, { type: 'text/csv' }))
        return given
      },
      { name, content },
    )
    for (const type of ['dragenter', 'drop'])
      await draft.dropZone.dispatchEvent(type, { dataTransfer: data })
  }
  // The reason stays on the page until the next file, unlike a message that disappears after some
  // seconds.
  await drop('october.xlsx', 'PK\u0000')
  await expect(draft.fileProblem).toContainText('october.xlsx')
  await drop('october.csv', lines.join('\r\n'))

  await expect(draft.fileName('october.csv')).toBeVisible()
  await expect(draft.lines).toHaveCount(2)
  await expect(draft.line(0)).toContainText('42')
  await expect(draft.line(1)).toContainText(draft.text.tonDecimals)
  await look('A draft')
  await draft.showAllLines()
  await expect(draft.line(0)).toContainText('order-0')
  await page.keyboard.press('End')
  await expect(draft.line(43)).toContainText('2')
  await expect(draft.sum(1, '2.5 TON')).toBeVisible()
  // Other defaults change the sum: the lines are read again.
  await draft.chooseDefaultCurrency('USDT')
  await expect(draft.sum(42, '833.75 USDT')).toBeVisible()

  // A draft is stored when the user leaves it, and can be continued without any part of the former reading.
  await page.keyboard.press('Escape')
  await expect(draft.unfinished).toHaveCount(1)
  await draft.openUnfinished(44)
  await draft.issue(42)
  const { dialog, confirm } = draft.issueQuestion
  await expect(dialog).toContainText(draft.text.onSandbox)
  await expect(dialog).toContainText('833.75 USDT')
  await expect(dialog).toContainText(draft.text.leftOut(2))
  await confirm.click()

  // A message on any page reports the end of the job, with a link to its report.
  await expect(page).toHaveURL(/#\/invoices\/jobs\/\d+/)
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  const issuing = issuingJob(page, 42)
  await expect(issuing.endMessage).toContainText(draft.text.issued(42))
  await issuing.openFromMessage()
  // While the message is visible it receives the keys.
  await expect(issuing.endMessage).toBeHidden()
  await expect(issuing.item(0)).toContainText('1.250000 USDT')
  await page.keyboard.press('End')
  await expect(issuing.item(40)).toContainText('=1+1')
  await look('A job')
  const csv = await saveFile(tondesk, issuing.saveLinks)
  expect(csv.split('\n').filter((line) => line.includes('https://'))).toHaveLength(42)
  expect(csv).toContain("'=1+1")
  const { byStatus } = await ask('invoice.counts', { network })
  expect(byStatus['pending']).toBe(42)
  await page.keyboard.press('Escape')
  await expect(issuing.entry).toBeVisible()
  await look('Jobs')
})
