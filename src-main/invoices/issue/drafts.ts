/** Creates drafts of invoices from a form, or from a CSV file with or without a header. */
import { randomUUID } from 'node:crypto'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { IssueDraft } from '../../../src-preload/contract/invoice-job.ts'
import { AppError, invoiceJobCodes } from '../../../src-preload/domain/app-error.ts'
import { restOf } from '../../../src-preload/contract/invoice-money.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { DraftLine, NewDraft } from '../store/invoice-drafts.ts'
import type { InvoiceWorkDeps } from '../jobs/issue-work.ts'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import {
  issueLimits,
  maxIssuedInvoices,
  maxOrderReference,
} from '../../../src-preload/domain/invoice-values.ts'
import {
  type AmountContext,
  type MarkReading,
  stripMarks,
  currencyOf,
  decimalMarkOf,
  digitsProblem,
  readAmount,
} from '../../../src-preload/domain/written-amount.ts'
import { unguardCell } from '../../exports/formula-safe.ts'
import { readTable, tableWord } from '../../exports/read-table.ts'
import headings from './headings.json' with { type: 'json' }
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'
import { parseSpan } from '../../../src-preload/domain/time-span.ts'
import { coinName, formatMoney } from '../../../src-preload/domain/amount.ts'

type DraftRoute = `invoiceIssue.${'draft' | 'draftFile' | 'lines' | 'drafts' | 'discard'}`

/** The limit per network, because closed windows leave their drafts behind. */
const maxDrafts = 50

export function createDrafts({ access, ledger, store, now }: InvoiceWorkDeps) {
  const { drafts } = store

  /** Amounts of invoices that count together must add up, so only the exact rest can be requested. */
  function whyNoRest(network: NetworkId, id: string, line: DraftLine): string | null {
    const stored = ledger.find(network, id)
    const [invoice] = stored === null ? [] : ledger.view(network, [stored])
    const rest = invoice === undefined ? 0n : restOf(invoice)
    if (invoice === undefined || rest === 0n) return `Invoice ${id} has no rest to request.`
    if (rest === line.amount && invoice.currency === line.currency) return null
    return `The rest of invoice ${id} is ${formatMoney(rest, invoice.currency)}. Enter this amount.`
  }

  /** @throws AppError INVOICE_DRAFT_UNKNOWN */
  function find(id: string): IssueDraft {
    const draft = drafts.get(id)
    if (draft !== null) return draft
    throw new AppError(
      invoiceJobCodes.draftUnknown,
      'This draft no longer exists. It may have been discarded. Enter the invoices again.',
    )
  }

  function keep(draft: NewDraft): IssueDraft {
    drafts.put(draft, maxDrafts)
    return find(draft.id)
  }

  const handlers: Pick<Handlers, DraftRoute> = {
    'invoiceIssue.draft'({ network, id, lines: typed }) {
      access.info(network)
      const before = id === null ? null : drafts.get(id)
      if (before !== null) refuseIssued(before)
      // A draft of another network counts as unknown, so `find` throws.
      if (before !== null && before.network !== network) find('')
      const lines = typed.map(({ lifeTimeSeconds, ...line }, index) => {
        const lifeTime = checkLifeTime(lifeTimeSeconds)
        const read = readLine({ ...line, line: index + 1, text: line.amount, lifeTime }, null)
        const why = line.restOf === null ? null : whyNoRest(network, line.restOf, read)
        return { ...read, problem: joinSentences(read.problem, why) }
      })
      const createdAt = before?.createdAt ?? now()
      const draft = { id: id ?? randomUUID(), network, createdAt, beyond: 0, remarks: [] }
      return keep({ ...draft, lines: warnOfTwins(lines) })
    },
    'invoiceIssue.draftFile'({ network, text, ...options }) {
      access.info(network)
      const read = readInvoiceFile(text, options)
      return keep({ id: randomUUID(), network, createdAt: now(), ...read })
    },
    'invoiceIssue.lines'({ draft, onlyInvalid, offset, limit }) {
      find(draft)
      return drafts.lines(draft, onlyInvalid, offset, limit)
    },
    'invoiceIssue.drafts': ({ network }) => drafts.list(network),
    'invoiceIssue.discard'({ draft: id }) {
      const draft = drafts.get(id)
      if (draft !== null) refuseIssued(draft)
      drafts.remove(id)
      return {}
    },
  }
  return { find, handlers }
}

function refuseIssued({ job }: IssueDraft): void {
  if (job === null) return
  const message = `This draft was already issued as job ${job}. Start a new draft.`
  throw new AppError(invoiceJobCodes.draftIssued, message)
}

const columnNames = ['amount', 'currency', 'description', 'lifetime', 'order'] as const
type Column = (typeof columnNames)[number]
type Columns = Readonly<Record<Column, number>>

const withoutHeader: Columns = { amount: 0, currency: 1, description: 2, lifetime: 3, order: -1 }
export const invoiceHeaders: Readonly<Record<string, Column>> = lookupTable(
  Object.fromEntries(columnNames.flatMap((name) => headings[name].map((word) => [word, name]))),
)
const delimiterNames = new Map([
  [',', 'commas'],
  [';', 'semicolons'],
  ['\t', 'tabs'],
])

export function readInvoiceFile(
  csv: string,
  usual: {
    readonly currency: InvoiceCurrency
    readonly lifeTimeSeconds: number
    readonly comma?: MarkReading
  },
  limit = maxIssuedInvoices,
) {
  const { rows, delimiter } = readTable(csv, scoreRow)
  const [first] = rows
  const header = first === undefined ? null : readHeader(first.cells)
  const columns = header ?? withoutHeader
  const body = header === null ? rows : rows.slice(1)
  const read = body.slice(0, limit)
  const cellOf = (cells: readonly string[], column: Column) =>
    unguardCell(cells[columns[column]] ?? '').replace(/^ +| +$/g, '')
  const decimalMark = decimalMarkOf(read.map(({ cells }) => cellOf(cells, 'amount')))
  const lines = read.map(({ line, cells, isUnclosed }) => {
    const cell = (column: Column) => cellOf(cells, column)
    const lifeTime = readLifeTime(cell('lifetime'), usual.lifeTimeSeconds)
    const [amount, currency] = [cell('amount'), cell('currency')]
    const texts = { description: cell('description'), orderReference: cell('order') }
    const problem = isUnclosed ? openQuote : undefined
    const given = { amount, currency, lifeTime, ...texts, problem }
    const place = { line, text: cells.join(', ') }
    const context = { meaning: usual.comma ?? 'ask', decimalMark }
    return readLine({ ...place, ...given }, usual.currency, context)
  })
  const beyond = Math.max(0, body.length - limit)
  return {
    lines: warnOfTwins(lines),
    beyond,
    remarks: [
      ...(first === undefined ? [] : [columnRemark(header, first.cells)]),
      ...(first !== undefined && first.cells.length > 1 && delimiter !== ','
        ? [`Separator: ${delimiterNames.get(delimiter) ?? `“${delimiter}”`}.`]
        : []),
      ...(beyond > 0 ? [beyondRemark(beyond, limit)] : []),
    ],
  }
}

const openQuote = 'The closing quotation mark is missing.'

/** Scores how well a row parses: the second half of a split fraction is not a currency. */
function scoreRow(cells: readonly string[]): number {
  const named = cells.filter((cell) => columnOf(cell) !== undefined).length
  const [amount = '', currency] = cells.map((cell) => unguardCell(cell.trim()))
  const isAmount = readAmount(amount, null, 'TON', { meaning: 'fraction' }).amount !== null
  const second = currency === undefined || currency === '' ? 0 : currencyOf(currency) ? 1 : -1
  const bySecond = isAmount ? second : 0
  const others = cells.filter((cell) => currencyOf(cell) !== null).length
  return named + (isAmount ? 1 : 0) + bySecond + others
}

const columnOf = (cell: string): Column | undefined => invoiceHeaders[tableWord(cell)]

function readHeader(cells: readonly string[]): Columns | null {
  const found = cells.map(columnOf)
  const [amount, currency] = [found.indexOf('amount'), found.indexOf('currency')]
  const [description, lifetime] = [found.indexOf('description'), found.indexOf('lifetime')]
  const order = found.indexOf('order')
  return amount === -1 ? null : { amount, currency, description, lifetime, order }
}

function beyondRemark(beyond: number, most: number): string {
  const [lines, are] = beyond === 1 ? ['line', 'is'] : ['lines', 'are']
  return `${beyond.toLocaleString('en')} ${lines} beyond the limit of ${most.toLocaleString('en')} ${are} ignored.`
}

function columnRemark(header: Columns | null, cells: readonly string[]): string {
  if (header === null) {
    return 'The file has no header. Expected columns: amount, currency, description, lifetime.'
  }
  const used = new Set(Object.values(header))
  const named = (isUsed: boolean) =>
    cells
      .filter((cell, index) => used.has(index) === isUsed && cell.trim() !== '')
      .map((cell) => cell.trim().slice(0, 40))
  const left = named(false)
  const taken = `Columns used: ${named(true).join(', ')}.`
  return left.length === 0 ? taken : `${taken} Columns ignored: ${left.slice(0, 10).join(', ')}.`
}

const longestKept = 1000
const direction = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** Control characters except tab and line breaks. */
const control = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

export function readDescription(given: string) {
  // A lone surrogate cannot be sent, because the gateway would store a different text.
  const text = given.toWellFormed()
  // The service counts code points. Only the beginning is split, because the text may have megabytes.
  const max = issueLimits.descriptionCharacters
  const isLong = text.length > 2 * max || Array.from(text).length > max
  const problem = isLong
    ? `The description has ${Array.from(text).length.toLocaleString('en')} characters; at most ${max} are allowed.`
    : text.includes('\0')
      ? 'The description contains a NUL character, which the gateway does not store.'
      : null
  const warning = direction.test(text)
    ? 'The description contains invisible characters that change the direction of text.'
    : control.test(text)
      ? 'The description contains invisible control characters.'
      : text.includes('\ufffd')
        ? 'Some characters of the description could not be read.'
        : null
  return { text: text.slice(0, longestKept).toWellFormed(), problem, warning }
}

const longestShown = 200

type GivenLine = {
  readonly line: number
  readonly text: string
  readonly amount: string
  readonly currency: string
  readonly lifeTime: ReadLifeTime
  readonly description: string
  readonly orderReference: string
  readonly restOf?: string | null
  readonly problem?: string | undefined
}

function readLine(
  given: GivenLine,
  usual: InvoiceCurrency | null,
  context: AmountContext = {},
): DraftLine {
  const chosen = currencyOf(given.currency)
  const isUnknown = chosen === null && stripMarks(given.currency) !== ''
  const fallback = isUnknown ? null : usual
  const { amount, currency, ...read } = readAmount(given.amount, chosen, fallback, context)
  const description = readDescription(given.description)
  const unknown = isUnknown
    ? `“${given.currency.slice(0, 40)}” is not ${coinName()} or USDT.`
    : null
  const orderReference = given.orderReference.toWellFormed().trim()
  const longReference =
    orderReference.length > maxOrderReference
      ? `The order reference has ${orderReference.length.toLocaleString('en')} characters; at most ${maxOrderReference} are allowed.`
      : null
  const problems = [given.problem, unknown ?? read.problem, given.lifeTime.problem]
  return {
    line: given.line,
    text: given.text.slice(0, longestShown).toWellFormed(),
    currency: isUnknown ? null : currency,
    amount: isUnknown ? null : amount,
    lifeTimeSeconds: given.lifeTime.seconds,
    description: description.text,
    orderReference: orderReference.slice(0, maxOrderReference),
    restOf: given.restOf ?? null,
    problem: joinSentences(...problems, description.problem, longReference),
    warning: joinSentences(read.warning, description.warning),
  }
}

function joinSentences(...sentences: readonly (string | null | undefined)[]): string | null {
  const present = sentences.flatMap((sentence) => sentence ?? [])
  return present.length === 0 ? null : present.join(' ')
}

function warnOfTwins(lines: readonly DraftLine[]): DraftLine[] {
  const seen = new Map<string, number>()
  return lines.map((line) => {
    if (line.problem !== null) return line
    const { currency, amount, lifeTimeSeconds, description } = line
    const key = [currency, amount, lifeTimeSeconds, description].join('\n')
    const before = seen.get(key)
    if (before === undefined) {
      seen.set(key, line.line)
      return line
    }
    return { ...line, warning: joinSentences(line.warning, `Same as line ${before}.`) }
  })
}

type ReadLifeTime = { readonly seconds: number | null; readonly problem: string | null }

const tooShort = 'The lifetime must be at least one second.'
const longestDays = issueLimits.longestSeconds / 86_400

function checkLifeTime(seconds: number): ReadLifeTime {
  const isLong = seconds > issueLimits.longestSeconds
  const problem = isLong ? `The lifetime must be at most ${longestDays} days.` : null
  return { seconds, problem: seconds < 1 ? tooShort : problem }
}

/** Parses a time span to whole seconds. An empty text means `usual`. */
export function readLifeTime(text: string, usual: number): ReadLifeTime {
  const said = stripMarks(text).toLowerCase()
  if (said === '') return checkLifeTime(usual)
  const unreadable = digitsProblem(said)
  if (unreadable !== null) return { seconds: null, problem: unreadable }
  if (/^[-−]/.test(said)) return { seconds: null, problem: tooShort }
  const ms = parseSpan(said)
  return ms === null || ms % 1000 !== 0 ? unknown(said) : check(ms / 1000)
}

function check(seconds: number): ReadLifeTime {
  const { problem } = checkLifeTime(seconds)
  return { seconds: seconds <= 1e9 ? seconds : null, problem }
}

function unknown(said: string): ReadLifeTime {
  const shown = said.length > 40 ? `${said.slice(0, 40)}…` : said
  const problem = `“${shown}” is not a lifetime. Enter seconds, or a time such as 30m, 1h or 7d.`
  return { seconds: null, problem }
}
