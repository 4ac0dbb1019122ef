/** Tests accounts, jettons, get methods and the configuration, as an explorer reads them. */
import {
  type TupleItem,
  Address,
  beginCell,
  Cell,
  comment,
  contractAddress,
  toNano,
} from '@ton/core'
import { loadConfigParamsAsSlice, parseFullConfig } from '@ton/ton/dist/config/ConfigParser.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  usdtMaster,
  usdtTransferOrder,
  usdtWalletOf,
} from '../../../src-main/sandbox/chain/contracts.ts'
import { walletMessage } from '../../../src-main/sandbox/chain/wallets.ts'
import { serializeStackItem } from '../../../src-main/sandbox/query/stack.ts'
import { parseBoc } from '../../../src-main/ton/boc.ts'
import {
  type Json,
  type QueryChain,
  openQueryChain,
  walletNamed,
} from '../../fixtures/query-chain.ts'

let api: QueryChain

beforeAll(async () => {
  api = await openQueryChain()
})

afterAll(async () => {
  await api[Symbol.asyncDispose]()
})

const owner = walletNamed('wallet-1')
const raw = owner.address.toRawString()
const usdt = usdtMaster.toRawString()
const usdtWallet = usdtWalletOf(owner.address).toRawString()
const nobody = `0:${'0'.repeat(64)}`

function path(address: string): string {
  return encodeURIComponent(address)
}

test('an account is the same for every form of its address', async () => {
  const account = await api.get(`/accounts/${raw}`)
  expect(account).toMatchObject({
    address: raw,
    balance: 10_000_000_000_000,
    status: 'active',
    is_wallet: true,
    name: 'wallet-1',
    interfaces: ['wallet_v4r2'],
  })
  for (const form of [{}, { bounceable: false }, { urlSafe: false }, { testOnly: true }]) {
    expect(await api.get(`/accounts/${path(owner.address.toString(form))}`)).toEqual(account)
  }
})

test('an unused address is an account that does not exist', async () => {
  expect(await api.get(`/accounts/${nobody}`)).toMatchObject({
    address: nobody,
    balance: 0,
    last_activity: 0,
    status: 'nonexist',
    get_methods: [],
    is_wallet: true,
  })
  const rawReply = await api.ask('GET', `/blockchain/accounts/${nobody}`)
  expect([rawReply.status, rawReply.body]).toEqual([404, { error: 'entity not found' }])
  expect(await api.get(`/wallet/${nobody}/seqno`)).toEqual({ seqno: 0 })
})

test('an account with a balance and without code is uninit', async () => {
  const to = Address.parseRaw(`0:${'ee'.repeat(32)}`)
  await api.order(owner, [{ to, value: toNano(2), bounce: false }])
  const account = await api.get(`/accounts/${to.toRawString()}`)
  expect(account).toMatchObject({ status: 'uninit', balance: 2_000_000_000, is_wallet: false })
  const state = await api.get(`/blockchain/accounts/${to.toRawString()}`)
  expect(state).toMatchObject({ status: 'uninit', balance: 2_000_000_000 })
  expect(state).not.toHaveProperty('code')
})

test('accounts are returned in bulk in the requested order, by POST and both forms of GET', async () => {
  const ids = [nobody, owner.address.toString(), usdt, raw]
  const answer = await api.post('/accounts/_bulk', { account_ids: ids })
  const accounts = answer['accounts'] as Json[]
  expect(accounts.map(({ address }) => address)).toEqual([nobody, raw, usdt, raw])
  expect(accounts.map(({ status }) => status)).toEqual(['nonexist', 'active', 'active', 'active'])
  const repeated = ids.map((id) => `account_ids=${path(id)}`).join('&')
  expect(await api.get(`/accounts/_bulk?${repeated}`)).toEqual(answer)
  expect(await api.get(`/accounts/_bulk?account_ids=${path(ids.join(','))}`)).toEqual(answer)
  const priced = await api.ask('POST', '/accounts/_bulk?currency=usd', { account_ids: [raw] })
  expect(priced.headers.get('x-sandbox-rates')).toBe('fixed')
  const [first] = priced.body['accounts'] as Json[]
  expect((first?.['currencies_balance'] as Json)['USD']).toBeGreaterThan(0)
  const states = await api.post('/blockchain/accounts/_bulk', { account_ids: ids })
  expect((states['accounts'] as Json[]).map(({ address }) => address)).toEqual([
    nobody,
    raw,
    usdt,
    raw,
  ])
})

test('an account’s raw code and data are returned as BOC, with its last transaction', async () => {
  const address = usdtMaster.toRawString()
  const state = await api.get(`/blockchain/accounts/${address}`)
  const code = parseBoc(Buffer.from(String(state['code']), 'hex'))
  expect(parseBoc(Buffer.from(String(state['data']), 'hex')).bits.length).toBeGreaterThan(0)
  const jetton = await api.get(`/jettons/${address}`)
  expect(jetton['code_hash']).toBe(code.hash().toString('hex'))
  const last = api.chain.history(address, { limit: 1 })[0]
  expect(state['last_transaction_hash']).toBe(last?.hash)
  expect(BigInt(state['last_transaction_lt'] as number)).toBe(last?.lt)
  expect((state['storage'] as Json)['used_cells']).toBeGreaterThan(0)
})

test('an account’s jettons and the jetton’s data are returned, and unknown ones get 404', async () => {
  const balance = {
    balance: '10000000000',
    wallet_address: { address: usdtWallet, is_scam: false, is_wallet: false },
    jetton: { address: usdt, name: 'Tether USD', symbol: 'USDT', decimals: 6 },
  }
  const all = await api.get(`/accounts/${raw}/jettons`)
  expect(all['balances']).toMatchObject([balance])
  expect(await api.get(`/accounts/${raw}/jettons/${usdt}`)).toMatchObject(balance)
  expect(await api.get(`/accounts/${nobody}/jettons`)).toEqual({ balances: [] })
  expect((await api.ask('GET', `/accounts/${nobody}/jettons/${usdt}`)).status).toBe(404)
  expect((await api.ask('GET', `/accounts/${raw}/jettons/${nobody}`)).status).toBe(404)
  expect((await api.ask('GET', `/jettons/${raw}`)).status).toBe(404)
  const priced = await api.get(`/accounts/${raw}/jettons?currencies=usd,xyz`)
  expect((priced['balances'] as Json[])[0]?.['price']).toMatchObject({ prices: { USD: 1 } })

  const info = await api.get(`/jettons/${usdt}`)
  expect(info).toMatchObject({ mintable: true, metadata: { decimals: '6', symbol: 'USDT' } })
  const holders = Number(info['holders_count'])
  const to = Address.parseRaw(`0:${'ef'.repeat(32)}`)
  const transfer = { owner: owner.address, to, amount: 5n }
  await api.order(owner, [usdtTransferOrder(transfer)])
  expect((await api.get(`/jettons/${usdt}`))['holders_count']).toBe(holders + 1)
  const received = await api.get(`/accounts/${to.toRawString()}/jettons`)
  expect(received['balances']).toMatchObject([{ balance: '5' }])
})

test('a contract that claims to be a USDT wallet is not listed as one', async () => {
  const code = (await api.get(`/blockchain/accounts/${usdtWallet}`))['code']
  const data = beginCell()
    .storeCoins(10n ** 15n)
    .storeAddress(owner.address)
    .storeAddress(usdtMaster)
    .endCell()
  // The contract has the right code and a large balance, but an address that the master did not create.
  const init = { code: parseBoc(Buffer.from(String(code), 'hex')), data }
  const fake = contractAddress(0, init)
  await api.order(owner, [{ to: fake, value: toNano(1), init, bounce: false }])
  const account = await api.get(`/accounts/${fake.toRawString()}`)
  expect(account).toMatchObject({ status: 'active', interfaces: [] })
  const balances = (await api.get(`/accounts/${raw}/jettons`))['balances'] as Json[]
  expect(balances.map((each) => (each['wallet_address'] as Json)['address'])).toEqual([usdtWallet])
})

test('get methods run by name with arguments of either form, and results have names', async () => {
  const seqno = await api.get(`/blockchain/accounts/${raw}/methods/seqno`)
  expect(seqno).toMatchObject({ success: true, exit_code: 0 })
  const [first] = seqno['stack'] as Json[]
  expect(first?.['type']).toBe('num')
  expect(Number(first?.['num'])).toBe((seqno['decoded'] as Json)['state'])

  const method = `/blockchain/accounts/${usdt}/methods/get_wallet_address`
  const byQuery = await api.get(`${method}?args=${path(owner.address.toString())}`)
  expect(byQuery['decoded']).toEqual({ jetton_wallet_address: usdtWallet })
  const args = [{ type: 'slice', value: owner.address.toString() }]
  expect(await api.post(method, { args })).toEqual(byQuery)
  const cell = beginCell().storeAddress(owner.address).endCell().toBoc().toString('hex')
  expect(await api.get(`${method}?args=${cell}`)).toEqual(byQuery)

  const data = await api.get(`/blockchain/accounts/${usdt}/methods/get_jetton_data`)
  expect(data['decoded']).toMatchObject({ mintable: true })
  const wrong = await api.get(`/blockchain/accounts/${raw}/methods/no_such_method`)
  expect(wrong).toMatchObject({ success: false, exit_code: 11 })
  expect((await api.ask('GET', `/blockchain/accounts/${nobody}/methods/seqno`)).status).toBe(404)
})

test.each<[string, string, number]>([
  ['NaN', 'nan', 200],
  ['100500', 'tinyint', 200],
  ['0xfa01d78381ae32', 'int257', 200],
  ['Null', 'null', 200],
  ['te6ccgEBAQEAAgAAAA==', 'cell_boc_base64', 200],
  ['b5ee9c72010101010002000000', 'slice_boc_hex', 200],
  ['neither', 'tinyint', 400],
  ['99999999999999999999', 'tinyint', 400],
  ['0xzz', 'int257', 400],
  ['te6c', 'cell_boc_base64', 400],
])('the argument %s as %s is accepted or refused as documented', async (value, type, status) => {
  const method = `/blockchain/accounts/${raw}/methods/seqno`
  expect((await api.ask('POST', method, { args: [{ type, value }] })).status).toBe(status)
  const byQuery = await api.ask('GET', `${method}?args=${path(value)}`)
  expect(byQuery.status).toBe(status)
  if (status === 400) expect(byQuery.body['error']).toContain(value)
})

test('a wallet has its version and jettons, and a contract that is no wallet gets 400', async () => {
  expect(await api.get(`/wallet/${raw}`)).toMatchObject({
    address: raw,
    is_wallet: true,
    status: 'active',
    stats: { jettons_count: 1, nfts_count: 0 },
    interfaces: ['wallet_v4r2'],
  })
  expect((await api.ask('GET', `/wallet/${usdt}`)).status).toBe(400)
  const noSeqno = await api.ask('GET', `/wallet/${usdt}/seqno`)
  expect([noSeqno.status, noSeqno.body]).toEqual([
    400,
    { error: 'contract is not a supported wallet' },
  ])
})

test('an address is returned in all its forms', async () => {
  const friendly = 'Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF'
  expect(await api.get(`/address/${friendly}/parse`)).toEqual({
    raw_form: `-1:${'3'.repeat(64)}`,
    bounceable: { b64: friendly, b64url: friendly },
    non_bounceable: {
      b64: 'Uf8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMxYA',
      b64url: 'Uf8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMxYA',
    },
    given_type: 'friendly_bounceable',
    test_only: false,
  })
  const test = await api.get('/address/0f8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM62K/parse')
  expect(test).toMatchObject({ given_type: 'friendly_non_bounceable', test_only: true })
})

test('a signed message is decoded before it is sent', async () => {
  const to = walletNamed('wallet-2').address
  const message = walletMessage(api.chain, owner, [
    { to, value: toNano(1), body: comment('hi'), bounce: false },
    usdtTransferOrder({ owner: owner.address, to, amount: 7n, text: 'x' }),
  ])
  const decoded = await api.post('/message/decode', { boc: message.toBoc().toString('base64') })
  expect(decoded).toMatchObject({
    destination: { address: raw },
    destination_wallet_version: 'v4R2',
    ext_in_msg_decoded: {
      wallet_v4: {
        op: 0,
        raw_messages: [
          { mode: 3, message: { decoded_op_name: 'text_comment', decoded_body: { text: 'hi' } } },
          {
            message: {
              op_code: '0x0f8a7ea5',
              decoded_op_name: 'jetton_transfer',
              decoded_body: { amount: '7', destination: to.toRawString() },
            },
          },
        ],
      },
    },
  })
})

test('the configuration equals the one that @ton/ton reads', async () => {
  const config = await api.get('/blockchain/config')
  const cell = Cell.fromHex(String(config['raw']))
  expect(cell.hash()).toEqual(api.chain.config().hash())
  const read = parseFullConfig(loadConfigParamsAsSlice(cell.toBoc().toString('base64')))
  const at = (number: number) => config[String(number)] as Json

  expect(config['0']).toBe(read.configAddress.toRawString())
  expect(config['1']).toBe(read.electorAddress.toRawString())
  expect(config['4']).toBe(read.dnsRootAddress?.toRawString())
  // @ton/ton reads the tag as a part of the version; the version is that of a current network.
  expect(at(8)['version']).toBeGreaterThanOrEqual(12)
  expect(at(8)['version']).toBeLessThan(1_000)
  expect(at(16)['max_validators']).toBe(read.validators.maxValidators)
  expect(at(17)['min_stake']).toBe(read.validators.minStake.toString())
  const prices = (at(18)['storage_prices'] as Json[])[0]
  expect(prices?.['cell_price_ps']).toBe(Number(read.storagePrices[0]?.cell_price_ps))
  const gas = at(21)['gas_limits_prices'] as Json
  expect(gas).toMatchObject({
    flat_gas_price: Number(read.gasPrices.workchain.flatGasPrice),
    gas_price: Number(read.gasPrices.workchain.other.gasPrice),
    gas_limit: Number(read.gasPrices.workchain.other.gasLimit),
    delete_due_limit: Number(read.gasPrices.workchain.other.deleteDueLimit),
  })
  expect(at(25)['msg_forward_prices']).toMatchObject({
    lump_price: Number(read.msgPrices.workchain.lumpPrice),
    cell_price: Number(read.msgPrices.workchain.cellPrice),
    next_frac: read.msgPrices.workchain.nextFrac,
  })
  const current = read.validatorSets.currentValidators
  const list = at(34)['list'] as Json[]
  expect(list).toHaveLength(current?.list.size ?? 0)
  expect(list[0]?.['public_key']).toBe(current?.list.get(0)?.publicKey.toString('hex'))
  expect(at(34)['total_weight']).toBe(current?.totalWeight?.toString())
  expect(at(71)['oracle_bridge_params']).toMatchObject({
    bridge_addr: read.bridges.ethereum?.bridgeAddress.toRawString(),
  })
  expect(at(44)).toHaveProperty('accounts')

  const all = (await api.get('/blockchain/config/raw'))['config'] as Json
  expect(all['config_param8']).toEqual(at(8))
  // Every parameter that the service describes is read; 19 and the negative ones are not described.
  const unread = Object.entries(all).filter(([, value]) => Object.hasOwn(value as Json, 'raw'))
  expect(unread.map(([name]) => name)).toEqual(
    ['19', '-999', '-90', '-71'].map((number) => `config_param${number}`),
  )
})

test('rates are fixed, and a header says so', async () => {
  const reply = await api.ask(
    'GET',
    `/rates?tokens=ton,${usdt},nonsense&currencies=usd,eur,nonsense`,
  )
  expect(reply.headers.get('x-sandbox-rates')).toBe('fixed')
  const rates = reply.body['rates'] as Json
  expect(Object.keys(rates)).toEqual(['TON', usdt])
  expect(Object.keys((rates['TON'] as Json)['prices'] as Json)).toEqual(['USD', 'EUR'])
  expect((rates[usdt] as Json)['prices']).toMatchObject({ USD: 1 })
})

// If chart and rates differed, a payment would have two values at the same time.
test('the chart has the fixed rate at evenly spaced times up to the newest block', async () => {
  const chart = async (query: string) => {
    const reply = await api.ask('GET', `/rates/chart?${query}`)
    return reply.body['points'] as [number, number][]
  }
  const head = await api.ask('GET', '/blockchain/masterchain-head')
  const now = Number(head.body['gen_utime'])
  const span = `start_date=${now - 100}&end_date=${now + 100}&points_count=5`
  expect(await chart(`token=ton&currency=eur&${span}`)).toEqual([
    [now, 2.75],
    [now - 50, 2.75],
    [now - 100, 2.75],
  ])
  const points = await chart(`token=${usdt}`)
  expect([points.length, points[0], points.at(-1)]).toEqual([200, [now, 1], [now - 86_400, 1]])
  expect(await chart(`token=ton&currency=nonsense&${span}`)).toEqual([])
  for (const query of [
    'currency=usd',
    'token=',
    'token=ton&points_count=201',
    'token=ton&start_date=x',
    'token=ton&start_date=2&end_date=1',
  ]) {
    expect([query, (await api.ask('GET', `/rates/chart?${query}`)).status]).toEqual([query, 400])
  }
})

test('known accounts are found by the beginning of their names, and no domain resolves', async () => {
  const found = await api.get('/accounts/search?name=merch')
  expect(found['addresses']).toMatchObject([{ name: 'merchant', trust: 'none' }])
  expect(await api.get('/accounts/search?name=nobody')).toEqual({ addresses: [] })
  const dns = await api.ask('GET', '/dns/nobody.ton/resolve')
  expect([dns.status, dns.body]).toEqual([404, { error: 'entity not found' }])
})

test('testnet is a separate chain with its own address form', async () => {
  await using other = await openQueryChain('testnet')
  const parsed = await other.get(`/address/${raw}/parse`)
  expect((parsed['bounceable'] as Json)['b64url']).toMatch(/^k/)
  expect(await other.get('/blockchain/masterchain-head')).toMatchObject({ global_id: -3 })
  const [mine] = api.chain.history(raw, { limit: 1 })
  const reply = await other.ask('GET', `/blockchain/transactions/${mine?.hash ?? ''}`)
  expect(reply.status).toBe(404)
})

test('a stack item of every type is serialized', () => {
  const items: TupleItem[] = [
    { type: 'int', value: -1n },
    { type: 'int', value: 2n ** 255n },
    { type: 'null' },
    { type: 'nan' },
    { type: 'tuple', items: [{ type: 'int', value: 10n }] },
  ]
  expect(items.map(serializeStackItem)).toEqual([
    { type: 'num', num: '-0x1' },
    { type: 'num', num: `0x80${'00'.repeat(31)}` },
    { type: 'null' },
    { type: 'nan' },
    { type: 'tuple', tuple: [{ type: 'num', num: '0xa' }] },
  ])
})
