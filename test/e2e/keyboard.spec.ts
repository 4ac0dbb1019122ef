/** The window without a mouse: where the focus is, and how many keys the main jobs take. */
import { asking } from './ask.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { rows } from './pages/captures.ts'
import { type PageName, frame, openDialog, openPage, palette } from './pages/frame.ts'
import { newInvoice } from './pages/issuing.ts'
import { transaction } from './pages/transactions.ts'

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

test(
  'after a navigation the focus is on the heading of the page',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page } = tondesk
    const names = Object.keys(pages) as PageName[]
    // The window as it is opened takes no focus.
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
  },
)

/** Presses keys and counts them; what is typed or pasted is a value and does not count. */
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

test.describe('with a sandbox', () => {
  test.use({ withSandbox: true })
  // A TVM of its own.
  test.slow()

  test('the main jobs take at most eight keys each', { tag: '@long' }, async ({ tondesk }) => {
    const { page } = tondesk
    const ask = await asking(tondesk)
    const { press, type, takeCount } = counting(tondesk)
    await expect.poll(async () => (await ask('sandbox.state')).status).toBe('running')
    for (const step of ['webhook', 'account', 'payment'] as const)
      await ask('sandbox.doStep', { step })
    await openPage(page, 'overview')

    // Reads the body of a capture.
    await press('g', 'i')
    await rows(page).first().waitFor()
    await press('j', 'Enter')
    const capture = captureDetail(page)
    await capture.open.waitFor()
    await press('2')
    await expect(capture.bodyTree).toBeVisible()
    expect(takeCount(), 'keys to read a capture').toBeLessThanOrEqual(8)

    // Looks up a transaction whose hash is on the clipboard.
    const [captured] = (await ask('capture.list', { limit: 1 })).rows
    await press('Control+k')
    await type(captured?.txHash ?? '')
    await expect(palette(page).selected).toHaveText(transaction(page).text.transactionResult)
    await press('Enter')
    await expect(transaction(page).valueFlow).toBeVisible()
    expect(takeCount(), 'keys to look up a transaction').toBeLessThanOrEqual(8)

    // Creates an invoice.
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
