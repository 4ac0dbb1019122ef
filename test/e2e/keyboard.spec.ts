/**
 * Tests the window without a mouse: the position of the focus, the possible tasks, and the number
 * of keys for the main ones.
 */
import type { Locator, Page } from '@playwright/test'
import { connectRequests } from './send-request.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { lookup } from './pages/lookups.ts'
import { addressList } from './pages/address-list.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { rows } from './pages/captures.ts'
import { type PageName, frame, openDialog, openPage, palette } from './pages/frame.ts'
import { newInvoice } from './pages/issuing.ts'
import { firstSteps } from './pages/sandbox.ts'
import { appearance, settingsSearch } from './pages/settings.ts'
import { transaction } from './pages/explorer.ts'

const pages: Readonly<Record<PageName, string>> = {
  inspector: 'i',
  transactions: 't',
  webhooks: 'w',
  accounts: 'a',
  invoices: 'v',
  sandbox: 'b',
  settings: 's',
  overview: 'o',
}

test('after a navigation the focus is on the page’s heading', async ({ tondesk }) => {
  const { page } = tondesk
  const names = Object.keys(pages) as PageName[]
  // Opening a window does not move the focus.
  await expect(frame(page).title('overview')).toBeVisible()
  await expect(frame(page).title('overview')).not.toBeFocused()
  for (const name of names) {
    await openPage(page, name)
    await expect(frame(page).title(name)).toBeFocused()
  }
  for (const name of names) {
    await page.keyboard.press('g')
    await page.keyboard.press(pages[name])
    await expect(frame(page).title(name)).toBeFocused()
  }
})

test('the key / opens a search on every page, and letters typed right after it are no shortcuts', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await frame(page).title('overview').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('gsgb')
  const { dialog, field } = palette(page)
  await expect(field).toHaveValue('gsgb')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(frame(page).title('overview')).toBeFocused()

  // A dialog whose code is not loaded yet takes the keys, too.
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await expect(frame(page).title('webhooks')).toBeFocused()
  await page.keyboard.press('n')
  await page.keyboard.type('gsgb')
  await expect(openDialog(page).dialog).toBeVisible()
  await expect(page).toHaveURL(/#\/webhooks/)
  await openDialog(page).close()
  await expect.poll(() => frame(page).hasFocus()).toBe(true)

  await page.evaluate(() => (location.hash = '#/transactions/sandbox/build'))
  await expect(frame(page).notFound).toBeFocused()
  await page.keyboard.press('/')
  await expect(field).toBeFocused()
})

/** Presses keys and counts them; typed and pasted values do not count. */
function counting({ page }: Tondesk) {
  let count = 0
  return {
    press: async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
      count += keys.length
    },
    type: (value: string) => page.keyboard.insertText(value),
    takeCount: () => {
      const taken = count
      count = 0
      return taken
    },
  }
}

const mostTabs = 60

/** Presses Tab until the target has the focus; a target that cannot be reached fails the test. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const isThere = () => target.evaluate((each) => each === document.activeElement)
  for (let pressed = 0; pressed < mostTabs && !(await isThere()); pressed += 1) {
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

test('a setting is found and changed by keyboard alone, and applies at once', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await frame(page).title('overview').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await expect(frame(page).title('settings')).toBeFocused()
  await page.keyboard.press('/')
  await expect(settingsSearch(page).field).toBeFocused()
  await page.keyboard.insertText('theme')
  const { chosenTheme, darkDocument } = appearance(page)
  await tabTo(page, chosenTheme)
  // The choices are System, Light and Dark.
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(darkDocument).toHaveCount(1)
})

test.describe('with a sandbox', () => {
  test.use({ withSandbox: true })
  // The tests start their own sandbox, which takes longer.
  test.slow()

  test(
    'a new user gets from the first start to an open delivery and a bulk lookup by keyboard alone',
    { tag: '@long' },
    async ({ tondesk }) => {
      const { page } = tondesk
      const steps = firstSteps(page)
      const press = (key: string) => page.keyboard.press(key)
      const act = async (target: Locator) => {
        await expect(target).toBeEnabled()
        await tabTo(page, target)
        await press('Enter')
      }
      // Each step moves the focus to the next step, so that a screen reader does not start again at
      // the top of the page.
      await act(steps.createWebhook)
      await act(steps.subscribe)
      await act(steps.sendPayment)
      await act(steps.captureLink)
      const capture = captureDetail(page, 1)
      await capture.open.waitFor()
      await press('2')
      await expect(capture.bodyTree).toBeVisible()

      await press('g')
      await press('a')
      await expect(frame(page).title('accounts')).toBeFocused()
      await press('n')
      await expect(addressList(page).field).toBeFocused()
      await page.keyboard.insertText(`0:${'ab'.repeat(32)}\n0:${'cd'.repeat(32)}`)
      await expect(addressList(page).chip('valid')).toHaveText(/2$/)
      await press('Control+Enter')
      const { isDone, rows: found } = lookup(page)
      await isDone.waitFor()
      await expect(found).toHaveCount(2)
      await expect(found.first()).toContainText(lookup(page).text.noSuchAccount)
      await press('j')
      await press('Enter')
      await expect(frame(page).title('transactions')).toBeFocused()
    },
  )

  test('the main tasks take at most eight keys each', async ({ tondesk }) => {
    const { page } = tondesk
    const ask = await connectRequests(tondesk)
    const { press, type, takeCount } = counting(tondesk)
    await expect.poll(async () => (await ask('sandbox.state')).status).toBe('running')
    for (const step of ['webhook', 'account', 'payment'] as const)
      await ask('sandbox.doStep', { step })
    await openPage(page, 'overview')

    // The keys open the body of a capture.
    await press('g', 'i')
    await rows(page).first().waitFor()
    await press('j', 'Enter')
    const capture = captureDetail(page)
    await capture.open.waitFor()
    await press('2')
    await expect(capture.bodyTree).toBeVisible()
    expect(takeCount(), 'keys to read a capture').toBeLessThanOrEqual(8)

    // The keys open a transaction whose hash is on the clipboard.
    const [captured] = (await ask('capture.list', { limit: 1 })).rows
    await press('Control+k')
    await type(captured?.txHash ?? '')
    await expect(palette(page).selected).toHaveText(transaction(page).text.transactionResult)
    await press('Enter')
    await expect(transaction(page).valueFlow).toBeVisible()
    await expect.poll(() => frame(page).hasFocus()).toBe(true)
    expect(takeCount(), 'keys to look up a transaction').toBeLessThanOrEqual(8)

    // The keys create an invoice.
    await press('g', 'v')
    await expect(frame(page).title('invoices')).toBeFocused()
    await press('n')
    const { amount, description, created } = newInvoice(page)
    await expect(amount).toBeFocused()
    await type('12.5')
    await press('Tab', 'Tab')
    await expect(description).toBeFocused()
    await type('order-4711')
    await press('Enter')
    await expect(created.dialog).toBeVisible()
    expect(await openDialog(page).hasFocus()).toBe(true)
    expect(takeCount(), 'keys to create an invoice').toBeLessThanOrEqual(8)
  })
})
