/** A table is described once and written as CSV, JSON or a workbook (docs/decisions/0017-exports.md). */
import { guardCell, guardText } from './formula-safe.ts'
import { type ZoneTimes, createZoneTimes } from './zone-times.ts'

export type Chunks = AsyncIterable<Uint8Array | string>

/** Rows come in batches, because one asynchronous step per row would take seconds for a million rows. */
export type Rows<R> = AsyncIterable<readonly R[]>

/** `number` and `amount` are exact decimals with a point, `moment` is milliseconds since the epoch. */
type Kind = 'text' | 'number' | 'amount' | 'moment'

export type Column<R> = {
  readonly name: string
  readonly kind: Kind
  readonly value: (row: R) => string | number | null
  readonly width?: number | undefined
}

export type CsvStyle = {
  readonly separator: string
  readonly decimalMark: string
  readonly guard: (text: string) => string
  readonly times: ZoneTimes
}

export type TextFormat<R> = {
  readonly begin: string
  readonly row: (row: R, index: number) => string
  readonly end: (rows: number) => string
}

const chunkCharacters = 128 * 1024

export async function* formatText<R>(format: TextFormat<R>, rows: Rows<R>): AsyncIterable<string> {
  let text = format.begin
  let index = 0
  for await (const batch of rows) {
    for (const row of batch) {
      text += format.row(row, index)
      index += 1
    }
    if (text.length < chunkCharacters) continue
    yield text
    text = ''
  }
  yield text + format.end(index)
}

/** CSV as in RFC 4180, with the byte order mark by which spreadsheets recognize UTF-8. */
export function csvFormat<R>(columns: readonly Column<R>[], style: CsvStyle): TextFormat<R> {
  const { separator, guard } = style
  const cells = columns.map((column) => csvCell(column, style))
  const header = columns.map(({ name }) => quoteCell(guard(name))).join(separator)
  return {
    begin: `\ufeff${header}\r\n`,
    row(row) {
      let line = ''
      for (let index = 0; index < cells.length; index += 1) {
        const cell = cells[index]?.(row) ?? ''
        line += index === 0 ? cell : separator + cell
      }
      return `${line}\r\n`
    },
    end: () => '',
  }
}

/** Writes CSV with commas and decimal points, in which spreadsheets run no cell as a formula. */
export function formatCsv<R>(columns: readonly Column<R>[], rows: Rows<R>): AsyncIterable<string> {
  const times = createZoneTimes('UTC')
  const style = { separator: ',', decimalMark: '.', guard: guardCell, times }
  return formatText(csvFormat(columns, style), rows)
}

export const jsonlFormat = <R>(toJson: (row: R) => unknown): TextFormat<R> => ({
  begin: '',
  row: (row) => `${JSON.stringify(toJson(row))}\n`,
  end: () => '',
})

// Texts with any common delimiter are quoted, whichever delimiter was chosen.
const mustQuote = /[",;\t|\r\n]|^\s|\s$/

const quoteCell = (text: string): string =>
  mustQuote.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Formats a text from outside so that no spreadsheet runs it and a reader can restore it exactly. */
export const textCell = (text: string, guard = guardText): string => quoteCell(guard(text))

function csvCell<R>(
  { kind, value }: Column<R>,
  { separator, decimalMark, guard, times }: CsvStyle,
): (row: R) => string {
  switch (kind) {
    case 'text': {
      let [last, cell]: [unknown, string] = ['', '']
      return (row) => {
        const text = value(row)
        if (text !== last) [last, cell] = [text, text === null ? '' : textCell(String(text), guard)]
        return cell
      }
    }
    case 'moment':
      return (row) => formatMoment(value(row), times)
    case 'number':
    case 'amount':
      return (row) => {
        const decimal = String(value(row) ?? '').replace('.', decimalMark)
        return separator === decimalMark && decimal.includes(separator) ? `"${decimal}"` : decimal
      }
  }
}

const formatMoment = (value: string | number | null, times: ZoneTimes): string =>
  typeof value === 'number' ? times.print(value) : ''

/** Formats the first lines of a file before it is written; the cells of a workbook are separated by tabs. */
export function previewTable<R>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  format: 'csv' | 'xlsx',
  style: CsvStyle,
): string[] {
  if (format === 'csv') {
    const { begin, row } = csvFormat(columns, style)
    return [begin.slice(1), ...rows.map(row)].map((line) => line.slice(0, -2))
  }
  const shown = rows.map((row) =>
    columns.map(({ kind, value }) => {
      const cell = value(row)
      if (kind === 'moment') return formatMoment(cell, style.times).slice(0, 19).replace('T', ' ')
      return kind === 'text' ? quoteCell(String(cell ?? '')) : String(cell ?? '')
    }),
  )
  return [columns.map(({ name }) => name), ...shown].map((cells) => cells.join('\t'))
}
