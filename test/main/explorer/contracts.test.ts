/**
 * Tests get methods, code and data of contracts, on a sandbox and on gateways with unusual responses.
 */
import { type Address, Cell, beginCell, contractAddress, external, storeMessage } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { formatJson } from '../../../src-main/ton/lossless-json.ts'
import { jsonResponse, openScriptedServer } from '../../fixtures/scripted-server.ts'
import { type TestExplorer, openExplorer } from '../../fixtures/explorer.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

const network = 'sandbox'
let sandbox: RunningSandbox
let explorer: TestExplorer
let one: string
let usdt: string

beforeAll(async () => {
  sandbox = await startSandbox()
  const { queryUrl, apiKey: key, wallets } = sandbox.ready
  explorer = await openExplorer({ [network]: { queryUrl, key } })
  one = wallets[0]?.address ?? ''
  const { jettons } = await explorer.request('account.get', { network, address: one })
  usdt = jettons?.[0]?.asset.jetton ?? ''
})

afterAll(async () => {
  await explorer[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
})

type Call = Omit<Input<'contract.run'>, 'network'>
const run = (call: Call) => explorer.request('contract.run', { network, ...call })

/** Deploys a contract that accepts its first external message; every get method runs this body. */
async function deploy(body: string): Promise<string> {
  const size = (body.length / 2).toString(16)
  const bits = Buffer.from(`20a49${size}${body}92f800e2`, 'hex')
  const init = { code: beginCell().storeBuffer(bits).endCell(), data: beginCell().endCell() }
  const to: Address = contractAddress(0, init)
  await sandbox.control('POST', '/send', {
    from: 'wallet-1',
    to: to.toRawString(),
    amount: '1000000000',
  })
  const message = external({ to, init, body: beginCell().endCell() })
  const boc = beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
  const { status } = await sandbox.query('POST', '/blockchain/message', { boc })
  expect(status).toBe(200)
  return to.toRawString()
}

test('typed arguments reach the get method, and an address in the result is decoded as an address', async () => {
  const { items, success, decoded } = await run({
    address: usdt,
    method: 'get_wallet_address',
    args: [{ kind: 'address', value: one }],
  })
  expect(success).toBe(true)
  const { jettons } = await explorer.request('account.get', { network, address: one })
  expect(items).toMatchObject([{ kind: 'address', value: jettons?.[0]?.walletAddress }])
  expect(decoded).toMatchObject([{ name: 'jetton_wallet_address', kind: 'address' }])
  const key = await run({ address: one, method: 'get_public_key' })
  expect(key.items).toHaveLength(1)
  expect(key.items[0]?.value).toMatch(/^\d{60,78}$/)
})

test('a get method that the contract does not have fails with a description of the exit code', async () => {
  expect(await run({ address: one, method: 'get_nothing' })).toMatchObject({
    success: false,
    exitCode: 11,
    exitWords: 'the contract has no get method of this name',
  })
})

test('a number argument out of range is refused with its position, and no request is sent', async () => {
  const before = explorer.requests()
  for (const value of ['1.5', '', '0x', String(2n ** 256n), String(-(2n ** 64n))]) {
    const args = [
      { kind: 'number', value: '0xff' },
      { kind: 'number', value },
    ] as const
    await expect(run({ address: one, method: 'seqno', args: [...args] })).rejects.toMatchObject({
      code: 'CHAIN_BAD_ARGUMENT',
      message: expect.stringMatching(/^Argument 2: /) as string,
    })
  }
  expect(explorer.requests()).toBe(before)
})

test('a get method that never ends is reported as out of gas, and a result that is too long is cut off or refused', async () => {
  const endless = await deploy('90ea')
  expect(await run({ address: endless, method: 'any' })).toMatchObject({
    success: false,
    exitWords: 'out of gas',
  })
  const long = await deploy('8100649171e4')
  const { items, total } = await run({ address: long, method: 'any' })
  // The method’s number is below the values on the stack.
  expect(total).toBe(101)
  expect(items.filter(({ kind, value }) => kind === 'number' && value === '1')).toHaveLength(100)
  const tooLong = await deploy('8127109171e4')
  await expect(run({ address: tooLong, method: 'any' })).rejects.toThrow(/could not be run/)
})

test('code and data have the hashes of their cells, also if the inspection is missing', async () => {
  const view = await explorer.request('contract.get', { network, address: one })
  const code = Cell.fromBoc(Buffer.from(view.code?.boc ?? '', 'hex'))[0]
  expect(code?.hash().toString('hex')).toBe(view.code?.hash)
  expect(view).toMatchObject({ status: 'active', inspection: null, libraries: [] })
  expect(view.inspectionProblem).not.toBeNull()
})

const hashOf = (cell: Cell) => cell.hash().toString('hex')
const bocOf = (cell: Cell) => cell.toBoc().toString('hex')

test('a result with a list of 10,000 items, unknown types and numbers without digits is decoded', async () => {
  await using server = await openScriptedServer()
  // The value is written as text, because the nested object is too deep for the serializer.
  const nested = (items: number, end: string) => {
    const open = Array.from({ length: items }, (_, index) => {
      return `{"type":"tuple","tuple":[{"type":"num","num":"0x${(index + 1).toString(16)}"},`
    })
    return `${open.join('')}${end}${']}'.repeat(items)}`
  }
  const stack = [
    { type: 'num', num: '0x' },
    { type: 'num', num: '-0x10' },
    { type: 'future', value: 1 },
    7,
    { type: 'cell', cell: 'zz' },
    { type: 'tuple', tuple: [{ type: 'nan' }, { type: 'null' }] },
  ].map((value) => JSON.stringify(value))
  const list = nested(10_000, '{"type":"null"}')
  const noList = nested(5000, '{"type":"nan"}')
  const values = [...stack, list, noList].join()
  server.answer = jsonResponse(`{"success":true,"exit_code":0,"stack":[${values}]}`)
  const queryUrl = server.origin
  await using odd = await openExplorer({ [network]: { queryUrl, key: 'k' } })
  const { items, total } = await odd.request('contract.run', { network, address: one, method: 'm' })
  expect(items.slice(0, 9).map(({ kind, value, depth }) => [depth, kind, value])).toEqual([
    [0, 'number', '0'],
    [0, 'number', '-16'],
    [0, 'unread', 'The gateway sent a value of the unknown type future.'],
    [0, 'unread', 'The gateway sent no value here.'],
    [0, 'unread', 'The gateway sent a cell that cannot be parsed.'],
    [0, 'tuple', '2'],
    [1, 'nan', ''],
    [1, 'null', ''],
    [0, 'list', '10000'],
  ])
  expect(items[10_008]).toMatchObject({ depth: 1, kind: 'number', value: '10000' })
  expect(items[10_009]).toMatchObject({ depth: 0, kind: 'tuple', value: '2' })
  expect(total).toBe(20_010)
  expect(items).toHaveLength(20_000)
})

test('a gateway without POST for get methods gets the arguments in the URL', async () => {
  await using server = await openScriptedServer()
  server.answer = (request, response) => {
    if (request.method === 'POST') response.writeHead(405).end()
    else jsonResponse('{"success":true,"exit_code":0,"stack":[]}')(request, response)
  }
  await using odd = await openExplorer({ [network]: { queryUrl: server.origin, key: 'k' } })
  const args = [{ kind: 'number', value: String(2n ** 70n) }] as const
  await odd.request('contract.run', { network, address: one, method: 'm', args: [...args] })
  expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET'])
  expect(server.seen[0]?.body).toBe('{"args":[{"type":"int257","value":"0x400000000000000000"}]}')
  expect(server.seen[1]?.url).toContain('args=0x400000000000000000')
})

test('the code behind a library cell is shown only if it has the hash that the account stores', async () => {
  const code = beginCell().storeUint(7, 32).endCell()
  const reference = beginCell().storeUint(2, 8).storeBuffer(code.hash()).endCell({ exotic: true })
  const account = {
    address: one,
    balance: 1,
    status: 'active',
    last_transaction_lt: 0,
    code: bocOf(reference),
    libraries: [{ public: true, root: bocOf(code) }, { public: true }],
    storage: { used_cells: 3, used_bits: 9, used_public_cells: 0, last_paid: 5, due_payment: 0 },
  }
  const inspection = {
    code: '',
    code_hash: '',
    compiler: 'func',
    disassembled_code: 'SETCP0',
    methods: [{ id: 85143, method: 'seqno' }, { id: 'x' }],
  }
  for (const [library, expected] of [
    [code, { hash: hashOf(code) }],
    [beginCell().endCell(), null],
  ] as const) {
    await using server = await openScriptedServer()
    server.answer = (request, response) => {
      const { url } = request
      const body = url.endsWith('/inspect')
        ? inspection
        : url.includes('/libraries/')
          ? { boc: bocOf(library) }
          : account
      jsonResponse(formatJson(body))(request, response)
    }
    await using odd = await openExplorer({ [network]: { queryUrl: server.origin, key: 'k' } })
    const view = await odd.request('contract.get', { network, address: one })
    expect(view.code?.hash).toBe(hashOf(reference))
    if (expected === null) expect(view.libraryCode).toBeNull()
    else expect(view.libraryCode).toMatchObject(expected)
    expect(view.libraries).toHaveLength(1)
    expect(view.storage).toMatchObject({ usedCells: '3', lastPaid: 5000, due: '0' })
    expect(view.inspection).toMatchObject({
      compiler: 'func',
      disassembly: 'SETCP0',
      source: [],
      methods: [{ id: '85143', name: 'seqno' }],
    })
  }
})

const build = (order: Input<'message.build'>['order']) =>
  explorer.request('message.build', { network, order })

const emulateBuilt = (boc: string | null, balances: Input<'message.emulate'>['balances'] = []) =>
  explorer.request('message.emulate', { network, boc: boc ?? '', isUnsigned: true, balances })

test('a built transfer is emulated without a signature, also with an assumed balance', async () => {
  const two = sandbox.ready.wallets[1]?.address ?? ''
  const order = {
    kind: 'transfer',
    from: one,
    to: two,
    amount: '1.5',
    comment: 'for & more',
  } as const
  const { link, unsigned, body } = await build(order)
  expect(link).toMatch(/^ton:\/\/transfer\/EQ[\w-]{46}\?amount=1500000000&text=for%20%26%20more$/)
  expect(body).not.toBeNull()
  const { trace, warnings } = await emulateBuilt(unsigned)
  expect(trace.nodes.map(({ success, comment }) => [success, comment])).toEqual([
    [true, null],
    [true, 'for & more'],
  ])
  expect(trace.nodes[1]?.value).toBe('1500000000')
  expect(warnings.join()).not.toContain('expired')
  const poor = await emulateBuilt(unsigned, [{ address: one, nanotons: '300000000' }])
  expect(poor.warnings.join()).toContain('does not have enough')
  const rich = await build({ ...order, amount: '5000000' })
  const assumed = [{ address: one, nanotons: '6000000000000000' }]
  expect((await emulateBuilt(rich.unsigned, assumed)).trace.nodes).toHaveLength(2)
})

test('a built jetton transfer goes to the sender’s jetton wallet and arrives with its comment', async () => {
  const two = sandbox.ready.wallets[1]?.address ?? ''
  const { jettons } = await explorer.request('account.get', { network, address: one })
  const order = {
    kind: 'jetton' as const,
    from: one,
    to: two,
    jetton: usdt,
    jettonAmount: '2.5',
    amount: '0.1',
    comment: 'order-7',
  }
  const { to, link, unsigned } = await build(order)
  expect(to).toBe(jettons?.[0]?.walletAddress)
  expect(link).toContain('&bin=')
  const { trace, risk, event } = await emulateBuilt(unsigned)
  const [action, ...others] = event?.actions ?? []
  expect(others).toEqual([])
  // Emulated transactions have no page that a link could open.
  expect(action).toMatchObject({ kind: 'JettonTransfer', status: 'ok', transactions: [] })
  expect(action?.isConfirmed).toBe(true)
  expect(risk?.jettons).toMatchObject([{ units: '2500000' }])
  expect(trace.nodes.every(({ success }) => success)).toBe(true)
  expect(trace.nodes.some(({ comment }) => comment === 'order-7')).toBe(true)
})

test('a message that cannot be built is refused with its reason', async () => {
  const order = { kind: 'transfer', from: one, to: one, amount: '1' } as const
  for (const [part, message] of [
    [{ amount: '1e9' }, /Amount: Enter “1e9” as plain digits/],
    [{ amount: '1.234' }, /Amount: “1.234” can mean 1.2340 or 1234/],
    [{ amount: '-1' }, /Amount: The amount must be above zero/],
    [{ amount: '0.0000000001' }, /has 9 decimal places, but this amount has 10/],
    [{ to: 'EQnothing' }, /Not a valid address/],
    [{ from: usdt }, /no deployed wallet/],
    [{ kind: 'call', body: 'zz' }, /BOC/],
    [{ kind: 'jetton', from: '', jetton: usdt, jettonAmount: '1' }, /Enter the wallet/],
  ] as const) {
    await expect(build({ ...order, ...part })).rejects.toThrow(message)
  }
  expect((await build({ ...order, from: '' })).unsigned).toBeNull()
})
