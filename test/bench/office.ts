/**
 * Opens exported invoices and a reconciliation in LibreOffice, if it is installed: CSV and workbooks
 * with every formula payload. Compares the totals to LibreOffice's 15 digits and each text, and checks
 * that no formula was evaluated. Flags: --rows N (20000), --pdf (writes the PDFs too), --keep.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeXlsx } from 'hucre/xlsx'
import Papa from 'papaparse'
import { guardText } from '../../src-main/exports/formula-safe.ts'
import { dataPaths } from '../../src-main/app/paths.ts'
import { openDatabase } from '../../src-main/database/database.ts'
import { formatAmount } from '../../src-preload/domain/amount.ts'
import { invoiceColumn } from '../../src-preload/contract/invoice-export.ts'
import { fillPayments } from './lib/export-invoices.ts'
import { fillInvoices } from './lib/fill-invoices.ts'
import { saveInvoices } from './lib/save-invoices.ts'
import { formulaPayloads } from '../fixtures/formula-payloads.ts'

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    pdf: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
})
/** The export covers the last year of the two years in the ledger. */
const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const year = [day(365), day(0)] as const
const directory = mkdtempSync(join(tmpdir(), 'tondesk-office-'))
const data = join(directory, 'data')
const say = (line: string) => void process.stdout.write(`${line}\n`)
let failures = 0

function check(isRight: boolean, what: string): void {
  if (!isRight) failures += 1
  say(`${isRight ? 'ok  ' : 'FAIL'}  ${what}`)
}

const sums = ['amount', 'received', 'overpayment', 'refunded'] as const
const currencies = [
  ['TON', 9],
  ['USDT', 6],
] as const

type Row = { currency: string; description: string } & Record<(typeof sums)[number], bigint>

try {
  fillInvoices(data, Number(flags.rows), { seed: 7 })
  fillPayments(data, 'mainnet')
  const rows = prepare()
  for (const format of ['csv', 'xlsx'] as const) {
    for (const zone of ['UTC', 'Europe/Berlin']) {
      const name = `${format}-${zone.replace('/', '-')}`
      const file = join(directory, `${name}.${format}`)
      await saveInvoices(data, file, { format, zone })
      await compare(name, rows, convert(file, format), format)
    }
  }
  await compareClosing()
  if (flags.pdf) {
    for (const [name, closing] of [
      ['invoices', []],
      ['closing', year],
    ] as const) {
      const file = join(directory, `${name}.pdf`)
      await saveInvoices(data, file, { format: 'pdf', zone: 'Europe/Berlin', closing })
    }
  }
} finally {
  if (flags.keep) say(directory)
  else rmSync(directory, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

function prepare(): Row[] {
  const database = openDatabase(dataPaths(data).database)
  // Some payments differ from the gateway, and some have no invoice.
  database.exec(`UPDATE invoices SET refunded = overpayment - overpayment % 3, order_reference = 'A-' || key
      WHERE overpayment > 0;
    UPDATE payments SET amount = amount + 1 WHERE key % 97 = 5;
    UPDATE payments SET invoice_key = NULL, certainty = NULL, linked_by = NULL WHERE key % 89 = 7;
    UPDATE invoices SET received = coalesce((SELECT sum(amount) FROM payments WHERE invoice_key = invoices.key), 0);
    INSERT INTO matters (network, kind, invoice_key, amount, state, since)
      SELECT network, 'overpaid', key, overpayment, '', changed_at FROM invoices
      WHERE overpayment > 0 AND status = 'paid'`)
  const describe = database.prepare('UPDATE invoices SET description = ? WHERE key = ?')
  for (const [index, text] of formulaPayloads.entries()) describe.run(text, index + 1)
  database.exec('UPDATE invoices SET amount = 999999999999999 WHERE key = 50')
  const select = database.prepare(
    `SELECT currency, description, ${sums.join(', ')} FROM invoices
     WHERE confirmed_at IS NOT NULL ORDER BY created_at, key`,
  )
  select.setReadBigInts(true)
  const rows = select.all().map((row) => ({
    currency: row['currency'] as string,
    description: row['description'] as string,
    amount: row['amount'] as bigint,
    received: row['received'] as bigint,
    overpayment: row['overpayment'] as bigint,
    refunded: row['refunded'] as bigint,
  }))
  database.close()
  return rows
}

/**
 * Converts a file with LibreOffice: it is opened with the settings of a double click, and its
 * values are written again.
 */
function convert(file: string, format: 'csv' | 'xlsx', sheet = 'Invoices'): string[][] {
  const out = join(directory, `out-${format}`)
  // Import options: comma, double quotes, UTF-8, from the first line, special numbers recognized;
  // formulas would run.
  const reading =
    format === 'csv' ? ['--infilter=CSV:44,34,76,1,,1033,false,true,false,false,false,0,true'] : []
  // Export options: stored values instead of displayed ones; each sheet of a workbook as a separate file.
  const writing = `csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false${format === 'csv' ? '' : ',false,false,-1'}`
  const profile = `-env:UserInstallation=file://${directory}/profile`
  execFileSync(
    'soffice',
    [profile, '--headless', ...reading, '--convert-to', writing, '--outdir', out, file],
    { stdio: 'ignore' },
  )
  const end = format === 'csv' ? '.csv' : `-${sheet}.csv`
  const text = readFileSync(join(out, basename(file).replace(/\.\w+$/, end)), 'utf8')
  return Papa.parse<string[]>(text.replace(/^\ufeff/, ''), { skipEmptyLines: true }).data
}

/** Lets LibreOffice sum up its own numbers with a formula. */
async function sumUp(name: string, numbers: readonly number[]): Promise<number> {
  const file = join(directory, `sum-of-${name}.xlsx`)
  const last = numbers.length
  if (last === 0) return 0
  const rows = [...numbers.map((number) => [number]), [null]]
  const cells = new Map([[`${last},0`, { formula: `SUM(A1:A${last})` }]])
  writeFileSync(file, await writeXlsx({ sheets: [{ name: 'Sum', rows, cells }] }))
  return Number(convert(file, 'xlsx', 'Sum').at(-1)?.[0])
}

async function compare(
  name: string,
  rows: readonly Row[],
  lines: string[][],
  format: 'csv' | 'xlsx',
): Promise<void> {
  const at = (column: string) => invoiceColumn.options.findIndex((each) => each === column)
  const body = lines.slice(1)
  check(body.length === rows.length, `${name}: ${body.length} rows`)
  for (const [currency, decimals] of currencies) {
    const of = rows.filter((row) => row.currency === currency)
    const ours = body.filter((cells) => cells[at('currency')] === currency)
    for (const column of of.length === 0 ? [] : sums) {
      const shown = ours.map((cells) => Number(cells[at(column)]))
      const units = of.reduce((sum, row) => sum + row[column], 0n)
      const [total, exact] = [await sumUp(name, shown), formatAmount(units, decimals)]
      check(
        isSame(total, exact),
        `${name}: ${column} in ${currency}: ${total}, in the ledger ${exact}`,
      )
      const each = of.filter(
        (row, index) => !isSame(shown[index] ?? NaN, formatAmount(row[column], decimals)),
      )
      check(each.length === 0, `${name}: each ${column} of ${of.length} in ${currency}`)
    }
  }
  // Rows are compared by their order, because a spreadsheet that opens CSV converts an id such as
  // 00012345 to a number.
  const wrong = rows.flatMap(({ description }, index) => {
    const wanted = format === 'csv' ? guardText(description) : description
    const found = body[index]?.[at('description')] ?? ''
    return inOneLine(found) === inOneLine(wanted) ? [] : [{ found, wanted }]
  })
  for (const { found, wanted } of wrong.slice(0, 5)) {
    say(`      ${JSON.stringify(found)} for ${JSON.stringify(wanted)}`)
  }
  check(
    wrong.length === 0,
    `${name}: every text, of them ${formulaPayloads.length} payloads, is as it was`,
  )
}

function isSame(shown: number, exact: string): boolean {
  return shown.toPrecision(15) === Number(exact).toPrecision(15)
}

/** Compares the sheets of a year's reconciliation with sums of the ledger. */
async function compareClosing(): Promise<void> {
  const file = join(directory, 'closing.xlsx')
  await saveInvoices(data, file, { format: 'xlsx', zone: 'UTC', closing: year })
  const summary = convert(file, 'xlsx', 'Summary')
  const payments = convert(file, 'xlsx', 'Payments')
  const invoices = convert(file, 'xlsx', 'Invoices')
  const [from, to] = [Date.parse(year[0]), Date.parse(year[1]) + 86_400_000]
  using database = openDatabase(dataPaths(data).database, { readOnly: true })
  const ask = (sql: string, currency: string) => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return Object.values(statement.get(currency, from, to) ?? {}) as (bigint | null)[]
  }
  const ofTable = ([head = [], ...rows]: string[][], currency: string, name: string) =>
    rows
      .filter((cells) => cells[head.indexOf('currency')] === currency)
      .map((cells) => Number(cells[head.indexOf(name)]))
  for (const [index, [currency, decimals]] of currencies.entries()) {
    const inSummary = (name: string) =>
      Number(summary.find(([first]) => first === name)?.[index + 1])
    const equal = (
      what: string,
      shown: number,
      units: bigint | null | undefined,
      places: number = decimals,
    ) => {
      const exact = formatAmount(units ?? 0n, places)
      check(
        isSame(shown, exact),
        `closing: ${what} in ${currency}: ${shown}, in the ledger ${exact}`,
      )
    }
    const [paid, requested, refunded] = ask(
      `SELECT count(*), sum(amount), sum(refunded) FROM invoices WHERE status = 'paid'
       AND confirmed_at IS NOT NULL AND currency = ? AND changed_at >= ? AND changed_at < ?`,
      currency,
    )
    equal('paid invoices', inSummary('Invoices paid in the period (gateway)'), paid, 0)
    equal('requested amount', inSummary('Requested amount of these invoices'), requested)
    const [count, received, linked] = ask(
      `SELECT count(*), sum(amount), sum(amount) FILTER (WHERE invoice_key IS NOT NULL) FROM payments
       WHERE currency = ? AND at >= ? AND at < ?`,
      currency,
    )
    equal('payments', inSummary('Payments received in the period (chain)'), count, 0)
    equal('received amount', inSummary('Received amount'), received)
    equal('linked amount', inSummary('of which linked to invoices'), linked)
    equal(
      'sum of Payments',
      await sumUp('payments', ofTable(payments, currency, 'amount')),
      received,
    )
    const ended = ([head = [], ...rows]: string[][]) => [
      head,
      ...rows.filter((cells) => cells[head.indexOf('status')] === 'paid'),
    ]
    const rows = ended(invoices)
    equal(
      'amount on Invoices',
      await sumUp('invoices', ofTable(rows, currency, 'amount')),
      requested,
    )
    equal(
      'refunded on Invoices',
      await sumUp('invoices', ofTable(rows, currency, 'refunded')),
      refunded,
    )
  }
}

/** LibreOffice uses its own line ends within a cell. */
function inOneLine(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, '¶')
}
