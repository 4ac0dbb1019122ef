/** Tables in text files that users bring: invoices, labels and subscriptions. */
import Papa from 'papaparse'

type TableRow = {
  /** From 1; the first line of a row whose quoted cells contain line breaks. */
  readonly line: number
  readonly cells: readonly string[]
  /** True where a quotation mark is not closed: the cells swallowed what follows. */
  readonly isUnclosed: boolean
}

/** Some locales' spreadsheets write semicolons. */
const delimiters = [',', ';', '\t']
const scoredRows = 20
/** The line with which spreadsheets name the delimiter. */
export const separatorLine = /^"?sep=([^\n])"?[,;\t ]*(?:\n|$)/i

/**
 * Accepts each kind of line end, and skips empty rows.
 * @param scoreRow how well the cells fit; without a `sep=` line, the delimiter with the highest sum for the first rows is used
 */
export function readTable(csv: string, scoreRow: (cells: readonly string[]) => number) {
  const text = csv.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const [skipped = '', separator] = separatorLine.exec(text) ?? []
  const table = text.slice(skipped.length)
  const sums = delimiters.map((delimiter) =>
    separator === undefined
      ? parse(table, delimiter, scoredRows).reduce((sum, { cells }) => sum + scoreRow(cells), 0)
      : 0,
  )
  const delimiter = separator ?? delimiters[sums.indexOf(Math.max(...sums))] ?? ','
  const firstLine = skipped === '' ? 1 : 2
  return { rows: parse(table, delimiter, 0, firstLine), delimiter }
}

function parse(text: string, delimiter: string, preview: number, firstLine = 1): TableRow[] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, newline: '\n', preview })
  const unclosed = new Set(errors.map(({ type, row }) => (type === 'Quotes' ? row : undefined)))
  let line = firstLine
  return data
    .map((cells, index) => {
      const row = { line, cells, isUnclosed: unclosed.has(index) }
      line += cells.join('').split('\n').length
      return row
    })
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
}

/** Folds the spelling of a header or a keyword: `Life time` and `life-time` become `life_time`. */
export function tableWord(cell: string): string {
  return cell
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}
