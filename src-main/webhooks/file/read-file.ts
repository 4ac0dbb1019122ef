import type { SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { decodeTextFile } from '../../../src-preload/domain/text-file.ts'
import { readTable, tableWord } from '../../exports/read-table.ts'
import { readYaml } from './read-yaml.ts'
import {
  type WantedFile,
  type WantedWebhook,
  csvColumns as columns,
  csvNone as none,
  FileProblem,
  type WebhookCollector,
  createCollector,
} from './collect.ts'
import { slicesOf } from '../../database/pages.ts'
import { unguardCell } from '../../exports/formula-safe.ts'

export function readCsv(csv: string, testOnly: boolean, limit?: number): WantedFile {
  const { rows } = readTable(csv, (cells) => cells.filter(isExpected).length)
  const [first] = rows
  if (first === undefined) throw new FileProblem('The file is empty.')
  const unclosed = rows.find(({ isUnclosed }) => isUnclosed)
  if (unclosed !== undefined) {
    const place = { line: unclosed.line, column: null }
    throw new FileProblem('The closing quotation mark is missing.', place)
  }
  const header = readHeader(first.cells)
  const names: readonly string[] = header ?? columns
  const collector = createCollector(testOnly, limit)
  const values = new Map<WebhookCollector, Map<string, boolean>>()
  for (const { line, cells } of header === null ? rows : rows.slice(1)) {
    const cell = (column: (typeof columns)[number]) =>
      unguardCell(cells[names.indexOf(column)]?.trim() ?? '').trim()
    const place = { line, column: null }
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
        throw new FileProblem(
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
      throw new FileProblem(`"${kind.slice(0, 80)}" is not a valid kind. Use ${known}.`, place)
    }
  }
  return collector.end(null)
}

const expected: readonly string[] = [...columns, 'account', 'opcode', 'new_contracts', 'mempool']

/** The name of a column, or a kind of subscription. */
function isExpected(cell: string): boolean {
  return expected.includes(tableWord(unguardCell(cell.trim())))
}

function readHeader(cells: readonly string[]): string[] | null {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  if (!names.includes('endpoint')) return null
  for (const column of ['kind', 'value'] as const) {
    if (names.includes(column)) continue
    throw new FileProblem(`The file has no column "${column}".`, { line: 1, column: null })
  }
  return names
}

/** @throws FileProblem */
export function readFile(
  pieces: readonly Uint8Array[],
  format: SubscriptionsFormat,
  testOnly: boolean,
): WantedFile {
  const text = decodeTextFile(pieces)
  return format === 'yaml' ? readYaml(text, testOnly) : readCsv(text, testOnly)
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

/** Limits a report's size, because the main thread receives each report at once. */
const entriesAtOnce = 1000

export function reportFile(
  { pieces, format, testOnly }: FileQuestion,
  { webhook: report, more }: FileReports,
) {
  try {
    const { network, webhooks } = readFile(pieces, format, testOnly)
    for (const { accounts, faults, ...webhook } of webhooks) {
      report({ ...webhook, accounts: accounts === null ? null : [], faults: [] })
      for (const slice of slicesOf(accounts ?? [], entriesAtOnce)) {
        more({ accounts: slice, faults: [] })
      }
      for (const slice of slicesOf(faults, entriesAtOnce)) more({ accounts: null, faults: slice })
    }
    return { network, problem: null }
  } catch (error) {
    if (error instanceof AppError) {
      return { network: null, problem: { message: error.message, line: null, column: null } }
    }
    if (!(error instanceof FileProblem)) throw error
    const { message, line, column } = error
    return { network: null, problem: { message, line, column } }
  }
}
