/** Tests the control API on a whole sandbox: its effects, and its refusals with a reason. */
import { expect, test } from 'vitest'
import { respondWith, startEndpoint } from '../../fixtures/endpoint.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

type Outcome = { transactions: { hash: string; account: string; lt: string }[]; block: number }
type Wallet = { name: string; address: string; balance: string; usdt: string; seqno: number }
type State = {
  clock: { mode: string; now: number }
  head: { seqno: number; transactionCount: number }
  wallets: Wallet[]
  queue: { waiting: number; failing: number }
  webhooks: { id: number; status: string; waiting: number; failedAttempts: number }[]
}

const stateOf = async (sandbox: RunningSandbox, network = 'mainnet') =>
  (await sandbox.control<State>('GET', `/state?network=${network}`)).body

async function walletOf(sandbox: RunningSandbox, name: string, network = 'mainnet') {
  const wallet = (await stateOf(sandbox, network)).wallets.find((one) => one.name === name)
  if (wallet === undefined) throw new Error(`no ${name}`)
  return wallet
}

test('a new sandbox has eleven wallets with 10,000 TON and 10,000 USDT each, on both networks', async () => {
  await using sandbox = await startSandbox()
  for (const network of ['mainnet', 'testnet']) {
    const { wallets } = await stateOf(sandbox, network)
    expect(wallets.map(({ name }) => name)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `wallet-${index + 1}`),
      'merchant',
    ])
    for (const { balance, usdt, seqno } of wallets) {
      expect([BigInt(balance) >= 10_000_000_000_000n, usdt, seqno]).toEqual([
        true,
        '10000000000',
        0,
      ])
    }
  }
})

test('each control action is executed on its network, and the returned hashes are on its chain', async () => {
  await using sandbox = await startSandbox()
  const payee = await walletOf(sandbox, 'wallet-2', 'testnet')
  for (const [path, body] of [
    ['/faucet', { address: payee.address, amount: '123' }],
    ['/faucet', { address: payee.address, amount: '456', currency: 'USDT' }],
    ['/send', { from: 'wallet-1', to: 'wallet-2', amount: '1000' }],
    ['/send', { from: 'wallet-1', to: payee.address, amount: '44', currency: 'USDT' }],
    ['/deploy', { name: 'one' }],
    ['/deploy', {}],
    ['/opcode', { opcode: '0xdeadbeef' }],
    ['/opcode', { opcode: '0xdeadbeef', to: 'wallet-4' }],
    ['/faucet', { address: 'wallet-3', amount: '5' }],
  ] as const) {
    const { status, body: outcome } = await sandbox.control<Outcome>('POST', path, {
      network: 'testnet',
      ...body,
    })
    expect([status, outcome.transactions.length > 0], path).toEqual([200, true])
    for (const { hash } of outcome.transactions) {
      const { queryUrl } = sandbox.ready
      const on = (root: string) => fetch(`${queryUrl}${root}/v2/blockchain/transactions/${hash}`)
      expect((await on('/testnet')).status).toBe(200)
      expect((await on('')).status).toBe(404)
    }
  }
  const after = await walletOf(sandbox, 'wallet-2', 'testnet')
  expect(BigInt(after.usdt) - BigInt(payee.usdt)).toBe(500n)
  expect((await walletOf(sandbox, 'wallet-2')).usdt).toBe('10000000000')
})

test('concurrent sends from one wallet are all executed, one after another', async () => {
  await using sandbox = await startSandbox()
  const sent = await Promise.all(
    Array.from({ length: 8 }, () =>
      sandbox.control('POST', '/send', { from: 'wallet-1', to: 'wallet-2', amount: '1' }),
    ),
  )
  expect(sent.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect((await walletOf(sandbox, 'wallet-1')).seqno).toBe(8)
})

test('an invalid control request is refused with the reason and changes no state', async () => {
  await using sandbox = await startSandbox({ clock: 'real' })
  const { head } = await stateOf(sandbox)
  const to = sandbox.ready.wallets[1]?.address
  for (const [method, path, body, status, sentence] of [
    ['POST', '/send', {}, 400, /from/],
    ['POST', '/send', { from: 'wallet-1', to, amount: 5 }, 400, /amount/],
    ['POST', '/send', { from: 'wallet-1', to, amount: '-5' }, 400, /amount/],
    ['POST', '/send', { from: 'wallet-1', to, amount: '0' }, 400, /above zero/],
    ['POST', '/send', { from: 'wallet-1', to, amount: '1', network: 'main' }, 400, /network/],
    ['POST', '/send', { from: 'wallet-1', to, amount: '1', coment: 'x' }, 400, /coment/],
    ['POST', '/send', { from: 'wallet-99', to, amount: '1' }, 404, /wallet-99/],
    ['POST', '/send', { from: 'wallet-1', to: '0:ab', amount: '1' }, 400, /0:ab/],
    ['POST', '/send', { from: 'wallet-1', to, amount: '9'.repeat(20) }, 409, /wallet-1 has/],
    [
      'POST',
      '/send',
      { from: 'wallet-1', to, amount: '9'.repeat(20), currency: 'USDT' },
      409,
      /wallet-1 has/,
    ],
    ['POST', '/faucet', { address: 'nobody', amount: '1' }, 400, /nobody/],
    ['POST', '/opcode', { opcode: 'beef' }, 400, /opcode/],
    ['POST', '/invoices/00000000/pay', { how: 'exact' }, 404, /invoice/],
    ['POST', '/invoices/00000000/pay', { how: 'gladly' }, 400, /how/],
    ['PUT', '/activity', { perMinute: 601 }, 400, /perMinute/],
    ['PUT', '/clock', { mode: 'unreal' }, 400, /mode/],
    ['POST', '/clock/advance', { byMs: 1000 }, 409, /the clock is real/],
    ['POST', '/clock/advance', { byMs: -1 }, 400, /byMs/],
    ['PUT', '/policy', { retryDelaysMs: [] }, 400, /retryDelaysMs/],
    ['PUT', '/policy', { concurrency: 0 }, 400, /concurrency/],
    ['PUT', '/faults', { faults: [{ root: 'query', kind: 'flood' }] }, 400, /faults/],
    ['PUT', '/access', { state: 'open' }, 400, /state/],
    ['PUT', '/matching', { rule: 'luck' }, 400, /rule/],
    ['PUT', '/invoices-app', { recipient: 'nobody' }, 400, /recipient/],
    ['POST', '/webhooks/7/back-online', {}, 404, /webhook/],
    ['POST', '/webhooks/x/suspend', {}, 404, /webhook/],
    ['GET', '/state?network=moon', undefined, 400, /network/],
    ['GET', '/queue?limit=0', undefined, 400, /limit/],
    ['GET', '/nothing', undefined, 404, /not found/],
    ['DELETE', '/state', undefined, 405, /DELETE is not allowed/],
  ] as const) {
    const answer = await sandbox.control<{ error: string }>(method, path, body)
    expect(answer.status, `${path} ${JSON.stringify(body)}`).toBe(status)
    expect(answer.body.error).toMatch(sentence)
  }
  expect((await stateOf(sandbox)).head).toEqual(head)
})

test('bodies that are not JSON, too deep or too long are refused, and the sandbox continues', async () => {
  await using sandbox = await startSandbox()
  const post = (body: string) =>
    fetch(`${sandbox.ready.controlUrl}/send`, {
      method: 'POST',
      body,
      headers: { Authorization: `Bearer ${sandbox.ready.controlKey}` },
    })
  for (const [body, status] of [
    ['{"from":', 400],
    ['[]', 400],
    ['"text"', 400],
    ['['.repeat(100_000), 400],
    [`{"from":"${'x'.repeat(10_000_000)}"}`, 413],
    ['{"__proto__":{"from":"wallet-1"},"constructor":1}', 400],
  ] as const) {
    expect((await post(body)).status, body.slice(0, 30)).toBe(status)
  }
  expect((await sandbox.control('GET', '/state')).status).toBe(200)
})

test('toNext advances to the next due time, after a day of failures a webhook is offline, and back-online delivers all', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using sandbox = await startSandbox()
  const made = await sandbox.webhooks<{ webhook_id: number }>('POST', '/webhooks', {
    endpoint: endpoint.url,
  })
  const id = made.body.webhook_id
  const account = sandbox.ready.wallets[1]?.address
  await sandbox.webhooks('POST', `/webhooks/${id}/account-tx/subscribe`, {
    accounts: [{ account_id: account }],
  })
  const hashes: string[] = []
  for (let payment = 0; payment < 3; payment += 1) {
    const { body } = await sandbox.control<Outcome>('POST', '/send', {
      from: 'wallet-1',
      to: 'wallet-2',
      amount: '1000000',
    })
    hashes.push(
      ...body.transactions.filter((one) => one.account === account).map((one) => one.hash),
    )
  }
  await endpoint.arrived(1)
  const { clock } = await stateOf(sandbox)
  const next = async () =>
    (
      await sandbox.control<{ now: number; stops: number }>('POST', '/clock/advance', {
        toNext: true,
      })
    ).body
  const beyond = await sandbox.control('POST', '/clock/advance', { byMs: 3e12 })
  expect(beyond.status).toBe(409)
  expect(await next()).toEqual({ now: clock.now + 5_000, stops: 1 })
  expect(await next()).toEqual({ now: clock.now + 20_000, stops: 1 })
  await sandbox.control('POST', '/clock/advance', { byMs: 86_400_000 })
  let [webhook] = (await stateOf(sandbox)).webhooks
  expect(webhook).toMatchObject({ status: 'offline', waiting: 3 })

  const before = endpoint.received.length
  endpoint.answer = respondWith(200)
  await sandbox.control('POST', '/clock/advance', { byMs: 86_400_000 })
  expect(endpoint.received.length).toBe(before)
  expect((await sandbox.control('POST', `/webhooks/${id}/back-online`, {})).status).toBe(200)
  await endpoint.arrived(before + 3)
  const delivered = endpoint.received.slice(before).map(({ body }) => body)
  expect(delivered.map((body) => (JSON.parse(body) as { tx_hash: string }).tx_hash)).toEqual(hashes)
  ;[webhook] = (await stateOf(sandbox)).webhooks
  expect(webhook?.status).toBe('online')
})

test('each kind of payment leads to the invoice’s status and overpayment', async () => {
  await using sandbox = await startSandbox()
  const issue = async (currency: string) =>
    (
      await sandbox.invoices<{ id: string }>('POST', '/invoice', {
        amount: '10000000',
        life_time: 600,
        currency,
      })
    ).body.id
  const pay = async (id: string, how: string) =>
    (
      await sandbox.control<{ invoice: { status: string; overpayment?: string } }>(
        'POST',
        `/invoices/${id}/pay`,
        { how },
      )
    ).body.invoice
  for (const currency of ['TON', 'USDT']) {
    for (const [hows, status, overpayment] of [
      [['exact'], 'paid', undefined],
      [['under'], 'pending', undefined],
      [['under', 'rest'], 'paid', undefined],
      [['over'], 'paid', '1000000'],
      [['twice'], 'paid', '10000000'],
      [['wrong-asset'], 'pending', undefined],
      [['no-comment'], 'pending', undefined],
      [['late'], 'expired', '10000000'],
    ] as const) {
      const id = await issue(currency)
      let invoice
      for (const how of hows) invoice = await pay(id, how)
      expect(invoice, `${currency} ${hows.join(' then ')}`).toMatchObject({ status })
      expect(invoice?.overpayment).toBe(overpayment)
    }
  }
  // A paid invoice has no amount left to pay, and a payment of it cannot be late.
  const id = await issue('TON')
  await pay(id, 'exact')
  for (const how of ['rest', 'late']) {
    expect((await sandbox.control('POST', `/invoices/${id}/pay`, { how })).status).toBe(409)
  }
})

test('access to invoices is withdrawn and granted step by step, and creating invoices is refused meanwhile', async () => {
  await using sandbox = await startSandbox()
  const order = { amount: '1000000', life_time: 600, currency: 'TON' }
  const statusOf = async () => (await sandbox.invoices('POST', '/invoice', order)).status
  expect(await statusOf()).toBe(201)
  for (const state of ['withdrawn', 'registered', 'requested', 'verified']) {
    const answer = await sandbox.control('PUT', '/access', { state })
    expect(answer.body).toEqual({ state, canCreate: false })
    expect(await statusOf()).toBe(403)
  }
  expect((await sandbox.control('PUT', '/access', { state: 'granted' })).body).toEqual({
    state: 'granted',
    canCreate: true,
  })
  expect(await statusOf()).toBe(201)
})

test('steady activity is the same for the same seed', async () => {
  const hashes = async () => {
    await using sandbox = await startSandbox({ seed: 'steady' })
    const before = await stateOf(sandbox)
    await sandbox.control('PUT', '/activity', { perMinute: 60 })
    await sandbox.control('POST', '/clock/advance', { byMs: 40_000 })
    const { head } = await stateOf(sandbox)
    expect(head.seqno - before.head.seqno).toBe(40)
    const { body } = await sandbox.query<{ transactions: { hash: string }[] }>(
      'GET',
      `/blockchain/accounts/${sandbox.ready.wallets[0]?.address ?? ''}/transactions`,
    )
    return body.transactions.map(({ hash }) => hash)
  }
  const first = await hashes()
  expect(first.length).toBeGreaterThan(1)
  expect(await hashes()).toEqual(first)
})

test('the event stream reports each block and each change of the clock, and ends with the sandbox', async () => {
  await using sandbox = await startSandbox()
  const response = await fetch(`${sandbox.ready.controlUrl}/events`, {
    headers: { Authorization: `Bearer ${sandbox.ready.controlKey}` },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  if (response.body === null) throw new Error('no stream')
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (wanted: RegExp) => {
    while (!wanted.test(text)) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`it ended without ${wanted.source}: ${text}`)
      text += value
    }
  }
  await until(/event: changed\ndata: \{"network":"mainnet","seqno":1,/)
  await sandbox.control('POST', '/send', { from: 'wallet-1', to: 'wallet-2', amount: '1' })
  await until(/"network":"mainnet","seqno":2,/)
  const { now } = (await stateOf(sandbox)).clock
  await sandbox.control('POST', '/clock/advance', { byMs: 5000 })
  await until(new RegExp(`"now":${now + 5000}\\}`))
  await sandbox.dispose()
  await expect(until(/never/)).rejects.toThrow(/ended/)
})

/** Subscribes an endpoint to wallet-2 that does not respond. */
async function holdDeliveries(sandbox: RunningSandbox, url: string): Promise<void> {
  const made = await sandbox.webhooks<{ webhook_id: number }>('POST', '/webhooks', {
    endpoint: url,
  })
  await sandbox.webhooks('POST', `/webhooks/${made.body.webhook_id}/account-tx/subscribe`, {
    accounts: [{ account_id: sandbox.ready.wallets[1]?.address }],
  })
}

const sendOne = (sandbox: RunningSandbox) =>
  sandbox.control('POST', '/send', { from: 'wallet-1', to: 'wallet-2', amount: '1' })

test.each(['real', 'virtual'] as const)(
  'idle responds when every running delivery has ended, on a %s clock',
  async (clock) => {
    const held: (() => void)[] = []
    await using endpoint = await startEndpoint((_request, response) => {
      held.push(() => void response.end())
    })
    await using sandbox = await startSandbox({ clock })
    expect((await sandbox.control('POST', '/idle')).status).toBe(200)
    await holdDeliveries(sandbox, endpoint.url)
    await sendOne(sandbox)
    await endpoint.arrived(1)
    // The call does not wait forever; its error names the pending deliveries.
    const late = await sandbox.control<{ error: string }>('POST', '/idle', { timeoutMs: 30 })
    expect(late.status).toBe(409)
    expect(late.body.error).toMatch(/not idle after 30 ms: 1 deliveries are open/)

    const idle = sandbox.control('POST', '/idle')
    await sendOne(sandbox)
    held.shift()?.()
    // The second delivery of the account follows the first.
    await endpoint.arrived(2)
    held.shift()?.()
    expect(await idle).toMatchObject({ status: 200, body: { waiting: 0, failing: 0, retrying: 0 } })
    expect((await stateOf(sandbox)).queue.waiting).toBe(0)
  },
)

test('a long advance shows its progress and can be cancelled, and a second advance is refused at once', async () => {
  await using endpoint = await startEndpoint(() => undefined)
  await using sandbox = await startSandbox()
  await holdDeliveries(sandbox, endpoint.url)
  await sendOne(sandbox)
  await endpoint.arrived(1)
  const byMs = 2_147_483_648
  const { clock } = await stateOf(sandbox)
  const first = sandbox.control<{ error: string }>('POST', '/clock/advance', { byMs })
  const progress = async () =>
    (await sandbox.control<{ advance: unknown }>('GET', '/clock')).body.advance
  await expect
    .poll(progress)
    .toEqual({ from: clock.now, until: clock.now + byMs, stops: 0, isCancelled: false })
  const second = await sandbox.control<{ error: string }>('POST', '/clock/advance', { byMs: 1 })
  expect(second.status).toBe(409)
  expect(second.body.error).toMatch(/already being advanced, to 2026-.*cancel it/)
  expect((await sandbox.control('DELETE', '/clock/advance')).status).toBe(200)
  const cancelled = await first
  expect([cancelled.status, cancelled.body.error]).toEqual([
    409,
    'the advance was cancelled after 0 stops, at 2026-01-01T00:00:00.000Z',
  ])
  expect(await progress()).toBeNull()
})

test('the faucet has an upper limit, so that no balance exceeds int64', async () => {
  await using sandbox = await startSandbox()
  const { address } = await walletOf(sandbox, 'wallet-1')
  const give = (amount: string, currency = 'TON') =>
    sandbox.control<{ error: string }>('POST', '/faucet', { address, amount, currency })
  const tooMuch = await give('99999999999999999999999999')
  expect(tooMuch.status).toBe(400)
  expect(tooMuch.body.error).toMatch(
    /amount: the faucet gives at most 4611686018427387904 nanotons/,
  )
  expect((await give(String(2n ** 62n))).status).toBe(200)
  const empty = await give('1')
  expect([empty.status, empty.body.error]).toEqual([409, expect.stringMatching(/reset/)])
  expect((await give(String(2n ** 62n), 'USDT')).status).toBe(200)
  expect((await give('1', 'USDT')).status).toBe(409)
  const account = await sandbox.query<{ balance: bigint }>('GET', `/accounts/${address}`)
  expect(account.body.balance).toBeLessThan(2n ** 63n)
  const method = `/blockchain/accounts/${address}/methods/seqno`
  expect(await sandbox.query('GET', method)).toMatchObject({ status: 200 })
  // A reset undoes the faucet’s payments, and its limit starts again.
  await sandbox.control('POST', '/reset')
  expect((await give('1')).status).toBe(200)
})

test('an invoice is paid by the named wallet, which gets the missing amount', async () => {
  await using sandbox = await startSandbox()
  const before = await walletOf(sandbox, 'wallet-3')
  for (const [currency, amount] of [
    ['USDT', '100000000000'],
    ['TON', '100000000000000'],
  ] as const) {
    const invoice = await sandbox.invoices<{ id: string }>('POST', '/invoice', {
      amount,
      life_time: 600,
      currency,
    })
    const path = `/invoices/${invoice.body.id}/pay`
    const paid = await sandbox.control<{ invoice: Record<string, unknown> }>('POST', path, {
      how: 'exact',
      from: 'wallet-3',
    })
    expect(paid.status, currency).toBe(200)
    expect(paid.body.invoice).toMatchObject({ status: 'paid', paid_by_address: before.address })
  }
  // The wallet had 10,000 of each coin and has spent them.
  expect((await walletOf(sandbox, 'wallet-3')).usdt).toBe('0')
})

test('a virtual clock starts at the present time by default', async () => {
  const before = Date.now()
  await using sandbox = await startSandbox({ now: undefined })
  const { clock } = await stateOf(sandbox)
  expect(clock.now).toBeGreaterThanOrEqual(before)
  expect(clock.now).toBeLessThanOrEqual(Date.now())
})

test('the state lists each endpoint that deliveries cannot reach, with the reason', async () => {
  await using sandbox = await startSandbox({ allowHosts: ['allowed.example'] })
  for (const endpoint of [
    'https://example.com/hook',
    'https://allowed.example/hook',
    'http://[::1]:3000/hook',
    'http://LOCALHOST:3000/hook',
  ]) {
    expect((await sandbox.webhooks('POST', '/webhooks', { endpoint })).status).toBe(200)
  }
  await sandbox.control('PUT', '/invoices-app', { webhooks: ['http://10.0.0.1/invoices'] })
  const { body } = await sandbox.control<{ undeliverable: unknown }>('GET', '/state')
  const reason = expect.stringMatching(/^(example\.com|10\.0\.0\.1) is not this computer/) as string
  expect(body.undeliverable).toEqual([
    { endpoint: 'https://example.com/hook', reason },
    { endpoint: 'http://10.0.0.1/invoices', reason },
  ])
})
