/** Parses tables in text files from the user: invoices, labels and subscriptions. */
import Papa from 'papaparse'

type TableRow = {
  /**
   * The first line of the row, counted from 1. A row spans several lines if quoted cells contain
   * line breaks.
   */
  readonly line: number
  readonly cells: readonly string[]
  /** True if a quotation mark is not closed, so that its cell contains everything after it. */
  readonly isUnclosed: boolean
}

/** Spreadsheets write semicolons in some locales. */
const delimiters = [',', ';', '\t']
const scoredRows = 20
/** The line in which spreadsheets state the delimiter. */
export const separatorLine = /^"?sep=([^\n])"?[,;\t ]*(?:\n|$)/i

/**
 * Accepts every kind of line end and skips empty rows.
 * @param scoreRow how well the cells of a row fit; without a `sep=` line, the delimiter with the
 * highest sum over the first rows is used
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
export const tableWord = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
