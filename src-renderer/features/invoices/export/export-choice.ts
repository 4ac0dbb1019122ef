/** What is chosen in the dialog, and what it asks of the main process. */
import { create } from 'zustand'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type {
  InvoiceColumn,
  InvoiceExportFormat,
} from '../../../../src-preload/contract/invoice-export.ts'
import { invoiceColumns } from '../../../../src-preload/domain/invoice-words.ts'
import type { InvoiceFilter } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { type InvoicesQuery, everyInvoice } from '../../../app/invoices-route.ts'
import { filterOf } from '../list/invoice-query.ts'
import { ownZone } from '../zone.ts'

export type ChosenColumn = { readonly column: InvoiceColumn; readonly isIn: boolean }
export const usualColumns: readonly ChosenColumn[] = invoiceColumns.map((column) => ({
  column,
  isIn: true,
}))

export type Separator = ',' | ';' | '\t'
export type DecimalMark = '.' | ','

export type ExportForm = {
  readonly format: InvoiceExportFormat
  readonly zone: string
  readonly separator: Separator
  readonly decimalMark: DecimalMark
  /** All of them, in the order of the file. */
  readonly columns: readonly ChosenColumn[]
  /** By which moment an invoice belongs to the period. */
  readonly periodBy: 'created' | 'ended'
}

export const formats: readonly {
  readonly value: InvoiceExportFormat
  readonly label: string
  readonly text: string
}[] = [
  {
    value: 'csv',
    label: 'CSV',
    text: 'For spreadsheets, accounting and scripts. Exact; text that looks like a formula is guarded.',
  },
  {
    value: 'xlsx',
    label: 'Excel',
    text: 'A workbook with real numbers where they are exact; past a million rows it goes on in further sheets.',
  },
  {
    value: 'jsonl',
    label: 'JSON Lines',
    text: 'For programs: an object a line with every field, amounts as strings.',
  },
  {
    value: 'pdf',
    label: 'PDF statement',
    text: 'To be read and kept: totals by currency and state, and a list of up to 10 000 rows.',
  },
]

/** A PDF lists no more. */
export const mostPdfRows = 10_000

const storageKey = 'tondesk.invoice-export'

export const useExportForm = create<ExportForm>(() => readKept())

export function changeForm(next: Partial<ExportForm>): void {
  useExportForm.setState(next)
  window.localStorage.setItem(storageKey, JSON.stringify(useExportForm.getState()))
}

/** One place earlier or later; the ends stay ends. */
export function moveColumn(
  columns: readonly ChosenColumn[],
  column: InvoiceColumn,
  step: 1 | -1,
): ChosenColumn[] {
  const at = columns.findIndex((each) => each.column === column)
  const to = at + step
  const [moved, other] = [columns[at], columns[to]]
  if (moved === undefined || other === undefined) return [...columns]
  return columns.with(at, other).with(to, moved)
}

export function toggleColumn(
  columns: readonly ChosenColumn[],
  column: InvoiceColumn,
): ChosenColumn[] {
  return columns.map((each) => (each.column === column ? { ...each, isIn: !each.isIn } : each))
}

export function isUsual(columns: readonly ChosenColumn[]): boolean {
  return columns.every(({ column, isIn }, index) => isIn && column === invoiceColumns[index])
}

/** What is written. */
export type Subject =
  | { readonly kind: 'list'; readonly query: InvoicesQuery }
  | { readonly kind: 'all' }
  | { readonly kind: 'period'; readonly from: number; readonly to: number }
  | {
      readonly kind: 'closing'
      readonly from: number
      readonly to: number
      /** Its days are of this zone, and so are its times. */
      readonly zone: string
    }

export function orderOf(
  network: NetworkId,
  subject: Subject,
  form: ExportForm,
): Input<'invoiceExport.start'> {
  const { format, zone, separator, decimalMark, columns } = form
  return {
    network,
    subject: subjectOf(subject, form),
    options: {
      format,
      zone: subject.kind === 'closing' ? subject.zone : zone,
      separator,
      decimalMark,
      columns: isUsual(columns)
        ? []
        : columns.filter(({ isIn }) => isIn).map(({ column }) => column),
    },
  }
}

type Asked = Input<'invoiceExport.start'>['subject']

function subjectOf(subject: Subject, { periodBy }: ExportForm): Asked {
  if (subject.kind === 'closing') {
    return { kind: 'closing', from: subject.from, to: subject.to }
  }
  if (subject.kind === 'list') {
    return { kind: 'invoices', filter: filterOf(subject.query), sort: subject.query.sort }
  }
  const all: InvoiceFilter = filterOf(everyInvoice)
  // The oldest first, as books are kept.
  const sort = { by: 'created', descending: false } as const
  if (subject.kind === 'all') return { kind: 'invoices', filter: all, sort }
  const period = { by: periodBy, from: subject.from, to: subject.to }
  return { kind: 'invoices', filter: { ...all, period }, sort }
}

/** What was written by another version, or by hand, is mended or as good as nothing. */
function readKept(): ExportForm {
  const usual: ExportForm = {
    format: 'csv',
    zone: ownZone(),
    separator: ',',
    decimalMark: '.',
    columns: usualColumns,
    periodBy: 'created',
  }
  try {
    const kept = JSON.parse(window.localStorage.getItem(storageKey) ?? '{}') as Partial<ExportForm>
    return {
      format: formats.find(({ value }) => value === kept.format)?.value ?? usual.format,
      zone: typeof kept.zone === 'string' ? kept.zone : usual.zone,
      separator: ([',', ';', '\t'] as const).find((each) => each === kept.separator) ?? ',',
      decimalMark: kept.decimalMark === ',' ? ',' : '.',
      columns: mendColumns(kept.columns ?? []),
      periodBy: kept.periodBy === 'ended' ? 'ended' : 'created',
    }
  } catch {
    return usual
  }
}

/** Each column once; what an older version did not know stands at the end. */
export function mendColumns(kept: readonly ChosenColumn[]): ChosenColumn[] {
  const known = new Map(
    kept
      .filter(({ column }) => invoiceColumns.includes(column))
      .map(({ column, isIn }) => [column, isIn]),
  )
  const rest = invoiceColumns.filter((column) => !known.has(column))
  return [
    ...[...known].map(([column, isIn]) => ({ column, isIn: isIn })),
    ...rest.map((column) => ({ column, isIn: true })),
  ]
}
