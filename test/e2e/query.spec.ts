/** Tests searches of captures: by words, properties, explanations and time of arrival. */
import type { CaptureRow } from '../../src-preload/contract/capture.ts'
import { invoiceBody, transactionEvent } from '../fixtures/bodies.ts'
import { connectRequests } from './send-request.ts'
import { expectAccessible } from './axe.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { postDelivery } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, rows } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'
import { queryField } from './pages/query-field.ts'
import { transaction } from './pages/explorer.ts'

async function berries({ receiverUrl }: Tondesk): Promise<void> {
  await postDelivery(receiverUrl, '{"memo":"strawberry shipment"}')
  await postDelivery(`${receiverUrl}/warehouse`, '{"memo":"blueberry"}')
  await postDelivery(receiverUrl, '{"memo":"plain"}', { 'X-Courier': 'pigeon-express' })
}

test('captures are found while the query is typed, an error is underlined and hides the rows of the query before, and terms are chips', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const query = queryField(page)
  const { field } = query
  await berries(tondesk)
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(3)
  for (const [text, expected] of [
    ['strawberry', 'strawberry'],
    ['ware', 'blueberry'],
    ['header.x-courier:pigeon*', 'plain'],
    ['contains:"luebe"', 'blueberry'],
  ] as const) {
    await field.fill(text)
    await expect(rows(page)).toHaveCount(1)
    await expect(rows(page).first()).toContainText(expected)
  }

  // Completion works with keys alone: a field, then its values.
  await field.fill('')
  await field.pressSequentially('strawberry meth')
  await expect(query.suggestions).toHaveText([/^method:/])
  // No capture has this word, so the row below belongs to the next text.
  await expect(rows(page)).toHaveCount(0)
  // If nothing was found, replaying would apply to all captures.
  await expect(captureList(page).replayAll).toBeDisabled()
  await page.keyboard.press('Tab')
  await expect(field).toHaveValue('strawberry method:')
  await page.keyboard.type('POST')
  await expect(page).toHaveURL(/q=strawberry\+method%3APOST$/)
  await expect(rows(page)).toHaveCount(1)
  await page.keyboard.type(' lt:>')
  await page.keyboard.press('Enter')
  await expect(query.status).toContainText(query.text.missingValue)
  // The row of the query before would seem to match this one.
  await expect(query.isInvalid).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await expectAccessible(tondesk)('a wrong query')

  await query.removePart('lt:>')
  await query.excludePart('strawberry')
  await expect(field).toHaveValue('-strawberry method:POST')
  await expect(rows(page)).toHaveCount(2)
  await expect(query.status).toContainText(query.text.matches(2))

  // The query is part of the address and applies to new captures.
  await page.reload()
  await expect(field).toHaveValue('-strawberry method:POST')
  await expect(rows(page)).toHaveCount(2)
  await postDelivery(tondesk.receiverUrl, '{"memo":"strawberry again"}')
  await postDelivery(tondesk.receiverUrl, '{"memo":"gooseberry"}')
  await expect(rows(page)).toHaveCount(3)
  await expect(rows(page).filter({ hasText: 'strawberry again' })).toHaveCount(0)
})

test('a search for the text of any cell finds its row, in 50 rows', async ({ tondesk }) => {
  const { page, receiverUrl } = tondesk
  const ask = await connectRequests(tondesk)
  const accountOf = (number: number) => `0:${number.toString(16).padStart(2, '7').repeat(32)}`
  const network = 'testnet'
  await ask('label.set', { network, address: accountOf(1), name: 'Shop wallet', note: '' })
  for (let number = 0; number < 50; number += 1) {
    const kind = (['account_tx', 'opcode_msg', 'new_contracts'] as const)[number % 7]
    const lt = `${51_876_543_000_001 + number}`
    if (kind !== undefined) {
      await postDelivery(
        receiverUrl,
        transactionEvent({ kind, account: accountOf(number % 5), lt }),
      )
    } else if (number % 7 === 3) {
      await postDelivery(
        receiverUrl,
        JSON.stringify({ event_type: 'mempool_msg', boc: 'A'.repeat(number) }),
      )
    } else if (number % 7 < 6) {
      await postDelivery(
        receiverUrl,
        invoiceBody(`5f3c${number}ab`, number % 2 === 0 ? 'paid' : 'expired'),
      )
    } else await postDelivery(`${receiverUrl}/orders`, `payment of order-47${number}`)
  }
  // A second delivery of the first event.
  await postDelivery(
    receiverUrl,
    transactionEvent({ kind: 'account_tx', account: accountOf(0), lt: '51876543000001' }),
  )
  await page.setViewportSize({ width: 1600, height: 2600 })
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(51)
  await expect
    .poll(async () =>
      (await ask('capture.list', { limit: 100 })).rows.every(({ kind }) => kind !== null),
    )
    .toBe(true)
  const ids = (await ask('capture.list', { limit: 100 })).rows.map(({ id }) => id)
  await ask('explanation.setNetwork', { ids, network })
  await expect(rows(page).filter({ hasText: 'Shop wallet' })).not.toHaveCount(0)
  await expect(rows(page).filter({ hasText: captureList(page).text.duplicate })).toHaveCount(1)

  // Times, durations and the state of forwarding are not compared, because `received:`, `took:` and
  // `forwarded:` search these.
  const shown = await captureList(page).cellTexts()
  expect(shown.length).toBeGreaterThanOrEqual(50)
  const found = new Map<string, number[]>()
  const missing: string[] = []
  for (const { id, texts } of shown) {
    for (const text of texts) {
      const list = { query: { text }, limit: 100 }
      if (!found.has(text))
        found.set(
          text,
          (await ask('capture.list', list)).rows.map((row) => row.id),
        )
      if (found.get(text)?.includes(id) !== true) missing.push(`${id}: ${text}`)
    }
  }
  expect(missing).toEqual([])
})

test('a time is selected on the histogram by mouse and keys, and a query is saved with its count', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const query = queryField(page)
  const { field, histogram, views } = query
  await berries(tondesk)
  await openPage(page, 'inspector')
  await expect(histogram.region).toContainText(query.text.captures(3))
  await histogram.lastHour.click()
  await expect(histogram.lastHour).toHaveAttribute('aria-pressed', 'true')
  const { bars } = histogram
  // The chart must show minutes first: an earlier selection would cover the day, and be replaced
  // with the bars.
  const hour = () => expect(bars).toHaveAttribute('aria-valuemax', '59')
  await hour()
  const drag = async (from: number, to: number) => {
    const box = await bars.boundingBox()
    if (box === null) throw new Error('There are no bars.')
    await page.mouse.move(box.x + box.width * from, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * to, box.y + 10, { steps: 3 })
    await page.mouse.up()
  }
  await drag(0.2, 0.4)
  await expect(field).toHaveValue(/^received:\S+\.\.\S+Z$/)
  await expect(query.noMatch).toBeVisible()
  await histogram.reset()
  await expect(field).toHaveValue('')
  await expect(rows(page)).toHaveCount(3)

  await histogram.lastHour.focus()
  await page.keyboard.press('h')
  await expect(bars).toBeFocused()
  await hour()
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+PageUp')
  await expect(bars).toHaveAttribute('aria-valuetext', query.text.captureBar(3, 0))
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(3)
  await expect(query.editPart('received:')).toBeVisible()

  await field.fill('memo -plain')
  await expect(rows(page)).toHaveCount(2)
  await views.save()
  await views.nameField.fill('Berries')
  await page.keyboard.press('Enter')
  await expect(views.menu('Berries')).toBeVisible()
  await field.fill('')
  await expect(rows(page)).toHaveCount(3)
  await views.menu().click()
  await expect(views.view('Berries')).toHaveText(/2$/)
  await views.view('Berries').click()
  await expect(field).toHaveValue('memo -plain')
  await views.remove('Berries')
  await views.undoRemoval('Berries')
  await expect(views.menu('Berries')).toBeVisible()
})

test.describe('on the sandbox', () => {
  test.use({ withSandbox: true })
  // The test starts its own sandbox, which takes longer.
  test.slow()

  test('a payment’s delivery is explained, and a search finds it by each of its properties', async ({
    tondesk,
  }) => {
    const { page, receiverUrl } = tondesk
    const { field, onlyThisNetwork } = queryField(page)
    const detail = captureDetail(page)
    const ask = await connectRequests(tondesk)
    const network = 'sandbox'
    await expect.poll(async () => (await ask('sandbox.state')).status).toBe('running')
    await ask('sandbox.doStep', { step: 'webhook' })
    await ask('webhook.list', { network, fresh: true })
    await ask('sandbox.doStep', { step: 'account' })
    const [webhook] = (await ask('webhook.list', { network })).webhooks
    await ask('webhook.setMempool', { network, id: webhook?.id ?? '', on: true })
    const { wallets } = await ask('sandbox.chain', {})
    const addressOf = (name: string) => wallets.find((each) => each.name === name)?.address ?? ''
    // The webhook delivers to the ledger of invoices.
    await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
    await ask('label.set', { network, address: addressOf('wallet-1'), name: 'Alice' })
    await ask('label.set', { network, address: addressOf('merchant'), name: 'My shop' })
    const { id } = await ask('sandbox.createInvoice', {
      amount: '1500000001',
      currency: 'TON',
      lifeTimeSeconds: 600,
      description: 'order-42',
    })
    await ask('sandbox.pay', { id, how: 'exact', from: 'wallet-1' })
    await postDelivery(receiverUrl, '{"memo":"of nobody known"}')

    await openPage(page, 'inspector')
    // A capture matches even if its explanation arrives after the query.
    await field.fill('event:account_tx meaning:known')
    await expect(rows(page)).toHaveCount(1)
    const row = rows(page).first()
    for (const word of ['Sandbox', 'My shop', '+1.500000001', id]) {
      await expect(row).toContainText(word)
    }
    await row.click()
    await expect(detail.tab('explanation')).toHaveAttribute('aria-selected', 'true')
    for (const words of [
      detail.text.sent('Alice', '1.500000001 TON', 'My shop'),
      detail.text.paysInvoice(id),
      'order-42',
      detail.text.succeeded,
      detail.text.nothingLeftToDo,
    ]) {
      await expect(detail.open).toContainText(words)
    }
    await expect(detail.openInTransactions).toBeVisible()
    await expectAccessible(tondesk)('Meaning')
    // The capture leads to the event of its trace, and from there to the captures of all its transactions.
    await detail.showEvent()
    await expect(transaction(page).actions).toContainText('Alice sent 1.500000001 TON to My shop')
    await detail.showCapturesOfEvent()
    await expect(field).toHaveValue(/^hash:[0-9a-f]{64}(,[0-9a-f]{64})+$/)
    await expect(rows(page)).toHaveCount(1)
    await rows(page).first().click()
    await detail.openTab('details')
    await expect(detail.transactionHash).toHaveAttribute(
      'href',
      /\/tx\/[0-9a-f]{64}\?network=sandbox/,
    )
    await detail.openTab('timeline')
    await expect(detail.open).toContainText(detail.text.inBlock)
    await expect(detail.open).toContainText(detail.text.explained)

    const found = async (text: string) =>
      (await ask('capture.list', { query: { text } })).rows.filter(isPayment)
    const [payment] = await found('event:account_tx')
    for (const text of [
      'account:"My shop"',
      `lt:${payment?.lt ?? ''}`,
      `hash:${payment?.txHash ?? ''}`,
      'amount:1.500000001TON',
      'amount:>1.5TON',
      'sender:Alice',
      'recipient:"My shop"',
      `comment:${id}`,
      `invoice:${id}`,
      'opcode:0x00000000',
      'exit:0',
      'success:yes',
      'token:right',
      'network:sandbox',
      'received:today,yesterday',
      '-duplicate:yes',
      id,
    ]) {
      await field.fill(text)
      await expect(captureList(page).row(payment?.id ?? 0), text).toBeVisible()
    }
    await field.fill('')
    // The suggestions would cover the rows.
    await page.keyboard.press('Escape')
    // The announcement of the payment and its event are one row.
    const list = captureList(page)
    await expect(rows(page)).toHaveCount(3)
    await list.showDeliveries()
    await expect(rows(page)).toHaveCount(4)
    await expect(rows(page).nth(2)).toContainText('└')
    await page.keyboard.press('ArrowLeft')
    await expect(rows(page)).toHaveCount(3)
    await onlyThisNetwork()
    await expect(field).toHaveValue('network:sandbox,unknown')
    await expect(rows(page).filter({ hasText: 'of nobody known' })).toHaveCount(1)
  })
})

function isPayment({ kind }: CaptureRow): boolean {
  return kind === 'account_tx'
}
