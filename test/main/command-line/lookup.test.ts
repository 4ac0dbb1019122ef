/** Tests `tondesk lookup` through a running app with the real sandbox, and with an app of its own. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import Papa from 'papaparse'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Input } from '../../../src-preload/contract/routes.ts'
import type { Invocation } from '../../../src-main/command-line/command.ts'
import { readOptions } from '../../../src-main/command-line/lookup.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { killAll, runCommand, startCommand } from './cli-process.ts'

const address = (number: number) => `0:${number.toString(16).padStart(64, '0')}`

const temporary = temporaryDirectory()
afterEach(killAll)

function write(name: string, lines: readonly string[]): string {
  const path = join(temporary.path, name)
  writeFileSync(path, lines.join('\r\n'))
  return path
}

let app: TestApp
beforeAll(async () => {
  app = await startApp({ startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  temporary[Symbol.dispose]()
})

test('lookup writes every line of its input in order, in three formats, with formulas escaped', async () => {
  const { wallets } = await app.request('sandbox.chain', {})
  const known = wallets.map((wallet) => wallet.address)
  const lines = [...known, address(9), '=cmd|calc', known[0] ?? '', `-1:${'5'.repeat(64)}`]
  const file = write('sandbox.txt', lines)
  const asked = ['lookup', file, '--network', 'sandbox', '--currency', 'USD']
  const common = [...asked, '--data-dir', app.directory]

  const csv = await runCommand(...common)
  expect(csv.code).toBe(3)
  const text = csv.lines.join('\n')
  const { data } = Papa.parse<Record<string, string>>(text.replace(/^\ufeff/, ''), {
    header: true,
    skipEmptyLines: true,
  })
  expect(data.map(({ line }) => Number(line))).toEqual(lines.map((_, index) => index + 1))
  expect(data.map(({ state }) => state)).toEqual([
    ...known.map(() => 'answered'),
    'answered',
    'invalid',
    'duplicate',
    'answered',
  ])
  expect(data[known.length]).toMatchObject({ status: 'nonexist', balance_ton: '0' })
  expect(data[known.length + 1]?.['given']).toBe("'=cmd|calc")
  // An apostrophe would prevent other programs from joining by this column.
  expect(data.at(-1)?.['address']).toBe(`-1:${'5'.repeat(64)}`)
  expect(data[0]).toMatchObject({
    status: 'active',
    wallet: expect.stringMatching(/^wallet_/) as string,
  })
  expect(Number(data[0]?.['balance_usd'])).toBeGreaterThan(0)

  const json = await runCommand(...common, '--format', 'json')
  const { rows } = JSON.parse(json.lines.join('\n')) as { rows: { balance: string | null }[] }
  expect(rows.map(({ balance }) => balance ?? '')).toEqual(
    data.map((row) => row['balance_nanoton'] ?? ''),
  )

  const output = join(temporary.path, 'out.xlsx')
  expect((await runCommand(...common, '-o', output)).code).toBe(3)
  const sheet = (await readXlsx(readFileSync(output))).sheets[0]
  expect(sheet?.rows.length).toBe(lines.length + 1)
  expect(sheet?.rows[known.length + 2]?.[1]).toBe('=cmd|calc')
  expect(Number(sheet?.rows[1]?.[8])).toBe(Number(data[0]?.['balance_ton']))
  expect(readdirSync(join(app.directory, 'exports'))).toEqual([])
})

test('lookup --jetton returns the balances of the accounts, and refuses contracts that are no jetton', async () => {
  const network = 'sandbox'
  const { wallets } = await app.request('sandbox.chain', {})
  const owners = [...wallets.map((wallet) => wallet.address), address(9)]
  const held = new Map<string, Map<string, string>>()
  for (const owner of owners) {
    const { jettons } = await app.request('account.get', { network, address: owner })
    const balances = (jettons ?? []).map(({ asset, balance }) => [asset.jetton ?? '', balance])
    held.set(owner, new Map(balances as [string, string][]))
  }
  const minters = [...new Set([...held.values()].flatMap((each) => [...each.keys()]))]
  expect(minters.length).toBeGreaterThan(0)
  const file = write('jettons.txt', owners)
  const asked = ['lookup', file, '--network', network, '--data-dir', app.directory]
  const chosen = minters.flatMap((minter) => ['--jetton', minter])

  const json = await runCommand(...asked, ...chosen, '--format', 'json')
  expect(json.errors).toContain('Done: ')
  type Row = { address: string; jettons: { place: number; wallet: string; balance: string }[] }
  const { rows, jettons } = JSON.parse(json.lines.join('\n')) as {
    rows: Row[]
    jettons: { address: string; decimals: number; symbol: string }[]
  }
  expect(jettons.map((jetton) => jetton.address)).toEqual(minters)
  for (const { address: owner, jettons: found } of rows) {
    for (const [place, minter] of minters.entries()) {
      const wallet = found.find((each) => each.place === place)
      expect(wallet).toMatchObject({ balance: held.get(owner)?.get(minter) ?? '0', problem: null })
    }
  }
  const [first] = minters
  const [holder] = [...held].find(([, balances]) => balances.has(first ?? '')) ?? []
  const row = rows.find((each) => each.address === holder)
  const account = await app.request('account.get', {
    network,
    address: row?.jettons[0]?.wallet ?? '',
  })
  expect(account.interfaces).toContain('jetton_wallet')

  const csv = await runCommand(...asked, '--jetton', first ?? '')
  const { data } = Papa.parse<Record<string, string>>(csv.lines.join('\n').replace(/^\ufeff/, ''), {
    header: true,
    skipEmptyLines: true,
  })
  const units = `units_${jettons[0]?.symbol ?? ''}`
  expect(data.map((each) => each[units])).toEqual(
    owners.map((owner) => held.get(owner)?.get(first ?? '') ?? '0'),
  )

  const refused = await runCommand(...asked, '--jetton', owners[0] ?? '')
  expect(refused.errors).toContain('This jetton cannot be looked up.')
  const used = await app.request('lookup.usedJettons', { network })
  expect(used.jettons).toEqual(jettons)
  const jobs = await app.jobs('lookup')
  const job = jobs.find((each) => each.jettons.length === minters.length)
  const sorted = await app.request('lookup.rows', {
    id: job?.id ?? 0,
    offset: 0,
    limit: 100,
    sort: { by: 'jetton0', descending: true },
  })
  const amounts = sorted.rows.map((each) => BigInt(each.jettons[0]?.balance ?? -1))
  expect(amounts).toEqual(amounts.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  expect(sorted.sums.jettons[0]).toBe(total.toString())
  const again = await app.request('lookup.rerun', { id: job?.id ?? 0 })
  expect(again.jettons).toEqual(jettons)
  // An account and its wallets take one request each; more requests would mean one for each jetton.
  await app.until(
    async () => (await app.job('lookup', again.id)).state === 'done',
    'the second lookup',
  )
  expect((await app.job('lookup', again.id)).requests).toBe(2)
})

test('wallets of the sandbox and labels are accepted as addresses, unless two accounts have the name', async () => {
  const named = [
    [address(70), 'Cold Safe'],
    [address(71), 'twice'],
    [address(72), 'Twice'],
    [address(73), 'twice'],
  ] as const
  for (const [to, name] of named) {
    await app.request('label.set', { network: 'sandbox', address: to, name, note: '' })
  }
  const { wallets } = await app.request('sandbox.chain', { network: 'mainnet' })
  const merchant = wallets.find(({ name }) => name === 'merchant')?.address
  const { id } = await app.request('lookup.begin', { network: 'sandbox' })
  const piece = { text: 'merchant\ncold safe\ntwice' }
  await app.request('lookup.append', { draft: id, piece, isLast: true })
  const { lines } = await app.request('lookup.draftLines', {
    draft: id,
    status: null,
    offset: 0,
    limit: 9,
  })
  expect(lines.map((line) => [line.status, line.address, line.reason])).toEqual([
    ['valid', merchant, null],
    ['valid', address(70), null],
    ['invalid', null, 'Several accounts have this name. Enter the address instead of the name.'],
  ])
  const watch: Omit<Input<'watch.save'>, 'address'> = {
    network: 'sandbox',
    rules: [{ kind: 'failure' }],
    report: 'none',
    makesCaptures: false,
    isForwarded: false,
  }
  const { address: watched } = await app.request('watch.save', { ...watch, address: 'Merchant' })
  expect(watched).toBe(merchant)
  for (const name of ['twice', 'nobody']) {
    expect(await app.refusal('watch.save', { ...watch, address: name })).toBe('CHAIN_BAD_ADDRESS')
  }
  const { address: exported } = await app.request('historyExport.start', {
    network: 'sandbox',
    address: 'merchant',
    view: 'transactions',
  })
  expect(exported).toBe(merchant)
})

test('lookup - -o - reads standard input and writes only the result to standard output', async () => {
  const input = `sep=;\r\ncustomer;address\r\nMeyer;${address(9)}\r\n`
  const asked = ['lookup', '-', '--network', 'sandbox', '-o', '-', '--data-dir', app.directory]
  const command = startCommand(asked, { input })
  const text = (await command.rest()).join('\n')
  expect(await command.exit).toBe(0)
  const { data, errors } = Papa.parse<Record<string, string>>(text.replace(/^\ufeff/, ''), {
    header: true,
    skipEmptyLines: true,
  })
  expect(errors).toEqual([])
  expect(data.map(({ line }) => Number(line))).toEqual([3])
  expect(data).toMatchObject([{ given_customer: 'Meyer', state: 'answered' }])
  expect(existsSync('-')).toBe(false)

  const bytes = Buffer.from(`PK\u0003\u0004${'\u0000'.repeat(26)}xl/workbook.xml${' '.repeat(90)}`)
  const { id } = await app.request('lookup.begin', { network: 'sandbox' })
  const piece = { base64: bytes.toString('base64') }
  const appended = { draft: id, piece, isLast: true }
  expect(await app.refusal('lookup.append', appended)).toBe('FILE_NO_TEXT')
})

test('every route of lookups returns the output of the contract', async () => {
  const draft = await app.request('lookup.begin', { network: 'sandbox' })
  const base64 = Buffer.from(`\ufeff${address(1)}\nalice`, 'utf16le').toString('base64')
  const understood = await app.request('lookup.append', {
    draft: draft.id,
    piece: { base64 },
    isLast: true,
  })
  expect(understood).toMatchObject({
    counts: { valid: 1, invalid: 1, lines: 2 },
    remarks: ['The file encoding is UTF-16LE.'],
  })
  const asked = { draft: draft.id, status: 'invalid', offset: 0, limit: 10 } as const
  expect((await app.request('lookup.draftLines', asked)).lines[0]?.text).toBe('alice')
  const { id } = await app.request('lookup.start', { draft: draft.id })
  await app.until(async () => (await app.job('lookup', id)).state === 'done', 'the job')
  expect(await app.refusal('lookup.start', { draft: draft.id })).toBe('LOOKUP_DRAFT_UNKNOWN')
  const again = await app.request('lookup.rerun', { id })
  for (const name of ['job.pause', 'job.resume', 'job.cancel'] as const) {
    expect((await app.request(name, { kind: 'lookup', id: again.id })).id).toBe(again.id)
  }
  expect((await app.request('lookup.rows', { id, offset: 0, limit: 10 })).total).toBe(2)
  await app.request('job.remove', { kind: 'lookup', id: again.id })
  expect(await app.refusal('job.get', { kind: 'lookup', id: again.id })).toBe('LOOKUP_JOB_UNKNOWN')
  expect(await app.refusal('export.read', { id: 'none', offset: 0 })).toBe('EXPORT_UNKNOWN')
  const empty = await app.request('lookup.begin', { network: 'sandbox' })
  expect(await app.refusal('lookup.start', { draft: empty.id })).toBe('LOOKUP_NOTHING_VALID')
})

test('two commands that continue one job both end with its result, although the process that ran it ends first', async () => {
  const held = Promise.withResolvers<null>()
  let requests = 0
  await using gateway = await startEndpoint(({ body }, response) => {
    const work = async () => {
      requests += 1
      await held.promise
      const { account_ids: ids = [] } = JSON.parse(body || '{}') as { account_ids?: string[] }
      const accounts = ids.map((id) => ({
        address: id,
        balance: 5,
        last_activity: 1,
        status: 'active',
      }))
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ accounts }))
    }
    work().catch(() => response.destroy())
  })
  const dataDirectory = join(temporary.path, 'two')
  const holder = await startApp({ dataDirectory, host: 'browser', receive: false })
  await holder.request('secrets.useSessionOnly')
  const urls = {
    query: gateway.url,
    webhooks: gateway.url,
    testnetWebhooks: null,
    console: null,
  }
  const { id: network } = await holder.request('network.add', {
    name: 'Slow',
    urls,
    testOnly: false,
  })
  const list = write('two.txt', [address(1), address(2)])
  const output = join(temporary.path, 'two.csv')
  const asked = ['lookup', list, '--network', network, '--resume', '-o', output]
  const first = startCommand([...asked, '--data-dir', dataDirectory])
  const isRequesting = async () =>
    requests > 0 && (await holder.jobs('lookup')).some(({ state }) => state === 'running')
  await holder.until(isRequesting, 'the request of the job')
  const second = startCommand([...asked, '--data-dir', dataDirectory])
  await expect.poll(() => second.errors()).toContain('continues')
  held.resolve(null)
  await holder.until(
    async () => (await holder.jobs('lookup')).some(({ state }) => state === 'done'),
    'the end of a job',
  )
  await holder[Symbol.asyncDispose]()
  for (const command of [first, second]) expect(await command.exit, command.errors()).toBe(0)
  expect(readFileSync(output, 'utf8').trim().split('\n')).toHaveLength(3)
})

test('without a sandbox, lookup fails with one sentence that says how to start it', async () => {
  const asked = [write('one.txt', [address(1)]), '--network', 'sandbox']
  const ended = await runCommand('lookup', ...asked, '--data-dir', join(temporary.path, 'none'))
  expect([ended.code, ended.lines]).toEqual([1, []])
  expect(ended.errors).toMatch(/^tondesk: The sandbox is not running.*`tondesk serve`[^\n]*\n$/)
})

test('invalid options of lookup are refused with a reason, and the format follows from the file name', () => {
  const read = (options: Record<string, string>, ...positionals: string[]) =>
    readOptions({ options, positionals, lists: {} } as unknown as Invocation)
  expect(() => read({})).toThrow('needs --network')
  const network = 'sandbox'
  expect(() => read({ network, format: 'pdf' })).toThrow('csv, json or xlsx, not "pdf"')
  expect(() => read({ network, format: 'xlsx' })).toThrow('add -o FILE')
  expect(() => read({ network, currency: '$' })).toThrow('a code such as usd')
  expect(read({ network, output: 'a.XLSX' }, '-')).toMatchObject({ format: 'xlsx', file: null })
  expect(read({ network, currency: 'GRAM' })).toMatchObject({ currency: 'ton' })
  expect(read({ network, output: 'a.txt' }, 'b')).toMatchObject({ format: 'csv', resume: false })
})
