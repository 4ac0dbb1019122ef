/**
 * Tests `tondesk invoices` as the command line calls it: through an app with a real sandbox, and
 * alone without a network.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Invocation, Terminal } from '../../../src-main/command-line/command.ts'
import {
  readCreate,
  readExport,
  readInvoices,
} from '../../../src-main/command-line/invoices-options.ts'
import { invoiceCommands as command } from '../../../src-main/command-line/invoices.ts'
import { readMoment } from '../../../src-main/command-line/options.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { fillInvoices } from '../../bench/lib/fill-invoices.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { checkLine } from '../../fixtures/published-output.ts'
import { killAll, onLinux, runCommand } from './cli-process.ts'

const temporary = temporaryDirectory()
const at = (name: string) => join(temporary.path, name)
afterEach(killAll)

let app: TestApp
beforeAll(async () => {
  app = await startApp({ startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  temporary[Symbol.dispose]()
})

type Options = Invocation['options']
type Ended = {
  /** The exit code, or the code of the error that ended the command. */
  readonly code: number | string
  readonly lines: readonly string[]
  readonly notes: string
}

async function invoices(
  positionals: readonly string[],
  options: Options = {},
  answer: boolean | null = null,
): Promise<Ended> {
  const lines: string[] = []
  const notes: string[] = []
  const terminal: Terminal = {
    print(line) {
      checkLine(['invoices', ...positionals], line)
      return Promise.resolve(void lines.push(line))
    },
    write: (bytes) => Promise.resolve(void lines.push(Buffer.from(bytes).toString())),
    note: (line) => void notes.push(line),
    ask: () => Promise.resolve(answer),
    readSecret: () => Promise.resolve(''),
    closed: new AbortController().signal,
  }
  const stop = new AbortController().signal
  const given = { dataDirectory: app.directory, isDirectoryGiven: true, lists: {}, terminal, stop }
  const end = (code: number | string) => ({ code, lines, notes: notes.join('\n') })
  try {
    return end(
      await command.run({ ...given, options: { network: 'sandbox', ...options }, positionals }),
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    notes.push(error.message)
    return end(error.code)
  }
}

const json = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>)

test('invoices are created, listed, shown, cancelled and reconciled with JSON lines and documented exit codes', async () => {
  const one = { amount: '1,5', currency: 'ton', description: '=1+1', lifetime: '2h', json: true }
  const created = await invoices(['create'], one)
  expect(created.code).toBe(0)
  const [ready, made, end] = json(created.lines)
  expect(ready).toMatchObject({ event: 'ready', network: 'sandbox' })
  expect(made).toMatchObject({ event: 'invoice', state: 'done', amount: '1500000000' })
  expect(made?.['paymentLink']).toContain('transfer/')
  expect(end).toMatchObject({ event: 'done', done: 1, failed: 0, unclear: 0 })
  const draft = /Draft (\S+)\./.exec(created.notes)?.[1] ?? ''
  // A finished draft is continued: it keeps its invoice and creates no other.
  const again = await invoices(['create'], { draft, json: true })
  expect(json(again.lines)[1]).toMatchObject({ invoice: made?.['invoice'], state: 'done' })

  const file = at('many.csv')
  writeFileSync(file, 'amount,currency,description\n2,USDT,a\nnone,TON,b\n3,TON,c\n')
  const refused = await invoices(['create'], { file, yes: true })
  expect([refused.code, refused.notes]).toEqual([
    'LINES_INVALID',
    expect.stringMatching(/Line 3: .*1 of 3 lines .*--skip-invalid/s),
  ])
  expect((await invoices(['create'], { file, 'skip-invalid': true })).code).toBe('USAGE')
  const many = await invoices(['create'], { file, 'skip-invalid': true }, true)
  expect([many.code, many.lines.length]).toEqual([0, 2])

  const listed = await invoices(['list'], { currency: 'TON', json: true })
  const ids = json(listed.lines).slice(1)
  expect(ids).toMatchObject([{ description: 'c' }, { description: '=1+1', status: 'pending' }])
  const first = await invoices(['list'], { limit: '1' })
  expect([first.lines.length, first.notes]).toEqual([1, expect.stringContaining('1 of 3')])

  const id = String(made?.['invoice'])
  const shown = await invoices(['show', id], { zone: 'Europe/Berlin' })
  expect(json((await invoices(['show', id], { json: true })).lines)).toMatchObject([{}, { id }])
  expect(shown.lines.join('\n')).toMatch(
    /status +pending\n.*amount +1\.5 TON\n.*created +\S+\+0[12]:00/s,
  )
  expect((await invoices(['show', 'ffffffff'])).code).toBe('INVOICE_UNKNOWN')

  const ordered = await invoices(['set-order', id], { order: ' A-17 ' })
  expect([ordered.code, ordered.lines.join('\n')]).toEqual([
    0,
    expect.stringMatching(/order +A-17\n/),
  ])
  const removed = await invoices(['set-order', id], { order: '', json: true })
  expect(json(removed.lines)[1]).toMatchObject({ event: 'invoice', id, orderReference: '' })
  expect((await invoices(['set-order', 'ffffffff'], { order: 'x' })).code).toBe('INVOICE_UNKNOWN')
  const unset = await invoices(['set-order', id])
  expect([unset.code, unset.notes]).toEqual(['USAGE', '--order is needed.'])

  expect((await invoices(['cancel', id])).code).toBe('USAGE')
  expect((await invoices(['cancel', id], {}, false)).code).toBe('NOT_CONFIRMED')
  const gone = await invoices(['cancel', id], { yes: true, json: true })
  expect(json(gone.lines)[1]).toMatchObject({ invoice: id, state: 'done' })
  const rest = await invoices(['cancel'], { filter: true, currency: 'TON', yes: true })
  expect([rest.code, rest.notes]).toEqual([0, expect.stringContaining('1 invoice to cancel')])

  const agreed = await invoices(['reconcile'], { json: true })
  expect([agreed.code, json(agreed.lines).at(-1)]).toEqual([
    0,
    expect.objectContaining({ event: 'reconciled', total: 3, differences: 0 }),
  ])
})

test('an export is complete with its manifest or leaves no file, and overwrites a file only with --force', async () => {
  const output = at('all.csv')
  const written = await invoices(['export'], { output, json: true, zone: 'Asia/Tokyo' })
  expect(written.code).toBe(0)
  const bytes = readFileSync(output)
  const manifest = JSON.parse(readFileSync(`${output}.manifest.json`, 'utf8')) as unknown
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(manifest).toMatchObject({
    file: 'all.csv',
    sha256,
    bytes: bytes.length,
    zone: 'Asia/Tokyo',
  })
  expect(json(written.lines)[1]).toMatchObject({ event: 'exported', file: output, sha256 })

  const second = await invoices(['export'], { output })
  expect([second.code, second.notes]).toEqual(['TARGET_EXISTS', expect.stringContaining('--force')])
  expect(readFileSync(output)).toEqual(bytes)
  const forced = { output, force: true, status: 'cancelled', columns: 'id,status' }
  expect((await invoices(['export'], forced)).code).toBe(0)
  const lines = readFileSync(output, 'utf8').slice(1).trimEnd().split('\r\n')
  expect(lines.slice(0, 2)).toEqual(['id,status', expect.stringMatching(/^\w+,cancelled$/)])

  // Columns can have the names that accounting programs expect; an unknown or repeated column is refused.
  const renamed = { output, force: true, columns: 'id=Number,amount=Net = gross,status' }
  expect((await invoices(['export'], renamed)).code).toBe(0)
  expect(readFileSync(output, 'utf8').slice(1).split('\r\n')[0]).toBe('Number,Net = gross,status')
  expect(JSON.parse(readFileSync(`${output}.manifest.json`, 'utf8'))).toMatchObject({
    columns: ['id', 'amount', 'status'],
    names: { id: 'Number', amount: 'Net = gross' },
  })
  const twice = await invoices(['export'], { ...renamed, columns: 'id=A,amount=A' })
  expect(twice.code).toBe('INVOICE_EXPORT_SAME_NAMES')
  for (const columns of ['id=', 'nothing=A', `id=${'x'.repeat(61)}`]) {
    const strange = await invoices(['export'], { ...renamed, columns })
    expect([strange.code, strange.notes]).toEqual(['USAGE', expect.stringContaining('--columns')])
  }

  const nowhere = await invoices(['export'], { output: at('no/such/folder.csv') })
  expect([nowhere.code, nowhere.notes]).toEqual([
    'EXPORT_FAILED',
    expect.stringContaining('Cannot write to'),
  ])
  // Even root may not overwrite an existing file that cannot be removed.
  const strange = { output: '/dev/null', force: true, format: 'csv' }
  if (existsSync('/dev/null')) {
    expect((await invoices(['export'], strange)).code).toBe('TARGET_NO_FILE')
  }
  const printed = await invoices(['export'], { format: 'jsonl', from: '2000-01-01' })
  expect(json(printed.lines.join('').trimEnd().split('\n'))).toHaveLength(3)
  for (const format of ['xlsx', 'pdf', 'jsonl']) {
    const reconciliation = {
      output: at(`close.${format}`),
      closing: true,
      from: '2000-01-01',
      to: '2099-12-31',
    }
    expect((await invoices(['export'], reconciliation)).code).toBe(0)
  }
  expect(readdirSync(temporary.path).filter((name) => name.endsWith('.partial'))).toEqual([])
})

onLinux(
  'an export needs neither an app nor a network, and exits with 1 if the folder is not writable',
  async () => {
    const directory = at('alone')
    fillInvoices(directory, 40, { seed: 3 })
    const common = ['--network', 'mainnet', '--data-dir', directory]
    const output = at('alone.pdf')
    const done = await runCommand('invoices', 'export', '-o', output, ...common)
    expect([done.code, done.lines, done.errors]).toEqual([
      0,
      [],
      expect.stringMatching(
        /^(?:\d+ of 39(?:, .*)?\n)*39 rows, \d+ bytes, SHA-256 [0-9a-f]{64}\.\nWritten to/,
      ),
    ])
    expect(readFileSync(output, 'latin1')).toMatch(/^%PDF/)
    const listed = await runCommand('invoices', 'list', '--json', '--limit', '2', ...common)
    expect([listed.code, json(listed.lines).map(({ event }) => event)]).toEqual([
      0,
      ['ready', 'invoice', 'invoice'],
    ])
    // No user, root included, can create a file there.
    const refused = await runCommand('invoices', 'export', '-o', '/proc/invoices.csv', ...common)
    expect([refused.code, refused.errors]).toEqual([
      1,
      expect.stringContaining('Cannot write to /proc/'),
    ])
    const help = await runCommand('invoices', '--help')
    expect(help.lines.join('\n')).toMatch(/Exit codes:[\s\S]*3 +create, cancel: done, but some/)
  },
)

test('create --file reads UTF-16 and a sep= line, and refuses an Excel workbook by name', async () => {
  const file = at('excel.csv')
  const text = '\ufeffsep=;\r\namount;currency;description\r\n2,5;USDT;Müller & Söhne\r\n'
  writeFileSync(file, Buffer.from(text, 'utf16le'))
  expect((await invoices(['create'], { file, yes: true })).code).toBe(0)
  const listed = await invoices(['list'], { limit: '1', json: true })
  expect(json(listed.lines)[1]).toMatchObject({ amount: '2500000', description: 'Müller & Söhne' })

  writeFileSync(file, `PK\u0003\u0004${'\u0000'.repeat(26)}[Content_Types].xml`)
  const refused = await invoices(['create'], { file, yes: true })
  expect([refused.code, refused.notes]).toEqual([
    'FILE_NO_TEXT',
    expect.stringContaining('an Excel workbook. Save the table as “CSV UTF-8”'),
  ])
  writeFileSync(file, Buffer.from('amount,description\n1,M\u00fcller\n', 'latin1'))
  expect((await invoices(['create'], { file, yes: true })).code).toBe('FILE_NO_TEXT')
})

test('export -o - writes only the rows to standard output, as without -o', async () => {
  const options = { columns: 'id,status', output: '-' }
  const { code, lines } = await invoices(['export'], options)
  expect(code).toBe(0)
  expect(lines.join('')).toMatch(/^\ufeffid,status\r\n(?:\w+,\w+\r\n)+$/)
  expect(lines).toEqual((await invoices(['export'], { columns: 'id,status' })).lines)
  expect((await invoices(['export'], { ...options, json: true })).code).toBe('USAGE')
  expect((await invoices(['export'], { output: '-', format: 'xlsx' })).code).toBe('USAGE')
  expect(existsSync('-')).toBe(false)
})

test('invalid arguments are refused with a reason, and days begin and end in the selected time zone', () => {
  const ask = (options: Options, ...positionals: string[]) =>
    ({ options, positionals }) as unknown as Invocation
  const read = (options: Options, ...positionals: string[]) =>
    readInvoices(ask(options, ...positionals))
  expect(() => read({}, 'pay')).toThrow(
    'knows export, list, show, set-order, create, cancel, reconcile',
  )
  expect(() => read({}, 'show')).toThrow('needs the ID of one invoice')
  expect(() => read({}, 'cancel')).toThrow('needs either IDs or --filter')
  expect(() => read({ filter: true }, 'cancel', 'a')).toThrow('either IDs or --filter')
  expect(() => read({ filter: true }, 'cancel')).toThrow('--filter needs a filter option')
  expect(() => read({ amount: '1' }, 'list')).toThrow('takes no --amount')
  expect(() => read({ from: '2026-02-30' }, 'list')).toThrow('--from takes a day')
  expect(() => read({ zone: 'Mars' }, 'list')).toThrow('--zone takes a name')
  expect(() => readCreate(ask({ amount: '1' }))).toThrow('needs --currency')
  expect(() => readCreate(ask({ amount: '1', file: 'a' }))).toThrow('one of --amount, --file')
  // The option accepts the coin’s other name and the code of the API.
  for (const currency of ['gram', 'TON']) {
    expect(read({ currency }, 'list').filter.currencies).toEqual(['TON'])
    expect(readCreate(ask({ amount: '1.5', currency }))).toMatchObject({
      line: { currency: 'TON' },
    })
  }
  expect(() => read({ currency: 'EUR' }, 'list')).toThrow('--currency')
  const asExport = (options: Options) => readExport(ask(options), read(options, 'export'))
  expect(() => asExport({ closing: true })).toThrow('needs a period')
  expect(() => asExport({ format: 'pdf' })).toThrow('add -o FILE')
  expect(() => asExport({ format: 'ods' })).toThrow('csv, jsonl, xlsx or pdf')
  expect(asExport({ output: 'a.XLSX', separator: 'tab' })).toMatchObject({
    format: 'xlsx',
    separator: '\t',
  })

  // The zone has days of 23 and 25 hours, and a day that begins an hour late.
  const day = (text: string, zone: string) =>
    (readMoment(text, zone, 'to', true) - readMoment(text, zone, 'from', false)) / 3_600_000
  expect(day('2026-03-29', 'Europe/Berlin')).toBe(23)
  expect(day('2026-10-25', 'Europe/Berlin')).toBe(25)
  expect(day('2026-04-24', 'Africa/Cairo')).toBe(23)
  expect(readMoment('2026-10-25T02:30', 'Europe/Berlin', 'from', false)).toBe(
    Date.parse('2026-10-25T02:30:00+02:00'),
  )
  expect(readMoment('2026-03-29 02:30', 'Europe/Berlin', 'from', false)).toBe(
    Date.parse('2026-03-29T03:30:00+02:00'),
  )
  expect(readMoment('2026-01-01T00:00:00.5Z', 'Asia/Tokyo', 'from', false)).toBe(
    Date.UTC(2026, 0, 1, 0, 0, 0, 500),
  )
})
