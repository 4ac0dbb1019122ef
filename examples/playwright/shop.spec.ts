import { type Sandbox, startSandbox } from 'tondesk-sandbox'
import { expect, test as base } from '@playwright/test'

// One sandbox for each worker; its data is removed at the end.
const test = base.extend<object, { sandbox: Sandbox }>({
  sandbox: [
    async ({}, use) => {
      const sandbox = await startSandbox({ now: '2026-01-01' })
      await use(sandbox)
      await sandbox.close()
    },
    { scope: 'worker' },
  ],
})

test('a customer pays the invoice of the shop', async ({ request, sandbox }) => {
  const invoices = `${sandbox.consoleUrl}/api/v1/services/invoices`
  const headers = { Authorization: `Bearer ${sandbox.invoicesToken}` }
  const data = { amount: '1000000000', currency: 'TON', life_time: 600 }
  const created = await request.post(`${invoices}/invoice`, { headers, data })
  const { id } = await created.json()
  await sandbox.pay(id)
  await sandbox.waitFor({ invoice: id, status: 'paid' })
  const paid = await request.get(`${invoices}/${id}`, { headers })
  expect(await paid.json()).toMatchObject({ id, status: 'paid' })
})
