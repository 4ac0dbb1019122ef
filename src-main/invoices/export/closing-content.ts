/** The close of a period, as it is exported: its differences first. */
import type { CellValue } from 'hucre/xlsx'
import type { Closing, ClosingRow } from '../../../src-preload/contract/matter.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { ClosingReader, ClosingSpan } from '../parts.ts'
import { formatUnits } from './amounts.ts'
import { type ClosingLine, closingColumns, kindOfClosing, toClosingLine } from './closing-line.ts'
import type { ExportOrder } from './order.ts'
import type { Fonts } from './pdf/sheet.ts'
import { type CsvStyle, amountCell, byteOrderMark, csvLine, textCell } from './format-csv.ts'
import type * as Xlsx from './write-xlsx.ts'
import type { Content } from './run-export.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'

/** With the header. */
const maxPreviewed = 10

export async function createClosingContent(
  order: ExportOrder,
  span: ClosingSpan,
  reader: ClosingReader,
  times: ZoneTimes,
  fonts: Fonts,
): Promise<Content> {
  const { options } = order
  const closing = await reader.read(span)
  const all = { onlyDifferences: false, offset: 0, limit: maxPreviewed }
  const first = await reader.page(span, all)

  async function* counted(onRow: () => void): AsyncGenerator<ClosingRow> {
    for await (const row of reader.rows(span)) {
      onRow()
      yield row
    }
  }

  return {
    total: first.total,
    preview: () => preview(first.rows, options, times),
    async write(sink, onRow) {
      switch (options.format) {
        case 'csv':
          sink.text(byteOrderMark + csvLine(closingColumns, options))
          for await (const row of counted(onRow)) {
            sink.text(csvLine(csvCells(toClosingLine(row), options, times), options))
          }
          return
        case 'jsonl':
          for await (const row of counted(onRow)) sink.text(jsonLine(row, times))
          return
        case 'xlsx': {
          // Loaded where they are needed: each is larger than all the rest.
          const xlsx = await import('./write-xlsx.ts')
          const lines = async function* () {
            for await (const row of counted(onRow)) yield xlsxCells(toClosingLine(row), times, xlsx)
          }
          const columns = closingColumns.map((name) => xlsx.columnOf(name, kindOfClosing(name)))
          for await (const bytes of xlsx.writeXlsx('Closing', columns, lines())) sink.bytes(bytes)
          return
        }
        case 'pdf': {
          const { writeClosingStatement } = await import('./pdf/closing-statement.ts')
          const rows = (isCounting: boolean) => (isCounting ? reader.rows(span) : counted(onRow))
          const chunks = writeClosingStatement({ order, closing, rows, times, fonts })
          for await (const bytes of chunks) sink.bytes(bytes)
        }
      }
    },
    told: () => writeClosing(closing),
  }
}

/** What the manifest tells of it: whole units, exact. */
function writeClosing({ totals, isComplete, problems, differences }: Closing) {
  return {
    columns: closingColumns,
    totals: totals.map(({ currency, paid, payments, ...amounts }) => {
      const print = (units: string) => formatAmount(BigInt(units), decimalsOf[currency])
      const printed = Object.entries(amounts).map(([name, units]) => [name, print(units)] as const)
      return { currency, paid, payments, ...Object.fromEntries(printed) }
    }),
    ...{ differences, isComplete, problems },
  }
}

function preview(
  rows: readonly ClosingRow[],
  options: ExportOrder['options'],
  times: ZoneTimes,
): string[] {
  const end = /\r?\n$/
  switch (options.format) {
    case 'pdf':
      return []
    case 'jsonl':
      return rows.map((row) => jsonLine(row, times).replace(end, ''))
    case 'csv':
    case 'xlsx': {
      const style =
        options.format === 'csv' ? options : ({ separator: '\t', decimalMark: '.' } as const)
      const some = rows.slice(0, maxPreviewed - 1)
      const cells = some.map((row) => csvCells(toClosingLine(row), style, times))
      return [closingColumns, ...cells].map((line) => csvLine(line, style).replace(end, ''))
    }
  }
}

function csvCells(line: ClosingLine, style: CsvStyle, times: ZoneTimes): string[] {
  const decimals = decimalsOf[line.currency]
  return closingColumns.map((column) => {
    const value = line[column]
    if (value === null) return ''
    if (typeof value === 'number') return times.print(value)
    return kindOfClosing(column) === 'amount' ? amountCell(value, decimals, style) : textCell(value)
  })
}

function xlsxCells(
  line: ClosingLine,
  times: ZoneTimes,
  { amountValue, momentValue, textValue }: typeof Xlsx,
): CellValue[] {
  const decimals = decimalsOf[line.currency]
  return closingColumns.map((column) => {
    const value = line[column]
    if (value === null || value === '') return null
    if (typeof value === 'number') return momentValue(value, times)
    return kindOfClosing(column) === 'amount' ? amountValue(value, decimals) : textValue(value)
  })
}

function jsonLine(row: ClosingRow, times: ZoneTimes): string {
  const line = toClosingLine(row)
  const { difference, text, invoice } = row
  const decimals = decimalsOf[line.currency]
  const decimal = (units: string) => formatUnits(units, decimals, '.')
  const payments = row.payments.map((payment) => ({
    hash: payment.hash,
    lt: payment.lt,
    at: payment.at,
    at_iso: times.print(payment.at),
    currency: payment.currency,
    amount: payment.amount,
    amount_decimal: decimal(payment.amount),
    account: payment.account,
    payer: payment.payer,
    payer_label: payment.payerLabel,
    comment: payment.comment,
    certainty: payment.certainty,
  }))
  return `${JSON.stringify({
    difference,
    explanation: text,
    invoice:
      invoice === null
        ? null
        : {
            id: invoice.id,
            status: invoice.status,
            currency: invoice.currency,
            amount: invoice.amount,
            amount_decimal: decimal(invoice.amount),
            overpayment: invoice.overpayment,
            overpayment_decimal: decimal(invoice.overpayment),
            description: invoice.description,
            payer: invoice.paidBy,
            payer_label: invoice.payerLabel,
            pay_to: invoice.payTo,
            created: invoice.createdAt,
            created_iso: times.print(invoice.createdAt),
            changed: invoice.changedAt,
            changed_iso: times.print(invoice.changedAt),
          },
    received: line.received,
    received_decimal: decimal(String(line.received)),
    payments,
  })}\n`
}
