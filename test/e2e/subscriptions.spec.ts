/** Accounts of a webhook, added, removed and put back; the same as a file. */
import type { Locator, Page } from '@playwright/test'
import { friendlyAddress } from '../../src-renderer/friendly-address.ts'
import { findings } from './axe.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { saved } from './saved.ts'
import { openPage } from './pages/frame.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const absent = `0:${'ab'.repeat(32)}`

const rowsOf = (page: Page, grid: string) =>
  page.getByRole('grid', { name: grid }).locator('[data-index]')

const chip = (page: Page, group: string, name: RegExp) =>
  page.getByRole('group', { name: group }).getByRole('button', { name })

async function createWebhook({ page, receiverUrl }: Tondesk): Promise<Locator> {
  await openPage(page, 'webhooks')
  await page.getByRole('heading', { name: 'No webhook on Sandbox yet' }).waitFor()
  await page.keyboard.press('n')
  await expect(page.getByRole('textbox', { name: 'Endpoint' })).toHaveValue(receiverUrl)
  const creating = page.getByRole('form', { name: 'New webhook' })
  await creating.getByRole('button', { name: 'Create the webhook' }).click()
  const open = page.getByRole('region', { name: /^Webhook \d+$/ })
  await open.waitFor()
  return open
}

test('accounts are pasted, shown, removed and put back; a file is compared, applied and undone', async ({
  tondesk,
}) => {
  const { page, host } = tondesk
  // The same pages in the same Chromium: once is enough.
  const look = async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
  const open = await createWebhook(tondesk)
  await open.getByRole('button', { name: 'Subscribe accounts' }).click()
  const field = page.getByRole('textbox', { name: 'Addresses' })
  await page.getByRole('button', { name: 'Try it with the sandbox’s wallets' }).click()
  await expect(field).toHaveValue(/^0:/)
  const [first = '', second = '', third = ''] = (await field.inputValue()).split('\n')
  const again = friendlyAddress(first, { bounceable: true, testOnly: false })
  await field.fill([first, again, 'hello', second].join('\n'))
  await expect(chip(page, 'Lines shown', /^Valid/)).toHaveText(/2$/)
  await expect(chip(page, 'Lines shown', /^Duplicate/)).toHaveText(/1$/)
  await chip(page, 'Lines shown', /^Invalid/).click()
  await expect(rowsOf(page, 'Lines').first()).toContainText('3')
  await look('Add accounts')
  await page.getByRole('button', { name: /^Subscribe 2 accounts/ }).click()

  const accounts = rowsOf(page, 'Subscribed accounts')
  await expect(accounts).toHaveCount(2)
  await expect(chip(page, 'Accounts shown', /^Never delivered/)).toHaveText(/2$/)
  // Its strip goes from above the table as the change ends: a press begun before would end elsewhere.
  await expect(page.getByRole('group', { name: /^Under way/ })).toHaveCount(0)
  await accounts
    .first()
    .getByRole('button', { name: /^Watch/ })
    .click()
  await expect(chip(page, 'Accounts shown', /^Watched/)).toHaveText(/1$/)

  // The cursor opens one; it has a link of its own, and Escape puts it away.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#\/webhooks\/\d+\/accounts\/0%3A/)
  const account = page.getByRole('region', { name: /^Account / })
  await expect(account).toContainText('not failing')
  await page.keyboard.press('x')
  await look('An account, and one selected')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(account).toBeHidden()

  // All that are shown are removed, and put back from the toast.
  await page.keyboard.press('x')
  await page.keyboard.press('Shift+ArrowUp')
  await expect(page.getByRole('group', { name: 'Selected accounts' })).toContainText('2 accounts')
  await page.keyboard.press('Delete')
  const asked = page.getByRole('alertdialog')
  await expect(asked).toContainText('Remove 2 accounts from')
  await expect(asked.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await asked.getByRole('button', { name: 'Remove 2 accounts' }).click()
  await expect(page.getByRole('heading', { name: 'No account is subscribed yet' })).toBeVisible()
  const removed = page.getByRole('dialog', { name: 'Remove 2 accounts' })
  await removed.getByRole('button', { name: 'Undo…' }).click()
  await expect(asked).toContainText(/Subscribes 2 accounts to .* again/)
  await asked.getByRole('button', { name: 'Undo 2 steps' }).click()
  await expect(accounts).toHaveCount(2)

  // Of the file that was exported one is taken away and another written in.
  const yaml = await saved(tondesk, () => page.keyboard.press('e'))
  expect(yaml).toContain(first)
  const edited = yaml.replace(second, third)
  await page.getByRole('link', { name: 'Subscriptions file' }).click()
  await page.getByRole('heading', { name: /^Compare a file/ }).waitFor()
  await look('No file')
  const give = (text: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'wanted.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) })
  await give(edited.replace('mempool', 'mempol'))
  await expect(page.getByRole('alert')).toContainText(/Line \d+, column \d+: .*mempol/)
  await page.getByRole('button', { name: 'Put it away' }).click()
  await give(`${edited}      - ${first}\n      - ${absent.slice(0, -1)}\n`)
  await expect(page.getByText('It cannot be applied as it is')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Apply/ })).toBeDisabled()
  await expect(chip(page, 'Differences shown', /^Duplicate/)).toHaveText(/1$/)
  await expect(chip(page, 'Differences shown', /^Invalid/)).toHaveText(/1$/)
  await look('A plan')
  await page.getByRole('button', { name: 'Put it away' }).click()
  await give(edited)
  const differences = rowsOf(page, 'Differences')
  await expect(differences).toHaveCount(2)
  await expect(differences.filter({ hasText: 'missing' })).toContainText('Subscribe account')
  await expect(differences.filter({ hasText: 'extra' })).toContainText('Unsubscribe account')
  await page.getByRole('button', { name: 'Apply 2 changes…' }).click()
  await expect(asked).toContainText('1 subscribed, 1 unsubscribed')
  await asked.getByRole('button', { name: 'Make 2 changes' }).click()
  await expect(rowsOf(page, 'Steps').filter({ hasText: 'done' })).toHaveCount(2)
  await page.getByRole('button', { name: 'What differs' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing differs' })).toBeVisible()
  await page.getByRole('button', { name: 'Put it away' }).click()
  const last = page.getByRole('region', { name: 'Last applied' })
  await last.getByRole('button', { name: /^Undo/ }).click()
  await asked.getByRole('button', { name: 'Undo 2 steps' }).click()
  await expect(last).toContainText('undone since')

  await page.getByRole('link', { name: 'List', exact: true }).click()
  await page.getByRole('grid', { name: 'Webhooks' }).locator('[data-webhook]').click()
  await open.getByRole('tab', { name: /^Accounts/ }).click()
  await expect(accounts).toHaveCount(2)
  await page.getByRole('searchbox', { name: 'Filter the accounts' }).fill(second)
  await expect(accounts).toHaveCount(1)
  await open.getByRole('tab', { name: 'Changes' }).click()
  await expect(page.getByRole('row', { name: /^Undo: / })).toHaveCount(2)
  await look('Changes')
})
