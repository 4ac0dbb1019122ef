/** Labels as CSV: in any order of columns where a header names them, else address, name, note. */
import Papa from 'papaparse'
import { readAddress } from '../ton/address.ts'
import { guardCell, unguardCell } from '../exports/formula-safe.ts'

/** Cells as they stand in the file, trimmed; nothing is judged yet. */
export type LabelLine = {
  /** From 1; the first one, where quotes span several. */
  readonly line: number
  readonly address: string
  readonly name: string
  readonly note: string
  /** As it stood there, at most 200 characters, for whoever has to find it again. */
  readonly text: string
}

type Column = 'address' | 'name' | 'note'
type Columns = Readonly<Record<Column, number>>

const withoutHeader: Columns = { address: 0, name: 1, note: 2 }
export const headerWords: Readonly<Record<string, Column>> = {
  address: 'address',
  account: 'address',
  wallet: 'address',
  name: 'name',
  label: 'name',
  note: 'note',
  comment: 'note',
}
/** Spreadsheets of some countries write semicolons. */
const delimiters = [',', ';', '\t']
/** Lines that tell which delimiter it is. */
const glance = 20
const longestShown = 200

/** Every line that holds anything, but for the header. */
export function readLabelCsv(csv: string): LabelLine[] {
  const text = csv.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const rows = parse(text, delimiterOf(text))
  const first = rows.findIndex(({ cells }) => !isEmpty(cells))
  const header = readHeader(rows[first]?.cells ?? [])
  const columns = header ?? withoutHeader
  return rows
    .slice(header === null ? 0 : first + 1)
    .filter(({ cells }) => !isEmpty(cells))
    .map(({ line, cells }) => {
      const cell = (column: Column) => unguardCell(cells[columns[column]] ?? '').trim()
      return {
        line,
        address: cell('address'),
        name: cell('name'),
        note: cell('note'),
        text: cells.join(', ').slice(0, longestShown),
      }
    })
}

/** With a header and, so that spreadsheets read it as UTF-8, a byte order mark. */
export function formatLabelCsv(
  labels: readonly { readonly address: string; readonly name: string; readonly note: string }[],
): string {
  const rows = labels.map((label) => [label.address, label.name, label.note].map(guardCell))
  return `\ufeff${Papa.unparse([['address', 'name', 'note'], ...rows])}\r\n`
}

type Row = { readonly line: number; readonly cells: readonly string[] }

function parse(text: string, delimiter: string, preview = 0): Row[] {
  const { data } = Papa.parse<string[]>(text, { delimiter, newline: '\n', preview })
  let line = 1
  return data.map((cells) => {
    const row = { line, cells }
    line += cells.join('').split('\n').length
    return row
  })
}

/** The one by which most lines have an address; a comma where none has. */
function delimiterOf(text: string): string {
  const hits = delimiters.map((delimiter) => {
    const rows = parse(text, delimiter, glance)
    return rows.filter(({ cells }) => cells.some(isAddressOrHeader)).length
  })
  return delimiters[hits.indexOf(Math.max(...hits))] ?? ','
}

function isAddressOrHeader(cell: string): boolean {
  const text = cell.trim()
  return columnOf(text) === 'address' || readAddress(unguardCell(text)) !== null
}

function columnOf(cell: string): Column | undefined {
  const word = cell.trim().toLowerCase()
  return Object.hasOwn(headerWords, word) ? headerWords[word] : undefined
}

/** Null for a line that does not name a column of addresses. */
function readHeader(cells: readonly string[]): Columns | null {
  const found = cells.map(columnOf)
  const columns = {
    address: found.indexOf('address'),
    name: found.indexOf('name'),
    note: found.indexOf('note'),
  }
  return columns.address === -1 ? null : columns
}

function isEmpty(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}
