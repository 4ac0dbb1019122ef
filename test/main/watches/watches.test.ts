/**
 * Tests watched accounts on a real sandbox, through a gateway that can refuse, prune and hide
 * operations.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Watch } from '../../../src-preload/contract/watch.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Endpoint, startEndpoint } from '../../fixtures/endpoint.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

type Gateway = Endpoint & {
  /** Paths of requests that got a response. */
  readonly answered: string[]
  /** The status of a refusal, by path; null lets the request pass. */
  refuse: (path: string) => number | null
  /** Changes the text of a response. */
  change: (path: string, text: string) => string
}

let sandbox: RunningSandbox
let one: string
let two: string
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  sandbox = resources.use(await startSandbox())
  one = sandbox.ready.wallets[0]?.address ?? ''
  two = sandbox.ready.wallets[1]?.address ?? ''
})

afterAll(() => resources.disposeAsync())

const send = (from: number, to: string, more: object) =>
  sandbox.control('POST', '/send', { from: `wallet-${from}`, to, ...more })

async function startGateway(): Promise<Gateway> {
  const { queryUrl, webhooksUrl, apiKey } = sandbox.ready
  const endpoint = await startEndpoint(({ method, path, body }, response) => {
    const work = async () => {
      const status = gateway.refuse(path)
      gateway.answered.push(path)
      const json = { 'content-type': 'application/json' }
      if (status !== null) {
        response.writeHead(status, json).end('{"error":"refused"}')
        return
      }
      const headers = { authorization: `Bearer ${apiKey}`, ...json }
      const base = path.startsWith('/v2/') ? queryUrl : webhooksUrl
      const answer = await fetch(base + path, { method, headers, ...(body !== '' && { body }) })
      response.writeHead(answer.status, json).end(gateway.change(path, await answer.text()))
    }
    work().catch(() => response.destroy())
  })
  const gateway: Gateway = Object.assign(endpoint, {
    answered: [],
    refuse: () => null,
    change: (_: string, text: string) => text,
  })
  return gateway
}

async function open(own: AsyncDisposableStack, directory?: string) {
  const gateway = own.use(await startGateway())
  const app = own.use(
    await startApp({
      host: 'browser',
      ...(directory !== undefined && { dataDirectory: directory }),
    }),
  )
  const urls = {
    query: gateway.url,
    webhooks: gateway.url,
    testnetWebhooks: null,
    console: null,
  }
  const { id: network } = await app.request('network.add', { name: 'Near', urls, testOnly: false })
  return { gateway, app, network }
}

type Choices = Partial<Input<'watch.save'>>

function watchOne(app: TestApp, network: string, choices: Choices = {}): Promise<Watch> {
  const none = { report: 'none', makesCaptures: true, isForwarded: false, rules: [] } as const
  return app.request('watch.save', { network, address: one, ...none, rules: [], ...choices })
}

async function state(app: TestApp): Promise<Watch> {
  const [watch] = await app.request('watch.list')
  if (watch === undefined) throw new Error('Nothing is watched.')
  return watch
}

/** Runs checks until all of the account’s transactions have been read. */
async function checked(app: TestApp, network: string): Promise<Watch> {
  await app.request('watch.check', { network })
  await app.until(async () => !(await state(app)).isBehind, 'the end of the reading')
  return state(app)
}

async function watched(app: TestApp) {
  await app.classified()
  const { rows } = await app.request('capture.list', { query: { text: 'origin:watched' } })
  return rows.toReversed()
}

test('each matching transaction is counted and captured once, with an exact amount, and forwarded without a token', async () => {
  await using own = new AsyncDisposableStack()
  const arrived: string[] = []
  const headers: string[] = []
  const target = own.use(
    await startEndpoint(({ body, headers: sent }, response) => {
      arrived.push(body)
      headers.push(JSON.stringify(sent))
      response.writeHead(200).end()
    }),
  )
  const { app, network } = await open(own)
  await app.request('forwardRule.save', { targets: [target.url], filter: `network:${network}` })
  await watchOne(app, network, { rules: [{ kind: 'incoming', amount: '1.5' }], isForwarded: true })
  await send(2, 'wallet-1', { amount: '1499999999' })
  await send(2, 'wallet-1', { amount: '1500000000', comment: 'exact' })
  await send(2, 'wallet-1', { amount: '9000000001' })
  await send(1, 'wallet-2', { amount: '5000000000' })
  const watch = await checked(app, network)
  expect(watch).toMatchObject({ matches: 2, gap: null, problem: null })
  expect(watch.lastMatch?.what).toBe('received 9.000000001 TON')
  const found = await watched(app)
  expect(found.map(({ account, kind, origin }) => [account, kind, origin])).toEqual([
    [one, 'account_tx', 'watched'],
    [one, 'account_tx', 'watched'],
  ])
  expect(found.at(-1)?.id).toBe(watch.lastMatch?.capture)
  await app.until(() => arrived.length === 2, 'the forwarding')
  expect(JSON.parse(arrived[1] ?? '')).toMatchObject({
    event_type: 'account_tx',
    account_id: one,
    tx_hash: watch.lastMatch?.hash,
  })
  expect(headers[0]?.toLowerCase()).toContain('x-tondesk-origin')
  expect(headers[0]?.toLowerCase()).not.toContain('authorization')
  // A second check without new transactions creates no capture.
  expect((await checked(app, network)).matches).toBe(2)
  expect(await watched(app)).toHaveLength(2)
  const explanation = await app.request('explanation.get', { id: found[0]?.id ?? 0 })
  expect(explanation.network).toBe(network)
})

test('arriving jettons, failures and opcodes match their rules', async () => {
  await using own = new AsyncDisposableStack()
  const { app, network } = await open(own)
  const { body: usdt } = await sandbox.query<{ balances: { jetton: { address: string } }[] }>(
    'GET',
    `/accounts/${two}/jettons`,
  )
  const jetton = usdt.balances[0]?.jetton.address ?? ''
  const saved = await watchOne(app, network, {
    rules: [{ kind: 'jetton', jetton, amount: '2.000001' }],
  })
  const [rule] = saved.rules
  expect(rule).toMatchObject({ kind: 'jetton', units: '2000001', decimals: 6 })
  await send(2, 'wallet-1', { amount: '2000000', currency: 'USDT' })
  await send(2, 'wallet-1', { amount: '2000001', currency: 'USDT' })
  const watch = await checked(app, network)
  expect(watch.matches).toBe(1)
  expect(watch.lastMatch?.what).toMatch(/^received 2\.000001 USD/)
  expect(watch.lastMatch?.account).toBe(rule?.kind === 'jetton' ? rule.wallet : '')

  const { body } = await sandbox.control<{ address: string }>('POST', '/deploy', {
    from: 'wallet-2',
  })
  await app.request('watch.save', {
    network,
    address: body.address,
    report: 'none',
    makesCaptures: false,
    isForwarded: false,
    rules: [{ kind: 'opcode', opcode: '0x0f8a7ea5' }, { kind: 'failure' }],
  })
  const opcode = (code: string) =>
    sandbox.control('POST', '/opcode', { from: 'wallet-2', to: body.address, opcode: code })
  await opcode('0x0f8a7ea5')
  await opcode('0x00000abc')
  await app.request('watch.check', { network })
  const contract = async () =>
    (await app.request('watch.list')).find(({ address }) => address === body.address)
  await app.until(async () => (await contract())?.isBehind === false)
  expect((await contract())?.matches).toBeGreaterThan(0)
  const accounts = `account:${one},${watch.lastMatch?.account ?? ''}`
  const query = { text: `origin:watched ${accounts}` }
  expect((await app.request('capture.list', { query })).rows).toHaveLength(1)
  expect(await watched(app)).toHaveLength(1)
})

test('after a restart each missed transaction is captured once, and the notice remains', async () => {
  await using own = new AsyncDisposableStack()
  using temporary = temporaryDirectory()
  const directory = join(temporary.path, 'data')
  const { app, network } = await open(own, directory)
  await watchOne(app, network, { report: 'notice' })
  await send(2, 'wallet-1', { amount: '1' })
  await checked(app, network)
  await app.until(async () =>
    (await app.request('notice.list')).some(({ id }) => id.startsWith('watch.')),
  )
  await app.app.dispose()
  await send(2, 'wallet-1', { amount: '2' })
  await send(2, 'wallet-1', { amount: '3' })
  const later = own.use(await startApp({ host: 'browser', dataDirectory: directory }))
  await later.until(async () => (await state(later)).matches === 3, 'the missed transactions')
  const found = await watched(later)
  expect(new Set(found.map(({ lt }) => lt)).size).toBe(3)
  expect(found).toHaveLength(3)
  const title = async () =>
    (await later.request('notice.list')).find(({ id }) => id.startsWith('watch.'))?.title
  await later.until(async () => (await title())?.includes('3 transactions matched') === true)
})

test('a gap, a refused key and a gateway without bulk requests are reported', async () => {
  await using own = new AsyncDisposableStack()
  const { app, gateway, network } = await open(own)
  await watchOne(app, network, { report: 'incident' })
  gateway.refuse = () => 401
  await app.until(async () => (await state(app)).problem !== null, 'the reason')
  const asked = gateway.answered.length
  expect((await state(app)).problem).toMatch(/retries automatically in/)
  gateway.refuse = (path) => (path.includes('_bulk') ? 404 : null)
  await send(2, 'wallet-1', { amount: '1' })
  await send(2, 'wallet-1', { amount: '2' })
  // The first of the two new transactions is pruned.
  let hidden: string | null = null
  gateway.change = (path, text) => {
    if (!path.includes('/transactions')) return text
    const answer = JSON.parse(text) as { transactions: unknown[] }
    if (answer.transactions.length >= 2) hidden ??= JSON.stringify(answer.transactions[0])
    return hidden === null ? text : text.replace(hidden, '{}')
  }
  expect(gateway.answered.length - asked).toBeLessThan(5)
  const watch = await checked(app, network)
  expect(watch.matches).toBe(1)
  expect(watch.gap?.why).toMatch(/did not return .* could not be read/)
  const incidents = async () =>
    (await app.request('incident.list', { network, open: true, offset: 0, limit: 10 })).incidents
  await app.until(async () => (await incidents()).length === 1, 'the incident')
  expect((await incidents())[0]).toMatchObject({ kind: 'matched', subject: `watch:${watch.id}` })
  await app.request('watch.setPaused', { id: watch.id, isPaused: true })
  expect(await incidents()).toEqual([])
})

test('a transaction missing in a page is requested again, and a page with older ones is reported as a problem', async () => {
  await using own = new AsyncDisposableStack()
  const { app, gateway, network } = await open(own)
  await send(2, 'wallet-1', { amount: '100' })
  await watchOne(app, network, {})
  await send(2, 'wallet-1', { amount: '1' })
  await send(2, 'wallet-1', { amount: '2' })
  type List = { transactions: { lt: number }[] }
  const change = (of: (list: List['transactions'], text: string) => unknown[]) => {
    gateway.change = (path, text) => {
      if (!path.includes('/transactions')) return text
      return JSON.stringify({ transactions: of((JSON.parse(text) as List).transactions, text) })
    }
  }
  let older: unknown[] = []
  change((list) => {
    if (list.length > 2) older = list
    return list.slice(1)
  })
  await app.until(async () => (await checked(app, network)).matches === 2, 'both transactions')
  expect((await state(app)).gap).toBeNull()
  change(() => older)
  await send(2, 'wallet-1', { amount: '3' })
  await app.until(async () => (await checked(app, network)).problem !== null, 'the problem')
  expect((await state(app)).problem).toMatch(/did not return .* returned older ones again/)
})

test('a thousand accounts take ten requests per check, one account more is refused, and a match is found', async () => {
  await using own = new AsyncDisposableStack()
  const of = (index: number) => `0:${index.toString(16).padStart(64, '0')}`
  const asked: string[][] = []
  let lt = 100
  const gateway = own.use(
    await startEndpoint(({ path, body }, response) => {
      const ids = path.includes('/accounts/_bulk')
        ? (JSON.parse(body) as { account_ids: string[] }).account_ids
        : []
      if (ids.length > 0) asked.push(ids)
      const accounts = ids.map((address) => ({
        address,
        status: 'active',
        balance: 1,
        last_transaction_lt: address === of(777) ? lt : 100,
      }))
      const transaction = {
        ...requiredFields.transaction,
        hash: 'ab'.repeat(32),
        lt: 200,
        account: { address: of(777) },
        success: true,
        utime: 1,
        orig_status: 'active',
        end_status: 'active',
        total_fees: 1,
        transaction_type: 'TransOrd',
        prev_trans_lt: 100,
      }
      const answer = ids.length > 0 ? { accounts } : { transactions: [transaction] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    }),
  )
  const app = own.use(await startApp({ host: 'browser' }))
  const urls = { query: gateway.url, webhooks: gateway.url, testnetWebhooks: null, console: null }
  const { id: network } = await app.request('network.add', { name: 'Many', urls, testOnly: false })
  const none = { report: 'incident', makesCaptures: true, isForwarded: false, rules: [] } as const
  const save = (index: number) =>
    app.request('watch.save', { network, address: of(index), ...none, rules: [] })
  for (let index = 1; index <= 1000; index += 1) await save(index)
  const input = { network, address: of(1001), ...none, rules: [] }
  expect(await app.refusal('watch.save', input)).toBe('WATCH_TOO_MANY')

  await app.request('watch.check', { network })
  asked.length = 0
  lt = 200
  await app.request('watch.check', { network })
  expect(asked.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 100))
  expect(new Set(asked.flat()).size).toBe(1000)
  const found = async () => (await app.request('watch.list')).filter(({ matches }) => matches > 0)
  await app.until(async () => (await found()).length === 1, 'the match')
  expect(await found()).toMatchObject([{ address: of(777), matches: 1, gap: null }])
  const page = { network, open: true, offset: 0, limit: 10 }
  await app.until(
    async () => (await app.request('incident.list', page)).incidents.length === 1,
    'the incident',
  )
})

test('an incident ends ten minutes after the last match, and an older chain is reported as a gap after that time', async () => {
  await using own = new AsyncDisposableStack()
  // Only the clock of this thread is changed, before the app reads it: timers and sockets have real time.
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
  own.defer(() => void vi.useRealTimers())
  const { app, gateway, network } = await open(own)
  const later = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)
  const incidents = async () =>
    (await app.request('incident.list', { network, open: true, offset: 0, limit: 10 })).incidents
  await watchOne(app, network, { report: 'incident' })
  await send(2, 'wallet-1', { amount: '1' })
  await checked(app, network)
  await app.until(async () => (await incidents()).length === 1, 'the incident')
  later(9)
  await checked(app, network)
  expect(await incidents()).toMatchObject([{ wellSince: null }])
  later(2)
  // Incidents close a minute later, by a clock that the test cannot set.
  await app.until(async () => (await incidents())[0]?.wellSince !== null, 'the recovery')

  gateway.change = (path, text) =>
    path.includes('_bulk')
      ? text.replaceAll(/("last_transaction_lt":)"?\d+"?/g, '$1"1000000"')
      : text
  expect((await checked(app, network)).gap).toBeNull()
  later(5)
  expect((await checked(app, network)).gap).toBeNull()
  later(6)
  expect((await checked(app, network)).gap?.why).toContain('an older last transaction')
})

test('a watch restarts when its network moves to another chain, and is removed with its network', async () => {
  await using own = new AsyncDisposableStack()
  const { app, network } = await open(own)
  const other = own.use(await startGateway())
  await watchOne(app, network)
  const urls = { query: other.url, webhooks: other.url, testnetWebhooks: null, console: null }
  await app.request('network.change', { id: network, name: 'Moved', urls, testOnly: false })
  const moved = await checked(app, network)
  expect(moved.matches).toBe(0)
  expect(moved.gap?.why).toMatch(/chain of this network was replaced/)
  await app.request('network.remove', { id: network })
  expect(await app.request('watch.list')).toEqual([])
  expect(await app.refusal('watch.remove', { id: moved.id })).toBe('WATCH_UNKNOWN')
})

test('a transaction that a webhook delivers gets no second capture', async () => {
  await using own = new AsyncDisposableStack()
  const { app, network } = await open(own)
  const { id } = await app.request('webhook.create', { network, endpoint: await app.hook() })
  await sandbox.webhooks('POST', `/webhooks/${id}/account-tx/subscribe`, {
    accounts: [{ account_id: one }],
  })
  await app.request('webhook.list', { network })
  await app.request('subscription.refresh', { network, webhook: id })
  await watchOne(app, network)
  await app.until(async () => (await state(app)).deliveredBy === id, 'the subscriptions')
  await send(2, 'wallet-1', { amount: '77' })
  // The delivery makes Tondesk read the account at once.
  await app.until(async () => (await state(app)).matches === 1, 'the match')
  expect(await watched(app)).toEqual([])
})

test('after a reset of the sandbox a watch continues on the new chain', async () => {
  await using app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running')
  const { wallets } = await app.request('sandbox.chain', { network: 'mainnet' })
  const to = wallets.find(({ name }) => name === 'merchant')?.address ?? ''
  const pay = (amount: string) =>
    app.request('sandbox.send', {
      network: 'mainnet',
      from: 'wallet-1',
      to,
      amount,
      comment: '',
    })
  await app.request('watch.save', {
    network: 'sandbox',
    address: to,
    rules: [],
    report: 'none',
    makesCaptures: true,
    isForwarded: false,
  })
  await pay('1')
  await pay('2')
  await app.until(async () => (await state(app)).matches === 2, 'the matches')
  await app.request('sandbox.reset')
  await app.until(async () => (await state(app)).gap !== null, 'the new chain')
  const since = Date.now()
  await app.until(async () => ((await state(app)).checkedAt ?? 0) >= since, 'a check')
  await pay('3')
  await app.until(async () => (await state(app)).matches === 3, 'the match on the new chain')
  expect(await watched(app)).toHaveLength(3)
})
