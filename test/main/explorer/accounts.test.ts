/**
 * Tests accounts, history, labels and search over two networks of one real sandbox, which later stops.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HistoryFilter, HistoryPage } from '../../../src-preload/contract/chain/account.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import { shorten } from '../../../src-renderer/ui/format.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

let app: TestApp
let sandbox: RunningSandbox
let main: string
let other: string
let one: string
let two: string
let usdt: string
let invoice: string

beforeAll(async () => {
  ;[app, sandbox] = await Promise.all([startApp({ receive: false }), startSandbox()])
  const { ready } = sandbox
  await app.until(async () => {
    const { place, problem } = await app.request('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }, 'the keychain')
  await app.request('secrets.useSessionOnly')
  const add = async (name: string, query: string, console: string | null, testOnly: boolean) => {
    const urls = { query, webhooks: ready.webhooksUrl, testnetWebhooks: null, console }
    const { id } = await app.request('network.add', { name, urls, testOnly })
    await app.request('network.setSecret', { id, slot: 'api', secret: ready.apiKey })
    return id
  }
  main = await add('Ours', ready.queryUrl, ready.consoleUrl, false)
  other = await add('Ours, to try', `${ready.queryUrl}/testnet`, null, true)
  const secret = ready.invoicesToken
  await app.request('network.setSecret', { id: main, slot: 'invoices', secret })

  const wallets = sandbox.ready.wallets
  one = wallets[0]?.address ?? ''
  two = wallets[1]?.address ?? ''
  const send = (from: number, to: number, more: object) =>
    sandbox.control('POST', '/send', { from: `wallet-${from}`, to: `wallet-${to}`, ...more })
  await send(1, 2, { amount: '1500000000', comment: 'first' })
  await send(2, 1, { amount: '500000000', comment: 'second' })
  await send(1, 2, { amount: '2000000', currency: 'USDT', comment: 'third' })
  await sandbox.control('POST', '/clock/advance', { byMs: 60_000 })
  await send(2, 1, { amount: '700000000', comment: 'fourth' })
  await send(2, 1, { amount: '9', network: 'testnet', comment: 'elsewhere' })
  const made = await sandbox.invoices<{ id: string }>('POST', '/invoice', {
    amount: '1000000000',
    currency: 'TON',
    life_time: 600,
    description: 'shoes',
  })
  invoice = made.body.id
  const { jettons } = await app.request('account.get', { network: main, address: one })
  usdt = jettons?.[0]?.asset.jetton ?? ''
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
})

const history = (address: string, more: object = {}, network = main): Promise<HistoryPage> =>
  app.request('account.history', { network, address, ...more })

const filtered = (address: string, filter: Partial<HistoryFilter>): Promise<HistoryPage> =>
  history(address, { filter })

const comments = ({ rows }: HistoryPage) => rows.map(({ comment }) => comment ?? '')

const find = (text: string, network = main): Promise<Output<'search.find'>> =>
  app.request('search.find', { network, text })

test('an account has its address forms, kind and jettons, whatever address form is requested', async () => {
  const address = formatFriendly(one, { bounceable: false, testOnly: true })
  const [asked, raw] = await Promise.all(
    [address, one].map((text) => app.request('account.get', { network: main, address: text })),
  )
  expect({ ...asked, fetchedAt: 0 }).toEqual({ ...raw, fetchedAt: 0 })
  expect(raw).toMatchObject({
    network: main,
    account: { address: one, name: 'wallet-1', isWallet: true },
    forms: { raw: one, bounceable: formatFriendly(one, { bounceable: true, testOnly: false }) },
    status: 'active',
    walletKind: 'wallet_v4r2',
    jettons: [{ asset: { symbol: 'USDT', decimals: 6 }, balance: '9998000000', price: '1' }],
    currency: 'USD',
    offline: null,
  })
  const never = await app.request('account.get', { network: main, address: `0:${'1'.repeat(64)}` })
  expect(never).toMatchObject({ status: 'nonexist', balance: '0', lastActivity: null, jettons: [] })
})

test('an account is valued in the currency of the settings, by default USD', async () => {
  const usd = await app.request('asset.coinRate', { network: main })
  expect(usd).toMatchObject({ currency: 'USD', rate: '3' })
  expect(await app.request('asset.coinRate', { network: main })).toEqual(usd)
  await app.request('settings.change', { reports: { fiatCurrency: 'EUR' } })
  const euro = await app.request('asset.coinRate', { network: main })
  expect(euro).toMatchObject({ currency: 'EUR', rate: '2.75' })
  const account = await app.request('account.get', { network: main, address: one })
  expect(account).toMatchObject({ currency: 'EUR', jettons: [{ price: '0.9166666666666666' }] })
  // The sandbox has no rate in this currency, so the value is null and not 0.
  await app.request('settings.change', { reports: { fiatCurrency: 'ZAR' } })
  expect(await app.request('asset.coinRate', { network: main })).toMatchObject({ rate: null })
  await app.request('settings.change', { reports: { fiatCurrency: null } })
})

test('a jetton shows its exact supply and holders, and an account that is not a jetton is refused', async () => {
  const jetton = await app.request('asset.jetton', { network: main, address: usdt })
  expect(jetton).toMatchObject({
    asset: { jetton: usdt, symbol: 'USDT', decimals: 6 },
    account: { address: usdt },
    verification: 'whitelist',
    isMintable: true,
  })
  const holders = await app.request('asset.holders', { network: main, address: usdt })
  const total = holders.rows.reduce((sum, { balance }) => sum + BigInt(balance), 0n)
  expect(String(total)).toBe(jetton.supply)
  expect(holders).toMatchObject({ next: null, unread: [] })
  expect(holders.rows).toHaveLength(jetton.holders ?? 0)
  expect(holders.rows.find(({ owner }) => owner?.address === one)?.balance).toBe('9998000000')
  const balances = holders.rows.map(({ balance }) => BigInt(balance))
  expect(balances).toEqual(balances.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
  const odd = app.request('asset.jetton', { network: main, address: one })
  await expect(odd).rejects.toThrow(/has no jetton at this address/)
})

test('the sandbox lists no NFTs and has no NFT item or collection', async () => {
  const of = { network: main, address: one }
  expect(await app.request('asset.nfts', of)).toEqual({ rows: [], unread: [], next: null })
  await expect(app.request('asset.nft', of)).rejects.toThrow(/no NFT at this address/)
  await expect(app.request('asset.collection', of)).rejects.toThrow(/no NFT collection/)
  const { targets } = await find(`https://tonscan.org/nft/${one}`)
  expect(targets).toMatchObject([{ kind: 'nft', address: one }])
})

test('the history shows direction and amount from the account’s side, and jetton transfers in jettons', async () => {
  const { rows, older, scanned } = await history(one)
  const told = rows.map(({ direction, change, comment }) =>
    [direction, change?.units ?? '0', change?.asset.symbol ?? '', comment ?? ''].join(' '),
  )
  expect(told).toEqual([
    'in 700000000 TON fourth',
    expect.stringMatching(/^in \d+ TON $/),
    'out -2000000 USDT third',
    'in 500000000 TON second',
    'out -1500000000 TON first',
  ])
  expect(rows[1]).toMatchObject({ operation: 'excess', opcode: '0xd53276db' })
  expect(rows.every(({ success, failure }) => success && failure === null)).toBe(true)
  expect({ older, scanned }).toEqual({ older: null, scanned: 5 })
  const [, received] = (await history(two)).rows
  expect(received).toMatchObject({
    direction: 'in',
    peer: { address: one },
    change: { asset: { jetton: usdt, symbol: 'USDT', decimals: 6 }, units: '2000000' },
  })
})

test('pages of the history reach the oldest transaction, and a newer page has what arrived since', async () => {
  const first = await history(one, { limit: 2 })
  const second = await history(one, { limit: 2, before: first.older })
  const last = await history(one, { limit: 2, before: second.older })
  expect(last.older).toBeNull()
  const all = [first, second, last].flatMap(comments)
  expect(all).toEqual(['fourth', '', 'third', 'second', 'first'])
  expect(comments(await history(one, { limit: 2, after: last.newer }))).toEqual(['third', 'second'])
  const none = await history(one, { after: first.newer })
  expect(none).toMatchObject({ rows: [], newer: first.newer })
})

test('the history is filtered by direction, asset, opcode and time, alone and combined', async () => {
  expect(comments(await filtered(one, { direction: 'out' }))).toEqual(['third', 'first'])
  const jetton = formatFriendly(usdt, { bounceable: true, testOnly: false })
  expect(comments(await filtered(one, { asset: jetton }))).toEqual(['third'])
  expect(comments(await filtered(one, { asset: 'TON', direction: 'in' }))).toEqual([
    'fourth',
    '',
    'second',
  ])
  expect(comments(await filtered(one, { opcode: '0x0f8a7ea5' }))).toEqual(['third'])
  expect(comments(await filtered(one, { opcode: String(0x0f8a7ea5) }))).toEqual(['third'])
  const [newest] = (await history(one, { limit: 1 })).rows
  const from = newest?.at ?? 0
  expect(comments(await filtered(one, { from }))).toEqual(['fourth'])
  const earlier = await filtered(one, { to: from - 1 })
  expect(comments(earlier)).toEqual(['', 'third', 'second', 'first'])
  expect(earlier.scanned).toBe(5)
  const refused = { network: main, address: one, filter: { opcode: 'x' } }
  expect(await app.refusal('account.history', refused)).toBe('INVALID_INPUT')
})

test('a label is shown wherever its account appears, on its own network only', async () => {
  const label = {
    address: formatFriendly(two, { bounceable: true, testOnly: false }),
    name: 'Till',
  }
  await app.request('label.set', { network: main, ...label, note: 'by the door' })
  const { account, note } = await app.request('account.get', { network: main, address: two })
  expect([account.label, note]).toEqual(['Till', 'by the door'])
  expect((await history(one)).rows.map(({ peer }) => peer?.label)).toContain('Till')
  expect((await history(one, {}, other)).rows.map(({ peer }) => peer?.label)).toEqual([null])
  const found = await find('the DOOR')
  expect(found.targets).toEqual([{ kind: 'account', address: two, title: 'Till' }])
  expect((await find('the DOOR', other)).targets).toEqual([])
  const shown = [shorten(label.address), shorten(two), label.address.slice(0, 6)]
  for (const text of ['til', two, label.address, two.slice(2, 12), ...shown]) {
    expect((await app.request('label.list', { network: main, text })).total).toBe(1)
    expect((await app.request('label.list', { network: other, text })).total).toBe(0)
  }
  await app.request('label.set', { network: main, address: two, name: '' })
  expect((await app.request('label.list', { network: main })).total).toBe(0)
  const changes = () => app.events.filter(({ name }) => name === 'label.changed')
  await app.until(() => changes().length === 2, 'the events of the labels')
  expect(changes().map(({ payload }) => payload)).toEqual([{ network: main }, { network: main }])
})

test('an import of labels reports each refused line, takes the others, and an export can be imported again', async () => {
  const marked = formatFriendly(two, { bounceable: true, testOnly: true })
  const mistyped = `${marked.slice(0, -1)}${marked.endsWith('A') ? 'B' : 'A'}`
  const csv = `name,address\n=1+1,${one}\nmine,${marked}\nx,${mistyped}\n,${two}\nother,${one}\n${'n'.repeat(101)},${two}`
  const first = await app.request('label.import', { network: main, csv })
  expect(first).toMatchObject({ added: 1, changed: 0, unchanged: 0, refusedCount: 5 })
  expect(first.refused.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    expect.stringMatching(/^3 .*for test networks only/),
    expect.stringMatching(/^4 .*checksum/),
    expect.stringMatching(/^5 .*name is missing/),
    expect.stringMatching(/^6 Line 2 already gives this address/),
    expect.stringMatching(/^7 The name is too long/),
  ])
  expect(await app.request('label.import', { network: other, csv })).toMatchObject({ added: 2 })
  const { csv: written } = await app.request('label.export', { network: main })
  expect(written).toContain(`,'=1+1,`)
  expect(await app.request('label.import', { network: main, csv: written })).toMatchObject({
    added: 0,
    unchanged: 1,
    refusedCount: 0,
  })
  const { labels } = await app.request('label.list', { network: main })
  expect(labels.map(({ name }) => name)).toEqual(['=1+1'])
})

test('a search finds transactions and accounts by hash, blocks, invoices and names, and states the kind of each', async () => {
  const [newest] = (await history(one, { limit: 1 })).rows
  const hash = newest?.hash ?? ''
  const target = { kind: 'transaction', hash }
  const { body } = await sandbox.query<{ in_msg: { hash: string } }>(
    'GET',
    `/blockchain/transactions/${hash}`,
  )
  const base64 = Buffer.from(body.in_msg.hash, 'hex').toString('base64')
  for (const text of [hash, base64, `https://tonviewer.com/transaction/${hash}`]) {
    expect((await find(text)).targets).toMatchObject([target])
  }
  // This account was not loaded on this network before, so it is requested.
  const [elsewhere] = (await history(two, {}, other)).rows
  expect((await find(elsewhere?.hash ?? '', other)).targets).toHaveLength(1)
  expect((await find(one.slice(2))).targets).toMatchObject([{ kind: 'account', address: one }])
  expect((await find('wallet-1')).targets).toMatchObject([{ address: one }, {}])
  const several = await find(`(-1,8000000000000000,1) ${invoice} 2`)
  expect(several.targets.map(({ kind, title }) => `${kind}: ${title}`)).toEqual([
    'block: Block 1 of the masterchain',
    `invoice: Invoice ${invoice}, pending`,
    'block: Block 2 of the masterchain',
  ])
  expect(several.problem).toBeNull()
})

test('a search without a result, or with a test-network address, explains the problem', async () => {
  expect(await find('ab'.repeat(32))).toMatchObject({
    targets: [],
    problem: expect.stringMatching(/^Ours has no .* choose that network/) as string,
  })
  expect((await find('nobody.ton')).problem).toMatch(/No wallet on Ours has the name nobody.ton/)
  expect((await find('00000000')).problem).toContain('There is no invoice')
  expect((await find('nobody')).problem).toContain('Paste the hash')
  const marked = formatFriendly(one, { bounceable: true, testOnly: true })
  const minded = await find(marked)
  expect(minded.targets).toMatchObject([{ kind: 'account', address: one }])
  expect(minded.problem).toMatch(/for test networks/)
  expect((await find(marked, other)).problem).toBeNull()
})

// Earlier, a link of a Mainnet explorer was looked up on the sandbox without notice, and shown as
// "nonexist".
test('links to a jetton open its page, and so does its address after its account was opened', async () => {
  const friendly = formatFriendly(usdt, { bounceable: true, testOnly: false })
  for (const link of [`#/transactions/jetton/${usdt}`, `tonscan.org/jetton/${friendly}`]) {
    expect((await find(link)).targets).toMatchObject([{ kind: 'jetton', address: usdt }])
  }
  await app.request('account.get', { network: main, address: usdt })
  expect((await find(friendly)).targets).toMatchObject([
    { kind: 'jetton', address: usdt },
    { kind: 'account', address: usdt },
  ])
})

test('a link of another network is not searched on this network, and its own network is named', async () => {
  const friendly = formatFriendly(one, { bounceable: true, testOnly: false })
  const onOther = await find(`https://testnet.tonviewer.com/${friendly}`)
  expect(onOther).toMatchObject({ targets: [], linkNetwork: 'testnet' })
  expect(onOther.problem).toMatch(/not looked up/)
  const own = await find(`https://tonviewer.com/${friendly}`)
  expect(own).toMatchObject({ targets: [{ kind: 'account' }], linkNetwork: null })
})

test('selecting another network cancels the requests of the previous one', async () => {
  await app.request('network.select', { id: main })
  const asked = ['account.get', 'account.history'].map((route) =>
    app.refusal(route, { network: main, address: one }),
  )
  await app.request('network.select', { id: other })
  expect(await Promise.all(asked)).toEqual(['NETWORK_SWITCHED', 'NETWORK_SWITCHED'])
})

test('without a connection, the stored data of each network is shown, and other data is refused', async () => {
  const before = await history(one)
  const tried = await history(one, {}, other)
  const { balance } = await app.request('account.get', { network: main, address: one })
  const { balance: triedBalance } = await app.request('account.get', {
    network: other,
    address: one,
  })
  expect(triedBalance).not.toBe(balance)
  await sandbox[Symbol.asyncDispose]()

  const after = await history(one)
  expect(after.offline).toMatch(/cannot be reached/)
  expect(after.rows).toEqual(before.rows)
  expect((await history(one, {}, other)).rows).toEqual(tried.rows)
  expect(comments(await history(one, { limit: 1, before: after.rows[1]?.lt }))).toEqual(['third'])
  expect(comments(await history(one, { limit: 1, after: after.rows[3]?.lt }))).toEqual(['third'])
  expect(comments(await filtered(one, { asset: usdt }))).toEqual(['third'])
  for (const [network, kept] of [
    [main, balance],
    [other, triedBalance],
  ] as const) {
    const account = await app.request('account.get', { network, address: one })
    expect(account).toMatchObject({
      network,
      balance: kept,
      offline: expect.stringMatching(/cannot be reached/) as string,
    })
  }
  expect((await find(before.rows[0]?.hash ?? '')).targets).toHaveLength(1)
  const unseen = { network: other, address: `0:${'2'.repeat(64)}` }
  expect(await app.refusal('account.get', unseen)).toBe('GATEWAY_UNREACHABLE')
  expect(await app.refusal('account.history', unseen)).toBe('GATEWAY_UNREACHABLE')
})
