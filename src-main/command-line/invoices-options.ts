import { resolve } from 'node:path'
import {
  type InvoiceColumn,
  type InvoiceExportFormat,
  invoiceColumn,
  invoiceExportFormat,
} from '../../src-preload/contract/invoice-export.ts'
import {
  type InvoiceCurrency,
  type InvoiceFilter,
  invoiceCurrency,
  invoiceFilter,
} from '../../src-preload/contract/invoice.ts'
import { type CommandOption, type Invocation, usageError } from './command.ts'
import { networkOption } from './network-session.ts'
import { readMoment, readSeconds, readZone } from './zone-moment.ts'

const actions = ['export', 'list', 'show', 'create', 'cancel', 'reconcile'] as const
export type InvoicesAction = (typeof actions)[number]

const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
})
const flag = (description: string): CommandOption => ({ type: 'boolean', description })

export const invoicesOptions = {
  network: {
    ...networkOption,
    description: `${networkOption.description} (default: the chosen one)`,
  },
  from: text('WHEN', 'from this day or moment on'),
  to: text('WHEN', 'up to the end of this day, or to this moment'),
  by: text('created|ended|expires', 'what the period is of (default created)'),
  zone: text('ZONE', 'of days and of printed times, such as Europe/Berlin (default UTC)'),
  status: text('STATUS', 'pending, paid, cancelled or expired; several with commas'),
  currency: text('TON|USDT', 'of this currency only; of what is created'),
  overpaid: flag('only what was overpaid'),
  attention: flag('only what needs a decision'),
  text: text('WORDS', 'in the id, the description, the payer'),
  limit: text('N', 'list: at most so many (default 100; 0 for all)'),
  format: text('csv|jsonl|xlsx|pdf', 'of an export (default: as FILE ends, else csv)'),
  output: { type: 'string', short: 'o', value: 'FILE', description: 'export to this file' },
  columns: text('A,B,…', 'of CSV and XLSX, in this order (default: all)'),
  separator: text('comma|semicolon|tab', 'of CSV (default comma)'),
  'decimal-mark': text('point|comma', 'of CSV and PDF (default point)'),
  closing: flag('export the close of the period instead: invoices against the chain'),
  force: flag('write over FILE'),
  amount: text('AMOUNT', 'create: in whole units, such as 12.5'),
  lifetime: text('TIME', 'create: such as 30m, 12h or 7d (default 1d)'),
  description: text('TEXT', 'create: what only you see'),
  file: text('CSV', 'create: an invoice a line: amount, currency, description, lifetime'),
  draft: text('ID', 'create: go on with this draft'),
  'skip-invalid': flag('create: leave out lines that cannot be issued'),
  filter: flag('cancel: all pending ones that the options above name'),
  full: flag('reconcile: read everything anew'),
  yes: { type: 'boolean', short: 'y', description: 'do it without asking' },
  json: flag('print a JSON object a line'),
} as const satisfies Readonly<Record<string, CommandOption>>

type OptionName = keyof typeof invoicesOptions

const filters = [
  'from',
  'to',
  'by',
  'zone',
  'status',
  'currency',
  'overpaid',
  'attention',
  'text',
] as const
const everywhere = ['network', 'json'] as const
const taken: Readonly<Record<InvoicesAction, readonly OptionName[]>> = {
  // prettier-ignore
  export: [...filters, 'format', 'output', 'columns', 'separator', 'decimal-mark', 'closing', 'force'],
  list: [...filters, 'limit'],
  show: ['zone'],
  // prettier-ignore
  create: ['amount', 'currency', 'lifetime', 'description', 'file', 'draft', 'skip-invalid', 'yes'],
  cancel: [...filters, 'filter', 'yes'],
  reconcile: ['full'],
}

export type AskedInvoices = {
  readonly action: InvoicesAction
  /** Null for the one that is chosen in the app. */
  readonly network: string | null
  readonly json: boolean
  readonly yes: boolean
  readonly zone: string
  readonly filter: InvoiceFilter
  /** Of `show` and `cancel`. */
  readonly ids: readonly string[]
  readonly limit: number
  readonly full: boolean
}

type Options = Invocation['options']

/** What any of them takes. @throws AppError USAGE */
export function readInvoices({ options, positionals }: Invocation): AskedInvoices {
  const [typed = '', ...ids] = positionals
  const action = actions.find((each) => each === typed)
  if (action === undefined) {
    throw usageError(`\`tondesk invoices\` knows ${actions.join(', ')}, not "${typed}".`)
  }
  const known: readonly string[] = [...taken[action], ...everywhere]
  const strange = Object.keys(options).find(
    (name) => options[name] !== undefined && !known.includes(name),
  )
  if (strange !== undefined) {
    throw usageError(
      `\`tondesk invoices ${action}\` takes no --${strange}. See \`tondesk invoices --help\`.`,
    )
  }
  const byFilter = options['filter'] === true
  checkIds(action, ids, byFilter)
  const zone = readZone(read(options, 'zone') ?? 'UTC')
  const filter = readFilter(options, zone)
  if (byFilter && isEverything(filter)) {
    throw usageError('--filter needs an option that narrows it, such as --to 2026-01-31 or --text.')
  }
  return {
    action,
    network: read(options, 'network') ?? null,
    json: options['json'] === true,
    yes: options['yes'] === true,
    full: options['full'] === true,
    limit: readLimit(read(options, 'limit') ?? '100'),
    ...{ zone, filter, ids },
  }
}

function checkIds(action: InvoicesAction, ids: readonly string[], byFilter: boolean): void {
  const [extra] = ids
  if (action === 'show' && ids.length !== 1) {
    throw usageError('`tondesk invoices show` needs the ID of one invoice.')
  }
  if (action === 'cancel' && (ids.length === 0) !== byFilter) {
    throw usageError('`tondesk invoices cancel` needs IDs, or --filter, and not both.')
  }
  if (action !== 'show' && action !== 'cancel' && extra !== undefined) {
    throw usageError(`"${extra}" is too much for \`tondesk invoices ${action}\`.`)
  }
}

function read(options: Options, name: OptionName): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

function readFilter(options: Options, zone: string): InvoiceFilter {
  const from = read(options, 'from')
  const to = read(options, 'to')
  const by = oneOf(read(options, 'by') ?? 'created', ['created', 'ended', 'expires'], 'by')
  const period = {
    by,
    from: from === undefined ? null : readMoment(from, zone, 'from', false),
    to: to === undefined ? null : readMoment(to, zone, 'to', true),
  }
  const currency = readCurrency(options)
  const filter = invoiceFilter.safeParse({
    statuses: (read(options, 'status') ?? '').split(',').filter((each) => each !== ''),
    currencies: currency === undefined ? [] : [currency],
    period: from === undefined && to === undefined ? null : period,
    overpaid: options['overpaid'] === true,
    matter: options['attention'] === true ? 'any' : null,
    text: read(options, 'text') ?? '',
  })
  if (filter.success) return filter.data
  throw usageError('--status and --text are too long.')
}

function isEverything(filter: InvoiceFilter): boolean {
  return JSON.stringify(filter) === JSON.stringify(invoiceFilter.parse({}))
}

function readCurrency(options: Options): InvoiceCurrency | undefined {
  const typed = read(options, 'currency')
  if (typed === undefined) return undefined
  const currency = invoiceCurrency.safeParse(typed.toUpperCase())
  if (currency.success) return currency.data
  throw usageError(`--currency is TON or USDT, not "${typed}".`)
}

function readLimit(typed: string): number {
  if (/^\d{1,7}$/.test(typed)) return Number(typed)
  throw usageError(`--limit takes a number, not "${typed}".`)
}

function oneOf<T extends string>(typed: string, known: readonly T[], option: OptionName): T {
  const found = known.find((each) => each === typed)
  if (found !== undefined) return found
  throw usageError(`--${option} is ${known.join(' or ')}, not "${typed}".`)
}

export type AskedExport = {
  readonly format: InvoiceExportFormat
  /** Absolute; null for standard output. */
  readonly output: string | null
  readonly force: boolean
  readonly closing: boolean
  readonly columns: readonly InvoiceColumn[]
  readonly separator: ',' | ';' | '\t'
  readonly decimalMark: '.' | ','
}

const separators = { comma: ',', semicolon: ';', tab: '\t' } as const
const marks = { point: '.', comma: ',' } as const

/** @throws AppError USAGE */
export function readExport({ options }: Invocation, { filter }: AskedInvoices): AskedExport {
  const named = read(options, 'output')
  const output = named === undefined ? null : resolve(named)
  const ending = /\.(\w+)$/.exec(output ?? '')?.[1]?.toLowerCase()
  const format = invoiceExportFormat.safeParse(read(options, 'format') ?? ending)
  if (!format.success && options['format'] !== undefined) {
    throw usageError(`--format is csv, jsonl, xlsx or pdf, not "${String(options['format'])}".`)
  }
  const isText = format.data !== 'xlsx' && format.data !== 'pdf'
  if (!isText && output === null) {
    throw usageError('This cannot be printed: name a file for it with -o.')
  }
  if (options['json'] === true && output === null) {
    throw usageError('The rows are what is printed here: --json needs a file, -o FILE.')
  }
  const closing = options['closing'] === true
  const { from = null, to = null } = filter.period ?? {}
  if (closing && (from === null || to === null)) {
    throw usageError('--closing needs a period: --from and --to.')
  }
  const separator = read(options, 'separator') ?? 'comma'
  const mark = read(options, 'decimal-mark') ?? 'point'
  return {
    format: format.data ?? 'csv',
    ...{ output, closing, force: options['force'] === true },
    columns: readColumns(read(options, 'columns')),
    separator: separators[oneOf(separator, ['comma', 'semicolon', 'tab'], 'separator')],
    decimalMark: marks[oneOf(mark, ['point', 'comma'], 'decimal-mark')],
  }
}

function readColumns(typed: string | undefined): InvoiceColumn[] {
  return (typed ?? '')
    .split(',')
    .filter((name) => name !== '')
    .map((name) => {
      const column = invoiceColumn.safeParse(name)
      if (column.success) return column.data
      throw usageError(`--columns knows ${invoiceColumn.options.join(', ')}, not "${name}".`)
    })
}

export type AskedCreate =
  | { readonly kind: 'draft'; readonly id: string }
  | {
      readonly kind: 'file'
      /** Absolute; null for standard input. */
      readonly path: string | null
      readonly currency: InvoiceCurrency
      readonly lifeTimeSeconds: number
    }
  | {
      readonly kind: 'one'
      readonly amount: string
      readonly currency: InvoiceCurrency
      readonly lifeTimeSeconds: number
      readonly description: string
    }

/** @throws AppError USAGE */
export function readCreate({ options }: Invocation): AskedCreate {
  const [id, path, amount] = [
    read(options, 'draft'),
    read(options, 'file'),
    read(options, 'amount'),
  ]
  const given = [id, path, amount].filter((each) => each !== undefined)
  if (given.length !== 1) {
    throw usageError('`tondesk invoices create` needs one of --amount, --file and --draft.')
  }
  if (id !== undefined) return { kind: 'draft', id }
  const currency = readCurrency(options)
  const lifeTimeSeconds = readSeconds(read(options, 'lifetime') ?? '1d', 'lifetime')
  if (path !== undefined) {
    const file = path === '-' ? null : resolve(path)
    return { kind: 'file', path: file, currency: currency ?? 'TON', lifeTimeSeconds }
  }
  if (currency === undefined) throw usageError('--amount needs --currency TON or --currency USDT.')
  const description = read(options, 'description') ?? ''
  return { kind: 'one', amount: amount ?? '', currency, lifeTimeSeconds, description }
}
