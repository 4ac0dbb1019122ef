/** Tests invalid requests: the sandbox must respond with the status and error format of the public service. */
import { readFileSync } from 'node:fs'
import {
  Address,
  beginCell,
  comment,
  contractAddress,
  external,
  internal,
  storeMessage,
  toNano,
} from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { walletMessage } from '../../src-main/sandbox/chain/wallets.ts'
import { usdtMaster } from '../../src-main/sandbox/chain/contracts.ts'
import { createQuery } from '../../src-main/sandbox/query/create-query.ts'
import {
  type QueryChain,
  type Reply,
  openQueryChain,
  walletNamed,
} from '../fixtures/query-chain.ts'

let api: QueryChain

beforeAll(async () => {
  api = await openQueryChain()
})

afterAll(async () => {
  await api[Symbol.asyncDispose]()
})

const owner = walletNamed('wallet-1')
const raw = owner.address.toRawString()
const zeros = '0'.repeat(64)

/** Expects the error `{error}` of a handler that parsed and refused the request. */
function expectRefused(reply: Reply, status = 400, words: string | RegExp = ''): void {
  expect(reply.status).toBe(status)
  expect(Object.keys(reply.body)).toEqual(['error'])
  expect(reply.body['error']).toMatch(words)
}

/** Expects the error `{Error}`, with a capital letter, of the framework, which could not parse the request. */
function expectMalformed(reply: Reply, words: string | RegExp = ''): void {
  expect(reply.status).toBe(400)
  expect(Object.keys(reply.body)).toEqual(['Error'])
  expect(reply.body['Error']).toMatch(words)
}

const badAddresses = [
  'nonsense',
  '0:12',
  `7:${zeros}`,
  // One letter of the address is wrong.
  'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9d',
  'wallet.ton',
  '💥',
]

test.each(badAddresses)(
  'the address %s is refused by every operation, with its text in the error',
  async (address) => {
    const id = encodeURIComponent(address)
    for (const path of [
      `/accounts/${id}`,
      `/accounts/${id}/events?limit=1`,
      `/accounts/${id}/events/${zeros}`,
      `/accounts/${id}/traces`,
      `/accounts/${id}/jettons`,
      `/accounts/${raw}/jettons/${id}`,
      `/blockchain/accounts/${id}`,
      `/blockchain/accounts/${id}/transactions`,
      `/blockchain/accounts/${id}/methods/seqno`,
      `/jettons/${id}`,
      `/wallet/${id}`,
      `/wallet/${id}/seqno`,
      `/address/${id}/parse`,
      `/accounts/_bulk?account_ids=${raw},${id}`,
    ]) {
      const reply = await api.ask('GET', path)
      expectRefused(reply, 400, "can't decode address")
      expect(reply.body['error']).toContain(address)
    }
    for (const path of ['/accounts/_bulk', '/blockchain/accounts/_bulk']) {
      const reply = await api.ask('POST', path, { account_ids: [raw, address] })
      expectRefused(reply, 400, "can't decode address")
      expect(reply.body['error']).toContain(address)
    }
  },
)

test.each(['nonsense', zeros.slice(1), `0x${zeros}`, `${zeros}0`, '%F0%9F%92%A5'])(
  'the hash %s is refused',
  async (hash) => {
    for (const path of [
      `/blockchain/transactions/${hash}`,
      `/blockchain/messages/${hash}/transaction`,
      `/traces/${hash}`,
      `/events/${hash}`,
      `/accounts/${raw}/events/${hash}`,
    ]) {
      expectRefused(await api.ask('GET', path), 400, "can't decode hash")
    }
  },
)

test.each([
  [`/blockchain/transactions/${zeros}`, 'entity not found'],
  [`/blockchain/messages/${zeros}/transaction`, 'transaction not found'],
  [`/traces/${zeros}`, 'entity not found'],
  [`/events/${zeros}`, 'entity not found'],
  [`/accounts/${raw}/events/${zeros}`, 'entity not found'],
  ['/blockchain/blocks/(0,8000000000000000,4000000000)', 'entity not found'],
  ['/blockchain/blocks/(5,8000000000000000,1)', 'entity not found'],
  [`/jettons/0:${zeros}`, 'entity not found'],
  ['/dns/nobody.ton/resolve', 'entity not found'],
  ['/no/such/path', 'no such path'],
])('%s gets 404', async (path, words) => {
  expectRefused(await api.ask('GET', path), 404, words)
})

test.each(['nonsense', '(0,8000000000000000)', '(a,b,c)', '1,2', '(0,8000000000000000,-1)'])(
  'the block %s is refused',
  async (block) => {
    const path = `/blockchain/blocks/${encodeURIComponent(block)}`
    expectRefused(await api.ask('GET', path), 400, "can't decode block ID")
    expectRefused(await api.ask('GET', `${path}/transactions`), 400)
  },
)

test.each([
  [`/accounts/${raw}/events`, 'limit'],
  [`/accounts/${raw}/events?limit=0`, 'limit'],
  [`/accounts/${raw}/events?limit=101`, 'limit'],
  [`/accounts/${raw}/events?limit=wrong`, 'limit'],
  [`/accounts/${raw}/events?limit=1.5`, 'limit'],
  [`/accounts/${raw}/events?limit=`, 'limit'],
  [`/accounts/${raw}/events?limit=99999999999999999999999`, 'limit'],
  [`/accounts/${raw}/events?limit=1&before_lt=x`, 'before_lt'],
  [`/accounts/${raw}/events?limit=1&after_lt=9223372036854775808`, 'after_lt'],
  [`/accounts/${raw}/events?limit=1&start_date=2114380801`, 'start_date'],
  [`/accounts/${raw}/events?limit=1&end_date=-1`, 'end_date'],
  [`/accounts/${raw}/events?limit=1&subject_only=perhaps`, 'subject_only'],
  [`/accounts/${raw}/events?limit=1&initiator=2`, 'initiator'],
  [`/accounts/${raw}/events?limit=1&sort_order=up`, 'sort_order'],
  [`/accounts/${raw}/traces?limit=1001`, 'limit'],
  [`/accounts/${raw}/jettons?limit=0`, 'limit'],
  [`/accounts/${raw}/jettons?offset=-1`, 'offset'],
  [`/blockchain/accounts/${raw}/transactions?limit=1001`, 'limit'],
  [`/blockchain/accounts/${raw}/transactions?limit=-1`, 'limit'],
  [`/blockchain/accounts/${raw}/transactions?before_lt=0x10`, 'before_lt'],
  [`/blockchain/accounts/${raw}/transactions?sort_order=`, 'sort_order'],
  ['/accounts/search', 'name'],
  ['/accounts/search?name=ab', 'name'],
  [`/accounts/search?name=${'a'.repeat(16)}`, 'name'],
  ['/rates?tokens=ton', 'currencies'],
  ['/rates?currencies=usd', 'tokens'],
  ['/wallet/emulate', 'boc'],
])('%s is refused because of the parameter %s', async (path, name) => {
  expectMalformed(await api.ask('GET', path), name)
})

test('empty and oversized lists are refused', async () => {
  expectRefused(
    await api.ask('POST', '/accounts/_bulk', { account_ids: [] }),
    400,
    'empty list of ids',
  )
  expectRefused(await api.ask('GET', '/accounts/_bulk'), 400, 'empty list of ids')
  const many = Array.from({ length: 1_001 }, () => raw)
  const reply = await api.ask('POST', '/accounts/_bulk', { account_ids: many })
  expectRefused(reply, 400, 'the maximum number of accounts to request at once: 1000')
  const tokens = Array.from({ length: 101 }, () => 'ton').join(',')
  const rates = await api.ask('GET', `/rates?tokens=${tokens}&currencies=usd`)
  expectRefused(rates, 400, 'max params limit is 100 items')
  expectRefused(await api.ask('GET', '/rates?tokens=&currencies=usd'), 400)
})

const posts = [
  '/accounts/_bulk',
  '/blockchain/accounts/_bulk',
  '/blockchain/message',
  `/blockchain/accounts/${raw}/methods/seqno`,
  '/message/decode',
  '/events/emulate',
  '/traces/emulate',
  `/accounts/${raw}/events/emulate`,
  '/wallet/emulate',
]

test.each(posts)('POST %s accepts only JSON of its own shape', async (path) => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  for (const body of ['', '{', 'null', '[]', '"text"', '7', deep, '{"boc":', '\u0000']) {
    expectMalformed(await api.ask('POST', path, body))
  }
  const wrongTypes = { account_ids: 7, boc: 7, batch: 7, args: 7, params: 7 }
  expectMalformed(await api.ask('POST', path, wrongTypes))
  const long = await api.ask('POST', path, JSON.stringify({ boc: 'a'.repeat(10_000_000) }))
  expect([long.status, Object.keys(long.body)]).toEqual([413, ['Error']])
})

test.each(posts)('DELETE %s gets 405', async (path) => {
  const reply = await api.ask('DELETE', path)
  expect(reply.status).toBe(405)
  expect(reply.headers.get('allow')).toContain('POST')
  expect(reply.body).toEqual({})
})

test('POST gets 405 for operations that only read', async () => {
  for (const path of ['/status', `/accounts/${raw}`, `/traces/${zeros}`, '/blockchain/config']) {
    const reply = await api.ask('POST', path, {})
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET'])
  }
})

/** Builds a chain of cells, in which each cell except the last refers to the next. */
function chain(length: number): string {
  const cells = Array.from({ length }, (_, index) => {
    if (index === length - 1) return '0000'
    return `0100${(index + 1).toString(16).padStart(4, '0')}`
  }).join('')
  const number = (value: number) => value.toString(16).padStart(4, '0')
  const size = (cells.length / 2).toString(16).padStart(8, '0')
  return `b5ee9c720204${number(length)}00010000${size}0000${cells}`
}

const good = comment('hello').toBoc().toString('hex')
const broken: readonly (readonly [string, string])[] = [
  ['cut short', good.slice(0, -2)],
  ['with an odd digit', `${good}0`.replace(/^b/, 'c')],
  ['with another magic number', `00${good.slice(2)}`],
  ['with a cell that points at itself', 'b5ee9c720101010100030001000000'],
  ['with cells that point at each other', 'b5ee9c7201010201000800010002010001000100'],
  ['with fewer cells than it states', 'b5ee9c724fffffffffffffffffffffffffff'],
  ['with several roots', 'b5ee9c7201010202000400010000000000'],
  ['of meaningless bytes', 'ff'.repeat(2_000)],
  ['that is too deep', chain(10_000)],
]

test.each(broken)('a BOC %s is refused wherever a BOC is accepted', async (_name, boc) => {
  for (const path of [
    '/message/decode',
    '/events/emulate',
    '/traces/emulate',
    `/accounts/${raw}/events/emulate`,
    '/wallet/emulate',
  ]) {
    expectRefused(await api.ask('POST', path, { boc }))
  }
  // For a text of the right kind, the service finds the problem later.
  const sent = await api.ask('POST', '/blockchain/message', { boc })
  expect([400, 500]).toContain(sent.status)
  expect(sent.body['error']).toMatch(/failed to parse external message|boc must be/)
})

function bocOf(message: Parameters<typeof storeMessage>[0]): string {
  return beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
}

test('text that is not a BOC, and a missing BOC, are refused', async () => {
  const words = 'boc must be a base64 encoded string or hex string'
  for (const boc of ['', 'not a boc', '💥', 'te6c_-==']) {
    expectRefused(await api.ask('POST', '/blockchain/message', { boc }), 400, words)
    expectRefused(await api.ask('POST', '/events/emulate', { boc }), 400, words)
  }
  expectRefused(await api.ask('POST', '/blockchain/message', {}), 400, 'boc not found')
  expectRefused(await api.ask('POST', '/blockchain/message', { batch: [] }), 400, 'boc not found')
  const batch = [good, 'not a boc']
  expectRefused(await api.ask('POST', '/blockchain/message', { batch }), 400, words)
  const six = Array.from({ length: 6 }, () => good)
  expectMalformed(await api.ask('POST', '/blockchain/message', { batch: six }), 'batch')
})

test('cells that are not external messages to a wallet are refused', async () => {
  const to = Address.parseRaw(`0:${'cd'.repeat(32)}`)
  const inside = bocOf({ ...external({ to }), ...internalMessage(to) })
  for (const path of ['/events/emulate', '/wallet/emulate', '/message/decode']) {
    expectRefused(await api.ask('POST', path, { boc: inside }), 400, 'unsupported message type')
  }
  expectRefused(await api.ask('POST', '/blockchain/message', { boc: inside }), 500)
  const noCode = bocOf(external({ to }))
  const withoutInit = await api.ask('POST', '/wallet/emulate', { boc: noCode })
  expectRefused(withoutInit, 400, "code not found and message doesn't have init")
  const toJetton = bocOf(external({ to: usdtMaster, body: comment('hi') }))
  expectRefused(await api.ask('POST', '/wallet/emulate', { boc: toJetton }), 400, 'wallet version')
  expectRefused(await api.ask('POST', '/message/decode', { boc: toJetton }), 400, 'not a wallet')
  const noOrders = bocOf(external({ to: owner.address, body: comment('hi') }))
  expectRefused(await api.ask('POST', '/message/decode', { boc: noOrders }), 400)
  expectRefused(await api.ask('POST', '/events/emulate', { boc: noOrders }), 406)
})

function internalMessage(to: Address) {
  const { info } = internal({ to, value: 1n })
  if (info.type !== 'internal') throw new Error('it is internal')
  return { info: { ...info, src: to }, body: comment('hi') }
}

test('invalid parameters of an emulation are refused', async () => {
  const order = { to: walletNamed('wallet-2').address, value: toNano(1), bounce: false }
  const boc = walletMessage(api.chain, owner, [order]).toBoc().toString('base64')
  const ask = (body: object) => api.ask('POST', '/wallet/emulate', { boc, ...body })
  expectRefused(
    await ask({ params: [{ address: 'x', balance: 1 }] }),
    400,
    "can't decode address x",
  )
  expectRefused(await ask({ params: [{ address: raw, balance: -1 }] }), 400, 'balance must be')
  expectMalformed(await ask({ params: [{ balance: 1 }] }), 'address')
  expectMalformed(await ask({ params: [{ address: raw, balance: 'much' }] }), 'balance')
  expectMalformed(await ask({ params: [{ address: raw, balance: 1.5 }] }), 'balance')
  expectMalformed(await ask({ params: [{ address: raw, balance: 2n ** 63n }] }), 'balance')
  expectRefused(await ask({ address_override: 'y' }), 400, "can't decode address y")
  expect((await ask({ params: [{ address: raw, balance: 2n ** 62n }] })).status).toBe(200)
})

test('a contract with an endless loop ends when its gas is used up', async () => {
  // The code of the contract is PUSHCONT { } AGAIN, an endless loop.
  const code = beginCell().storeUint(0x90ea, 16).endCell()
  const data = beginCell().endCell()
  const state = { code, data }
  const to = contractAddress(0, state)
  const started = await api.order(owner, [{ to, value: toNano(1), init: state, bounce: false }])
  const trace = await api.get(`/traces/${started.hash}`)
  const [child] = trace['children'] as { transaction: Record<string, unknown> }[]
  expect(child?.transaction).toMatchObject({
    success: false,
    compute_phase: { success: false, exit_code: -14 },
  })
  const method = await api.ask('GET', `/blockchain/accounts/${to.toRawString()}/methods/any`)
  expect(method.body).toMatchObject({ success: false })
})

test('docs/sandbox.md lists every operation of the router, and a documented missing operation gets 501', async () => {
  const docs = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')
  const section = docs.split('## Query operations, one by one')[1]?.split('\n## ')[0] ?? ''
  const [served = [], missing = []] = [...section.matchAll(/```\n([^]*?)```/g)].map(
    ([, text = '']) =>
      text
        .trim()
        .split('\n')
        .map((line) => line.replace(/ +/, ' ')),
  )
  expect(missing.length).toBeGreaterThan(0)
  const routes = createQuery({ chain: api.chain })
    .routes.filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} /v2${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(routes.toSorted()).toEqual([...served, ...missing].toSorted())
  for (const operation of missing) {
    const [method = '', template = ''] = operation.split(' ')
    const path = template.replace('/v2', '').replace(/\{\w+\}/g, raw)
    const { status, body } = await api.ask(method, path, method === 'POST' ? {} : undefined)
    expect([status, body], operation).toEqual([
      501,
      { error: expect.stringContaining('docs/sandbox.md') as string },
    ])
  }
})

test('GET /wallet/emulate accepts base64url and an unescaped plus sign', async () => {
  // The loop ends when the BOC has a plus sign and a slash, after at most some hundred values.
  let base64 = ''
  for (let value = 1n; !(base64.includes('+') && base64.includes('/')); value += 1n) {
    const order = { to: walletNamed('wallet-2').address, value, bounce: false }
    base64 = walletMessage(api.chain, walletNamed('wallet-1'), [order]).toBoc().toString('base64')
  }
  const base64url = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=*$/, '')
  for (const boc of [base64, encodeURIComponent(base64), base64url]) {
    const { status } = await api.ask('GET', `/wallet/emulate?boc=${boc}`)
    expect(status, boc).toBe(200)
  }
})
