/** Tests snapshot, revert, reset and restart, with the whole state of a sandbox. */
import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { respondWith, startEndpoint } from '../../fixtures/endpoint.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

type State = {
  clock: { mode: string; now: number }
  head: { seqno: number; transactionCount: number }
  wallets: { name: string; balance: string; usdt: string; seqno: number }[]
  queue: { waiting: number; failing: number }
  webhooks: { id: number; waiting: number }[]
  activity: { perMinute: number }
  policy: { timeoutMs: number }
  faults: unknown[]
  snapshots: { name: string; seqno: number }[]
}

type Outcome = { transactions: { hash: string; lt: string }[]; block: number }

async function stateOf(sandbox: RunningSandbox, network = 'mainnet'): Promise<State> {
  return (await sandbox.control<State>('GET', `/state?network=${network}`)).body
}

async function pay(sandbox: RunningSandbox, network = 'mainnet'): Promise<string[]> {
  const sent = await sandbox.control<Outcome>('POST', '/send', {
    network,
    from: 'wallet-1',
    to: 'wallet-2',
    amount: '1000000000',
    comment: 'test',
  })
  expect(sent.status).toBe(200)
  return sent.body.transactions.map(({ hash }) => hash)
}

/** Subscribes an endpoint to wallet-2. */
async function subscribe(sandbox: RunningSandbox, endpoint: string): Promise<number> {
  const made = await sandbox.webhooks<{ webhook_id: number }>('POST', '/webhooks', { endpoint })
  const id = made.body.webhook_id
  const accounts = [{ account_id: sandbox.ready.wallets[1]?.address }]
  await sandbox.webhooks('POST', `/webhooks/${id}/account-tx/subscribe`, { accounts })
  return id
}

test('a revert restores both networks, the clock and all settings of the snapshot', async () => {
  await using sandbox = await startSandbox()
  await pay(sandbox)
  await pay(sandbox, 'testnet')
  await sandbox.control('PUT', '/policy', { timeoutMs: 5000 })
  const made = await sandbox.control('POST', '/snapshots', { name: 'paid' })
  expect(made.status).toBe(200)
  const before = [await stateOf(sandbox), await stateOf(sandbox, 'testnet')]

  await sandbox.control('POST', '/clock/advance', { byMs: 3_600_000 })
  const later = await pay(sandbox)
  await pay(sandbox, 'testnet')
  await sandbox.control('PUT', '/policy', { timeoutMs: 7000 })
  await sandbox.control('PUT', '/faults', {
    faults: [{ root: 'query', kind: 'status', status: 500 }],
  })
  await sandbox.control('PUT', '/activity', { perMinute: 5 })
  await sandbox.webhooks('POST', '/webhooks', { endpoint: 'http://127.0.0.1:1/' })

  expect((await sandbox.control('POST', '/snapshots/paid/revert')).status).toBe(200)
  expect([await stateOf(sandbox), await stateOf(sandbox, 'testnet')]).toEqual(before)
  // The same payment has the same hash: seqno, time and logical time were reverted together.
  await sandbox.control('POST', '/clock/advance', { byMs: 3_600_000 })
  expect(await pay(sandbox)).toEqual(later)
})

test('a reset restores genesis, and the same script gives the same hashes again', async () => {
  await using sandbox = await startSandbox({ seed: 'again' })
  const genesis = await stateOf(sandbox)
  const script = async () => {
    await sandbox.control('POST', '/clock/advance', { byMs: 1500 })
    const first = await pay(sandbox)
    const second = await sandbox.control<Outcome>('POST', '/opcode', { opcode: '0x12345678' })
    const invoice = await sandbox.invoices<{ id: string }>('POST', '/invoice', {
      amount: '1000000',
      life_time: 600,
      currency: 'USDT',
    })
    const path = `/invoices/${invoice.body.id}/pay`
    const third = await sandbox.control<Outcome>('POST', path, { how: 'exact' })
    const hashes = [...second.body.transactions, ...third.body.transactions]
    return [...first, ...hashes.map(({ hash }) => hash)]
  }
  const first = await script()
  await sandbox.control('POST', '/snapshots', { name: 'kept' })
  expect((await sandbox.control('POST', '/reset')).status).toBe(200)
  const { snapshots, ...rest } = await stateOf(sandbox)
  expect({ ...rest, snapshots: [] }).toEqual(genesis)
  expect(snapshots.map(({ name }) => name)).toEqual(['kept'])
  expect(await script()).toEqual(first)

  await using other = await startSandbox({ seed: 'another' })
  await other.control('POST', '/clock/advance', { byMs: 1500 })
  expect(await pay(other)).not.toEqual(first.slice(0, 2))
  await using same = await startSandbox({ seed: 'again' })
  await same.control('POST', '/clock/advance', { byMs: 1500 })
  expect((await pay(same)).every((hash) => first.includes(hash))).toBe(true)
})

test('a delivery that runs during a revert writes nothing to the new state', async () => {
  const waiting = Promise.withResolvers<() => void>()
  await using endpoint = await startEndpoint((_request, response) => {
    waiting.resolve(() => void response.end())
  })
  await using sandbox = await startSandbox()
  const id = await subscribe(sandbox, endpoint.url)
  await sandbox.control('POST', '/snapshots', { name: 'subscribed' })
  await pay(sandbox)
  const answer = await waiting.promise
  await sandbox.control('POST', '/snapshots/subscribed/revert')
  answer()
  endpoint.answer = respondWith(200)
  await pay(sandbox)
  await endpoint.arrived(2)
  // The delivery before the revert is not expected again.
  await expect
    .poll(async () => {
      const { body } = await sandbox.webhooks<{
        account_tx_subscriptions: { last_delivered_lt: bigint | number }[]
      }>('GET', `/webhooks/${id}/account-tx/subscriptions`)
      const { body: usage } = await sandbox.webhooks<{ webhooks_delivered: number }>(
        'GET',
        '/usage-stats',
      )
      return [body.account_tx_subscriptions.length, usage.webhooks_delivered]
    })
    .toEqual([1, 1])
  expect((await stateOf(sandbox)).queue).toEqual({ waiting: 0, failing: 0 })
})

test('after the response to a revert no earlier delivery runs or begins', async () => {
  const open = new Set<ServerResponse>()
  await using endpoint = await startEndpoint((_request, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
  })
  await using sandbox = await startSandbox({ clock: 'real' })
  await sandbox.control('POST', '/snapshots', { name: 'empty' })
  for (let webhook = 0; webhook < 10; webhook += 1) await subscribe(sandbox, endpoint.url)
  await pay(sandbox)
  await endpoint.arrived(10)
  expect(open.size).toBe(10)
  await sandbox.control('POST', '/snapshots/empty/revert')
  await expect.poll(() => open.size).toBe(0)
  endpoint.received.length = 0
  expect((await sandbox.control('POST', '/idle')).status).toBe(200)
  await pay(sandbox)
  expect((await sandbox.control('POST', '/idle')).status).toBe(200)
  expect(endpoint.received).toEqual([])
})

test('an advance that runs during a revert ends, and the clock is the snapshot’s', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using sandbox = await startSandbox()
  await sandbox.control('POST', '/snapshots', { name: 'start' })
  const { clock } = await stateOf(sandbox)
  await subscribe(sandbox, endpoint.url)
  await pay(sandbox)
  await endpoint.arrived(1)
  // The first retry gets no response, so the advance waits for it.
  endpoint.answer = () => undefined
  const advancing = sandbox.control('POST', '/clock/advance', { byMs: 86_400_000 })
  await endpoint.arrived(2)
  await sandbox.control('POST', '/snapshots/start/revert')
  expect((await advancing).status).toBe(200)
  expect((await stateOf(sandbox)).clock).toEqual(clock)
})

test('requests and steady activity during reverts succeed and leave no change after the last revert', async () => {
  await using sandbox = await startSandbox({ clock: 'real', activityPerMinute: 600 })
  await sandbox.control('PUT', '/activity', { perMinute: 0 })
  await sandbox.control('POST', '/snapshots', { name: 'quiet' })
  const { head, wallets } = await stateOf(sandbox)
  for (let round = 0; round < 3; round += 1) {
    await sandbox.control('PUT', '/activity', { perMinute: 600 })
    const [one, other, reverted] = await Promise.all([
      pay(sandbox),
      pay(sandbox, 'testnet'),
      sandbox.control('POST', '/snapshots/quiet/revert'),
    ])
    expect([one.length, other.length, reverted.status]).toEqual([2, 2, 200])
  }
  await sandbox.control('POST', '/snapshots/quiet/revert')
  const after = await stateOf(sandbox)
  expect([after.head, after.wallets]).toEqual([head, wallets])
})

test('a restart continues with the same chain, clock, queue, settings and keys', async () => {
  using directory = temporaryDirectory()
  const dataDirectory = join(directory.path, 'sandbox')
  await using endpoint = await startEndpoint(respondWith(500))
  let apiKey: string
  let before: State
  {
    await using sandbox = await startSandbox({ dataDirectory })
    apiKey = sandbox.ready.apiKey
    await subscribe(sandbox, endpoint.url)
    await pay(sandbox)
    await endpoint.arrived(1)
    await sandbox.control('POST', '/clock/advance', { byMs: 60_000 })
    await sandbox.control('PUT', '/policy', { timeoutMs: 4000 })
    before = await stateOf(sandbox)
    expect(before.queue.failing).toBe(1)
  }
  await expect(startSandbox({ dataDirectory, now: Date.UTC(2027, 0, 1) })).rejects.toMatchObject({
    code: 'SANDBOX_BAD_NOW',
  })
  // Without --clock the clock mode stays unchanged.
  await using sandbox = await startSandbox({ dataDirectory, clock: undefined })
  expect(sandbox.ready.apiKey).toBe(apiKey)
  expect(await stateOf(sandbox)).toEqual(before)
  endpoint.answer = respondWith(200)
  await sandbox.control('POST', '/clock/advance', { byMs: 3_600_000 })
  expect((await stateOf(sandbox)).queue.waiting).toBe(0)
})

test('a revert that a kill interrupted is completed at the next start', async () => {
  using directory = temporaryDirectory()
  const dataDirectory = join(directory.path, 'sandbox')
  let before: State
  {
    await using sandbox = await startSandbox({ dataDirectory })
    await pay(sandbox, 'testnet')
    await sandbox.control('POST', '/snapshots', { name: 'here' })
    before = await stateOf(sandbox, 'testnet')
    await pay(sandbox, 'testnet')
    await sandbox.control('POST', '/clock/advance', { byMs: 5000 })
  }
  writeFileSync(join(dataDirectory, 'reverting'), 'here')
  await using sandbox = await startSandbox({ dataDirectory })
  expect(await stateOf(sandbox, 'testnet')).toEqual(before)
})

test('snapshots are listed, replaced and deleted, and an unknown snapshot gets 404', async () => {
  await using sandbox = await startSandbox()
  const names = async () => (await stateOf(sandbox)).snapshots.map(({ name }) => name)
  expect((await sandbox.control('POST', '/snapshots')).status).toBe(200)
  await sandbox.control('POST', '/snapshots', { name: 'mine' })
  await sandbox.control('POST', '/snapshots', { name: 'mine' })
  expect((await names()).sort()).toEqual(['mine', 'snapshot 1'])
  for (const name of ['../mine', 'a/b', '', 'x'.repeat(65)]) {
    expect((await sandbox.control('POST', '/snapshots', { name })).status, name).toBe(400)
  }
  expect((await sandbox.control('DELETE', '/snapshots/mine')).status).toBe(200)
  expect(await names()).toEqual(['snapshot 1'])
  for (const [method, path] of [
    ['DELETE', '/snapshots/mine'],
    ['POST', '/snapshots/mine/revert'],
    // The snapshot of genesis does not count as a snapshot of the user.
    ['DELETE', '/snapshots/genesis'],
    ['POST', '/snapshots/..%2F..%2Fetc/revert'],
  ] as const) {
    expect((await sandbox.control(method, path)).status, path).toBe(404)
  }
})
