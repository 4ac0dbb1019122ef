/** The sandbox beside the app: its page, and a newcomer's first three steps. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { findings } from './axe.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { copy, openPage } from './pages/frame.ts'

test.use({ withSandbox: true })
// Each starts a TVM of its own.
test.slow()

async function openSandbox(page: Page): Promise<void> {
  await openPage(page, 'sandbox')
  await wallets(page)
    .getByRole('row', { name: /merchant/ })
    .waitFor()
}

function wallets(page: Page): Locator {
  return page.getByRole('region', { name: 'Wallets', exact: true })
}

function form(page: Page, name: string): Locator {
  return page.getByRole('form', { name })
}

function openTab(page: Page, name: string): Promise<void> {
  return page.getByRole('tab', { name: new RegExp(`^${name}`) }).click()
}

async function choose(scope: Locator, label: string, option: RegExp): Promise<void> {
  await scope.getByRole('combobox', { name: label, exact: true }).click()
  await scope.page().getByRole('option', { name: option }).click()
}

/** The keys as the sandbox keeps them, which the window must never hold. */
function keysOf({ dataDirectory }: Tondesk): Record<string, string> {
  const text = readFileSync(join(dataDirectory, 'sandbox', 'keys.json'), 'utf8')
  return JSON.parse(text) as Record<string, string>
}

async function takeSteps(page: Page): Promise<void> {
  await openPage(page, 'overview')
  const steps = page.getByRole('region', { name: 'On the sandbox' })
  await steps.getByRole('button', { name: 'Create the webhook' }).click()
  await steps.getByRole('button', { name: 'Subscribe the wallet' }).click()
  await steps.getByRole('button', { name: 'Send the payment' }).click()
}

test('three steps lead a newcomer to a capture with the right token', async ({ tondesk }) => {
  const { page } = tondesk
  await openPage(page, 'overview')
  const steps = page.getByRole('region', { name: 'On the sandbox' })
  // Each waits for the one before it.
  await expect(steps.getByRole('button', { name: 'Send the payment' })).toBeDisabled()
  await takeSteps(page)
  await page.getByText('Your first webhook has arrived').waitFor()
  await page.getByRole('link', { name: 'Open it' }).click()
  const open = page.getByRole('region', { name: 'Capture 1' })
  await open.getByRole('tab', { name: 'Details' }).click()
  await expect(
    open.getByText('Token', { exact: true }).locator('xpath=following-sibling::*[1]'),
  ).toHaveText(/right/)
  // Done is done: the steps stand no longer in the way.
  await openPage(page, 'overview')
  await expect(page.getByRole('heading', { name: 'Latest captures' })).toBeVisible()
  await expect(steps).toBeHidden()
})

test('a payment is sent from the keyboard, balances follow, and stay when it is stopped and started', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openSandbox(page)
  const merchant = wallets(page).getByRole('row', { name: /merchant/ })
  await expect(merchant).toContainText('10 000.000000000')
  // The second wallet pays: j walks there, Enter chooses it.
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.keyboard.press('s')
  const send = form(page, 'Send a payment')
  await expect(send.getByRole('combobox', { name: 'From' })).toHaveText(/wallet-2/)
  await expect(send.getByRole('combobox', { name: 'To' })).toBeFocused()
  await send.getByRole('textbox', { name: 'Amount' }).fill('12.5')
  await choose(send, 'Amount, currency', /USDT/)
  await send.getByRole('textbox', { name: 'Comment' }).fill('order-7')
  await page.keyboard.press('Enter')
  await expect(send.getByText('12.5 USDT sent')).toBeVisible()
  await expect(merchant).toContainText('10 012.500000')
  await expect(wallets(page).getByRole('row', { name: /wallet-2/ })).toContainText('9 987.500000')

  await send.getByRole('textbox', { name: 'Amount' }).fill('a lot')
  await page.keyboard.press('Enter')
  await expect(send.getByRole('alert')).toContainText('Type an amount')
  await send.getByRole('textbox', { name: 'Amount' }).fill('1')
  await send.getByRole('combobox', { name: 'To' }).fill('nobody at all')
  await page.keyboard.press('Enter')
  await expect(send.getByRole('alert')).toContainText('nobody at all')

  // A page that is open says that it is stopped, and goes on.
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'The sandbox is stopped' })).toBeVisible()
  await expect(page.getByRole('banner')).toContainText('stopped')
  await page.getByRole('button', { name: 'Start the sandbox' }).click()
  await expect(merchant).toContainText('10 012.500000')
})

/** A backend of one's own that is down until it is told otherwise. */
async function ownBackend(): Promise<{ url: string; mend(): void } & AsyncDisposable> {
  let status = 500
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/hook`,
    mend: () => void (status = 200),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Creates a webhook as any client of the service does, and subscribes the merchant. */
async function watchMerchant(tondesk: Tondesk, endpoint: string): Promise<void> {
  const { page } = tondesk
  await openTab(page, 'Connect')
  await copy(page.getByRole('tabpanel', { name: 'Connect' }), 'webhooks API URL')
  const origin = await tondesk.readClipboard()
  const headers = {
    authorization: `Bearer ${keysOf(tondesk)['apiKey'] ?? ''}`,
    'content-type': 'application/json',
  }
  const ask = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status, path).toBe(200)
    return (await answer.json()) as Record<string, unknown>
  }
  await wallets(page).getByRole('button', { name: 'Actions of merchant' }).click()
  await page.getByRole('menuitem', { name: 'Copy the raw address' }).click()
  await page.getByText('Address copied').first().waitFor()
  const account = await tondesk.readClipboard()
  const { webhook_id: id } = await ask('/webhooks', { endpoint })
  await ask(`/webhooks/${String(id)}/account-tx/subscribe`, { accounts: [{ account_id: account }] })
}

test('what fails waits in the queue, and a virtual clock brings its next try', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await using backend = await ownBackend()
  await openSandbox(page)
  await watchMerchant(tondesk, backend.url)
  await openTab(page, 'Clock')
  await page.getByRole('button', { name: 'Virtual', exact: true }).click()
  await page.getByText('The clock stands still').first().waitFor()

  await page.keyboard.press('s')
  await form(page, 'Send a payment').getByRole('button', { name: 'Send' }).click()
  const queue = page.getByRole('region', { name: 'Delivery queue' })
  const waiting = queue.getByRole('row', { name: /account_tx/ })
  await expect(waiting).toContainText('merchant')
  await expect(waiting).toContainText('in 5 s')
  await expect(waiting).toContainText('500')
  await expect(
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Sandbox/ }),
  ).toHaveAccessibleName(/1 deliver\S+ failing/)

  await openTab(page, 'Clock')
  await page.getByRole('button', { name: 'To the next due' }).click()
  await expect(waiting).toContainText('in 15 s')
  backend.mend()
  await page.getByRole('button', { name: 'To the next due' }).click()
  await expect(queue).toContainText('Nothing waits')
})

test('an invoice is created, paid too little, then the rest', async ({ tondesk }) => {
  const { page } = tondesk
  await openSandbox(page)
  await page.keyboard.press('p')
  const create = form(page, 'Create an invoice')
  await create.getByRole('textbox', { name: 'Amount' }).fill('20')
  await create.getByRole('textbox', { name: 'Description' }).fill('order-4711')
  await create.getByRole('button', { name: 'Create' }).click()
  await expect(create.getByText(/^Invoice .+ is pending$/)).toBeVisible()
  const pay = form(page, 'Pay an invoice')
  await choose(pay, 'How', /^too little$/)
  await pay.getByRole('textbox', { name: 'Amount' }).fill('5')
  await pay.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(pay.getByText(/^Invoice .+ is pending$/)).toBeVisible()
  await choose(pay, 'How', /^the rest$/)
  await pay.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(pay.getByText(/^Invoice .+ is paid$/)).toBeVisible()

  await openTab(page, 'Invoices')
  await page.getByRole('button', { name: 'Withdraw access' }).click()
  await expect(page.getByText('Access is withdrawn').first()).toBeVisible()
  await page.keyboard.press('p')
  await expect(page.getByText('Access to invoices is not granted')).toBeVisible()
})

test('a snapshot is reverted to and the sandbox is reset, after being asked', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openSandbox(page)
  await openTab(page, 'Snapshots')
  const take = form(page, 'Take a snapshot')
  await take.getByRole('textbox', { name: 'Name' }).fill('before')
  await take.getByRole('button', { name: 'Take' }).click()
  await expect(take.getByText('Snapshot “before” taken')).toBeVisible()
  await openTab(page, 'Act')
  await page.getByRole('button', { name: 'Faucet', exact: true }).click()
  await form(page, 'Faucet').getByRole('button', { name: 'Give' }).click()
  const merchant = wallets(page).getByRole('row', { name: /merchant/ })
  await expect(merchant).toContainText(/10\s099\.99/)

  const question = page.getByRole('alertdialog')
  await openTab(page, 'Snapshots')
  await page.getByRole('button', { name: 'Revert to before…' }).click()
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(merchant).toContainText(/10\s099\.99/)
  await page.getByRole('button', { name: 'Revert to before…' }).click()
  await question.getByRole('button', { name: 'Revert' }).click()
  await expect(merchant).toContainText('10 000.000000000')
  await page.getByRole('button', { name: 'Reset the sandbox…' }).click()
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await question.getByRole('button', { name: 'Reset the sandbox' }).click()
  await expect(page.getByText('The sandbox is as new').first()).toBeVisible()
})

test(
  'words are shown on an explicit act only, and keys never reach the page',
  { tag: '@every-host' },
  async ({ tondesk }) => {
    const { page } = tondesk
    await openSandbox(page)
    await openTab(page, 'Connect')
    const panel = page.getByRole('tabpanel', { name: 'Connect' })
    await copy(panel, 'query API URL')
    const origin = await tondesk.readClipboard()
    expect((await fetch(`${origin}/v2/status`)).status).toBe(200)
    const keys = keysOf(tondesk)
    await expect(panel).toContainText('keys.json')
    const copyKey = panel.getByRole('button', { name: 'Copy API key' })
    // In browser mode the page is all there is, so it has no such button.
    await expect(copyKey).toHaveCount(tondesk.host === 'browser' ? 0 : 1)
    if (tondesk.host !== 'browser') {
      await copyKey.click()
      await expect(page.getByText('API key copied').first()).toBeVisible()
    }
    if (tondesk.running.standIn !== undefined) {
      expect((await tondesk.running.standIn.ask('report')).written).toBe(keys['apiKey'])
    }

    await wallets(page).getByRole('button', { name: 'Actions of wallet-1', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Show recovery words…' }).click()
    const words = page.getByRole('dialog', { name: 'Recovery words of wallet-1' })
    await expect(words.getByRole('listitem')).toHaveCount(24)
    await expect(words).toContainText('play keys')
    const [first = ''] = await words.getByRole('listitem').allTextContents()
    await page.keyboard.press('Escape')
    await expect(words).toBeHidden()
    await expect(page.getByText(first, { exact: true })).toHaveCount(0)
    const held = await page.evaluate(() => {
      const stored = [localStorage, sessionStorage].map((storage) => Object.entries(storage))
      return document.documentElement.outerHTML + JSON.stringify(stored)
    })
    for (const key of Object.values(keys)) expect(held).not.toContain(key)
  },
)

test('axe finds nothing serious on its page, in both themes', async ({ tondesk }) => {
  const { page } = tondesk
  await openPage(page, 'overview')
  await page.getByRole('button', { name: 'Create the webhook' }).waitFor()
  expect.soft(await findings(page), 'Overview, three steps').toEqual([])
  await takeSteps(page)
  await openSandbox(page)
  await form(page, 'Send a payment').getByRole('button', { name: 'Send' }).click()
  await page.getByText('1 TON sent').first().waitFor()
  expect.soft(await findings(page), 'Send, done').toEqual([])
  for (const act of ['Faucet', 'Pay an invoice', 'Deploy', 'Opcode', 'Activity']) {
    await page.getByRole('button', { name: act, exact: true }).click()
    await page.getByRole('tabpanel').getByRole('form').first().waitFor()
    expect.soft(await findings(page), act).toEqual([])
  }
  for (const tab of ['Clock', 'Deliveries', 'Faults', 'Invoices', 'Snapshots', 'Connect']) {
    await openTab(page, tab)
    expect.soft(await findings(page), tab).toEqual([])
  }
  await wallets(page).getByRole('button', { name: 'Actions of merchant' }).click()
  await page.getByRole('menuitem', { name: 'Show recovery words…' }).click()
  await page.getByRole('dialog').getByRole('listitem').first().waitFor()
  expect.soft(await findings(page), 'Recovery words').toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('heading', { name: 'The sandbox is stopped' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'The sandbox is stopped' }).waitFor()
  expect.soft(await findings(page), 'Stopped').toEqual([])
})
