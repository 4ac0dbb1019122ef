/** `tondesk lookup`: through an app that runs, with the real sandbox, and in an app of its own. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import Papa from 'papaparse'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Invocation } from '../../src-main/command-line/command.ts'
import { readOptions } from '../../src-main/command-line/lookup.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { killAll, run } from './cli-process.ts'

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

test('the sandbox’s accounts, in all three formats: in order, nothing left out, formulas tamed', async () => {
  const { wallets } = await app.request('sandbox.chain', {})
  const known = wallets.map((wallet) => wallet.address)
  const lines = [...known, address(9), '=cmd|calc', known[0] ?? '', `-1:${'5'.repeat(64)}`]
  const file = write('sandbox.txt', lines)
  const asked = ['lookup', file, '--network', 'sandbox', '--currency', 'USD']
  const common = [...asked, '--data-dir', app.directory]

  const csv = await run(...common)
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
  // D16: an apostrophe would keep every other program from joining by it.
  expect(data.at(-1)?.['address']).toBe(`-1:${'5'.repeat(64)}`)
  expect(data[0]).toMatchObject({
    status: 'active',
    wallet: expect.stringMatching(/^wallet_/) as string,
  })
  expect(Number(data[0]?.['balance_usd'])).toBeGreaterThan(0)

  const json = await run(...common, '--format', 'json')
  const { rows } = JSON.parse(json.lines.join('\n')) as { rows: { balance: string | null }[] }
  expect(rows.map(({ balance }) => balance ?? '')).toEqual(
    data.map((row) => row['balance_nanoton'] ?? ''),
  )

  const output = join(temporary.path, 'out.xlsx')
  expect((await run(...common, '-o', output)).code).toBe(3)
  const sheet = (await readXlsx(readFileSync(output))).sheets[0]
  expect(sheet?.rows.length).toBe(lines.length + 1)
  expect(sheet?.rows[known.length + 2]?.[1]).toBe('=cmd|calc')
  expect(Number(sheet?.rows[1]?.[8])).toBe(Number(data[0]?.['balance_ton']))
  expect(readdirSync(join(app.directory, 'exports'))).toEqual([])
})

test('every route of lookups answers in the shape of the contract', async () => {
  const draft = await app.request('lookup.begin', { network: 'sandbox' })
  const base64 = Buffer.from(`\ufeff${address(1)}\nalice`, 'utf16le').toString('base64')
  const understood = await app.request('lookup.append', {
    draft: draft.id,
    piece: { base64 },
    isLast: true,
  })
  expect(understood).toMatchObject({
    counts: { valid: 1, invalid: 1, lines: 2 },
    remarks: ['The file encoding is UTF-16 LE.'],
  })
  const asked = { draft: draft.id, status: 'invalid', offset: 0, limit: 10 } as const
  expect((await app.request('lookup.draftLines', asked)).lines[0]?.text).toBe('alice')
  const { id } = await app.request('lookup.start', { draft: draft.id })
  await app.until(async () => (await app.request('lookup.get', { id })).state === 'done', 'the job')
  expect(await app.refusal('lookup.start', { draft: draft.id })).toBe('LOOKUP_DRAFT_UNKNOWN')
  const again = await app.request('lookup.rerun', { id })
  for (const name of ['lookup.pause', 'lookup.resume', 'lookup.cancel'] as const) {
    expect((await app.request(name, { id: again.id })).id).toBe(again.id)
  }
  expect((await app.request('lookup.rows', { id, offset: 0, limit: 10 })).total).toBe(2)
  await app.request('lookup.remove', { id: again.id })
  expect(await app.refusal('lookup.get', { id: again.id })).toBe('LOOKUP_JOB_UNKNOWN')
  expect(await app.refusal('export.read', { id: 'none', offset: 0 })).toBe('EXPORT_UNKNOWN')
  const empty = await app.request('lookup.begin', { network: 'sandbox' })
  expect(await app.refusal('lookup.start', { draft: empty.id })).toBe('LOOKUP_NOTHING_VALID')
})

test('a sandbox that is not there is one sentence that says how to start it', async () => {
  const asked = [write('one.txt', [address(1)]), '--network', 'sandbox']
  const ended = await run('lookup', ...asked, '--data-dir', join(temporary.path, 'none'))
  expect([ended.code, ended.lines]).toEqual([1, []])
  expect(ended.errors).toMatch(/^tondesk: The sandbox is not running.*`tondesk serve`[^\n]*\n$/)
})

test('options: what cannot be meant is a sentence, the format follows from the file', () => {
  const read = (options: Record<string, string>, ...positionals: string[]) =>
    readOptions({ options, lists: {}, positionals } as unknown as Invocation)
  expect(() => read({})).toThrow('needs --network')
  const network = 'sandbox'
  expect(() => read({ network, format: 'pdf' })).toThrow('csv, json or xlsx, not "pdf"')
  expect(() => read({ network, format: 'xlsx' })).toThrow('add -o FILE')
  expect(() => read({ network, currency: '$' })).toThrow('a code such as usd')
  expect(read({ network, output: 'a.XLSX' }, '-')).toMatchObject({ format: 'xlsx', file: null })
  expect(read({ network, currency: 'GRAM' })).toMatchObject({ currency: 'ton' })
  expect(read({ network, output: 'a.txt' }, 'b')).toMatchObject({ format: 'csv', resume: false })
})
