/** Tests accounts of a webhook: added, removed and restored, by hand and with a file. */
import { friendlyAddress } from '../../src-renderer/components/friendly-address.ts'
import { expectAccessible } from './axe.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { saveFile } from './saved.ts'
import { addressList } from './pages/address-list.ts'
import { openPage } from './pages/frame.ts'
import { subscribedAccounts, subscriptionsFile } from './pages/subscriptions.ts'
import { newWebhook, webhookDetail, webhookList } from './pages/webhooks.ts'

test.use({ withSandbox: true })
// The test starts its own sandbox, which takes longer.
test.slow()

const absent = `0:${'ab'.repeat(32)}`

async function createWebhook({ page, receiverUrl }: Tondesk): Promise<void> {
  await openPage(page, 'webhooks')
  await webhookList(page).isEmpty.waitFor()
  await page.keyboard.press('n')
  await expect(newWebhook(page).endpoint).toHaveValue(receiverUrl)
  await newWebhook(page).create()
  await webhookDetail(page).open.waitFor()
}

test('accounts are added, shown, removed and restored, and a file is compared, applied and undone', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const look = expectAccessible(tondesk)
  const webhook = webhookDetail(page)
  const accounts = subscribedAccounts(page)
  const addresses = addressList(page)
  const { field } = addresses
  await createWebhook(tondesk)
  await webhook.subscribeAccounts()
  await addresses.tryWithWallets()
  await expect(field).toHaveValue(/^0:/)
  const [first = '', second = '', third = ''] = (await field.inputValue()).split('\n')
  const again = friendlyAddress(first, { bounceable: true, testOnly: false })
  await field.fill([first, again, 'hello', second].join('\n'))
  await expect(addresses.chip('valid')).toHaveText(/2$/)
  await expect(addresses.chip('duplicate')).toHaveText(/1$/)
  await addresses.chip('invalid').click()
  await expect(addresses.lines.first()).toContainText('3')
  await look('Add accounts')
  await accounts.subscribe(2)

  await expect(accounts.rows).toHaveCount(2)
  await expect(accounts.chip('neverDelivered')).toHaveText(/2$/)
  // The progress bar above the table disappears when the change ends, so an earlier click would hit
  // another row.
  await expect(accounts.changesUnderWay).toHaveCount(0)
  await accounts.watchFirst()
  await expect(accounts.chip('watched')).toHaveText(/1$/)

  // The row with the cursor opens its account, which has its own address; Escape closes it.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#\/webhooks\/\d+\/accounts\/0:/)
  await expect(accounts.account).toContainText(accounts.text.notFailing)
  await page.keyboard.press('x')
  await look('An account, and one selected')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(accounts.account).toBeHidden()

  // All displayed accounts are removed, and restored by the button in the message.
  await page.keyboard.press('x')
  await page.keyboard.press('Shift+ArrowUp')
  await expect(accounts.selection).toContainText(accounts.text.accounts(2))
  await page.keyboard.press('Delete')
  const removing = accounts.removeQuestion(2)
  await expect(removing.dialog).toContainText(accounts.text.removeFrom(2))
  await expect(removing.cancel).toBeFocused()
  await removing.confirm.click()
  await expect(accounts.isEmpty).toBeVisible()
  await accounts.undoRemoval(2)
  const undoing = accounts.undoQuestion(2)
  await expect(undoing.dialog).toContainText(accounts.text.subscribesAgain(2))
  await undoing.confirm.click()
  await expect(accounts.rows).toHaveCount(2)

  // In the exported file one account is deleted and another added.
  const yaml = await saveFile(tondesk, () => page.keyboard.press('e'))
  expect(yaml).toContain(first)
  const edited = yaml.replace(second, third)
  const file = subscriptionsFile(page)
  await file.show()
  await look('No file')
  await file.open(edited.replace('mempool', 'mempol'))
  await expect(file.error).toContainText(file.text.errorAt('mempol'))
  await file.close()
  await file.open(`${edited}      - ${first}\n      - ${absent.slice(0, -1)}\n`)
  await expect(file.cannotBeApplied).toBeVisible()
  await expect(file.applyButton).toBeDisabled()
  await expect(file.chip('duplicate')).toHaveText(/1$/)
  await expect(file.chip('invalid')).toHaveText(/1$/)
  await look('A plan')
  await file.close()
  await file.open(edited)
  await expect(file.differences).toHaveCount(2)
  await expect(file.difference('missing')).toContainText(file.text.subscribeAccount)
  await expect(file.difference('extra')).toContainText(file.text.unsubscribeAccount)
  await file.apply(2)
  const applying = file.applyQuestion(2)
  await expect(applying.dialog).toContainText(file.text.counts(1, 1))
  await applying.confirm.click()
  await expect(file.stepsDone).toHaveCount(2)
  await file.showDifferences()
  await expect(file.nothingDiffers).toBeVisible()
  await file.close()
  await file.undo()
  await undoing.confirm.click()
  await expect(file.lastApplied).toContainText(file.text.undone)

  await file.backToList()
  await webhookList(page).rows.click()
  await webhook.openTab('accounts')
  await expect(accounts.rows).toHaveCount(2)
  await accounts.filter.fill(second)
  await expect(accounts.rows).toHaveCount(1)
  await webhook.openTab('changes')
  await expect(accounts.undoneChanges).toHaveCount(2)
  await look('Changes')
})
