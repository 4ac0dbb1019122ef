/** Rows as lines of RFC 4180, exact and lossless. This is the hot loop of an export of millions. */
import type { InvoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import { guardText } from '../../exports/formula-safe.ts'
import { formatUnits } from './amounts.ts'
import { kindOf } from './columns.ts'
import {
  type Printing,
  type RawRow,
  decimalsIn,
  hashesIn,
  formatSums,
  readersOf,
} from './raw-row.ts'

/** Whatever spreadsheets part columns by: a text with any of them is quoted, whichever was chosen. */
const mustQuote = /[",;\t|\r\n]|^\s|\s$/
const lineEnd = '\r\n'
/** It makes spreadsheets read the file as UTF-8. */
export const byteOrderMark = '\ufeff'
/** Of these a file has few different ones. */
const repeating: readonly InvoiceColumn[] = ['network', 'status', 'currency', 'pay_to']
const maxRemembered = 1000

export type CsvStyle = { readonly separator: string; readonly decimalMark: string }

/** A text of a stranger's: no spreadsheet takes it for a formula, and a reader gets it back exactly. */
export function textCell(text: string): string {
  return quoteCell(guardText(text))
}

export function quoteCell(text: string): string {
  return mustQuote.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** @param digits of minimal units; null prints nothing */
export function amountCell(
  digits: string | null,
  decimals: number,
  { separator, decimalMark }: CsvStyle,
): string {
  if (digits === null) return ''
  const text = formatUnits(digits, decimals, decimalMark)
  return separator === decimalMark && text.includes(decimalMark) ? `"${text}"` : text
}

export function csvLine(cells: readonly string[], { separator }: CsvStyle): string {
  return cells.join(separator) + lineEnd
}

/** @returns what prints a row as a whole line */
export function createCsvLine(
  columns: readonly InvoiceColumn[],
  style: CsvStyle,
  printing: Printing,
): (row: RawRow) => string {
  const { times, mattersOf } = printing
  const cells = columns.map((column): ((value: unknown, decimals: number) => string) => {
    switch (kindOf(column)) {
      case 'amount':
        return (value, decimals) => amountCell(value as string | null, decimals, style)
      case 'moment':
        return (value) => (value === null ? '' : times.print(value as number))
      case 'matters':
        return (value) => (value === 0 ? '' : mattersOf(value as number).join(' '))
      case 'hashes':
        return (value) => (value === null ? '' : hashesIn(value).join(' '))
      case 'sums':
        return (value) => (value === null ? '' : textCell(formatSums(value, style.decimalMark)))
      case 'text': {
        const print = repeating.includes(column) ? remembering(textCell) : textCell
        return (value) => (value === null ? '' : print(value as string))
      }
    }
  })

  const readers = readersOf(columns, printing)

  return (row) => {
    const decimals = decimalsIn(row)
    let line = ''
    for (let index = 0; index < cells.length; index += 1) {
      const cell = cells[index]?.(readers[index]?.(row), decimals) ?? ''
      line += index === 0 ? cell : style.separator + cell
    }
    return line + lineEnd
  }
}

function remembering(print: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= maxRemembered) known.clear()
    const printed = print(text)
    known.set(text, printed)
    return printed
  }
}
