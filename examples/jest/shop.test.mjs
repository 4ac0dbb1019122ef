// Run with NODE_OPTIONS=--experimental-vm-modules: the package is an ES module.
import { createServer } from 'node:http'
import { startSandbox } from 'tondesk-sandbox'

let sandbox
let shop
const received = []

beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-01-01' })
  // Your own backend, which receives the webhook of the invoices.
  shop = createServer(async (request, response) => {
    received.push(JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()))
    response.end()
  })
  await new Promise((resolve) => shop.listen(0, '127.0.0.1', resolve))
  const webhooks = [`http://127.0.0.1:${shop.address().port}/`]
  await sandbox.control('setInvoicesApp', { webhooks })
})
afterAll(async () => {
  await sandbox?.close()
  shop?.close()
})

test('a paid invoice is reported once', async () => {
  const response = await fetch(`${sandbox.consoleUrl}/api/v1/services/invoices/invoice`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandbox.invoicesToken}` },
    body: JSON.stringify({ amount: '1000000000', currency: 'TON', life_time: 600 }),
  })
  const { id } = await response.json()
  await sandbox.pay(id)
  await sandbox.idle()
  expect(received.map((invoice) => [invoice.id, invoice.status])).toEqual([[id, 'paid']])
})
