/**
 * Exported invoices as LibreOffice, where it is installed, opens them: CSV and workbook, with every
 * formula payload. Compares the totals to its 15 digits, each text, and that nothing was evaluated.
 * Flags: --rows N (20000), --keep.
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
import { fillInvoices } from './lib/fill-invoices.ts'
import { saveInvoices } from './lib/save-invoices.ts'
import { formulaPayloads } from '../fixtures/formula-payloads.ts'

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    keep: { type: 'boolean', default: false },
  },
})
const directory = mkdtempSync(join(tmpdir(), 'tondesk-office-'))
const data = join(directory, 'data')
const say = (line: string) => void process.stdout.write(`${line}\n`)
let failures = 0

function check(isRight: boolean, what: string): void {
  if (!isRight) failures += 1
  say(`${isRight ? 'ok  ' : 'FAIL'}  ${what}`)
}

type Row = { id: string; currency: string; units: bigint; description: string }

try {
  fillInvoices(data, Number(flags.rows), { seed: 7 })
  const rows = prepare()
  for (const format of ['csv', 'xlsx'] as const) {
    for (const zone of ['UTC', 'Europe/Berlin']) {
      const name = `${format}-${zone.replace('/', '-')}`
      const file = join(directory, `${name}.${format}`)
      await saveInvoices(data, file, { format, zone })
      await compare(name, rows, convert(file, format), format)
    }
  }
} finally {
  if (flags.keep) say(directory)
  else rmSync(directory, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

function prepare(): Row[] {
  const database = openDatabase(dataPaths(data).database)
  const describe = database.prepare('UPDATE invoices SET description = ? WHERE key = ?')
  for (const [index, text] of formulaPayloads.entries()) describe.run(text, index + 1)
  database.exec('UPDATE invoices SET amount = 999999999999999 WHERE key = 50')
  const select = database.prepare(
    `SELECT id, currency, amount, description FROM invoices
     WHERE confirmed_at IS NOT NULL ORDER BY created_at, key`,
  )
  select.setReadBigInts(true)
  const rows = select.all().map((row) => ({
    id: row['id'] as string,
    currency: row['currency'] as string,
    units: row['amount'] as bigint,
    description: row['description'] as string,
  }))
  database.close()
  return rows
}

/** As LibreOffice has it: opened with the settings of a double click, its values written out again. */
function convert(file: string, format: 'csv' | 'xlsx', sheet = 'Invoices'): string[][] {
  const out = join(directory, `out-${format}`)
  // Comma, double quotes, UTF-8, from the first line, special numbers found; formulas would run.
  const reading =
    format === 'csv' ? ['--infilter=CSV:44,34,76,1,,1033,false,true,false,false,false,0,true'] : []
  // The values themselves, not as they are shown; of a workbook, each sheet as a file of its own.
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

/** By LibreOffice itself: a formula over its own numbers. */
async function sumUp(name: string, numbers: readonly number[]): Promise<number> {
  const file = join(directory, `sum-of-${name}.xlsx`)
  const last = numbers.length
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
  for (const [currency, decimals] of [
    ['TON', 9],
    ['USDT', 6],
  ] as const) {
    const of = rows.filter((row) => row.currency === currency)
    const units = of.reduce((sum, row) => sum + row.units, 0n)
    const shown = body
      .filter((cells) => cells[at('currency')] === currency)
      .map((cells) => Number(cells[at('amount')]))
    const total = await sumUp(name, shown)
    const exact = formatAmount(units, decimals)
    const same = total.toPrecision(15) === Number(exact).toPrecision(15)
    check(same, `${name}: LibreOffice sums ${currency} to ${total}, the ledger to ${exact}`)
    const each = of.filter((row, index) => {
      const decimal = formatAmount(row.units, decimals)
      return Number(decimal).toPrecision(15) !== (shown[index] ?? NaN).toPrecision(15)
    })
    check(each.length === 0, `${name}: each of ${of.length} ${currency} amounts to 15 digits`)
  }
  // By their order: of an id such as 00012345 a spreadsheet that opens CSV makes a number.
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

/** Line ends within a cell are LibreOffice's own. */
function inOneLine(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, '¶')
}
