/** Tests webhooks from creation to deletion. */
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { openPage } from './pages/frame.ts'
import { newWebhook, webhookDetail, webhookList } from './pages/webhooks.ts'

test.use({ withSandbox: true })
// The test starts its own sandbox, which takes longer.
test.slow()

test('a webhook is created from the suggestion, set up, given a new token, and deleted by retyping its endpoint', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const list = webhookList(page)
  const webhook = webhookDetail(page)
  const { text, open, token } = webhook
  const look = expectAccessible(tondesk)
  await openPage(page, 'overview')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await list.isEmpty.waitFor()

  // The form suggests the receiver; an invalid URL is reported at the field, and a valid one is
  // checked while the user types.
  await page.keyboard.press('n')
  const creating = newWebhook(page)
  const { endpoint, warnings } = creating
  await expect(endpoint).toHaveValue(receiverUrl)
  await endpoint.fill('example.com/hook')
  await page.keyboard.press('Enter')
  await expect(creating.error).toContainText(text.needsFullUrl)
  await endpoint.fill(receiverUrl.replace(/hook.*/, 'elsewhere'))
  await expect(warnings).toContainText('404')
  // Earlier, deliveries to another host failed, and the app had no setting to allow that host.
  await endpoint.fill('https://example.com/hook')
  await expect(warnings).toContainText(text.hostNotAllowed('example.com'))
  await look('New webhook')
  await creating.useThisReceiver()
  await creating.create()

  await expect(webhook.title).toHaveText(receiverUrl)
  await expect(page).toHaveURL(/#\/webhooks\/\d+\?network=sandbox$/)
  await expect(open).toContainText(text.noSubscriptions)
  // Earlier, a webhook without any delivery was shown as recently online.
  await expect(open).toContainText(text.nothingDelivered)
  await expect(list.rows).toHaveCount(1)
  await expect(list.rows).toContainText(text.online)

  for (const subscription of [webhook.newContracts, webhook.mempool]) {
    await subscription.click()
    await expect(subscription).toBeChecked()
  }
  await webhook.mempool.click()
  await expect(webhook.mempool).not.toBeChecked()

  // The window gets the token only on request, and copies it to the clipboard.
  await expect(token).toContainText(text.verifiedByThisReceiver)
  await webhook.copyToken()
  const first = await tondesk.readClipboard()
  await expect(token).toContainText(`…${first.slice(-4)}`)
  await webhook.rotateToken()
  await expect(webhook.rotateQuestion.cancel).toBeFocused()
  await expect(webhook.rotateQuestion.dialog).toContainText(first.slice(-4))
  await webhook.rotateQuestion.confirm.click()
  await expect(token).not.toContainText(first.slice(-4))
  await webhook.copyToken()
  const second = await tondesk.readClipboard()
  expect(second).not.toBe(first)
  expect(await page.content()).not.toContain(second)
  await look('A webhook')

  await webhook.moveButton.click()
  // An endpoint that already exists is neither suggested nor accepted.
  await webhook.moving.endpoint.fill(receiverUrl)
  await page.keyboard.press('Enter')
  await expect(webhook.moving.error).toContainText(text.deliversThereAlready)
  await look('Moving')
  await page.keyboard.press('Escape')
  await webhook.moving.discard.click()
  await expect(webhook.moveButton).toBeFocused()

  // The key 1 opens the first tab.
  await page.keyboard.press('1')
  await webhook.newOpcode.field.fill('0x1g')
  await page.keyboard.press('Enter')
  await expect(webhook.newOpcode.error).toContainText(text.needsHexadecimal)
  // The decimal number 260734629 is the opcode 0x0f8a7ea5.
  await webhook.newOpcode.field.fill('260734629')
  await page.keyboard.press('Enter')
  const opcode = webhook.opcode('0x0f8a7ea5')
  await expect(opcode).toContainText(text.jettonTransfer)
  await expect(opcode).toContainText(text.active)
  await look('Opcodes')

  // The contents of a test event are shown before it is sent; its capture is not counted.
  await webhook.openTab('deliveries')
  const { testEvent } = webhook
  await testEvent.begin()
  await expect(testEvent.dialog).toContainText(receiverUrl)
  expect(await testEvent.dialog.textContent()).not.toContain(second)
  await look('Test event')
  await testEvent.send()
  await expect(testEvent.response).toContainText('200')
  await expect(testEvent.capture).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(webhook.noFailures).toBeVisible()
  await look('Deliveries')

  // A click on the webhook in the list, or Enter, opens it again; Escape closes it.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await expect(open).toBeHidden()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  // In a narrow window the webhook covers the list, and the link back moves the focus to the list.
  const size = page.viewportSize() ?? { width: 1440, height: 900 }
  await page.setViewportSize({ width: 1024, height: 640 })
  await expect(list.rows).toBeHidden()
  await expect(open).toBeInViewport({ ratio: 1 })
  await webhook.backToList.click()
  await expect(list.rows).toBeVisible()
  await expect(list.grid).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(webhook.backToList).toBeVisible()
  await page.setViewportSize(size)
  await expect(webhook.backToList).toBeHidden()
  await webhook.startDeleting()
  const { deleting } = webhook
  await deleting.endpoint.fill(`${receiverUrl}/`)
  await expect(deleting.confirm).toBeDisabled()
  await look('Delete')
  await deleting.endpoint.fill(receiverUrl)
  await page.keyboard.press('Enter')
  await expect(list.isEmpty).toBeVisible()
  await look('No webhook')

  // The message about a link is right even if the webhook's network is not selected.
  await page.evaluate(() => (location.hash = '#/webhooks/1?network=testnet'))
  await expect(list.linkIsOf('Testnet')).toBeVisible()
})
