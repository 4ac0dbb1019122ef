/** Tests endpoints that are the sandbox itself: deliveries must not cause endless deliveries. */
import { expect, test } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

type Listed = { webhooks: { status: string; status_failed_attempts: number }[] }
type State = { head: { transactionCount: number } }
type Logs = { logs: { message: string }[] }

async function transactions(sandbox: RunningSandbox): Promise<number> {
  const { body } = await sandbox.control<State>('GET', '/state')
  return body.head.transactionCount
}

test('deliveries to the sandbox’s own URLs get 401 and cause no transactions and no further webhooks', async () => {
  await using sandbox = await startSandbox()
  const { webhooksUrl, queryUrl, apiKey, controlUrl, wallets } = sandbox.ready
  const endpoints = [
    `${webhooksUrl}/webhooks?token=${apiKey}`,
    `${queryUrl}/v2/blockchain/message`,
    `${controlUrl}/faucet`,
    `${webhooksUrl}/webhooks/1/back-online?token=${apiKey}`,
  ]
  const [wallet] = wallets
  for (const [index, endpoint] of endpoints.entries()) {
    await sandbox.webhooks('POST', '/webhooks', { endpoint })
    const path = `/webhooks/${index + 1}`
    await sandbox.webhooks('POST', `${path}/mempool/subscribe`)
    await sandbox.webhooks('POST', `${path}/account-tx/subscribe`, {
      accounts: [{ account_id: wallet?.address }],
    })
  }
  const order = { from: 'wallet-1', to: 'wallet-2', amount: '1000000000' }
  expect((await sandbox.control('POST', '/send', order)).status).toBe(200)
  const before = await transactions(sandbox)
  // The clock advances by more than a minute, after which the chain would accept a duplicate message again.
  const advanced = await sandbox.control('POST', '/clock/advance', { byMs: 3_600_000 })
  expect(advanced.status).toBe(200)
  expect(await transactions(sandbox)).toEqual(before)
  const { body } = await sandbox.webhooks<Listed>('GET', '/webhooks')
  expect(body.webhooks).toHaveLength(endpoints.length)
  for (const [index] of endpoints.entries()) {
    const { body: logs } = await sandbox.webhooks<Logs>('GET', `/webhooks/${index + 1}/logs`)
    // The webhook’s token gives no access to the sandbox, whatever token the URL has.
    expect(logs.logs.length).toBeGreaterThan(3)
    expect(new Set(logs.logs.map(({ message }) => message))).toEqual(
      new Set([`POST ${endpoints[index] ?? ''}: 401 Unauthorized`]),
    )
  }
})
