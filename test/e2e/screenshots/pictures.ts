/**
 * Takes the pictures of README.md and docs/ from the app, in both themes: `npm run screenshots`.
 */
import { join } from 'node:path'
import { connectRequests } from '../send-request.ts'
import { expect, test } from '../fixture.ts'
import { rows } from '../pages/captures.ts'

const folder = join(import.meta.dirname, '../../../docs/images')
const tillWallet = 'merchant'

test.use({ withSandbox: true })

test('the pictures of the docs are taken in both themes', async ({ tondesk }) => {
  const { page } = tondesk
  const ask = await connectRequests(tondesk)
  await page.setViewportSize({ width: 1440, height: 900 })

  const go = (hash: string) => page.evaluate((to) => (window.location.hash = to), hash)
  async function take(name: string, hash: string, isThere: () => Promise<unknown>): Promise<void> {
    await go(hash)
    for (const theme of ['light', 'dark'] as const) {
      await ask('settings.change', { appearance: { theme } })
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
      await isThere()
      await page.screenshot({ path: join(folder, `${name}-${theme}.png`), animations: 'disabled' })
    }
  }
  const text = (words: string | RegExp) => () => page.getByText(words).first().waitFor()

  await take('first-start', '#/overview', () =>
    page.getByRole('button', { name: 'Create the webhook' }).waitFor(),
  )

  const { wallets } = await ask('sandbox.chain', { network: 'mainnet' })
  const addressOf = (name: string) => wallets.find((each) => each.name === name)?.address ?? ''
  for (const step of ['webhook', 'account', 'payment'] as const)
    await ask('sandbox.doStep', { step })
  const shop = addressOf(tillWallet)
  await ask('label.set', { network: 'sandbox', address: shop, name: 'Shop till' })
  for (let order = 1; order <= 12; order += 1) {
    await ask('sandbox.send', {
      network: 'mainnet',
      from: `wallet-${1 + (order % 4)}`,
      to: shop,
      amount: String(1_250_000_000 * order),
      comment: `order-${4700 + order}`,
    })
  }
  const pay = async (amount: string, how: 'exact' | 'under' | 'over' | 'twice' | null) => {
    const description = `order-${amount.slice(0, 4)}`
    const form = { amount, currency: 'TON', lifeTimeSeconds: 86_400, description } as const
    const { id } = await ask('sandbox.createInvoice', form)
    if (how !== null) await ask('sandbox.pay', { id, how, from: 'wallet-2' })
    return id
  }
  await pay('2400000000', 'exact')
  await pay('5150000000', 'exact')
  await pay('3300000000', 'under')
  await pay('7000000000', null)
  const over = await pay('1500000000', 'over')
  await ask('invoiceSync.run', { network: 'sandbox', full: true })

  await take('inspector', '#/inspector', () => rows(page).nth(8).waitFor())
  const { rows: captures } = await ask('capture.list', { query: { text: 'order-4705' }, limit: 1 })
  await take('inspector', `#/inspector/${captures[0]?.id ?? 1}`, () =>
    page.getByRole('tab', { name: 'Body' }).waitFor(),
  )
  const hash = captures[0]?.txHash ?? ''
  await take('transaction', `#/transactions/tx/${hash}`, () =>
    page.getByRole('region', { name: 'Value flow' }).waitFor(),
  )

  const draft = await ask('lookup.begin', { network: 'sandbox', replaces: null })
  const piece = { text: wallets.map(({ address }) => address).join('\n') }
  await ask('lookup.append', { draft: draft.id, piece, isLast: true })
  const first = await ask('lookup.start', { draft: draft.id, name: 'Customers' })
  const isDone = async (id: number) =>
    (await ask('job.get', { kind: 'lookup', id })).state === 'done'
  await expect.poll(() => isDone(first.id)).toBe(true)
  await ask('sandbox.send', { network: 'mainnet', from: 'wallet-1', to: shop, amount: '500000000' })
  const again = await ask('lookup.rerun', { id: first.id })
  await expect.poll(() => isDone(again.id)).toBe(true)
  await take('lookup', `#/accounts/job/${again.id}`, text('Changes'))

  await take('webhooks', '#/webhooks/1', text('Chain-wide events'))
  await take('invoices', `#/invoices/of/${over}`, text(over))
  await take('sandbox', '#/sandbox', text('wallet-4'))
  await take('overview', '#/overview', text('Latest payments'))
})
