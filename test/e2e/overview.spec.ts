/** Tests the Overview of a network: its numbers, the lists behind them, and the inbox. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectRequests } from './send-request.ts'
import { expect, test } from './fixture.ts'
import { attention } from './pages/attention.ts'
import { rows } from './pages/captures.ts'
import { networkMenu, openPage } from './pages/frame.ts'
import { invoiceList } from './pages/invoice-list.ts'
import { overview } from './pages/overview.ts'
import { webhookList } from './pages/webhooks.ts'
import { accountEvent, postDelivery } from './sender.ts'
import { repeatUntil } from '../deadlines.ts'

test.use({ withSandbox: true })
test.slow()

const network = 'sandbox'
const publicHost = 'abc.ngrok.app'
/**
 * The deliveries are four payments, a retry of the last one, four of invoices, and the one through
 * the tunnel.
 */
const delivered = 10

/** Posts a delivery of the webhook with this token, as a tunnel would. */
async function postThroughTunnel(url: string, token: string): Promise<void> {
  const headers = { host: publicHost, authorization: `Bearer ${token}` }
  const sent = request(url, { method: 'POST', headers }, (response) => response.resume())
  await once(sent.end(accountEvent(7)), 'close')
}

test(
  'each number of the overview equals the list to which it links, and covers the selected network only',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page, receiverUrl } = tondesk
    const ask = await connectRequests(tondesk)
    await ask('settings.change', { receiver: { publicUrl: `https://${publicHost}` } })
    let status = 200
    const target = createServer((incoming, response) => {
      incoming.resume()
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = target.address() as AddressInfo
      await ask('forwardRule.save', { targets: [`http://127.0.0.1:${port}/hook`] })
      for (const step of ['webhook', 'account', 'payment'] as const)
        await ask('sandbox.doStep', { step })
      const { wallets } = await ask('sandbox.chain', { network: 'mainnet' })
      const to = wallets.find(({ name }) => name === 'merchant')?.address ?? ''
      const pay = () =>
        ask('sandbox.send', { network: 'mainnet', from: 'wallet-1', to, amount: '1500000000' })
      const count = async (text: string) =>
        (await ask('captureQuery.count', { query: { text: `network:${network} ${text}` } })).count
      await pay()
      await pay()
      await expect.poll(() => count('forward:delivered')).toBe(3)
      status = 500
      await ask('responseRule.save', { action: { kind: 'answer', status: 503 }, next: 1 })
      await pay()
      await expect.poll(() => count('forward:failed')).toBeGreaterThan(0)
      for (const how of ['exact', 'exact', 'over', 'under', null] as const) {
        const form = { amount: '2400000000', currency: 'TON', lifeTimeSeconds: 86_400 } as const
        const { id } = await ask('sandbox.createInvoice', { ...form, description: 'coffee' })
        if (how !== null) await ask('sandbox.pay', { id, how, from: 'wallet-2' })
      }
      await ask('invoiceSync.run', { network, full: true })
      const paid = async () => (await ask('invoice.counts', { network })).byStatus['paid']
      await expect.poll(paid).toBe(3)
      await ask('webhook.list', { network, fresh: true })
      const [webhook] = (await ask('webhook.list', { network })).webhooks
      const id = webhook?.id ?? ''
      const { token } = await ask('webhook.revealToken', { network, id })
      // Without this, the rejected delivery would be retried only after some seconds.
      await ask('webhook.backOnline', { network, id })
      await postThroughTunnel(receiverUrl, token)
      // The capture's network is unknown, so no number counts it.
      await postDelivery(receiverUrl, accountEvent(1))

      await expect.poll(() => count('')).toBe(delivered)

      await openPage(page, 'overview')
      const { figure, inbox, payments, summary } = overview(page)
      await expect(figure(/^Receiver/)).toContainText(`${delivered} captures`)
      await expect(figure(/^Webhooks/)).toContainText('1 of 1 online')
      await expect(summary).toContainText('Failing: forwarding')
      const invoices = invoiceList(page).rows
      const captures = rows(page)
      for (const [words, list] of [
        [/^Receiver/, captures],
        [/rejected$/, captures],
        [/unassigned$/, captures],
        [/^Tunnel/, captures],
        [/^Webhooks/, webhookList(page).rows],
        [/^Forwarding/, captures],
        [/failed$/, captures],
        [/^Invoices/, invoices],
        [/pending$/, invoices],
      ] as const) {
        await repeatUntil(async (timeout) => {
          await openPage(page, 'overview')
          await expect(figure(words)).toContainText(/[1-9]/, { timeout })
          // The state is above the number, and may contain a number itself: "1 target down".
          const text = (await figure(words).innerText()).split('\n').at(-1) ?? ''
          const [number = ''] = /\d+/.exec(text) ?? []
          await figure(words).click()
          await expect(list, `${words} counts ${number}`).toHaveCount(Number(number), {
            timeout,
          })
        })
      }

      await openPage(page, 'overview')
      await expect(payments.first()).toContainText('+')
      // Earlier payments count as unmatched if they arrived shortly before the first invoice.
      const countOpen = async () =>
        (await ask('discrepancy.page', { network, offset: 0, limit: 1 })).total
      const open = await countOpen()
      await expect(inbox.discrepancies).toHaveCount(Math.min(3, open))
      await inbox.handleFirst()
      await expect.poll(countOpen).toBe(open - 1)
      await expect(inbox.discrepancies).toHaveCount(Math.min(3, open - 1))
      await inbox.showDiscrepancies()
      await expect(attention(page).rows).toHaveCount(open - 1)

      await openPage(page, 'overview')
      await networkMenu(page).choose('Testnet')
      await expect(figure(/^Receiver/)).toContainText('0 captures')
      await expect(payments).toHaveCount(0)
    } finally {
      target.close()
    }
  },
)
