import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  invoiceExportFormat,
  invoiceExportOptions,
} from '../../src-preload/contract/invoice-export.ts'
import {
  type InvoiceCurrency,
  invoiceCurrency,
  invoiceFilter,
} from '../../src-preload/contract/invoice.ts'
import { type CommandOptions, type Invocation, assertUsage } from './command.ts'
import * as read from './options.ts'
import { field, readField, readInput } from './schema-options.ts'

const everywhere = ['network', 'json']
// prettier-ignore
const filterOptions = [...everywhere, 'from', 'to', 'by', 'zone', 'status', 'currency', 'overpaid', 'attention', 'text']
const taken = {
  // prettier-ignore
  export: [...filterOptions, 'format', 'output', 'columns', 'separator', 'decimal-mark', 'closing', 'force'],
  list: [...filterOptions, 'limit'],
  show: [...everywhere, 'zone'],
  // prettier-ignore
  create: [...everywhere, 'amount', 'currency', 'lifetime', 'description', 'file', 'draft', 'skip-invalid', 'yes'],
  cancel: [...filterOptions, 'filter', 'yes'],
  reconcile: [...everywhere, 'full'],
}

const periods = ['created', 'ended', 'expires'] as const
const separators = { comma: ',', semicolon: ';', tab: '\t' } as const
const marks = { point: '.', comma: ',' } as const
const namesOf = <T extends object>(choices: T) => Object.keys(choices) as (keyof T & string)[]

export type AskedInvoices = ReturnType<typeof readInvoices>

export function readInvoices(invocation: Invocation) {
  const { options } = invocation
  const { action, rest: ids } = read.readAction('invoices', taken, invocation)
  const byFilter = options['filter'] === true
  const [extra] = ids
  const command = `\`tondesk invoices ${action}\``
  if (action === 'show') assertUsage(ids.length === 1, `${command} needs the ID of one invoice.`)
  else if (action === 'cancel') {
    const isOne = (ids.length === 0) === byFilter
    assertUsage(isOne, `${command} needs IDs, or --filter, and not both.`)
  } else assertUsage(extra === undefined, `"${extra ?? ''}" is too much for ${command}.`)
  const zone = read.readZone(read.readText(invocation, 'zone') ?? 'UTC')
  const filter = readFilter(invocation, zone)
  const narrows = !isDeepStrictEqual(filter, invoiceFilter.parse({}))
  const message = '--filter needs an option that narrows it, such as --to 2026-01-31 or --text.'
  assertUsage(!byFilter || narrows, message)
  const network = read.readText(invocation, 'network')
  const limit = read.readNumber(invocation, 'limit', 100, 0, 9_999_999)
  return { action, network, limit, zone, filter, ids }
}

function readFilter(invocation: Invocation, zone: string) {
  const { options } = invocation
  const moment = (name: 'from' | 'to') => {
    const typed = read.readText(invocation, name)
    return typed === undefined ? null : read.readMoment(typed, zone, name, name === 'to')
  }
  const by = read.readChoice(invocation, 'by', periods, 'created')
  const period = { by, from: moment('from'), to: moment('to') }
  const currency = readCurrency(invocation)
  const given = {
    statuses: readList(invocation, 'status'),
    currencies: currency === undefined ? [] : [currency],
    period: period.from === null && period.to === null ? null : period,
    matter: options['attention'] === true ? 'any' : null,
  }
  return readInput(invoiceFilter, invocation, given, { statuses: 'status' })
}

function readCurrency(invocation: Invocation): InvoiceCurrency | undefined {
  const typed = read.readText(invocation, 'currency')
  return typed === undefined
    ? undefined
    : readField(invoiceCurrency, typed.toUpperCase(), 'currency')
}

function readList(invocation: Invocation, name: string): string[] {
  return (read.readText(invocation, name) ?? '').split(',').filter((each) => each !== '')
}

export function readExport(invocation: Invocation, { filter }: AskedInvoices) {
  const { options } = invocation
  const output = read.readOutput(invocation)
  const format = read.readFormat(invocation, invoiceExportFormat.options, output, 'csv')
  if (output === null) {
    const isPrintable = format !== 'xlsx' && format !== 'pdf'
    assertUsage(isPrintable, 'This cannot be printed: name a file for it with -o.')
    const message = 'The rows are what is printed here: --json needs a file, -o FILE.'
    assertUsage(options['json'] !== true, message)
  }
  const closing = options['closing'] === true
  const { from = null, to = null } = filter.period ?? {}
  const hasPeriod = from !== null && to !== null
  assertUsage(!closing || hasPeriod, '--closing needs a period: --from and --to.')
  const separator = read.readChoice(invocation, 'separator', namesOf(separators), 'comma')
  const mark = read.readChoice(invocation, 'decimal-mark', namesOf(marks), 'point')
  const columns = readList(invocation, 'columns')
  const given = { format, columns, separator: separators[separator], decimalMark: marks[mark] }
  return { ...readInput(invoiceExportOptions, invocation, given), output, closing }
}

export function readCreate(invocation: Invocation) {
  const [id, path, amount] = ['draft', 'file', 'amount'].map((name) =>
    read.readText(invocation, name),
  )
  const isOne = [id, path, amount].filter((each) => each !== undefined).length === 1
  assertUsage(isOne, '`tondesk invoices create` needs one of --amount, --file and --draft.')
  if (id !== undefined) return { kind: 'draft', id } as const
  const currency = readCurrency(invocation)
  const typed = read.readText(invocation, 'lifetime') ?? '1d'
  const lifeTimeSeconds = read.readSeconds(typed, 'lifetime')
  if (path !== undefined) {
    const file = path === '-' ? null : resolve(path)
    return { kind: 'file', path: file, currency: currency ?? 'TON', lifeTimeSeconds } as const
  }
  assertUsage(currency !== undefined, '--amount needs --currency TON or --currency USDT.')
  const description = read.readText(invocation, 'description') ?? ''
  const line = { amount: amount ?? '', currency, lifeTimeSeconds, description }
  return { kind: 'one', line } as const
}

export const invoicesOptions: CommandOptions = {
  network: read.text('NETWORK', `${read.networkOption.description} (default: the chosen one)`),
  from: read.text('WHEN', 'from this day or moment on'),
  to: read.text('WHEN', 'up to the end of this day, or to this moment'),
  by: read.text(periods.join('|'), 'what the period is of (default created)'),
  zone: field(
    invoiceExportOptions.shape.zone,
    'of days and of printed times, such as Europe/Berlin',
    'ZONE',
  ),
  status: read.text('STATUS', 'pending, paid, cancelled or expired; several with commas'),
  currency: field(invoiceCurrency, 'of this currency only; of what is created'),
  overpaid: field(invoiceFilter.shape.overpaid, 'only what was overpaid'),
  attention: read.flag('only what needs a decision'),
  text: read.text('WORDS', 'in the id, the description, the payer'),
  limit: read.text('N', 'list: at most so many (default 100; 0 for all)'),
  format: field(invoiceExportFormat, 'of an export (default: as FILE ends, else csv)'),
  output: read.outputOption('FILE'),
  columns: read.text('A,B,…', 'of CSV and XLSX, in this order (default: all)'),
  separator: read.text(namesOf(separators).join('|'), 'of CSV (default comma)'),
  'decimal-mark': read.text(namesOf(marks).join('|'), 'of CSV and PDF (default point)'),
  closing: read.flag('export the close of the period instead: invoices against the chain'),
  force: read.flag('write over FILE'),
  amount: read.text('AMOUNT', 'create: in whole units, such as 12.5'),
  lifetime: read.text('TIME', 'create: such as 30m, 12h or 7d (default 1d)'),
  description: read.text('TEXT', 'create: what only you see'),
  file: read.text('CSV', 'create: an invoice a line: amount, currency, description, lifetime'),
  draft: read.text('ID', 'create: go on with this draft'),
  'skip-invalid': read.flag('create: leave out lines that cannot be issued'),
  filter: read.flag('cancel: all pending ones that the options above name'),
  full: read.flag('reconcile: read everything anew'),
  yes: read.yesOption('do it without asking'),
  json: read.jsonOption,
}
