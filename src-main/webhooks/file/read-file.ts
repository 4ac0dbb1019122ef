import type { SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { decodeTextFile } from '../../../src-preload/domain/text-file.ts'
import { readTable, tableWord } from '../../exports/read-table.ts'
import {
  type WantedFile,
  type WantedWebhook,
  type WebhookCollector,
  createCollector,
  csvColumns as columns,
  csvNone as none,
  fileProblem,
  yamlVersion as version,
} from './collect.ts'
import { slicesOf } from '../../database/pages.ts'
import { unguardCell } from '../../exports/formula-safe.ts'
import { CST, isMap, isNode, Lexer, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'

export function readCsv(csv: string, testOnly: boolean, limit?: number): WantedFile {
  const { rows } = readTable(csv, (cells) => cells.filter(isExpected).length)
  const [first] = rows
  if (first === undefined) throw fileProblem('The file is empty.')
  const unclosed = rows.find(({ isUnclosed }) => isUnclosed)
  if (unclosed !== undefined) {
    throw fileProblem('The closing quotation mark is missing.', { line: unclosed.line })
  }
  const header = readHeader(first.cells)
  const names: readonly string[] = header ?? columns
  const collector = createCollector(testOnly, limit)
  const values = new Map<WebhookCollector, Map<string, boolean>>()
  for (const { line, cells } of header === null ? rows : rows.slice(1)) {
    const cell = (column: (typeof columns)[number]) =>
      unguardCell(cells[names.indexOf(column)]?.trim() ?? '').trim()
    const place = { line }
    const id = cell('id')
    const webhook = collector.webhook(cell('endpoint'), id === '' ? null : id, place, true)
    const kind = tableWord(cell('kind'))
    const value = cell('value')
    if (kind === 'account' || kind === 'opcode') {
      webhook.mention(`${kind}s`)
      const said = values.get(webhook) ?? new Map<string, boolean>()
      values.set(webhook, said)
      const isNone = value.toLowerCase() === none
      if ((said.get(kind) ?? isNone) !== isNone) {
        throw fileProblem(
          `The file both lists ${kind}s for this webhook and says that it has none.`,
          place,
        )
      }
      said.set(kind, isNone)
      if (isNone) continue
      const label = cell('label')
      if (kind === 'account') webhook.account(value, label === '' ? null : label, place)
      else webhook.opcode(value, place)
    } else if (kind === 'new_contracts' || kind === 'mempool') {
      webhook.flag(kind === 'mempool' ? kind : 'newContracts', value.toLowerCase(), place)
    } else if (kind !== '' || value !== '') {
      const known = 'account, opcode, new_contracts or mempool'
      throw fileProblem(`"${kind.slice(0, 80)}" is not a valid kind. Use ${known}.`, place)
    }
  }
  return collector.end(null)
}

const expected: readonly string[] = [...columns, 'account', 'opcode', 'new_contracts', 'mempool']

/** The name of a column, or a kind of subscription. */
const isExpected = (cell: string): boolean => expected.includes(tableWord(unguardCell(cell.trim())))

function readHeader(cells: readonly string[]): string[] | null {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  if (!names.includes('endpoint')) return null
  for (const column of ['kind', 'value'] as const) {
    if (names.includes(column)) continue
    throw fileProblem(`The file has no column "${column}".`, { line: 1 })
  }
  return names
}

/** @throws AppError PLAN_FILE_INVALID */
export function readFile(
  pieces: readonly Uint8Array[],
  format: SubscriptionsFormat,
  testOnly: boolean,
): WantedFile {
  const text = decode(pieces)
  return format === 'yaml' ? readYaml(text, testOnly) : readCsv(text, testOnly)
}

function decode(pieces: readonly Uint8Array[]): string {
  try {
    return decodeTextFile(pieces)
  } catch (error) {
    throw error instanceof AppError ? fileProblem(error.message) : error
  }
}

export type FileQuestion = {
  readonly pieces: readonly Uint8Array[]
  readonly format: SubscriptionsFormat
  readonly testOnly: boolean
}

export type FileReports = {
  readonly webhook: (webhook: WantedWebhook) => void
  readonly more: (lists: Pick<WantedWebhook, 'accounts' | 'faults'>) => void
}

/** The limit of a report's size, because the main thread receives each report at once. */
const entriesAtOnce = 1000

export function reportFile(
  { pieces, format, testOnly }: FileQuestion,
  { webhook: report, more }: FileReports,
) {
  const { network, webhooks } = readFile(pieces, format, testOnly)
  for (const { accounts, faults, ...webhook } of webhooks) {
    report({ ...webhook, accounts: accounts === null ? null : [], faults: [] })
    for (const slice of slicesOf(accounts ?? [], entriesAtOnce)) {
      more({ accounts: slice, faults: [] })
    }
    for (const slice of slicesOf(faults, entriesAtOnce)) more({ accounts: null, faults: slice })
  }
  return { network }
}

function text(missing = '') {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? missing : 'This value must be plain text.'
  return z.string({ error }).trim()
}

function list<T extends z.ZodType>(item: T) {
  const error = 'This must be a list. Write [] for none, or omit the key to change nothing.'
  return z.array(item, { error }).optional()
}

function map<S extends z.core.$ZodLooseShape>(what: string, shape: S) {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `"${String(issue.keys[0]).slice(0, 80)}" is not a valid key here. The valid keys are ${known}.`
        : `${what} must have keys and values.`,
  })
}

const account = map('An account that is not plain text', {
  address: text('The account has no address.'),
  label: text().optional(),
})
const subscriptions = map('A subscriptions file', {
  version: z.literal(version, {
    error: ({ input }) =>
      input === undefined
        ? `The line "version: ${version}" is missing.`
        : `The file has version ${typeof input === 'string' ? input.slice(0, 20) : '?'}, but version ${version} is required.`,
  }),
  network: text().optional(),
  webhooks: list(
    map('A webhook', {
      endpoint: text('The webhook has no endpoint.'),
      id: text().optional(),
      new_contracts: text().optional(),
      mempool: text().optional(),
      opcodes: list(text()),
      accounts: list(
        z.preprocess((entry) => (typeof entry === 'string' ? { address: entry } : entry), account),
      ),
    }),
  ),
})

type Path = readonly PropertyKey[]

/** Parses YAML; anything undocumented is an error with its line and column. */
export function readYaml(source: string, testOnly: boolean): WantedFile {
  if (source.trim() === '') throw fileProblem('The file is empty.')
  refuseAnchors(source)
  const lines = new LineCounter()
  const placeAt = (offset: number) => {
    const { line, col: column } = lines.linePos(offset)
    return { line, column }
  }
  const { document, content } = parse(source, lines)
  const [error] = document.errors
  if (error !== undefined) {
    throw fileProblem(describeError(error.code, error.message), placeAt(error.pos[0]))
  }
  const nodeAt = (path: Path) =>
    path.length === 0 ? document.contents : document.getIn(path, true)
  function placeOf(path: Path): { line: number; column: number } {
    const node = nodeAt(path)
    if (isNode(node) && node.range) return placeAt(node.range[0])
    return path.length === 0 ? { line: 1, column: 1 } : placeOf(path.slice(0, -1))
  }

  const read = subscriptions.safeParse(content)
  if (!read.success) {
    const [issue] = read.error.issues
    const path = issue?.path ?? []
    const node = nodeAt(path)
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
    const pair = isMap(node) ? node.items.find(({ key }) => String(key) === unknown) : undefined
    const key = isNode(pair?.key) ? pair.key.range : null
    throw fileProblem(issue?.message ?? '', key ? placeAt(key[0]) : placeOf(path))
  }

  const collector = createCollector(testOnly)
  for (const [index, wanted] of (read.data.webhooks ?? []).entries()) {
    const { endpoint, id = null, new_contracts: newContracts, mempool, opcodes, accounts } = wanted
    const at = (...path: Path) => placeOf(['webhooks', index, ...path])
    const webhook = collector.webhook(endpoint, id, at(), false)
    if (newContracts !== undefined) webhook.flag('newContracts', newContracts, at('new_contracts'))
    if (mempool !== undefined) webhook.flag('mempool', mempool, at('mempool'))
    if (opcodes !== undefined) webhook.mention('opcodes')
    for (const [place, opcode] of opcodes?.entries() ?? []) {
      webhook.opcode(opcode, at('opcodes', place))
    }
    if (accounts !== undefined) webhook.mention('accounts')
    for (const [place, { address, label = '' }] of accounts?.entries() ?? []) {
      webhook.account(address, label === '' ? null : label, at('accounts', place, 'address'))
    }
  }
  return collector.end(read.data.network ?? null)
}

// Refuses anchors, because they can expand a short file without limit; composing them takes
// quadratic time, lexing linear time.
function refuseAnchors(source: string): void {
  if (!/[&*]/.test(source)) return
  let line = 1
  let lineStart = 0
  let offset = 0
  let isScalar = false
  for (const lexeme of new Lexer().lex(source)) {
    if (!isScalar && /^[&*]/.test(lexeme)) {
      const place = { line, column: offset - lineStart + 1 }
      throw fileProblem(
        'Anchors (&) and aliases (*) are not supported. Write the value in full.',
        place,
      )
    }
    // Unlike the lexer's other marks, the byte order mark may be part of the text.
    isScalar = lexeme === CST.SCALAR
    if (isScalar || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) continue
    for (const { index } of lexeme.matchAll(/\n/g)) {
      line += 1
      lineStart = offset + index + 1
    }
    offset += lexeme.length
  }
}

function parse(source: string, lineCounter: LineCounter) {
  try {
    // Scalars stay text, because 12 and 0x0f8a7ea5 would lose their notation as numbers.
    const options = { schema: 'failsafe', lineCounter, prettyErrors: false } as const
    const document = parseDocument(source, options)
    return { document, content: document.errors.length > 0 ? null : (document.toJS() as unknown) }
  } catch (error) {
    if (error instanceof RangeError) throw fileProblem('The file is nested too deeply.')
    throw error
  }
}

function describeError(code: string, message: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'The same key occurs twice.'
    case 'MULTIPLE_DOCS':
      return 'The file contains several YAML documents. Use one file for each.'
    default:
      return `The file is not valid YAML: ${message.replace(/\.?$/, '.')}`
  }
}
