/** Tests gateways whose responses differ from the documentation, or end in the middle. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beginCell, external, storeMessage } from '@ton/core'
import { expect, test } from 'vitest'
import { walletNamed } from '../../fixtures/chain.ts'
import { openExplorer } from '../../fixtures/explorer.ts'
import { formatJson } from '../../../src-main/ton/lossless-json.ts'
import { toAddress } from '../../../src-main/ton/address.ts'
import { accountOf, rawTransaction, requiredFields } from '../../fixtures/raw-transaction.ts'

const network = 'custom-00000001'
const wallet = walletNamed('wallet-1').address

async function openAgainst(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  await using resources = new AsyncDisposableStack()
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
    request.resume().once('end', () => answer(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  resources.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const queryUrl = `http://127.0.0.1:${port}`
  const explorer = resources.use(await openExplorer({ [network]: { queryUrl, key: 'some-key' } }))
  const kept = resources.move()
  return { ...explorer, asked, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

function reply(response: ServerResponse, status: number, body: unknown = {}): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(formatJson(body))
}

/** Responds by path and query; any other request gets 404. */
const answering =
  (answers: (path: string, query: URLSearchParams) => unknown) =>
  (request: IncomingMessage, response: ServerResponse) => {
    const [path = '', query] = (request.url ?? '').split('?')
    const body = answers(decodeURIComponent(path), new URLSearchParams(query))
    if (body === undefined) reply(response, 404, { error: 'entity not found' })
    else reply(response, 200, body)
  }

const alice = accountOf('a1')
const bob = accountOf('b2')

const boc = beginCell()
  .store(storeMessage(external({ to: wallet, body: beginCell().storeUint(1, 32).endCell() })))
  .endCell()
  .toBoc()
  .toString('base64url')

test('a server without POST for many accounts is requested with GET from then on', async () => {
  await using explorer = await openAgainst((request, response) => {
    if (request.method === 'POST') reply(response, 405)
    else reply(response, 200, { accounts: [] })
  })
  const query = explorer.query(network)
  await query.accountsBulk(['0:1', '0:2'], { currency: 'usd' })
  await query.accountsBulk(['0:3'])
  expect(explorer.asked).toEqual([
    'POST /v2/accounts/_bulk?currency=usd',
    'GET /v2/accounts/_bulk?currency=usd&account_ids=0%3A1%2C0%3A2',
    'GET /v2/accounts/_bulk?account_ids=0%3A3',
  ])
})

test('a message whose connection breaks is sent once and reported as uncertain', async () => {
  await using explorer = await openAgainst((request, response) => {
    if (request.url === '/v2/blockchain/message') request.socket.destroy()
    else reply(response, 404, { error: 'entity not found' })
  })
  const sent = await explorer.request('message.send', { network, boc })
  expect(sent).toMatchObject({ isUncertain: true, validUntil: null })
  expect(explorer.asked.filter((line) => line.startsWith('POST'))).toHaveLength(1)
})

test('a hash that several messages share is refused with CHAIN_AMBIGUOUS', async () => {
  await using explorer = await openAgainst((request, response) => {
    const isTrace = request.url?.startsWith('/v2/traces/') === true
    if (isTrace) reply(response, 404, { error: 'more than one transaction with message hash' })
    else reply(response, 400, { error: 'too many entities' })
  })
  await expect(
    explorer.request('transaction.get', { network, id: 'ab'.repeat(32) }),
  ).rejects.toMatchObject({ code: 'CHAIN_AMBIGUOUS' })
})

test('a transaction whose trace is too long for the gateway is shown without its trace', async () => {
  const hash = 'cd'.repeat(32)
  await using explorer = await openAgainst((request, response) => {
    if (request.url?.startsWith('/v2/traces/') === true) {
      reply(response, 413, { error: 'trace is too long' })
    } else {
      reply(response, 200, {
        ...requiredFields.transaction,
        hash,
        lt: 9007199254740993n.toString(),
        account: { address: wallet.toRawString() },
        success: true,
        utime: 1,
        orig_status: 'active',
        end_status: 'active',
        total_fees: 0,
        transaction_type: 'TransOrd',
      })
    }
  })
  const answer = await explorer.request('transaction.get', { network, id: hash })
  expect(answer.transaction.lt).toBe('9007199254740993')
  expect(answer.trace).toBeNull()
  expect(answer.traceProblem).toContain('trace is too long')
})

test('a response with another transaction than the requested one is refused', async () => {
  const answered = rawTransaction({ account: bob, lt: 100n, in: { from: alice, to: bob } })
  await using explorer = await openAgainst(
    answering((path) => (path.startsWith('/v2/traces/') ? { transaction: answered } : answered)),
  )
  const asked = explorer.request('transaction.get', { network, id: 'ab'.repeat(32) })
  await expect(asked).rejects.toMatchObject({ code: 'CHAIN_WRONG_ANSWER' })
  await expect(asked).rejects.toThrow(answered.hash.slice(0, 8))
})

test('a transaction that differs from its raw data is marked, and requested again until it agrees', async () => {
  const honest = rawTransaction({ account: bob, lt: 100n, in: { from: alice, to: bob, value: 5n } })
  const forged = { ...honest, in_msg: { ...(honest.in_msg as object), value: 5_000_000_000n } }
  let answered: object = forged
  await using explorer = await openAgainst(
    answering((path) => (path.startsWith('/v2/traces/') ? { transaction: answered } : undefined)),
  )
  const ask = () => explorer.request('transaction.get', { network, id: honest.hash })
  expect((await ask()).check).toEqual({
    state: 'differs',
    problem:
      'This transaction differs from the chain: the gateway’s values for messages differ from the raw data.',
  })
  answered = honest
  expect((await ask()).check).toEqual({ state: 'agrees', problem: null })
  answered = forged
  // The stored transaction agrees with its raw data, so it is requested again only on refresh.
  expect((await ask()).check.state).toBe('agrees')
  const refreshed = await explorer.request('transaction.get', {
    network,
    id: honest.hash,
    refresh: true,
  })
  expect(refreshed.check.state).toBe('differs')
  expect((await ask()).check.state).toBe('agrees')
})

test('a jetton wallet that the gateway has not indexed yet is requested again', async () => {
  const wallet = accountOf('d4')
  const master = accountOf('e5')
  const body = beginCell()
    .storeUint(0x7362d09c, 32)
    .storeUint(0, 64)
    .storeCoins(5n)
    .storeAddress(toAddress(bob))
    .storeBit(false)
    .endCell()
  const notice = rawTransaction({ account: alice, lt: 100n, in: { from: wallet, to: alice, body } })
  let isIndexed = false
  await using explorer = await openAgainst(
    answering((path) => {
      if (path.startsWith('/v2/traces/')) return { transaction: notice }
      if (!isIndexed) return undefined
      if (path.endsWith('/methods/get_wallet_data')) {
        return { success: true, decoded: { owner: alice, jetton: master } }
      }
      if (!path.includes('/jettons/')) return undefined
      const jetton = { address: master, name: 'Tether', symbol: 'USDT', decimals: 6 }
      return { balance: 5, wallet_address: { address: wallet }, jetton }
    }),
  )
  const jettons = async () => {
    const { trace } = await explorer.request('transaction.get', { network, id: notice.hash })
    return trace?.flow.flatMap((flow) => flow.jettons)
  }
  // A notification proves nothing until its sender is known to be a jetton wallet.
  expect(await jettons()).toEqual([])
  isIndexed = true
  const usdt = { jetton: master, symbol: 'USDT', decimals: 6 }
  expect(await jettons()).toEqual(
    expect.arrayContaining([
      { asset: usdt, units: '5' },
      { asset: usdt, units: '-5' },
    ]),
  )
  const asked = explorer.asked.length
  await jettons()
  expect(explorer.asked).toHaveLength(asked)
})

const history = { network, address: bob }

test('a pruned history does not show its oldest remaining transaction as the account’s first', async () => {
  const kept = rawTransaction({
    account: bob,
    lt: 100n,
    previousLt: 50n,
    in: { from: alice, to: bob },
  })
  const pages = [{ transactions: [kept] }]
  await using explorer = await openAgainst(answering(() => pages.shift() ?? { transactions: [] }))
  const first = await explorer.request('account.history', { ...history, limit: 1 })
  expect(first).toMatchObject({ older: '100', isBeginning: false })
  const last = await explorer.request('account.history', { ...history, before: first.older })
  expect(last).toMatchObject({ rows: [], older: null, isBeginning: false })
  const only = rawTransaction({ account: bob, lt: 10n, in: { from: alice, to: bob } })
  pages.push({ transactions: [only] })
  expect(await explorer.request('account.history', history)).toMatchObject({ isBeginning: true })
})

test('a history names the transactions that its gateway leaves out, within a page and between pages', async () => {
  const at = (lt: bigint, previousLt = lt - 1n) => ({
    ...rawTransaction({ account: bob, lt, previousLt, in: { from: alice, to: bob } }),
    prev_trans_hash: null,
  })
  const all = [at(100n), at(98n, 97n), at(97n, 90n), at(80n, 0n)]
  await using explorer = await openAgainst(
    answering((_, query) => {
      const before = BigInt(query.get('before_lt') ?? 1000)
      const after = BigInt(query.get('after_lt') ?? 0)
      const found = all.filter(({ lt }) => lt < before && lt > after)
      const isUpward = query.get('sort_order') === 'asc'
      const limit = Number(query.get('limit'))
      return { transactions: (isUpward ? found.reverse() : found).slice(0, limit) }
    }),
  )
  const first = await explorer.request('account.history', { ...history, limit: 3 })
  expect(first.rows.map(({ lt }) => lt)).toEqual(['100', '98', '97'])
  const between = (older: number, newer: number) => [
    `The gateway did not return the transactions between logical time ${older} and ${newer}.`,
  ]
  expect(first.unread).toEqual(between(98, 100))
  const older = await explorer.request('account.history', { ...history, before: first.older })
  expect(older.rows.map(({ lt }) => lt)).toEqual(['80'])
  expect(older.unread).toEqual(between(80, 97))
  const newer = await explorer.request('account.history', { ...history, after: '98' })
  expect(newer.rows.map(({ lt }) => lt)).toEqual(['100'])
  expect(newer.unread).toEqual(between(98, 100))
})

test('a malformed transaction or jetton hides no other in a history, a block or an account', async () => {
  const at = (lt: bigint) =>
    rawTransaction({ account: bob, lt, previousLt: lt - 97n, in: { from: alice, to: bob } })
  const broken = { ...at(99n), utime: 'yesterday' }
  const forged = { ...at(98n), total_fees: 1 }
  const rows = { transactions: [at(100n), broken, forged, at(97n)] }
  const balance = (jetton: object) => ({
    balance: '5',
    wallet_address: { address: accountOf('d4') },
    jetton: { address: accountOf('e5'), decimals: 6, ...jetton },
  })
  await using explorer = await openAgainst(
    answering((path) => {
      if (path.endsWith('/jettons')) {
        return { balances: [balance({ symbol: null }), balance({ decimals: 'six' })] }
      }
      if (path.endsWith('/transactions')) return rows
      if (path.startsWith('/v2/blockchain/blocks/')) {
        const [seqno, lt] = [7, { start_lt: 1, end_lt: 200 }]
        const shard = '8000000000000000'
        return { workchain_id: 0, shard, seqno, root_hash: 'r', gen_utime: 1, ...lt }
      }
      return { address: bob, balance: 1, last_activity: 1, status: 'active' }
    }),
  )
  const page = await explorer.request('account.history', { ...history, limit: 4 })
  expect(page.rows.map(({ lt }) => lt)).toEqual(['100', '97'])
  expect(page.unread[0]).toContain(`${broken.hash} (utime`)
  expect(page.unread[1]).toContain('differs from the chain: the gateway’s values for fees differ')
  const block = await explorer.request('block.get', { network, id: '(0,8000000000000000,7)' })
  expect(block.transactions).toHaveLength(3)
  // Values that the gateway does not report are unknown, and do not hide other values.
  expect(block).toMatchObject({ inMessages: null, flow: [], masterReference: null, startLt: '1' })
  expect(block).toMatchObject({ transactionCount: 4, unread: [expect.stringContaining('utime')] })
  const account = await explorer.request('account.get', { network, address: bob })
  expect(account.jettons).toMatchObject([{ balance: '5', asset: { symbol: '' } }])
  expect(account.unreadJettons).toEqual([expect.stringContaining('decimals')])
})

test('latest blocks are listed without shards, and a block that splits has two next blocks', async () => {
  await using explorer = await openAgainst(
    answering((path) => {
      const [seqno] = /\d+(?=\)?$)/.exec(path) ?? ['9']
      const shard = '4000000000000000'
      const rest = { root_hash: 'r', gen_utime: 1, value_flow: null, start_lt: 'x' }
      if (path.endsWith('/masterchain-head') || path.includes('/blocks/(-1,')) {
        return { workchain_id: -1, shard: '8000000000000000', seqno: Number(seqno), ...rest }
      }
      if (path.endsWith('/transactions')) return { transactions: null }
      if (!path.includes('/blocks/(0,')) return undefined
      return { workchain_id: 0, shard, seqno: Number(seqno), before_split: true, ...rest }
    }),
  )
  const latest = await explorer.request('block.latest', { network, limit: 3 })
  expect(latest.blocks.map(({ seqno }) => seqno)).toEqual([9, 8, 7])
  expect(latest).toMatchObject({ hasShards: false, older: 7 })
  const id = '(0,4000000000000000,5)'
  const { next, startLt } = await explorer.request('block.get', { network, id })
  expect(next).toEqual(['(0,2000000000000000,6)', '(0,6000000000000000,6)'])
  expect(startLt).toBeNull()
  const master = await explorer.request('block.get', { network, id: '(-1,8000000000000000,9)' })
  expect(master.shards).toBeNull()
})

test('an account shows a jetton’s multiplier, lock and price, and extra currencies', async () => {
  await using explorer = await openAgainst(
    answering((path) => {
      if (!path.endsWith('/jettons')) {
        const preview = { id: 100, symbol: 'FMS', decimals: 3, image: '' }
        const extra_balance = [{ amount: '2500', preview }]
        return { address: bob, balance: 1, last_activity: 1, status: 'active', extra_balance }
      }
      const scaled_ui = { numerator: '3', denominator: '2' }
      const jetton = { address: accountOf('e5'), name: '', symbol: 'XS', decimals: 6, scaled_ui }
      const more = { lock: { amount: '4', till: 2_000_000_000 }, price: { prices: { USD: 1.5 } } }
      return {
        balances: [{ balance: '5', wallet_address: { address: accountOf('d4') }, jetton, ...more }],
      }
    }),
  )
  const account = await explorer.request('account.get', { network, address: bob })
  expect(account.extra).toMatchObject([{ units: '2500', asset: { symbol: 'FMS' } }])
  expect(account.jettons).toMatchObject([
    {
      asset: { scale: { numerator: '3', denominator: '2' } },
      lock: { units: '4', until: 2_000_000_000_000 },
      price: '1.5',
    },
  ])
})

test('invalid, negative and zero rates are ignored and hide no other rate', async () => {
  const prices = { USD: '-1', eur: 1e-7, GBP: 0, RUB: { a: 1 } }
  await using explorer = await openAgainst(
    answering(() => ({ rates: { GRAM: { prices }, other: 'odd', more: null } })),
  )
  const rates = await explorer.query(network).rates(['ton'], 'USD')
  expect([...(rates.get('gram') ?? [])]).toEqual([['EUR', '0.0000001']])
  expect(await explorer.request('asset.coinRate', { network })).toMatchObject({ rate: null })
})

test('a malformed holder hides no other holder, and a gateway without holders is reported', async () => {
  const jetton = accountOf('e5')
  const holders = [{ address: alice, owner: { address: bob }, balance: '7' }, { address: 5 }, null]
  const metadata = { address: jetton, name: '<b>', symbol: 'X', decimals: '2', websites: 5 }
  await using explorer = await openAgainst(
    answering((path) => {
      if (path === `/v2/jettons/${jetton}/holders`) return { addresses: holders, total: 'many' }
      if (path === `/v2/jettons/${jetton}`) return { total_supply: '123', metadata, admin: 'odd' }
      return undefined
    }),
  )
  expect(await explorer.request('asset.jetton', { network, address: jetton })).toMatchObject({
    supply: '123',
    admin: null,
    holders: null,
    links: [],
    isMintable: false,
    asset: { decimals: 2 },
  })
  const page = await explorer.request('asset.holders', { network, address: jetton })
  expect(page).toMatchObject({ rows: [{ owner: { address: bob }, balance: '7' }], next: null })
  expect(page.unread).toHaveLength(2)
  const missing = explorer.request('asset.holders', { network, address: alice })
  await expect(missing).rejects.toThrow(/or its gateway does not list them/)
})

test('malformed NFTs hide no other NFT, and spam, unverified items and misleading prices are marked', async () => {
  const [item, collection] = [accountOf('a7'), accountOf('c0')]
  const attributes = [{ trait_type: 'Eyes', value: 2 }, null, { trait_type: {}, value: 1 }, 'odd']
  const nft = {
    address: item,
    index: 2n ** 255n,
    owner: { address: bob, is_wallet: true },
    collection: { address: collection, name: 'Cats' },
    verified: false,
    metadata: { name: 'Cat 1', description: { no: 'text' }, attributes },
    sale: {
      address: alice,
      market: { address: alice, name: 'Market' },
      price: { currency_type: 'fiat', value: '5', decimals: 2, token_name: 'TON' },
    },
    previews: [null, { resolution: '5x5', url: 'http://a.example' }, { url: 5 }],
    approved_by: ['getgems'],
    trust: 'blacklist',
  }
  await using explorer = await openAgainst(
    answering((path) => {
      if (path === `/v2/nfts/${item}`) return nft
      if (path === `/v2/nfts/collections/${collection}`) {
        return { address: collection, next_item_index: -1, metadata: null, trust: 'whitelist' }
      }
      if (path === `/v2/accounts/${bob}/nfts`) return { nft_items: [nft, 'odd', { index: 1 }] }
      if (path === `/v2/nfts/collections/${collection}/items`) {
        const items = Array.from({ length: 100 }, (_, index) => ({ address: item, index }))
        return { nft_items: items }
      }
      return undefined
    }),
  )
  const shown = await explorer.request('asset.nft', { network, address: item })
  expect(shown.nft).toMatchObject({
    name: 'Cat 1',
    description: '',
    index: String(2n ** 255n),
    isOfCollection: false,
    trust: 'blacklist',
    approvedBy: ['getgems'],
    owner: { address: bob, isWallet: true },
    attributes: [{ name: 'Eyes', value: '2' }],
    // An amount of 0.05 in a currency named TON is not 0.05 TON.
    sale: { price: { units: '5', asset: { symbol: 'TON (fiat)', decimals: 2 } }, seller: null },
  })
  // The window cannot pass a URL: only the link of a displayed asset is opened, and this link is
  // refused.
  const picture = (address: string) =>
    explorer.request('asset.picture', { network, kind: 'nft', address })
  await expect(picture(item)).rejects.toThrow('does not begin with https://')
  await expect(picture(alice)).rejects.toThrow('The link of this picture is not known')
  const owned = await explorer.request('asset.nfts', { network, address: bob })
  expect(owned.rows.map(({ address }) => address)).toEqual([item])
  expect(owned).toMatchObject({ next: null, unread: [expect.anything(), expect.anything()] })
  const known = await explorer.request('asset.collection', { network, address: collection })
  expect(known).toMatchObject({ name: '', items: null, owner: null, trust: 'whitelist' })
  const page = { network, address: collection, offset: 200 }
  expect(await explorer.request('asset.collectionItems', page)).toMatchObject({ next: 300 })
  expect(explorer.asked.at(-1)).toContain('offset=200&limit=100')
  const missing = explorer.request('asset.nft', { network, address: alice })
  await expect(missing).rejects.toThrow(/has no NFT at this address/)
})
