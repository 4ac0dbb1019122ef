/**
 * Streams a workbook of several sheets. Numbers that a spreadsheet would round are written as text. The library
 * hucre, with which tests read the files, streams only one sheet, without filters and without a header style.
 */
import type { Column, Rows } from './table.ts'
import {
  type Look,
  type Page,
  contentTypesXml,
  escapeXml,
  isNumeric,
  formatRelation,
  relationsXml,
  sheetEnd,
  sheetStart,
  styleOf,
  stylesXml,
  workbookXml,
} from './xlsx-parts.ts'
import { type ZipEntry, formatZip } from './zip.ts'
import type { ZoneTimes } from './zone-times.ts'

/** The XML of a cell after its position; empty for no cell. */
type CellXml = string

export type Sheet = {
  readonly name: string
  readonly widths: readonly number[]
  /**
   * The header stays visible while scrolling, has a filter, and is repeated on every printed page
   * and further sheet.
   */
  readonly header: readonly CellXml[] | null
  readonly rows: () => Rows<readonly CellXml[]>
  /** The number of amounts written as text so far, because a spreadsheet would round them. */
  readonly inexact: () => number
}

/** Rows beyond this number go to another sheet with the same header. */
const rowsPerSheet = 1_000_000
const chunkCharacters = 128 * 1024

/** Days from the start of spreadsheet dates (1900) to 1970. */
const epochDays = 25_569
const dayMs = 86_400_000
/** Spreadsheet dates end in 9999, and before March 1900 they count a day that did not exist. */
const firstMs = Date.UTC(1900, 2, 1)
const lastMs = Date.UTC(10_000, 0, 1)
/** The maximum length of a cell; a longer text would make the file unreadable. */
const maxCharacters = 32_767
const maxDigits = 15

const widths = { text: 24, number: 14, amount: 22, moment: 19 } as const

/** Describes a sheet with one row for each row of a table, below a header with a filter. */
export function tableSheet<R>(
  name: string,
  columns: readonly Column<R>[],
  rows: Rows<R>,
  times: ZoneTimes,
): Sheet {
  let inexact = 0
  const cells = columns.map((column) => toCell(column, times, () => (inexact += 1)))
  return {
    name,
    widths: columns.map(({ kind, width }) => width ?? widths[kind]),
    header: columns.map(({ name: title, kind }) =>
      cell(title, kind === 'amount' || kind === 'number' ? 'headerRight' : 'header'),
    ),
    async *rows() {
      for await (const batch of rows) yield batch.map((row) => cells.map((each) => each(row)))
    },
    inexact: () => inexact,
  }
}

export type SummaryCell = readonly [value: string | number | null, look: Look]

/** @param lines called after all other sheets are written, because they may compute its totals */
export function summarySheet(
  name: string,
  columnWidths: readonly number[],
  lines: () => readonly (readonly SummaryCell[])[],
): Sheet {
  return {
    name,
    widths: columnWidths,
    header: null,
    inexact: () => 0,
    async *rows() {
      yield await Promise.resolve(lines().map((line) => line.map((each) => cell(...each))))
    },
  }
}

/** Writes a workbook with the sheets in this order. */
export function formatXlsx(
  sheets: readonly Sheet[],
  perSheet = rowsPerSheet,
): AsyncIterable<Uint8Array> {
  const sheetPages: Page[][] = []

  async function* entries(): AsyncGenerator<ZipEntry> {
    let part = 0
    // The sheets are written in reverse order, so that the first sheet can sum up the others.
    for (const sheet of sheets.toReversed()) {
      const pages: Page[] = []
      sheetPages.unshift(pages)
      const source = createRowSource(sheet)
      do {
        part += 1
        const name = pages.length === 0 ? sheet.name : `${sheet.name}_${pages.length + 1}`
        const written = { rows: 0 }
        yield { path: `xl/worksheets/sheet${part}.xml`, text: source.page(perSheet, written) }
        pages.push({
          name,
          part,
          filter: sheet.header && filterOf(sheet.header.length, written.rows),
        })
      } while (!(await source.isDone()))
    }
    const all = sheetPages.flat()
    yield { path: 'xl/styles.xml', text: [stylesXml()] }
    yield { path: 'xl/workbook.xml', text: [workbookXml(all)] }
    const relations = all.map(({ part: id }) =>
      formatRelation(id, 'worksheet', `worksheets/sheet${id}.xml`),
    )
    relations.push(formatRelation(part + 1, 'styles', 'styles.xml'))
    yield { path: 'xl/_rels/workbook.xml.rels', text: [relationsXml(relations)] }
    const root = relationsXml([formatRelation(1, 'officeDocument', 'xl/workbook.xml')])
    yield { path: '_rels/.rels', text: [root] }
    yield { path: '[Content_Types].xml', text: [contentTypesXml(part)] }
  }

  return formatZip(entries())
}

/** Reads a sheet's rows once and returns them page by page. */
function createRowSource({ header, rows, widths: columnWidths }: Sheet) {
  const batches = rows()[Symbol.asyncIterator]()
  let batch: readonly (readonly CellXml[])[] = []
  let next = 0
  let isEnded = false

  async function isDone(): Promise<boolean> {
    while (!isEnded && next === batch.length) {
      const result = await batches.next()
      if (result.done === true) isEnded = true
      else [batch, next] = [result.value, 0]
    }
    return isEnded
  }

  return {
    isDone,
    async *page(perSheet: number, written: { rows: number }): AsyncGenerator<string> {
      let text = sheetStart(columnWidths, header !== null)
      const letters = columnWidths.map((_, index) => columnLetters(index))
      // The title of a summary needs a higher row.
      const height = header === null ? ' ht="21" customHeight="1"' : ''
      const write = (cells: readonly CellXml[]) => {
        written.rows += 1
        const row = written.rows
        text += `<row r="${row}"${height}>`
        for (let index = 0; index < cells.length; index += 1) {
          const xml = cells[index] ?? ''
          if (xml !== '') text += `<c r="${letters[index] ?? ''}${row}"${xml}</c>`
        }
        text += '</row>'
      }
      if (header !== null) write(header)
      const last = perSheet + written.rows
      while (written.rows < last && !(await isDone())) {
        while (next < batch.length && written.rows < last) {
          write(batch[next] ?? [])
          next += 1
          if (text.length < chunkCharacters) continue
          yield text
          text = ''
        }
      }
      yield text + sheetEnd(header === null ? null : filterOf(header.length, written.rows))
    },
  }
}

function toCell<R>(
  { kind, value }: Column<R>,
  times: ZoneTimes,
  onInexact: () => void,
): (row: R) => CellXml {
  return (row) => {
    const found = value(row)
    if (found === null || found === '') return ''
    if (kind === 'text') return cell(found, 'text')
    if (kind === 'moment' && typeof found === 'number') {
      return isSheetDate(found)
        ? cell(epochDays + (found + times.offsetAt(found)) / dayMs, 'moment')
        : cell(times.print(found), 'text')
    }
    if (kind === 'amount' && typeof found === 'string' && !isExactNumber(found)) onInexact()
    return cell(found, kind)
  }
}

/**
 * Formats amounts and counts, which are decimals with a point; a number that a double cannot
 * represent becomes text.
 */
function cell(value: string | number | null, look: Look): CellXml {
  if (value === null || value === '') return ''
  if (typeof value === 'number' || (isNumeric(look) && isExactNumber(value))) {
    return `${styleOf(look)}><v>${Number(value)}</v>`
  }
  const written = escapeXml(textValue(value))
  const space = /^\s|\s$|[\n\t]/.test(written) ? ' xml:space="preserve"' : ''
  const shown = look === 'amount' || look === 'number' ? 'right' : look
  return `${styleOf(shown)} t="inlineStr"><is><t${space}>${written}</t></is>`
}

/** True when a double, and so a spreadsheet, holds the number exactly. */
export const isExactNumber = (decimal: string): boolean =>
  decimal.replace(/^-?[0.]*|\./g, '').length <= maxDigits

/** True for a local date that spreadsheets can sort and calculate with. */
const isSheetDate = (ms: number): boolean => ms >= firstMs && ms < lastMs

/** Characters that XML forbids, and the escapes of the format itself, `_x000D_`. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

export function textValue(text: string): string {
  const escaped = text.replace(
    unprintable,
    (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
  return escaped.length > maxCharacters ? `${escaped.slice(0, maxCharacters - 1)}…` : escaped
}

function columnLetters(index: number): string {
  const rest = Math.floor(index / 26) - 1
  return (rest < 0 ? '' : columnLetters(rest)) + String.fromCharCode(65 + (index % 26))
}

const filterOf = (columns: number, rows: number): string =>
  `A1:${columnLetters(columns - 1)}${rows}`
