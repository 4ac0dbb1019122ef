import Papa from 'papaparse'
import type { SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import { createPieceDecoder } from '../../exports/text-decoder.ts'
import { readYaml } from './read-yaml.ts'
import {
  type Fault,
  type WantedAccount,
  type WantedFile,
  type WantedWebhook,
  csvColumns as columns,
  csvNone as none,
  FileProblem,
  type WebhookCollector,
  createCollector,
} from './collect.ts'
import { unguardCell } from '../../exports/formula-safe.ts'

type Column = (typeof columns)[number]

/** Some locales' spreadsheets write semicolons. */
const delimiters = [',', ';', '\t']

type Row = { readonly line: number; readonly cells: readonly string[] }

/** @throws FileProblem */
export function readCsv(csv: string, testOnly: boolean, most?: number): WantedFile {
  const text = csv.replace(/\r\n?/g, '\n')
  const rows = parse(text, delimiterOf(text)).filter(({ cells }) => !isEmpty(cells))
  const [first] = rows
  if (first === undefined) throw new FileProblem('The file is empty.')
  const header = readHeader(first.cells)
  const collector = createCollector(testOnly, most)
  const values = new Map<WebhookCollector, Map<string, boolean>>()
  for (const { line, cells } of header === null ? rows : rows.slice(1)) {
    const cell = (column: Column) => {
      const index = header === null ? columns.indexOf(column) : header.indexOf(column)
      return unguardCell(cells[index]?.trim() ?? '').trim()
    }
    const place = { line, column: null }
    const id = cell('id')
    const webhook = collector.webhook(cell('endpoint'), id === '' ? null : id, place, true)
    const kind = cell('kind')
      .toLowerCase()
      .replace(/[\s-]+/g, '_')
    const value = cell('value')
    if (kind === 'account' || kind === 'opcode') {
      webhook.mention(`${kind}s`)
      const said = values.get(webhook) ?? new Map<string, boolean>()
      values.set(webhook, said)
      const isNone = value.toLowerCase() === none
      if ((said.get(kind) ?? isNone) !== isNone) {
        throw new FileProblem(`There are to be no ${kind}s here, and yet some.`, line)
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
      throw new FileProblem(`"${kind.slice(0, 80)}" is no kind: it is ${known}.`, line)
    }
  }
  return collector.end()
}

function parse(text: string, delimiter: string, preview = 0): Row[] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, newline: '\n', preview })
  let line = 1
  const rows = data.map((cells) => {
    const row = { line, cells }
    line += cells.join('').split('\n').length
    return row
  })
  const [error] = errors
  if (error !== undefined) {
    const at = rows[error.row ?? 0]?.line ?? null
    throw new FileProblem('A quote is opened here and not closed as CSV wants it.', at)
  }
  return rows
}

function delimiterOf(text: string): string {
  const start = text.trimStart()
  const [line = ''] = start.split('\n', 1)
  const counts = delimiters.map((delimiter) => line.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

function readHeader(cells: readonly string[]): string[] | null {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  if (!names.includes('endpoint')) return null
  for (const column of ['kind', 'value'] as const) {
    if (!names.includes(column)) throw new FileProblem(`It has no column "${column}".`, 1)
  }
  return names
}

function isEmpty(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}

/** Accepts UTF-8, and UTF-16 with a byte order mark. @throws FileProblem */
export function readFile(
  pieces: readonly Uint8Array[],
  format: SubscriptionsFormat,
  testOnly: boolean,
): WantedFile {
  const decoder = createPieceDecoder()
  const text = pieces.map((piece) => decoder.read(piece)).join('') + decoder.end()
  return format === 'yaml' ? readYaml(text, testOnly) : readCsv(text, testOnly)
}

export type FileQuestion = {
  readonly pieces: readonly Uint8Array[]
  readonly format: SubscriptionsFormat
  readonly testOnly: boolean
}

/** Reports each webhook in file order, followed by its lists in chunks. */
export type FileReports = {
  readonly webhook: (
    webhook: Omit<WantedWebhook, 'accounts' | 'faults' | 'untouchable'> & {
      readonly namesAccounts: boolean
    },
  ) => void
  readonly more: (lists: {
    readonly accounts: readonly WantedAccount[]
    readonly faults: readonly Fault[]
    readonly untouchable: readonly string[]
  }) => void
}

/** Limits a report's size, because the main thread receives each report at once. */
const accountsAtOnce = 1000

/** @returns the network that the file names, or the file's problem */
export function reportFile(
  { pieces, format, testOnly }: FileQuestion,
  { webhook: report, more }: FileReports,
) {
  try {
    const { network, webhooks } = readFile(pieces, format, testOnly)
    for (const { accounts, faults, untouchable, ...webhook } of webhooks) {
      report({ ...webhook, namesAccounts: accounts !== null })
      const longest = Math.max(accounts?.length ?? 0, faults.length, untouchable.length)
      for (let from = 0; from < longest; from += accountsAtOnce) {
        const to = from + accountsAtOnce
        more({
          accounts: accounts?.slice(from, to) ?? [],
          faults: faults.slice(from, to),
          untouchable: untouchable.slice(from, to),
        })
      }
    }
    return { network, problem: null }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    const { message, line, column } = error
    return { network: null, problem: { message, line, column } }
  }
}
