/** The choices in the export dialog, and the request that they result in. */
import { create } from 'zustand'
import type {
  ExportView,
  InvoiceColumn,
  InvoiceExportFormat,
} from '../../../../src-preload/contract/invoice-export.ts'
import type { InvoiceFilter } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { invoiceColumns } from '../../../../src-preload/domain/invoice-values.ts'
import { type InvoicesQuery, everyInvoice } from '../../../app/invoices-route.ts'
import { createStored } from '../../../app/stored.ts'
import { filterOf } from '../list/invoice-query.ts'
import { ownZone } from '../zone.tsx'

/** The period of a reconciliation, in milliseconds; days and times in the file are in this zone. */
type ReconciledSpan = { readonly from: number; readonly to: number; readonly zone: string }

export const useExportDialog = create<{
  isOpen: boolean
  /** The reconciliation that is displayed now. */
  closing: ReconciledSpan | null
}>(() => ({ isOpen: false, closing: null }))

export const openExport = (): void => useExportDialog.setState({ isOpen: true })

export const closeExport = (): void => useExportDialog.setState({ isOpen: false })

/** Offers to export a reconciliation while it is displayed. Returns a function that ends this. */
export function offerReconciliation(closing: ReconciledSpan): () => void {
  useExportDialog.setState({ closing })
  return () => useExportDialog.setState({ closing: null })
}

export type ChosenColumn = {
  readonly column: InvoiceColumn
  readonly isIn: boolean
  /** The name of the column in the file; empty if the column keeps its own name. */
  readonly name: string
}
export const defaultColumns: readonly ChosenColumn[] = invoiceColumns.map((column) => ({
  column,
  isIn: true,
  name: '',
}))

export type ExportForm = {
  readonly format: InvoiceExportFormat
  readonly zone: string
  readonly separator: ',' | ';' | '\t'
  readonly decimalMark: '.' | ','
  /** All columns, in the order in which they appear in the file. */
  readonly columns: readonly ChosenColumn[]
  /** The time that decides whether an invoice belongs to the period. */
  readonly periodBy: 'created' | 'ended'
}

export const exportFormats: readonly {
  readonly value: InvoiceExportFormat
  readonly label: string
  readonly text: string
}[] = [
  {
    value: 'csv',
    label: 'CSV',
    text: 'For spreadsheets, accounting and scripts. Amounts are exact; text that looks like a formula is escaped.',
  },
  {
    value: 'xlsx',
    label: 'Excel',
    text: 'An Excel workbook with the sheets Summary, Invoices, Payments and Discrepancies. Amounts that Excel cannot store exactly are saved as text.',
  },
  {
    value: 'jsonl',
    label: 'JSON Lines',
    text: 'For programs: one JSON object per line, with all fields. Amounts are strings.',
  },
  {
    value: 'pdf',
    label: 'PDF report',
    text: 'For reading and archiving: totals by currency and state, and a list of up to 10 000 rows.',
  },
]

export const maxPdfRows = 10_000

export const { use: useExportForm, change: changeForm } = createStored<ExportForm>(
  'tondesk.invoice-export',
  ({ format, zone, separator, decimalMark, columns = [], periodBy }) => ({
    format: exportFormats.find(({ value }) => value === format)?.value ?? 'csv',
    zone: typeof zone === 'string' ? zone : ownZone(),
    separator: ([',', ';', '\t'] as const).find((each) => each === separator) ?? ',',
    decimalMark: decimalMark === ',' ? ',' : '.',
    columns: completeColumns(columns),
    periodBy: periodBy === 'ended' ? 'ended' : 'created',
  }),
)

/** Moves a column one place forward or back; the first and the last column do not wrap around. */
export function moveColumn(columns: readonly ChosenColumn[], column: InvoiceColumn, step: 1 | -1) {
  const at = columns.findIndex((each) => each.column === column)
  const to = at + step
  const [moved, other] = [columns[at], columns[to]]
  if (moved === undefined || other === undefined) return [...columns]
  return columns.with(at, other).with(to, moved)
}

export function changeColumn(
  columns: readonly ChosenColumn[],
  column: InvoiceColumn,
  part: Partial<ChosenColumn>,
): ChosenColumn[] {
  return columns.map((each) => (each.column === column ? { ...each, ...part } : each))
}

export function isDefault(columns: readonly ChosenColumn[]): boolean {
  return columns.every(
    ({ column, isIn, name }, index) => isIn && name === '' && column === invoiceColumns[index],
  )
}

type MappedColumns = ExportView['columns']

/** Converts the columns of the file to the form in which a view stores them. */
export function toMapping(columns: readonly ChosenColumn[]): MappedColumns {
  return columns
    .filter(({ isIn }) => isIn)
    .map(({ column, name }) => ({ column, name: name.trim() === '' ? null : name.trim() }))
}

/** Returns all columns, with those of a saved view first. */
export function fromMapping(mapping: MappedColumns): ChosenColumn[] {
  const chosen = mapping.map(({ column, name }) => ({ column, isIn: true, name: name ?? '' }))
  const others = defaultColumns.filter(
    (each) => !mapping.some(({ column }) => column === each.column),
  )
  return [...chosen, ...others.map((each) => ({ ...each, isIn: false }))]
}

/** Returns a name that two columns of the file share, or null. */
export function sameName(columns: readonly ChosenColumn[]): string | null {
  const names = toMapping(columns).map(({ column, name }) => name ?? column)
  return names.find((name, index) => names.indexOf(name) !== index) ?? null
}

/** The exported data. */
export type ExportSubject =
  | { readonly kind: 'list'; readonly query: InvoicesQuery }
  | { readonly kind: 'all' }
  | { readonly kind: 'period'; readonly from: number; readonly to: number }
  | ({ readonly kind: 'closing' } & ReconciledSpan)

export type Order = Input<'invoiceExport.start'>

export function orderOf(network: NetworkId, subject: ExportSubject, form: ExportForm): Order {
  const { format, zone, separator, decimalMark, columns } = form
  const mapping = toMapping(columns)
  return {
    network,
    subject: subjectOf(subject, form),
    options: {
      format,
      zone: subject.kind === 'closing' ? subject.zone : zone,
      separator,
      decimalMark,
      columns: isDefault(columns) ? [] : mapping.map(({ column }) => column),
      names: Object.fromEntries(
        mapping.flatMap(({ column, name }) => (name === null ? [] : [[column, name]])),
      ),
    },
  }
}

function subjectOf(subject: ExportSubject, { periodBy }: ExportForm): Order['subject'] {
  if (subject.kind === 'closing') {
    return { kind: 'closing', from: subject.from, to: subject.to }
  }
  if (subject.kind === 'list') {
    return { kind: 'invoices', filter: filterOf(subject.query), sort: subject.query.sort }
  }
  const all: InvoiceFilter = filterOf(everyInvoice)
  // The oldest invoice is first, as is usual in accounting.
  const sort = { by: 'created', descending: false } as const
  if (subject.kind === 'all') return { kind: 'invoices', filter: all, sort }
  const period = { by: periodBy, from: subject.from, to: subject.to }
  return { kind: 'invoices', filter: { ...all, period }, sort }
}

/** Returns each column once. Columns that an older version did not have are added at the end. */
function completeColumns(kept: readonly (Omit<ChosenColumn, 'name'> & Partial<ChosenColumn>)[]) {
  const known = new Map(
    kept.filter(({ column }) => invoiceColumns.includes(column)).map((each) => [each.column, each]),
  )
  const rest = invoiceColumns.filter((column) => !known.has(column))
  return [
    // An earlier version of Tondesk stored no names.
    ...[...known.values()].map((each) => ({ ...each, name: each.name ?? '' })),
    ...rest.map((column) => ({ column, isIn: true, name: '' })),
  ]
}
