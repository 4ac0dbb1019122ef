/** Tests the user’s own ABI and TL-B texts: which are refused, and what they decode on the chain. */
import { Cell, beginCell } from '@ton/core'
import { WalletContractV5R1 } from '@ton/ton'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatJson } from '../../../src-main/ton/lossless-json.ts'
import {
  type ScriptedServer,
  jsonResponse,
  openScriptedServer,
} from '../../fixtures/scripted-server.ts'
import { type TestExplorer, openExplorer } from '../../fixtures/explorer.ts'
import { accountOf, rawTransaction } from '../../fixtures/raw-transaction.ts'

const network = 'sandbox'
const [alice, bob] = [accountOf('a1'), accountOf('b2')]
const codeHash = 'cd'.repeat(32)

let server: ScriptedServer
let explorer: TestExplorer

beforeEach(async () => {
  server = await openScriptedServer()
  explorer = await openExplorer({ [network]: { queryUrl: server.origin, key: 'k' } })
})

afterEach(async () => {
  await explorer[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const add = (text: string, hash = codeHash) =>
  explorer.request('dictionary.import', { codeHash: hash, text })

const simple = (type: string, more: object = {}) => ({ kind: 'simple', type, ...more })
const field = (name: string, type: object) => ({ name, type })

const abi = {
  name: 'Shop',
  types: [
    {
      name: 'Item',
      header: null,
      fields: [
        field('count', simple('uint', { format: 16 })),
        field('label', simple('string', { optional: true })),
      ],
    },
    {
      name: 'Order',
      header: 0x11223344,
      fields: [
        field('queryId', simple('uint', { format: 64 })),
        field('price', simple('uint', { format: 'coins' })),
        field('change', simple('int', { format: 257 })),
        field('buyer', simple('address')),
        field('item', simple('Item')),
        field('isGift', simple('bool')),
        field('notes', { kind: 'dict', key: 'int', value: 'string' }),
      ],
    },
    { name: 'Odd', header: 7, fields: [field('x', simple('quaternion'))] },
  ],
  getters: [
    {
      name: 'priceOf',
      arguments: [
        field('buyer', simple('address')),
        field('count', simple('int', { format: 257 })),
      ],
      returnType: simple('int', { optional: true, format: 257 }),
    },
    { name: 'latest', arguments: [], returnType: simple('Item') },
    { name: 'first', arguments: [], returnType: simple('Item', { optional: true }) },
  ],
  errors: { 4321: { message: 'The shop is closed' }, odd: { message: 'no number' } },
}

/** The stack that each get method returns. */
let stack: readonly object[] = []

/** Serves this transaction and its trace, and a contract with this code at every address. */
function serve(body: Cell, compute = { success: true, exitCode: 0 }, code?: Cell) {
  const transaction = rawTransaction({
    account: bob,
    lt: 100n,
    in: { from: alice, to: bob, body },
    compute,
    success: compute.success,
  })
  server.answer = ({ url }, response) => {
    const account = {
      address: bob,
      balance: 1,
      status: 'active',
      last_transaction_lt: 1,
      code: code?.toBoc().toString('hex'),
    }
    const answer = url.includes('/traces/')
      ? { transaction }
      : url.endsWith(`/blockchain/accounts/${encodeURIComponent(bob)}`)
        ? account
        : url.includes('/methods/')
          ? { success: true, exit_code: 0, stack }
          : url.includes('/transactions?')
            ? { transactions: [transaction] }
            : null
    jsonResponse(formatJson(answer ?? { error: 'not found' }), answer === null ? 404 : 200)(
      { method: 'GET', url, headers: {}, body: '' },
      response,
    )
  }
  return explorer.request('transaction.get', { network, id: transaction.hash, refresh: true })
}

const order = (end: (body: ReturnType<typeof beginCell>) => void = () => undefined) => {
  const label = beginCell().storeStringTail('a hat').endCell()
  const body = beginCell()
    .storeUint(0x11223344, 32)
    .storeUint(9, 64)
    .storeCoins(2_500_000_000n)
    .storeInt(-5n, 257)
    .storeAddress(null)
    .storeUint(3, 16)
    .storeBit(1)
    .storeRef(label)
    .storeBit(1)
    .storeBit(0)
  end(body)
  return body.endCell()
}

test('an ABI names and decodes a body, including the fields of its structs', async () => {
  const added = await add(JSON.stringify(abi))
  expect(added).toMatchObject({
    name: 'Shop',
    format: 'abi',
    errors: [{ code: 4321, name: 'The shop is closed' }],
    methods: [
      {
        name: 'priceOf',
        returns: 'int as 257?',
        arguments: [
          { name: 'buyer', type: 'address', kind: 'address' },
          { name: 'count', type: 'int as 257', kind: 'number' },
        ],
      },
      { name: 'latest', returns: 'Item' },
      { name: 'first', returns: 'Item?' },
    ],
  })
  expect(added.unused).toEqual(['Odd: the type of the field x is unknown.'])
  const { transaction, trace } = await serve(order())
  expect(transaction.inMessage).toMatchObject({ operation: 'Order' })
  expect(transaction.inMessage?.body?.fields.map(({ name, value }) => `${name} ${value}`)).toEqual([
    'queryId 9',
    'price 2500000000',
    'change -5',
    'buyer none',
    'item.count 3',
    'item.label a hat',
    'isGift true',
    'notes empty',
  ])
  expect(trace?.nodes[0]?.operation).toBe('Order')
})

test('a body with more data than the ABI describes is not decoded', async () => {
  await add(JSON.stringify(abi))
  const { transaction } = await serve(order((body) => body.storeBit(1)))
  expect(transaction.inMessage?.body).toBeNull()
})

const provesOwnership = () =>
  beginCell()
    .storeUint(0x04ded148, 32)
    .storeUint(7, 64)
    .storeAddress(null)
    .storeRef(beginCell().endCell())
    .storeBit(true)
    .endCell()

test('a message of a public standard is decoded and names the standard without an import', async () => {
  const { transaction, trace } = await serve(provesOwnership())
  expect(transaction.inMessage).toMatchObject({
    operation: 'prove_ownership',
    body: { operation: 'prove_ownership', source: 'TEP-85' },
  })
  expect(transaction.inMessage?.body?.fields).toEqual(
    expect.arrayContaining([
      { name: 'query_id', kind: 'number', value: '7' },
      { name: 'with_content', kind: 'text', value: 'true' },
    ]),
  )
  expect(trace?.nodes[0]?.operation).toBe('prove_ownership')
})

test('an own dictionary takes precedence over the catalogue, even where it does not match the body', async () => {
  await add('vote#04ded148 query_id:uint64 = Body;')
  const { transaction, trace } = await serve(provesOwnership())
  expect(transaction.inMessage?.body).toBeNull()
  expect(trace?.nodes[0]?.operation).toBe('vote')
})

test('a wallet’s exit code is described after its code is known, and of other contracts it is not', async () => {
  const code = WalletContractV5R1.create({ publicKey: Buffer.alloc(32) }).init.code
  const failed = { success: false, exitCode: 133 }
  const words = async () =>
    (await serve(beginCell().endCell(), failed, code)).transaction.phases.compute?.exitWords
  expect(await words()).toBeNull()
  await explorer.request('contract.get', { network, address: bob })
  expect(await words()).toBe('the seqno is not the next one')
})

test('two dictionaries that disagree about an opcode decode no body until the account’s code is known', async () => {
  const code = beginCell().storeUint(1, 8).endCell()
  await add('pay#55667788 amount:Coins = Body;', code.hash().toString('hex'))
  await add('burn#55667788 left:Coins = Body;')
  const body = beginCell().storeUint(0x55667788, 32).storeCoins(7).endCell()
  const before = await serve(body, { success: false, exitCode: 4321 }, code)
  expect(before.transaction.inMessage?.body).toBeNull()
  const unnamed = await explorer.request('account.history', { network, address: bob })
  expect(unnamed.rows).toMatchObject([{ opcode: '0x55667788', operation: null }])
  await explorer.request('contract.get', { network, address: bob })
  const after = await serve(body, { success: false, exitCode: 4321 }, code)
  expect(after.transaction.inMessage?.body).toEqual({
    operation: 'pay',
    fields: [{ name: 'amount', kind: 'number', value: '7' }],
  })
  const { rows } = await explorer.request('account.history', { network, address: bob })
  expect(rows).toMatchObject([{ opcode: '0x55667788', operation: 'pay' }])
  await add(JSON.stringify(abi), code.hash().toString('hex'))
  const named = await serve(body, { success: false, exitCode: 4321 }, code)
  expect(named.transaction.phases.compute?.exitWords).toBe('The shop is closed')
})

test('values returned by a get method have the field names of its type, unless their count differs', async () => {
  const code = beginCell().storeUint(2, 8).endCell()
  const codeHash = code.hash().toString('hex')
  await add(JSON.stringify(abi), codeHash)
  await serve(beginCell().endCell(), undefined, code)
  const found = await explorer.request('dictionary.find', { network, address: bob })
  expect(found).toEqual({ codeHash, isKnown: true })
  const item = [{ type: 'num', num: '0x2a' }, { type: 'null' }]
  const named = async (method: string, returned: readonly object[]) => {
    stack = returned
    const { items } = await explorer.request('contract.run', { network, address: bob, method })
    return items.map(({ name, kind }) => [name, kind])
  }
  const fields = [
    ['count', 'number'],
    ['label', 'null'],
  ]
  expect(await named('latest', item)).toEqual(fields)
  expect(await named('first', [{ type: 'tuple', tuple: item }])).toEqual([
    ['value', 'tuple'],
    ...fields,
  ])
  expect(await named('latest', [...item, ...item])).toEqual(
    [...fields, ...fields].map(([, kind]) => [null, kind]),
  )
})

test('a message built from entered field values is decoded to the same values', async () => {
  await add(JSON.stringify(abi))
  const message = { codeHash, opcode: '0x11223344', name: 'Order' }
  const { inputs } = await explorer.request('dictionary.inputs', message)
  const entered: Readonly<Record<string, string>> = {
    queryId: '7',
    price: '1.5 TON',
    change: '-3',
    buyer: alice,
    'item.count': '65536',
    'item.label': '1',
    isGift: 'true',
    notes: '',
  }
  const values = Object.fromEntries(
    inputs.map(({ key, name, when }) => [key, when === null ? (entered[name] ?? '') : 'a hat']),
  )
  const order = { kind: 'message', to: bob, amount: '1', message, values } as const
  const count = inputs.find(({ name }) => name === 'item.count')?.key ?? ''
  await expect(explorer.request('message.build', { network, order })).rejects.toMatchObject({
    data: [{ path: `values.${count}`, message: 'Enter a number from 0 to 65535.' }],
  })
  values[count] = '12'
  const { body } = await explorer.request('message.build', { network, order })
  const sent = Cell.fromHex(body ?? '')
  const { transaction } = await serve(sent)
  expect(transaction.inMessage?.body?.fields.map(({ name, value }) => [name, value])).toEqual([
    ['queryId', '7'],
    ['price', '1500000000'],
    ['change', '-3'],
    ['buyer', alice],
    ['item.count', '12'],
    ['item.label', 'a hat'],
    ['isGift', 'true'],
    ['notes', 'empty'],
  ])
})

test('TL-B defines messages with an opcode, and unusable definitions are listed with the reason', async () => {
  const text = `
    // a comment
    unit$_ = Unit;
    deal#aabbccdd query_id:uint64 left:(## 8) who:MsgAddressInt
      note:(Maybe ^Cell) key:bits16 rest:(Either Cell ^Cell) = InternalMsgBody;
    odd#00000001 x:(Tree 7) = Odd;`
  const { messages, unused, format } = await add(text)
  expect(format).toBe('tlb')
  expect(messages.map(({ opcode, name }) => [opcode, name])).toEqual([
    ['0xaabbccdd', 'deal'],
    // The message keeps its name and opcode.
    ['0x00000001', 'odd'],
  ])
  expect(unused).toEqual(['odd: the type (Tree 7) is unknown.'])
  const body = beginCell()
    .storeUint(0xaabbccdd, 32)
    .storeUint(1, 64)
    .storeUint(2, 8)
    .storeAddress(null)
    .storeBit(0)
    .storeUint(0xbeef, 16)
    .storeBit(1)
    .storeRef(beginCell().endCell())
    .endCell()
  const { transaction } = await serve(body)
  const fields = transaction.inMessage?.body?.fields
  expect(fields?.map(({ name, value }) => `${name} ${value}`).slice(0, 5)).toEqual([
    'query_id 1',
    'left 2',
    'who none',
    'note none',
    'key BEEF',
  ])
})

test('invalid, cyclic or oversized dictionaries are refused with a reason and change nothing', async () => {
  const type = (name: string, inner: string) => ({
    name,
    fields: [field('x', simple(inner, { optional: true }))],
  })
  const cycle = JSON.stringify({ types: [type('A', 'B'), type('B', 'C'), type('C', 'A')] })
  const chain = Array.from({ length: 2000 }, (_, index) => type(`T${index}`, `T${index + 1}`))
  const many = JSON.stringify({ types: Array.from({ length: 2001 }, () => type('A', 'int')) })
  for (const [text, message] of [
    [cycle, /The type A contains itself: A → B → C → A/],
    [many, /more than 2000 types/],
    ['{"types":', /not valid JSON/],
    ['{"abi_schema_version":"1.0"}', /not in the form that Tolk writes \(unique_types/],
    ['{"abi_schema_version":"2.0","unique_types":[]}', /reads version 1 of the schema/],
    ['{"name":"Empty"}', /no ABI of Tact/],
    ['{"types":7}', /not in the form that Tact writes \(types/],
    ['hello', /neither JSON nor TL-B/],
  ] as const) {
    await expect(add(text)).rejects.toMatchObject({
      code: 'CHAIN_BAD_DICTIONARY',
      message: expect.stringMatching(message) as string,
    })
  }
  // The window refuses a file of 50 MB before it is read; the route refuses long texts before it
  // parses them.
  await expect(add(`x#00000001 = X;${' '.repeat(800_000)}y`)).rejects.toThrow(/800,000 characters/)
  expect((await add(JSON.stringify({ types: chain }))).messages).toEqual([])
  await explorer.request('dictionary.remove', { codeHash })
  expect(await explorer.request('dictionary.list', undefined)).toEqual({ dictionaries: [] })
})
