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
  orderReference,
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
  'set-order': [...everywhere, 'zone', 'order'],
  // prettier-ignore
  create: [...everywhere, 'amount', 'currency', 'lifetime', 'description', 'order', 'file', 'draft', 'skip-invalid', 'yes'],
  cancel: [...filterOptions, 'filter', 'yes'],
  reconcile: [...everywhere, 'full'],
}

const periods = ['created', 'ended', 'expires'] as const
const separators = { comma: ',', semicolon: ';', tab: '\t' } as const
const marks = { point: '.', comma: ',' } as const
const namesOf = <T extends object>(choices: T) => Object.keys(choices) as (keyof T & string)[]

export type RequestedInvoices = ReturnType<typeof readInvoices>

export function readInvoices(invocation: Invocation) {
  const { options } = invocation
  const { action, rest: ids } = read.readAction('invoices', taken, invocation)
  const byFilter = options['filter'] === true
  const [extra] = ids
  const command = `\`tondesk invoices ${action}\``
  if (action === 'show' || action === 'set-order') {
    assertUsage(ids.length === 1, `${command} needs the ID of one invoice.`)
  } else if (action === 'cancel') {
    const isOne = (ids.length === 0) === byFilter
    assertUsage(isOne, `${command} needs either IDs or --filter.`)
  } else assertUsage(extra === undefined, `"${extra ?? ''}" is an extra argument of ${command}.`)
  const zone = read.readZone(read.readText(invocation, 'zone') ?? 'UTC')
  const filter = readFilter(invocation, zone)
  const narrows = !isDeepStrictEqual(filter, invoiceFilter.parse({}))
  const message = '--filter needs a filter option, such as --to 2026-01-31 or --text.'
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
    : readField(invoiceCurrency, typed.toUpperCase().replace('GRAM', 'TON'), 'currency')
}

const readList = (invocation: Invocation, name: string): string[] =>
  (read.readText(invocation, name) ?? '').split(',').filter((each) => each !== '')

export function readExport(invocation: Invocation, { filter }: RequestedInvoices) {
  const { options } = invocation
  const output = read.readOutput(invocation)
  const format = read.readFormat(invocation, invoiceExportFormat.options, output, 'csv')
  if (output === null) {
    const isPrintable = format !== 'xlsx' && format !== 'pdf'
    assertUsage(isPrintable, 'This format needs a file: add -o FILE.')
    const message =
      'Without a file, the rows are written to standard output. To use --json, add -o FILE.'
    assertUsage(options['json'] !== true, message)
  }
  const reconciliation = options['closing'] === true
  const { from = null, to = null } = filter.period ?? {}
  const hasPeriod = from !== null && to !== null
  assertUsage(!reconciliation || hasPeriod, '--closing needs a period: --from and --to.')
  const separator = read.readChoice(invocation, 'separator', namesOf(separators), 'comma')
  const mark = read.readChoice(invocation, 'decimal-mark', namesOf(marks), 'point')
  const columns = readColumns(invocation)
  const given = { format, ...columns, separator: separators[separator], decimalMark: marks[mark] }
  const optionOf = { names: 'columns' }
  return {
    ...readInput(invoiceExportOptions, invocation, given, optionOf),
    output,
    closing: reconciliation,
  }
}

/** Parses the list of columns, in which `id,amount=Net amount` renames the second column. */
function readColumns(invocation: Invocation) {
  const typed = readList(invocation, 'columns').map((each) => each.split(/=(.*)/s))
  const named = typed.flatMap(([column = '', name]) => (name === undefined ? [] : [[column, name]]))
  return {
    columns: typed.map(([column = '']) => column),
    names: Object.fromEntries(named) as Record<string, string>,
  }
}

/** @throws AppError USAGE without `--order`; an empty text removes the reference */
export const readReference = (invocation: Invocation): string =>
  readField(orderReference, read.readText(invocation, 'order'), 'order')

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
  assertUsage(currency !== undefined, '--amount needs --currency TON (or GRAM) or --currency USDT.')
  const description = read.readText(invocation, 'description') ?? ''
  const orderReference = read.readText(invocation, 'order') ?? ''
  const line = { amount: amount ?? '', currency, lifeTimeSeconds, description, orderReference }
  return { kind: 'one', line } as const
}

export const invoicesOptions: CommandOptions = {
  network: read.text('NETWORK', `${read.networkOption.description} (default: the selected one)`),
  from: read.text('WHEN', 'start of the period: a day, or a day and time'),
  to: read.text('WHEN', 'end of the period: a day (included), or a day and time'),
  by: read.text(periods.join('|'), 'apply the period to this time of an invoice (default created)'),
  zone: field(
    invoiceExportOptions.shape.zone,
    'time zone of all days and times, such as Europe/Berlin',
    'ZONE',
  ),
  status: read.text('STATUS', 'pending, paid, cancelled or expired; separate several with commas'),
  currency: field(invoiceCurrency, 'only this currency; create: currency of the invoice'),
  overpaid: field(invoiceFilter.shape.overpaid, 'only overpaid invoices'),
  attention: read.flag('only invoices that need a decision'),
  text: read.text(
    'WORDS',
    'only invoices with this text in id, description, order reference or payer',
  ),
  limit: read.text('N', 'list: maximum number of invoices (default 100; 0 for all)'),
  format: field(
    invoiceExportFormat,
    'export: file format (default: by the extension of FILE, else csv)',
  ),
  output: read.outputOption('FILE'),
  columns: read.text(
    'A,B=NAME,…',
    'export: columns of CSV and XLSX, in this order and with these names (default: all)',
  ),
  separator: read.text(namesOf(separators).join('|'), 'export: separator of CSV (default comma)'),
  'decimal-mark': read.text(
    namesOf(marks).join('|'),
    'export: decimal mark of CSV and PDF (default point)',
  ),
  closing: read.flag('export: write the reconciliation report of the period instead'),
  force: read.flag('overwrite FILE'),
  amount: read.text('AMOUNT', 'create: amount in whole units, such as 12.5'),
  lifetime: read.text('TIME', 'create: lifetime such as 30m, 12h or 7d (default 1d)'),
  description: read.text('TEXT', 'create: description that only you see'),
  order: read.text(
    'TEXT',
    'create, set-order: your own order reference, which the gateway never sees',
  ),
  file: read.text(
    'CSV',
    'create: file with one invoice per line: amount, currency, description, lifetime',
  ),
  draft: read.text('ID', 'create: continue the draft with this ID'),
  'skip-invalid': read.flag('create: skip invalid lines'),
  filter: read.flag('cancel: cancel all pending invoices that match the options above'),
  full: read.flag('reconcile: read all data again, not only what is new'),
  yes: read.yesOption('do not ask for confirmation'),
  json: read.jsonOption,
}
