import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Sandbox, startSandbox } from 'tondesk-sandbox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

let sandbox: Sandbox
let shop: Server
let snapshot: string
let received: { id: string; status: string }[] = []

beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-01-01' })
  // Your own backend, which receives the webhook of the invoices.
  shop = createServer(async (request, response) => {
    const body = await Array.fromAsync(request)
    received.push(JSON.parse(Buffer.concat(body).toString()))
    response.end()
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  const { port } = shop.address() as AddressInfo
  await sandbox.control('setInvoicesApp', { webhooks: [`http://127.0.0.1:${port}/`] })
  snapshot = (await sandbox.snapshot()).name
})
afterAll(async () => {
  await sandbox?.close()
  shop?.close()
})
beforeEach(async () => {
  await sandbox.revert(snapshot)
  received = []
})

async function createInvoice(): Promise<string> {
  const response = await fetch(`${sandbox.consoleUrl}/api/v1/services/invoices/invoice`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandbox.invoicesToken}` },
    body: JSON.stringify({ amount: '1000000000', currency: 'TON', life_time: 600 }),
  })
  return ((await response.json()) as { id: string }).id
}

test('a paid invoice is reported once', async () => {
  const id = await createInvoice()
  await sandbox.pay(id)
  await sandbox.idle()
  expect(received).toMatchObject([{ id, status: 'paid' }])
})

test('an invoice that nobody pays expires', async () => {
  const id = await createInvoice()
  await sandbox.advance(601_000)
  await sandbox.idle()
  expect(received).toMatchObject([{ id, status: 'expired' }])
})
