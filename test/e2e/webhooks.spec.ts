/** Webhooks, from the first one to its end. */
import type { Locator, Page } from '@playwright/test'
import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { copy, openPage } from './pages/frame.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const listed = (page: Page) =>
  page.getByRole('grid', { name: 'Webhooks' }).locator('[data-webhook]')

const part = (open: Locator, name: string) => open.getByRole('region', { name, exact: true })

test('a webhook is created by the suggestion, set up, given a new token, and deleted by retyping its endpoint', async ({
  tondesk,
}) => {
  const { page, receiverUrl, host } = tondesk
  // The same pages in the same Chromium: once is enough.
  const look = async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
  await openPage(page, 'overview')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.getByRole('heading', { name: 'No webhook on Sandbox yet' }).waitFor()

  // The receiver is offered; what is no URL is said at the field, and what it is typed as is looked at.
  await page.keyboard.press('n')
  const creating = page.getByRole('form', { name: 'New webhook' })
  const endpoint = creating.getByRole('textbox', { name: 'Endpoint' })
  await expect(endpoint).toHaveValue(receiverUrl)
  await endpoint.fill('example.com/hook')
  await page.keyboard.press('Enter')
  await expect(creating.getByRole('alert')).toContainText('Give a full URL')
  await endpoint.fill(receiverUrl.replace(/hook.*/, 'elsewhere'))
  await expect(creating.getByRole('list', { name: 'Of this endpoint' })).toContainText('404')
  // U12: deliveries to another host failed, and nothing in the app could allow it.
  await endpoint.fill('https://example.com/hook')
  const warnings = creating.getByRole('list', { name: 'Of this endpoint' })
  await expect(warnings).toContainText('Deliveries to example.com fail until you allow that host')
  await look('New webhook')
  await creating.getByRole('button', { name: /This receiver/ }).click()
  await creating.getByRole('button', { name: 'Create the webhook' }).click()

  const open = page.getByRole('region', { name: /^Webhook \d+$/ })
  await expect(open.getByRole('heading', { level: 2 })).toHaveText(receiverUrl)
  await expect(page).toHaveURL(/#\/webhooks\/\d+\?network=sandbox$/)
  await expect(open).toContainText('It is subscribed to nothing yet')
  // U15: a webhook that nothing was delivered to was said to have been online just now.
  await expect(open).toContainText('nothing delivered since')
  await expect(listed(page)).toHaveCount(1)
  await expect(listed(page)).toContainText('online')

  for (const name of ['New contracts', 'Mempool']) {
    await open.getByRole('switch', { name }).click()
    await expect(open.getByRole('switch', { name })).toBeChecked()
  }
  await open.getByRole('switch', { name: 'Mempool' }).click()
  await expect(open.getByRole('switch', { name: 'Mempool' })).not.toBeChecked()

  // The token is in the window only once it is asked for, and then on the clipboard.
  const token = part(open, 'Token')
  await expect(token).toContainText('this receiver checks by it')
  await copy(token, 'token')
  const first = await tondesk.readClipboard()
  await expect(token).toContainText(`…${first.slice(-4)}`)
  await token.getByRole('button', { name: 'Rotate…' }).click()
  const asked = page.getByRole('alertdialog')
  await expect(asked.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expect(asked).toContainText(first.slice(-4))
  await asked.getByRole('button', { name: 'Rotate token' }).click()
  await expect(token).not.toContainText(first.slice(-4))
  await copy(token, 'token')
  const second = await tondesk.readClipboard()
  expect(second).not.toBe(first)
  expect(await page.content()).not.toContain(second)
  await look('A webhook')

  await open.getByRole('button', { name: 'Move to another endpoint…' }).click()
  const moving = page.getByRole('dialog', { name: 'Move to another endpoint' })
  // Where it delivers already is not offered, and not taken.
  await moving.getByRole('textbox', { name: 'New endpoint' }).fill(receiverUrl)
  await page.keyboard.press('Enter')
  await expect(moving.getByRole('alert')).toContainText('It delivers there already')
  await look('Moving')
  await page.keyboard.press('Escape')
  await expect(open.getByRole('button', { name: 'Move to another endpoint…' })).toBeFocused()

  await open.getByRole('tab', { name: /^Opcodes/ }).click()
  const adding = open.getByRole('form', { name: 'Subscribe an opcode' })
  await adding.getByRole('combobox', { name: 'Opcode' }).fill('0x1g')
  await page.keyboard.press('Enter')
  await expect(adding.getByRole('alert')).toContainText('hexadecimal')
  // 260734629 is 0x0f8a7ea5.
  await adding.getByRole('combobox', { name: 'Opcode' }).fill('260734629')
  await page.keyboard.press('Enter')
  const opcode = open.getByRole('row', { name: /0x0f8a7ea5/ })
  await expect(opcode).toContainText('jetton transfer')
  await expect(opcode).toContainText('active')
  await look('Opcodes')

  // A press on it in the list, or Enter, opens it again; Escape puts it away.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await expect(open).toBeHidden()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await open.getByRole('button', { name: 'Delete this webhook…' }).click()
  const deleting = page.getByRole('form', { name: 'Delete this webhook' })
  const again = deleting.getByLabel('Type the endpoint again')
  await again.fill(`${receiverUrl}/`)
  await expect(deleting.getByRole('button', { name: 'Delete the webhook' })).toBeDisabled()
  await look('Delete')
  await again.fill(receiverUrl)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'No webhook on Sandbox yet' })).toBeVisible()
  await look('No webhook')

  // What is said of a webhook's link stays true when its network is not the one on the screen.
  await page.evaluate(() => (location.hash = '#/webhooks/1?network=testnet'))
  await expect(page.getByRole('heading', { name: 'This link is of Testnet' })).toBeVisible()
})
