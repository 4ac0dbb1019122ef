/**
 * Tests exports of a ledger with all unusual values: a real app with its thread and files, without
 * a network.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import Papa from 'papaparse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Column } from '../../../src-main/exports/table.ts'
import { formatXlsx, tableSheet } from '../../../src-main/exports/xlsx.ts'
import { createZoneTimes } from '../../../src-main/exports/zone-times.ts'
import { formatManifest, writeContent } from '../../../src-main/invoices/export/run-export.ts'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import {
  type StoredInvoice,
  createReadInvoices,
} from '../../../src-main/invoices/store/invoice-rows.ts'
import { formatAmount, parseAmount } from '../../../src-preload/domain/amount.ts'
import type { ExportFile } from '../../../src-preload/contract/lookup.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import {
  type InvoiceExport,
  invoiceColumn,
  invoiceExportOptions,
} from '../../../src-preload/contract/invoice-export.ts'
import { invoiceExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { fillInvoices } from '../../bench/lib/fill-invoices.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { formulaPayloads, unguardText } from '../../fixtures/formula-payloads.ts'
import { makePng } from '../../fixtures/png.ts'
import { checkOutput } from '../../fixtures/published-output.ts'

type Asked = Input<'invoiceExport.start'>
type Options = Asked['options']

const network = 'mainnet'
const everything = { kind: 'invoices' } as const
const resources = new AsyncDisposableStack()
const directory = join(resources.use(temporaryDirectory()).path, 'data')
const paths = dataPaths(directory)
let app: TestApp
let rows: StoredInvoice[]

beforeAll(async () => {
  fillInvoices(directory, 300, { until: Date.UTC(2026, 10, 21), seed: 5 })
  const database = openDatabase(paths.database)
  makeAwkward(database)
  rows = createReadInvoices(database)(
    'WHERE network = ? AND confirmed_at IS NOT NULL ORDER BY created_at, key',
    network,
  )
  database.close()
  app = resources.use(await startApp({ dataDirectory: directory, receive: false }))
})
afterAll(() => resources.disposeAsync())

function makeAwkward(database: Database): void {
  const describe = database.prepare('UPDATE invoices SET description = ? WHERE key = ?')
  const texts = [...formulaPayloads, `'t Hooft`, 'مرحبا\u202eabc', 'a\u0000b', 'x'.repeat(10_000)]
  for (const [index, text] of texts.entries()) describe.run(text, index + 1)
  database.exec(`
    UPDATE invoices SET amount = 9223372036854775807, received = 9007199254740993 WHERE key = 60;
    UPDATE invoices SET amount = 0, status = 'frozen' WHERE key = 61;
    UPDATE invoices SET created_at = created_at + 7, open_matters = 3 WHERE key = 62;
    UPDATE invoices SET order_reference = '=order ' || key WHERE key % 3 = 0;
    UPDATE invoices SET status = '=1+1', pay_to = '@nobody', payment_link = '' WHERE key = 63;
    UPDATE invoices SET paid_by = '0:${'ab'.repeat(32)}' WHERE key % 7 = 0;
    INSERT INTO labels (network, address, name, note, changed_at, folded)
      VALUES ('${network}', '0:${'ab'.repeat(32)}', '=Ada''s "shop"', '', 0, '');
    INSERT INTO invoice_accounts (network, account, first_invoice, since, active_until, read_from, read_to)
      SELECT network, pay_to, min(key), 0, 0, 0, 4e12 FROM invoices WHERE key < 500 GROUP BY 1, 2;
    INSERT INTO payments (network, account, lt, hash, at, currency, amount, payer, invoice_key)
      SELECT network, pay_to, 9007199254740993 + key, printf('%064d', key), paid_at, currency, received,
        paid_by, key FROM invoices WHERE paid_at IS NOT NULL AND received > 0 AND key % 11 <> 0;
    INSERT INTO payments (network, account, lt, hash, at, currency, amount, payer, invoice_key)
      SELECT network, account, 1, 'first', at, currency, 1, payer, invoice_key FROM payments LIMIT 1`)
}

async function read({ id }: ExportFile): Promise<Buffer> {
  const pieces: Buffer[] = []
  let offset: number | null = 0
  while (offset !== null) {
    const piece: { base64: string; next: number | null } = await app.request('export.read', {
      id,
      offset,
    })
    pieces.push(Buffer.from(piece.base64, 'base64'))
    offset = piece.next
  }
  return Buffer.concat(pieces)
}

async function ended({ id }: Pick<InvoiceExport, 'id'>): Promise<InvoiceExport> {
  const get = () => app.job('invoiceExport', id)
  await app.until(async () => (await get()).state !== 'running', 'the export')
  return get()
}

async function exported(options: Options, subject: Asked['subject'] = everything) {
  const job = await ended(await app.request('invoiceExport.start', { network, subject, options }))
  if (job.file === null || job.manifest === null) throw new Error(job.problem ?? job.state)
  const [bytes, manifest] = [await read(job.file), await read(job.manifest)]
  const told = JSON.parse(manifest.toString()) as Record<string, unknown>
  const kind = subject.kind === 'closing' ? 'a closing' : 'invoices'
  checkOutput(`manifest of ${kind}`, told)
  if (options.format === 'jsonl') {
    const lines = bytes.toString().trimEnd().split('\n')
    for (const line of lines) checkOutput(`file of ${kind}, jsonl`, JSON.parse(line))
  }
  return { job, bytes, manifest: told }
}

async function readSheets(bytes: Buffer): Promise<Record<string, unknown[][]>> {
  const { sheets } = await readXlsx(bytes)
  return Object.fromEntries(sheets.map(({ name, rows: lines }) => [name, lines]))
}

/** Returns the digits of a number with at most 15 digits, or of a decimal text. */
function unitsOf(cell: unknown, decimals: number): bigint {
  const decimal = typeof cell === 'number' ? cell.toFixed(decimals) : String(cell)
  return parseAmount(decimal, decimals)
}

const decimalsOf = ({ currency }: StoredInvoice) => (currency === 'TON' ? 9 : 6)

describe('an export that is read again equals the ledger', () => {
  const styles: readonly Omit<Options, 'format'>[] = [
    {},
    { separator: ';', decimalMark: ',', zone: 'Europe/Berlin' },
    { separator: ',', decimalMark: ',', zone: 'Asia/Kathmandu' },
    { separator: '\t', columns: ['description', 'amount', 'id', 'created'] },
  ]
  test.each(styles)('a CSV file with %j has every value of the ledger', async (style) => {
    const { bytes, job } = await exported({ format: 'csv', ...style })
    expect(job.rows).toBe(rows.length)
    const text = bytes.toString()
    expect(text.startsWith('\ufeff')).toBe(true)
    const { data } = Papa.parse<Record<string, string>>(text.slice(1), {
      header: true,
      delimiter: style.separator ?? ',',
      newline: '\r\n',
      skipEmptyLines: true,
    })
    const columns = style.columns ?? invoiceColumn.options
    expect(Object.keys(data[0] ?? {})).toEqual(columns)
    const back = data.map((cells) => {
      const amount = (name: string) => (cells[name] ?? '').replace(',', '.')
      const moment = (name: string) => (cells[name] === '' ? null : Date.parse(cells[name] ?? ''))
      const words = (name: string) => (cells[name] ?? '').split(' ').filter((word) => word !== '')
      const given: Record<string, unknown> = {}
      for (const column of columns) {
        if (['amount', 'received', 'overpayment', 'due', 'to_return'].includes(column)) {
          given[column] = amount(column)
        } else if (['created', 'expires', 'changed', 'paid_on_chain'].includes(column)) {
          given[column] = moment(column)
        } else if (column === 'matters') given[column] = words(column)
        else given[column] = unguardText(cells[column] ?? '')
      }
      return given
    })
    expect(back).toEqual(
      rows.map((row) => {
        const all = expectedCells(row)
        return Object.fromEntries(columns.map((column) => [column, all[column]]))
      }),
    )
  })

  test('a JSON Lines file has every value, also fields that only the ledger has', async () => {
    const { bytes } = await exported({ format: 'jsonl', zone: 'America/St_Johns' })
    const lines = bytes.toString().trimEnd().split('\n')
    const back = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(back).toMatchObject(
      rows.map((row) => ({
        network: row.network,
        id: row.id,
        status: row.status,
        currency: row.currency,
        amount: row.amount.toString(),
        amount_decimal: formatAmount(row.amount, decimalsOf(row)),
        received: isRead(row) ? row.received.toString() : null,
        overpayment: row.overpayment.toString(),
        description: row.description,
        payer: row.paidBy,
        pay_to: row.payTo,
        created: row.createdAt,
        expires: row.expiresAt,
        changed: row.changedAt,
        paid_on_chain: row.paidAt,
        matters: row.matters,
        comment: row.comment,
        payment_link: row.paymentLink,
        first_seen: row.firstSeenAt,
        first_source: row.firstSource,
        confirmed: row.confirmedAt,
      })),
    )
    for (const { created, created_iso } of back) {
      expect(Date.parse(String(created_iso))).toBe(created)
    }
    const paidTwice = back.find(({ transactions }) => (transactions as string[]).length > 1)
    expect((paidTwice?.['transactions'] as string[])[0]).toBe('first')
  })

  test('a workbook has numbers only where they are exact, text otherwise, and no formula', async () => {
    const { bytes } = await exported({ format: 'xlsx', zone: 'Europe/Berlin' })
    const [header, ...lines] = (await readSheets(bytes))['Invoices'] ?? []
    expect(header).toEqual(invoiceColumn.options)
    const at = (name: string) => invoiceColumn.options.findIndex((column) => column === name)
    for (const [index, row] of rows.entries()) {
      const cells = lines[index] ?? []
      const decimal = formatAmount(row.amount, decimalsOf(row))
      const isExact = decimal.replace(/^[0.]*|\./g, '').length <= 15
      expect(cells[at('amount')]).toBe(isExact ? Number(decimal) : decimal)
      const text = cells[at('description')]
      // The format has an escape sequence for characters that XML forbids.
      const plain = (typeof text === 'string' ? text : '').replace(
        /_x([0-9A-F]{4})_/g,
        (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)),
      )
      expect(plain).toBe(row.description)
      const created = cells[at('created')]
      const ms = created instanceof Date ? created.getTime() : Number.NaN
      expect(Math.abs(ms - berlin(row.createdAt))).toBeLessThan(1)
    }
    expect(bytes.includes('<f>')).toBe(false)
  })

  // Catches sheets that omit payments, and totals of doubles, which would differ from the ledger.
  test('the sums in the sheets of a workbook equal the ledger to the last unit', async () => {
    const { bytes } = await exported({ format: 'xlsx' })
    const sheets = await readSheets(bytes)
    expect(Object.keys(sheets)).toEqual(['Summary', 'Invoices', 'Payments', 'Discrepancies'])
    const database = openDatabase(paths.database, { readOnly: true })
    const all = database
      .prepare(
        `SELECT p.currency, CAST(p.amount AS TEXT) AS amount FROM payments p JOIN invoices i ON i.key = p.invoice_key
         WHERE i.network = ? AND i.confirmed_at IS NOT NULL`,
      )
      .all(network)
    const open = database
      .prepare('SELECT count(*) AS n FROM matters WHERE handled_at IS NULL AND closed_at IS NULL')
      .get()
    database.close()
    const [names = [], ...payments] = sheets['Payments'] ?? []
    const [currencyAt, amountAt] = [names.indexOf('currency'), names.indexOf('amount')]
    for (const [currency, decimals] of [
      ['TON', 9],
      ['USDT', 6],
    ] as const) {
      const expected = all
        .filter((each) => each['currency'] === currency)
        .reduce((sum, { amount }) => sum + BigInt(amount as string), 0n)
      const found = payments
        .filter((cells) => cells[currencyAt] === currency)
        .reduce((sum, cells) => sum + unitsOf(cells[amountAt], decimals), 0n)
      expect([currency, found]).toEqual([currency, expected])

      const total = sheets['Summary']?.find((cells) => cells[0] === currency && cells[1] === 'all')
      const of = rows.filter((row) => row.currency === currency)
      expect([total?.[2], unitsOf(total?.[3], decimals)]).toEqual([
        of.length,
        of.reduce((sum, { amount }) => sum + amount, 0n),
      ])
    }
    expect(sheets['Discrepancies']).toHaveLength(1 + Number(open?.['n']))
    const notes = sheets['Summary']?.map((cells) => String(cells[0])) ?? []
    expect(notes.find((note) => note.includes('more than 15 digits'))).toContain(
      'sum of their column',
    )
  })

  function expectedCells(row: StoredInvoice): Record<string, unknown> {
    const decimals = decimalsOf(row)
    return {
      network: row.network,
      id: row.id,
      status: row.status,
      currency: row.currency,
      amount: formatAmount(row.amount, decimals),
      received: isRead(row) ? formatAmount(row.received, decimals) : '',
      overpayment: formatAmount(row.overpayment, decimals),
      description: row.description,
      payer: row.paidBy ?? '',
      payer_label: row.paidBy === `0:${'ab'.repeat(32)}` ? `=Ada's "shop"` : '',
      pay_to: row.payTo,
      created: row.createdAt,
      expires: row.expiresAt,
      changed: row.changedAt,
      paid_on_chain: row.paidAt,
      matters: row.matters,
      transactions: expect.any(String) as unknown,
      payment_link: row.paymentLink,
      due: formatAmount(
        row.status === 'pending' ? atLeast0(row.amount - row.received) : 0n,
        decimals,
      ),
      to_return: formatAmount(toReturn(row), decimals),
      // Payments that name an invoice without paying it are in test/main/invoices/payments.test.ts.
      uncounted: '',
      order_reference: row.orderReference,
      refunded: formatAmount(row.refunded, decimals),
      // No tolerance is set; test/main/invoices/accepted.test.ts has accepted payments.
      accepted_short: '',
      counts_with: '',
      // No fiat currency is selected; test/main/invoices/fiat.test.ts has fiat values.
      fiat_value: '',
      fiat_currency: '',
      fiat_rate: '',
      fiat_rate_at: '',
      fiat_source: '',
    }
  }

  const atLeast0 = (units: bigint) => (units > 0n ? units : 0n)

  function toReturn({ status, amount, received, overpayment, matters }: StoredInvoice): bigint {
    const isDecided = !matters.some((kind) => !['gateway-ahead', 'reported-differs'].includes(kind))
    if (isDecided) return 0n
    const kept = status === 'paid' ? amount : status === 'pending' ? received : 0n
    return overpayment > received - kept ? overpayment : atLeast0(received - kept)
  }

  /** The received amount of an address that was not read yet is unknown. */
  function isRead({ received, payTo }: StoredInvoice): boolean {
    return received > 0n || payTo !== '@nobody'
  }

  function berlin(ms: number): number {
    const parts = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'medium',
    }).format(ms)
    return Date.parse(`${parts.replace(' ', 'T')}Z`) + (ms % 1000)
  }
})

test('the manifest describes the file, and its totals equal an independent sum', async () => {
  const filter = { statuses: ['paid', 'expired'], text: '' }
  const sort = { by: 'amount', descending: true } as const
  const subject = { kind: 'invoices', filter, sort } as const
  const { job, bytes, manifest } = await exported({ format: 'csv' }, subject)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(job).toMatchObject({
    state: 'done',
    sha256,
    bytes: bytes.length,
    file: { bytes: bytes.length },
  })
  const database = openDatabase(paths.database, { readOnly: true })
  const sums = database
    .prepare(
      `SELECT currency, status, count(*) AS count, sum(amount / 1000000) AS whole,
         sum(amount % 1000000) AS rest, sum(overpayment) AS over
       FROM invoices WHERE network = ? AND confirmed_at IS NOT NULL AND status IN ('paid', 'expired')
       GROUP BY currency, status ORDER BY currency, status DESC`,
    )
    .all(network)
  database.close()
  expect(manifest).toMatchObject({
    file: job.file?.name ?? manifest['file'],
    sha256,
    bytes: bytes.length,
    rows: job.rows,
    kind: 'invoices',
    network,
    format: 'csv',
    zone: 'UTC',
    separator: ',',
    sort,
    filter: { statuses: ['paid', 'expired'] },
    columns: invoiceColumn.options,
    createdBy: 'Tondesk 0.0.0-test',
    totals: sums.map(({ currency, status, count, whole, rest, over }) => {
      const decimals = currency === 'TON' ? 9 : 6
      return {
        currency,
        status,
        count,
        amount: formatAmount(BigInt(Number(whole)) * 1_000_000n + BigInt(Number(rest)), decimals),
        overpayment: formatAmount(BigInt(Number(over)), decimals),
      }
    }),
  })
})

test('the same ledger and options give the same bytes, and unconfirmed invoices are left out', async () => {
  const order = { network, subject: everything, options: { format: 'xlsx' } } as const
  const [first, second] = [await exported(order.options), await exported(order.options)]
  expect(first.job.sha256).toBe(second.job.sha256)
  expect(first.manifest['leftOutAsUnconfirmed']).toBe(1)
  const preview = await app.request('invoiceExport.preview', {
    ...order,
    options: { format: 'csv' },
  })
  const csv = (await exported({ format: 'csv' })).bytes.toString().slice(1)
  expect(preview.total).toBe(rows.length)
  expect(csv.startsWith(preview.lines.join('\r\n'))).toBe(true)
  expect(preview.lines).toHaveLength(10)
})

test('a workbook with too many rows continues in further sheets with the same header', async () => {
  const columns: Column<number>[] = [
    { name: 'n', kind: 'number', value: (row) => row },
    { name: 'text', kind: 'text', value: (row) => `=${row}` },
  ]
  async function* batches() {
    yield await Promise.resolve([0, 1, 2, 3, 4])
    yield [5, 6]
  }
  const chunks = []
  const sheet = tableSheet('Invoices', columns, batches(), createZoneTimes('UTC'))
  const file = formatXlsx([sheet], 3)
  for await (const chunk of file) chunks.push(chunk)
  const { sheets } = await readXlsx(Buffer.concat(chunks))
  expect(sheets.map(({ name, rows: lines }) => [name, lines.length, lines[0]])).toEqual([
    ['Invoices', 4, ['n', 'text']],
    ['Invoices_2', 4, ['n', 'text']],
    ['Invoices_3', 2, ['n', 'text']],
  ])
})

test('a PDF export embeds its fonts, has searchable text, and is refused above 10,000 rows', async () => {
  const { bytes, job } = await exported({ format: 'pdf', zone: 'Europe/Berlin' })
  const text = bytes.toString('latin1')
  expect(text.startsWith('%PDF-1.7')).toBe(true)
  expect(text.match(/\/FontFile2/g)).toHaveLength(2)
  expect(text.match(/\/ToUnicode/g)).toHaveLength(2)
  expect(text).not.toMatch(/\/BaseFont \/Helvetica/)
  const pages = Number(/\/Type \/Pages\n\/Count (\d+)/.exec(text)?.[1])
  expect(pages).toBeGreaterThan(job.rows / 25)
  expect(pages).toBeLessThan(job.rows / 8)

  const target = join(paths.exports, 'too-many')
  const content = {
    total: 10_001,
    columns: [],
    toJson: () => ({}),
    rows: () => expect.unreachable(),
    statement: () => expect.unreachable(),
    workbook: () => expect.unreachable(),
    summary: () => ({}),
  }
  const times = createZoneTimes('UTC')
  const style = { separator: ',', decimalMark: '.', guard: String, times }
  const order = {
    network: { id: network, name: 'M', testOnly: false },
    database: '',
    at: 0,
    appVersion: '',
    ...({ coin: 'TON', fiat: null, merchantName: '', logo: '' } as const),
    subject: { kind: 'closing', from: 0, to: 1 },
    options: invoiceExportOptions.parse({ format: 'pdf' }),
    chain: { readTo: null, problem: null, now: 0 },
    target: { file: target, manifest: `${target}.json`, name: 'x' },
  } as const
  const reports = { counted: () => undefined, progress: () => undefined }
  await expect(writeContent(order, content, style, reports)).rejects.toMatchObject({
    code: invoiceExportCodes.tooManyRows,
    message: expect.stringMatching(/10,000 rows.*10,001.*shorter period.*CSV/) as string,
  })
  expect(readdirSync(paths.exports)).not.toContain('too-many')
  expect(
    JSON.parse(formatManifest(order, 'x', { rows: 1, bytes: 2, sha256: 'a' }, {})),
  ).toMatchObject({
    from: '1970-01-01T00:00:00.000Z',
  })
})

// An accounting program that finds columns by name would use the first of two equal names for both.
test('columns are saved as a view with their names, and two columns with one name are refused', async () => {
  const columns = [
    { column: 'id', name: 'Beleg; Nr' },
    { column: 'amount', name: null },
  ] as const
  const view = await app.request('exportView.save', {
    id: null,
    name: 'Books',
    columns: [...columns],
  })
  expect(await app.request('exportView.list')).toEqual([{ id: view.id, name: 'Books', columns }])
  const options = { format: 'csv', columns: ['id', 'amount'] } as const
  const named = { ...options, columns: [...options.columns], names: { id: 'Beleg; Nr' } }
  const { lines } = await app.request('invoiceExport.preview', {
    network,
    subject: everything,
    options: named,
  })
  expect(lines[0]).toBe('"Beleg; Nr",amount')
  const same = { ...named, names: { id: 'amount' } }
  expect(
    await app.refusal('invoiceExport.preview', { network, subject: everything, options: same }),
  ).toBe(invoiceExportCodes.sameNames)
  await app.request('exportView.remove', { id: view.id })
  expect(await app.refusal('exportView.remove', { id: view.id })).toBe(
    invoiceExportCodes.viewUnknown,
  )
})

test('a logo is shown in the PDF, and a damaged stored logo is named as the reason of a failure', async () => {
  const subject = { kind: 'closing', from: 0, to: 1 } as const
  const order = { network, subject, options: { format: 'pdf' } } as const
  const images = async () => {
    const { bytes } = await exported(order.options, subject)
    return bytes.toString('latin1').match(/\/Subtype \/Image/g)?.length ?? 0
  }
  expect(await app.refusal('report.setLogo', { base64: btoa('no picture') })).toBe(
    'REPORT_LOGO_INVALID',
  )
  const logo = await app.request('report.setLogo', { base64: makePng(64, 32).toString('base64') })
  expect(logo).toMatchObject({ width: 64, height: 32 })
  await app.request('settings.change', { reports: { merchantName: 'Ada’s shop' } })
  // The images are the picture and its transparency.
  expect(await images()).toBe(2)
  writeFileSync(paths.logo, makePng(64, 32).subarray(0, 60))
  expect(await ended(await app.request('invoiceExport.start', order))).toMatchObject({
    state: 'failed',
    problem: expect.stringMatching(/stored logo.*cut off.*remove it/) as string,
  })
  await app.request('report.removeLogo')
  expect(await app.request('report.logo')).toBe(null)
})

// Earlier, a date outside the calendar ended the job with a RangeError that was logged as a bug.
test('an export over a period with an impossible date is refused before a job is created', async () => {
  for (const to of [8.7e15, Number.MAX_SAFE_INTEGER]) {
    const subject = { kind: 'closing', from: 0, to }
    const options = { format: 'csv' }
    expect(await app.refusal('invoiceExport.start', { network, subject, options })).toBe(
      'INVALID_INPUT',
    )
  }
})

test('an exported reconciliation has the rows and totals of the window, in the same order', async () => {
  const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 10, 1)]
  const span = { network, from, to, zone: 'UTC' }
  const reconciliation = await app.request('reconciliation.read', span)
  const page = { ...span, onlyDifferences: false, offset: 0, limit: 500 }
  const shown = await app.request('reconciliation.rows', page)
  expect(reconciliation.differences).toBeGreaterThan(3)
  const subject = { kind: 'closing', from, to } as const
  const json = await exported({ format: 'jsonl' }, subject)
  const lines = json.bytes.toString().trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
    shown.rows.map(({ difference, text, invoice, payments }) => ({
      difference,
      explanation: text,
      invoice: invoice === null ? null : { id: invoice.id, amount: invoice.amount },
      payments: payments.map(({ hash, amount }) => ({ hash, amount })),
    })),
  )
  expect(json.manifest).toMatchObject({
    rows: shown.total,
    differences: reconciliation.differences,
    totals: reconciliation.totals.map(({ currency, difference, payments }) => {
      const decimals = currency === 'TON' ? 9 : 6
      return { currency, payments, difference: formatAmount(BigInt(difference), decimals) }
    }),
  })
  for (const format of ['csv', 'pdf'] as const) {
    expect((await exported({ format }, subject)).job.rows).toBe(shown.total)
  }
  const workbook = await exported({ format: 'xlsx' }, subject)
  expect(workbook.job.rows).toBe(shown.total)
  const sheets = await readSheets(workbook.bytes)
  expect(Object.entries(sheets).map(([name, lines]) => [name, lines.length - 1])).toEqual([
    ['Summary', expect.any(Number)],
    ['Invoices', shown.rows.filter(({ invoice }) => invoice !== null).length],
    ['Payments', reconciliation.totals.reduce((sum, { payments }) => sum + payments, 0)],
    ['Discrepancies', reconciliation.differences],
  ])
})

test('a cancelled export leaves no file', async () => {
  const other = join(resources.use(temporaryDirectory()).path, 'data')
  fillInvoices(other, 5_000, { seed: 1 })
  await using large = await startApp({ dataDirectory: other, receive: false })
  const options = { format: 'pdf' } as const
  const job = await large.request('invoiceExport.start', { network, subject: everything, options })
  expect(job).toMatchObject({ state: 'running', total: 4999, rows: 0 })
  await large.until(() => large.events.some(({ name }) => name === 'job.changed'))
  const cancelled = await large.request('job.cancel', { kind: 'invoiceExport', id: job.id })
  expect(cancelled).toMatchObject({ state: 'cancelled', file: null, manifest: null })
  expect(readdirSync(dataPaths(other).exports)).toEqual([])
  expect(await large.jobs('invoiceExport', network)).toEqual([cancelled])
  expect(await large.refusal('job.get', { kind: 'invoiceExport', id: 99 })).toBe(
    invoiceExportCodes.unknown,
  )
})

describe('in a folder that cannot be written', () => {
  const order = { network, subject: everything, options: { format: 'csv' } } as const

  test.skipIf(!canMount())(
    'an export to a full disk fails with advice and leaves no file',
    async () => {
      mkdirSync(paths.exports, { recursive: true })
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', paths.exports])
      try {
        const job = await ended(await app.request('invoiceExport.start', order))
        expect(job).toMatchObject({
          state: 'failed',
          file: null,
          manifest: null,
          problem: expect.stringMatching(
            /its disk is full.*Free some space.*export again/,
          ) as string,
        })
        expect(readdirSync(paths.exports)).toEqual([])
      } finally {
        execFileSync('umount', [paths.exports])
      }
    },
  )

  test('an export is refused at once if its folder is missing, or its time zone or network is unknown', async () => {
    rmSync(paths.exports, { recursive: true, force: true })
    writeFileSync(paths.exports, 'no folder')
    expect(await app.refusal('invoiceExport.start', order)).toBe(invoiceExportCodes.unwritable)
    rmSync(paths.exports)
    const zone = { ...order, options: { format: 'csv', zone: 'Mars/Base' } }
    expect(await app.refusal('invoiceExport.start', zone)).toBe(invoiceExportCodes.zone)
    const nowhere = { ...order, network: 'custom-00000001' }
    expect(await app.refusal('invoiceExport.start', nowhere)).toBe('NETWORK_UNKNOWN')
  })
})

/** Mounting works on Linux as root only. */
function canMount(): boolean {
  if (process.platform !== 'linux') return false
  const place = mkdtempSync(join(directory, '..', 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'ignore' })
    execFileSync('umount', [place])
    return true
  } catch {
    return false
  }
}
