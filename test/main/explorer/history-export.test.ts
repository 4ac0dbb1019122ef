/**
 * Tests exports of an account’s history over a real sandbox, through a gateway that can return
 * small pages, prune and delay responses.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { historyView } from '../../../src-preload/contract/chain/account.ts'
import type { HistoryExport, HistoryFormat } from '../../../src-preload/contract/history-export.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Endpoint, startEndpoint } from '../../fixtures/endpoint.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'
import { runCommand } from '../command-line/cli-process.ts'

const pageSize = 3

type Row = { lt: number; hash: string; event_id: string; account: object; prev_trans_lt?: number }
type Page = { transactions?: Row[]; events?: Row[]; next_from?: number }

type Gateway = Endpoint & {
  /** Requests that got a response, in their order. */
  readonly answered: string[]
  /** Transactions below this logical time are pruned. */
  prunedBelow: bigint | null
  /** Paths that get the response 404. */
  missing: RegExp | null
  rewrite: ((path: string, text: string) => string) | null
  /** Changes the list of a page; `isLater` is true for each page but the first. */
  change: ((list: Row[], isLater: boolean, url: URL) => unknown[]) | null
  /** Awaited before each response. */
  hold: (path: string) => Promise<unknown> | null
}

let sandbox: RunningSandbox
let one: string
let two: string
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  sandbox = resources.use(await startSandbox())
  const { wallets } = sandbox.ready
  one = wallets[0]?.address ?? ''
  two = wallets[1]?.address ?? ''
  const send = (from: number, to: string, more: object) =>
    sandbox.control('POST', '/send', { from: `wallet-${from}`, to, ...more })
  await send(1, 'wallet-2', { amount: '1500000000', comment: '=first' })
  await sandbox.control('POST', '/clock/advance', { byMs: 60_000 })
  await send(2, 'wallet-1', { amount: '500000000', comment: 'second; "quoted"\nline' })
  await send(1, 'wallet-2', { amount: '2000000', currency: 'USDT', comment: 'third' })
  await send(2, 'wallet-1', { amount: '700001', currency: 'USDT' })
  await sandbox.control('POST', '/faucet', { address: one, amount: '123456', currency: 'USDT' })
  await sandbox.control('POST', '/faucet', { address: one, amount: '7' })
  const { body } = await sandbox.control<{ address: string }>('POST', '/deploy', {
    from: 'wallet-1',
  })
  // Jettons sent to an opcode contract bounce, and so does an unknown opcode.
  await sandbox.control('POST', '/opcode', {
    from: 'wallet-1',
    to: body.address,
    opcode: '0x12345678',
  })
  await sandbox.control('POST', '/opcode', { from: 'wallet-1', to: one, opcode: '0x0f8a7ea5' })
  await sandbox.control('POST', '/clock/advance', { byMs: 60_000 })
  await send(2, 'wallet-1', { amount: '9', comment: 'last' })
})

afterAll(() => resources.disposeAsync())

async function startGateway(): Promise<Gateway> {
  const { queryUrl, apiKey } = sandbox.ready
  const endpoint = await startEndpoint(({ method, path, body }, response) => {
    const work = async () => {
      await gateway.hold(path)
      const url = new URL(queryUrl + path)
      if (gateway.missing?.test(path) === true) url.pathname = '/v2/nothing'
      if (url.searchParams.has('limit')) url.searchParams.set('limit', String(pageSize))
      const before = BigInt(url.searchParams.get('before_lt') ?? '99999999999999999999')
      const isPruned = gateway.prunedBelow !== null && before <= gateway.prunedBelow
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const answer = await fetch(url, { method, headers, ...(body !== '' && { body }) })
      let text = isPruned ? '{"transactions":[]}' : await answer.text()
      const page = gateway.change === null ? {} : (JSON.parse(text) as Page)
      const name = page.events === undefined ? 'transactions' : 'events'
      const isOfAccount = path.includes(encodeURIComponent(one))
      if (page[name] !== undefined && isOfAccount) {
        const isLater = url.searchParams.has('before_lt') || url.searchParams.has('after_lt')
        text = JSON.stringify({ ...page, [name]: gateway.change?.(page[name], isLater, url) })
      }
      if (gateway.rewrite !== null) text = gateway.rewrite(path, text)
      gateway.answered.push(path)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    }
    work().catch(() => response.destroy())
  })
  const gateway: Gateway = Object.assign(endpoint, {
    answered: [],
    prunedBelow: null,
    missing: null,
    change: null,
    rewrite: null,
    hold: () => null,
  })
  return gateway
}

async function addNetwork(app: TestApp, query: string): Promise<string> {
  await app.until(async () => {
    const { place, problem } = await app.request('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }, 'the keychain')
  await app.request('secrets.useSessionOnly')
  const urls = { query, webhooks: sandbox.ready.webhooksUrl, testnetWebhooks: null, console: null }
  const { id } = await app.request('network.add', { name: 'Paged', urls, testOnly: false })
  return id
}

async function open(resourcesOfTest: AsyncDisposableStack) {
  const gateway = resourcesOfTest.use(await startGateway())
  const app = resourcesOfTest.use(await startApp({ receive: false }))
  const network = await addNetwork(app, gateway.url)
  return { gateway, app, network }
}

async function ended(app: TestApp, id: number): Promise<HistoryExport> {
  const get = () => app.job('historyExport', id)
  await app.until(async () => (await get()).state !== 'running', 'the end of the export')
  return get()
}

async function write(app: TestApp, id: number, format: HistoryFormat): Promise<string> {
  const file = await app.request('historyExport.write', { id, format })
  let text = ''
  for (let offset: number | null = 0; offset !== null;) {
    const piece: { base64: string; next: number | null } = await app.request('export.read', {
      id: file.id,
      offset,
    })
    text += Buffer.from(piece.base64, 'base64').toString()
    offset = piece.next
  }
  return text
}

type JsonRow = Readonly<Record<string, string | null>>

async function jsonRows(app: TestApp, id: number): Promise<JsonRow[]> {
  const lines = (await write(app, id, 'jsonl')).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as JsonRow)
}

function sumOf(rows: readonly JsonRow[], asset: string): bigint {
  return rows.reduce(
    (sum, row) =>
      sum +
      (row['asset_id'] === asset ? BigInt(row['amount_units'] ?? 0) : 0n) -
      (asset === 'TON' ? BigInt(row['fee_nanoton'] ?? 0) : 0n),
    0n,
  )
}

test.each(historyView.options)(
  'exported rows of %s add up to the balance of each asset',
  async (view) => {
    await using stack = new AsyncDisposableStack()
    const { app, network } = await open(stack)
    for (const address of [one, two]) {
      const { id } = await app.request('historyExport.start', { network, address, view })
      const job = await ended(app, id)
      expect(job).toMatchObject({ state: 'done', problem: null, notes: [], view })
      const rows = await jsonRows(app, id)
      const account = await app.request('account.get', { network, address })
      const [ton] = job.assets
      // A wallet of the sandbox has coins in its first block, before any transaction.
      expect(BigInt(ton?.opening ?? 0) + sumOf(rows, 'TON')).toBe(BigInt(account.balance))
      expect(BigInt(ton?.opening ?? 0) % 1_000_000_000n).toBe(0n)
      const usdt = account.jettons?.[0]
      expect(sumOf(rows, usdt?.asset.jetton ?? '').toString()).toBe(usdt?.balance)
      expect(job.assets).toMatchObject([
        { key: 'TON', closing: account.balance, difference: '0' },
        { symbol: 'USDT', opening: '0', closing: usdt?.balance, difference: '0' },
      ])
      const { steps } = await app.request('historyExport.balances', { id, asset: 'TON' })
      expect(steps.at(-1)?.units).toBe(account.balance)
      const [begin] = steps
      const early = rows.filter(
        ({ time }) => Date.parse(time ?? '') < (steps[1]?.startsAt ?? Infinity),
      )
      const change = BigInt(begin?.units ?? 0) - BigInt(ton?.opening ?? 0)
      expect(change).toBe(sumOf(early, 'TON'))
      const lts = rows.map(({ lt }) => BigInt(lt ?? 0))
      expect(lts).toEqual(lts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    }
    const { id } = await app.request('historyExport.start', { network, address: one, view })
    await ended(app, id)
    const rows = await jsonRows(app, id)
    const kinds =
      view === 'events'
        ? ['TonTransfer', 'JettonTransfer', 'JettonMint', 'SmartContractExec']
        : ['transfer', 'jetton_transfer', 'jetton_mint']
    expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds))
    const csv = await write(app, id, 'csv')
    expect(csv).toContain("'=first")
    const koinly = await write(app, id, 'koinly')
    expect(koinly.split('\r\n')[0]).toContain('Sent Amount,Sent Currency,Received Amount')
    expect(koinly).not.toMatch(/,=/)
  },
)

test('a row of an event names its action, its parties and its transactions', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, network } = await open(stack)
  const { id } = await app.request('historyExport.start', { network, address: one, view: 'events' })
  await ended(app, id)
  const rows = await jsonRows(app, id)
  const sent = rows.find(({ comment }) => comment === 'third')
  expect(sent).toMatchObject({
    kind: 'JettonTransfer',
    direction: 'out',
    asset: 'USDT',
    spam: 'no',
  })
  expect(sent?.['description']).toBe('Sent 2 USDT to wallet-2 with the comment “third”.')
  const { event } = await app.request('transaction.event', { network, id: sent?.['event'] ?? '' })
  expect(event?.actions[Number(sent?.['action'])]?.transactions.join(' ')).toBe(
    sent?.['transactions'],
  )
  expect(await write(app, id, 'hledger')).toContain(' * Sent 2 USDT to ')
})

test.each(historyView.options)(
  'an export of a period of %s begins with the balance at its start and omits later rows',
  async (view) => {
    await using stack = new AsyncDisposableStack()
    const { app, network } = await open(stack)
    const whole = await app.request('historyExport.start', { network, address: one, view })
    await ended(app, whole.id)
    const all = await jsonRows(app, whole.id)
    const times = all.map(({ time }) => Date.parse(time ?? ''))
    const to = times.at(-1) ?? 0
    const last = all.filter(({ time }) => Date.parse(time ?? '') === to)
    const from = times.find((time) => time > (times[0] ?? 0)) ?? 0
    const period = { network, address: one, view, from, to: to - 1000 }
    const { id } = await app.request('historyExport.start', period)
    const job = await ended(app, id)
    const rows = await jsonRows(app, id)
    expect(rows.length).toBe(
      all.filter(({ time }) => Date.parse(time ?? '') >= from).length - last.length,
    )
    const [ton, usdt] = job.assets
    expect(ton?.difference).toBe('0')
    expect(BigInt(ton?.closing ?? 0) - BigInt(ton?.opening ?? 0)).toBe(sumOf(rows, 'TON'))
    // A gateway does not report past jetton balances, so the job does not state that it compared
    // them.
    expect(usdt?.difference === null || usdt?.opening === '0').toBe(true)
    expect(
      await app.refusal('historyExport.start', { network, address: one, from: to, to: from }),
    ).toBe('HISTORY_EXPORT_PERIOD')
  },
)

test('an export of events from a gateway without events fails with the reason', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, network, gateway } = await open(stack)
  gateway.missing = /\/events/
  const { id } = await app.request('historyExport.start', { network, address: one, view: 'events' })
  expect(await ended(app, id)).toMatchObject({
    state: 'failed',
    problem: expect.stringContaining('does not list events') as string,
  })
})

test('fiat values use the rates near the time of each row, for coins, jettons and fees', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, network, gateway } = await open(stack)
  await app.request('settings.change', { reports: { fiatCurrency: 'EUR' } })
  const { id } = await app.request('historyExport.start', { network, address: one })
  expect(await ended(app, id)).toMatchObject({ fiat: 'EUR', state: 'done', notes: [] })
  // All rows are within one week, so one request for each asset suffices.
  expect(gateway.answered.filter((path) => path.includes('/rates/'))).toHaveLength(2)
  const rows = await jsonRows(app, id)
  const sent = rows.find(({ comment }) => comment === '=first')
  expect(sent).toMatchObject({ fiat_value: '-4.13', fiat_currency: 'EUR', fiat_rate: '2.75' })
  const moment = (name: string) => Date.parse(sent?.[name] ?? '')
  expect(Math.abs(moment('fiat_rate_at') - moment('time'))).toBeLessThan(3_600_000)
  const jettons = rows.find(({ asset, direction }) => asset === 'USDT' && direction === 'out')
  expect(jettons).toMatchObject({ amount: '-2', fiat_value: '-1.83' })
  const fee = rows.find((row) => row['fee_nanoton'] !== '0')
  expect(fee?.['fee_fiat_value']).toMatch(/^0\.\d\d$/)
  const [header = '', ...lines] = (await write(app, id, 'koinly')).split('\r\n')
  const columns = header.split(',')
  const worth = lines.find((line) => line.includes('first'))?.split(',') ?? []
  expect(worth[columns.indexOf('Net Worth Amount')]).toBe('4.13')
  expect(worth[columns.indexOf('Net Worth Currency')]).toBe('EUR')

  gateway.missing = /\/rates\/chart\?token=0/
  const second = await app.request('historyExport.start', { network, address: one })
  const job = await ended(app, second.id)
  expect(job.notes).toEqual([expect.stringContaining('no rates in EUR of USDT')])
  const unrated = (await jsonRows(app, second.id)).find(({ asset }) => asset === 'USDT')
  expect(unrated).toMatchObject({ fiat_value: null, fiat_rate: null })
})

test.each(historyView.options)(
  'a killed export of %s continues after the last stored page and repeats no request that got a response',
  async (view) => {
    await using stack = new AsyncDisposableStack()
    const directory = stack.use(temporaryDirectory())
    const dataDirectory = join(directory.path, 'data')
    const gateway = stack.use(await startGateway())
    const options = { dataDirectory, host: 'browser', receive: false, startSandbox: false } as const
    const first = await startApp(options)
    const network = await addNetwork(first, gateway.url)
    const held = Promise.withResolvers<undefined>()
    const reached = Promise.withResolvers<undefined>()
    let asked = 0
    gateway.hold = (path) => {
      if (!path.includes(`/${view}`)) return null
      asked += 1
      if (asked !== 3) return null
      reached.resolve(undefined)
      return held.promise
    }
    const { id } = await first.request('historyExport.start', { network, address: one, view })
    await reached.promise
    await first[Symbol.asyncDispose]()
    held.reject(new Error('the requester is gone'))
    gateway.hold = () => null
    const second = stack.use(await startApp(options))
    const job = await ended(second, id)
    expect(job).toMatchObject({ state: 'done', problem: null })
    expect(job.assets.map(({ difference }) => difference)).toEqual(['0', '0'])
    const pages = gateway.answered.filter((path) => path.includes(`/${view}`))
    expect(pages.length).toBe(new Set(pages).size)
    expect(job.requests).toBe(gateway.answered.filter((path) => path.includes('/accounts/')).length)
    const hashes = (await jsonRows(second, id)).map((row) => row['event'] ?? row['transaction'])
    expect(job.transactions).toBeGreaterThanOrEqual(new Set(hashes).size)
  },
)

test('a pruned history is reported, and its remaining rows are compared with the later balance', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, network, gateway } = await open(stack)
  const { rows } = await app.request('account.history', { network, address: one, limit: 3 })
  gateway.prunedBelow = BigInt(rows.at(-1)?.lt ?? 0)
  const { id } = await app.request('historyExport.start', { network, address: one })
  const job = await ended(app, id)
  expect(job.notes[0]).toContain('pruned')
  const [ton] = job.assets
  expect(ton).toMatchObject({ key: 'TON', difference: '0' })
  expect(ton?.opening).not.toBe('0')
})

test('tondesk history export writes the same rows as the app and reports that the sums agree', async () => {
  await using stack = new AsyncDisposableStack()
  const { app, network } = await open(stack)
  const command = ['history', 'export', one, '--network', network, '--data-dir', app.directory]
  const { code, lines, errors } = await runCommand(...command, '--format', 'jsonl')
  expect({ code, errors }).toMatchObject({ code: 0 })
  const [job] = await app.jobs('historyExport')
  expect(lines).toEqual((await write(app, job?.id ?? 0, 'jsonl')).trimEnd().split('\n'))
  expect(errors).toContain('TON: the rows add up to the change of balance')
  expect((await runCommand('history', 'export', '--data-dir', app.directory)).code).toBe(2)
})

/**
 * Returns the hashes of transactions or events of the first wallet, oldest first, and the finished export.
 */
async function exported(
  { app, gateway, network }: Awaited<ReturnType<typeof open>>,
  change: Gateway['change'],
  view: (typeof historyView.options)[number] = 'transactions',
) {
  gateway.change = (list, isLater, url) =>
    url.pathname.endsWith(view) && change !== null ? change(list, isLater, url) : list
  const { id } = await app.request('historyExport.start', { network, address: one, view })
  const job = await ended(app, id)
  const rows = await jsonRows(app, id)
  const hashes = rows.map((row) => row['event'] ?? row['transaction'])
  return { job, rows, hashes }
}

test('rows that a gateway once omits, doubles or reorders are requested again, and every row is exported once', async () => {
  await using stack = new AsyncDisposableStack()
  const opened = await open(stack)
  const whole = await exported(opened, null)
  const requested = new Set<string>()
  const changes: [string, Gateway['change']][] = [
    ['each later page without its first row', (list, isLater) => list.slice(Number(isLater))],
    ['each page without its first row', (list) => list.slice(1)],
    ['each page without its last row', (list) => (list.length > 1 ? list.slice(0, -1) : list)],
    ['each page without its second row', (list) => list.filter((_, index) => index !== 1)],
    ['in the wrong order', (list) => list.toReversed()],
    ['each row twice', (list) => list.flatMap((row) => [row, row])],
    [
      'an empty page at the first request of it',
      (list, isLater, { search }) => {
        if (!isLater || requested.has(search)) return list
        requested.add(search)
        return []
      },
    ],
  ]
  for (const [name, change] of changes) {
    const { job, hashes } = await exported(opened, change)
    expect({ name, hashes }).toEqual({ name, hashes: whole.hashes })
    expect({ name, ...job }).toMatchObject({ name, problem: null, notes: [] })
    expect(job.assets[0]).toMatchObject({ key: 'TON', difference: '0', reason: null })
  }
})

test('rows that a gateway never returns are reported in the job, the sums and the exit code', async () => {
  await using stack = new AsyncDisposableStack()
  const opened = await open(stack)
  const { app, gateway, network } = opened
  const { rows } = await app.request('account.history', { network, address: one, limit: 3 })
  const [, lost, older] = rows
  const newer = rows[0]
  const isLost = (row: Row) => String(row.lt) === lost?.lt
  const left = `between logical time ${older?.lt} and ${newer?.lt}.`
  const stranger = { address: two }
  const changes: [string, Gateway['change']][] = [
    [left, (list) => list.filter((row) => !isLost(row))],
    [
      left,
      (list) => list.map((row) => (isLost(row) ? { ...row, account: stranger, raw: '' } : row)),
    ],
    [
      `did not return the transactions before logical time ${rows.at(-1)?.lt}: it returned newer ones again.`,
      (list, isLater, url) =>
        isLater && url.searchParams.has('before_lt') ? first : (first = list),
    ],
    [
      `between logical time ${lost?.lt} and ${newer?.lt}.`,
      (list) => list.filter(({ lt }) => String(lt) !== newer?.lt),
    ],
  ]
  let first: Row[] = []
  for (const [sentence, change] of changes) {
    const { job } = await exported(opened, change)
    expect(job.problem).toContain('The history is incomplete')
    expect(job.notes.join(' ')).toContain(sentence)
    const [ton] = job.assets
    expect(ton?.reason).toContain(sentence)
    expect(ton?.difference).not.toBe('0')
  }
  gateway.change = changes[0]?.[1] ?? null
  const command = ['history', 'export', one, '--network', network, '--data-dir', app.directory]
  const { code, errors } = await runCommand(
    ...command,
    '--format',
    'hledger',
    '-o',
    join(app.directory, 'h'),
  )
  expect(code).toBe(3)
  expect(errors).toContain(left)
  expect(errors).not.toContain('TON: the rows add up')
  const [job] = await app.jobs('historyExport')
  expect(await write(app, job?.id ?? 0, 'hledger')).toContain(left)

  // Without the hashes of previous transactions, a missing transaction cannot be detected.
  const unnamed = await exported(opened, (list) => list.map(({ prev_trans_lt: _, ...row }) => row))
  expect(unnamed.job.assets[0]).toMatchObject({
    difference: null,
    reason: expect.stringContaining('does not name the previous transactions') as string,
  })
})

test('a jetton balance that cannot be read is unknown, and no difference is reported', async () => {
  await using stack = new AsyncDisposableStack()
  const { gateway, app, network } = await open(stack)
  gateway.rewrite = (path, text) =>
    path.includes('/jettons') ? text.replaceAll('"decimals":6', '"decimals":"six"') : text
  const { id } = await app.request('historyExport.start', { network, address: one, view: 'events' })
  const job = await ended(app, id)
  expect(job.assets.find(({ symbol }) => symbol === 'USDT')).toMatchObject({
    closing: null,
    difference: null,
    reason: null,
  })
  expect(job.assets[0]).toMatchObject({ key: 'TON', difference: '0' })
})

test('an event that is listed twice is exported once, and a page that is repeated is reported as incomplete', async () => {
  await using stack = new AsyncDisposableStack()
  const opened = await open(stack)
  const whole = await exported(opened, null, 'events')
  let all: Row[] = []
  const changes: [string, Gateway['change']][] = [
    ['each event twice', (list) => list.flatMap((row) => [row, row])],
    [
      'in another spelling',
      (list) => list.flatMap((row) => [row, { ...row, event_id: row.event_id.toUpperCase() }]),
    ],
    ['in the wrong order', (list) => list.toReversed()],
    [
      'again in a later page, at another logical time',
      (list, isLater) => {
        const again = all.map((row) => ({ ...row, lt: (list.at(-1)?.lt ?? 0) + 1 }))
        all = isLater ? [] : list.slice(0, 1)
        return [...list, ...again]
      },
    ],
  ]
  for (const [name, change] of changes) {
    const { job, hashes } = await exported(opened, change, 'events')
    expect({ name, hashes }).toEqual({ name, hashes: whole.hashes })
    expect({ name, ...job }).toMatchObject({ name, problem: null, notes: [] })
    expect(job.assets.map(({ difference }) => difference)).toEqual(['0', '0'])
  }
  const first: Row[] = []
  const { job } = await exported(
    opened,
    (list, isLater) => (isLater ? first : (first.splice(0, 9, ...list), list)),
    'events',
  )
  expect(job.problem).toContain('The history is incomplete')
  expect(job.notes.join(' ')).toMatch(/did not return the events before .* newer ones again/)
})
