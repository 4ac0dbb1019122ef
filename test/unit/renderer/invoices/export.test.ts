import { beforeAll, expect, it, vi } from 'vitest'
import type * as Choice from '../../../../src-renderer/features/invoices/export/export-choice.ts'
import { invoiceColumns } from '../../../../src-preload/domain/invoice-values.ts'
import { everyInvoice } from '../../../../src-renderer/app/invoices-route.ts'

let choice: typeof Choice
const kept = {
  format: 'docx',
  zone: 'Europe/Berlin',
  separator: ';',
  columns: [
    { column: 'amount', isIn: true },
    { column: 'gone', isIn: true },
    { column: 'id', isIn: false },
  ],
}

beforeAll(async () => {
  vi.stubGlobal('window', {
    localStorage: { getItem: () => JSON.stringify(kept), setItem: vi.fn() },
  })
  choice = await import('../../../../src-renderer/features/invoices/export/export-choice.ts')
})

it('the export form uses the stored choices of an older version, without unknown ones', () => {
  const { format, zone, separator, columns } = choice.useExportForm.getState()
  expect([format, zone, separator]).toEqual(['csv', 'Europe/Berlin', ';'])
  expect(columns.slice(0, 3)).toEqual([
    { column: 'amount', isIn: true, name: '' },
    { column: 'id', isIn: false, name: '' },
    { column: 'network', isIn: true, name: '' },
  ])
  expect(columns.length).toBe(invoiceColumns.length)
})

it('the export requests the columns in the order of the form, and none for the default columns', () => {
  const form = choice.useExportForm.getState()
  const order = (columns: readonly Choice.ChosenColumn[]) =>
    choice.orderOf('sandbox', { kind: 'all' }, { ...form, columns }).options.columns
  expect(order(choice.defaultColumns)).toEqual([])
  const moved = choice.moveColumn(choice.defaultColumns, 'id', -1)
  const fewer = choice.changeColumn(moved, 'network', { isIn: false })
  expect(order(fewer)?.slice(0, 2)).toEqual(['id', 'status'])
  // The last column cannot be moved further.
  expect(choice.moveColumn(moved, 'id', -1)).toEqual(moved)
})

it('a saved view restores its columns with order and names, and the other columns are off', () => {
  const renamed = choice.changeColumn(choice.defaultColumns, 'id', { name: ' Beleg ' })
  const moved = choice.moveColumn(choice.changeColumn(renamed, 'network', { isIn: false }), 'id', 1)
  const back = choice.fromMapping(choice.toMapping(moved))
  expect(back.slice(0, 2)).toEqual([
    { column: 'status', isIn: true, name: '' },
    { column: 'id', isIn: true, name: 'Beleg' },
  ])
  expect(back.at(-1)).toEqual({ column: 'network', isIn: false, name: '' })
  expect(choice.sameName(back)).toBeNull()
  expect(choice.sameName(choice.changeColumn(back, 'id', { name: 'amount' }))).toBe('amount')
})

it('the export of the list has its filter and order, and the export of a period has the selected date', () => {
  const form = { ...choice.useExportForm.getState(), periodBy: 'ended' } as const
  const query = {
    ...everyInvoice,
    overpaid: true,
    sort: { by: 'amount', descending: true },
  } as const
  expect(choice.orderOf('sandbox', { kind: 'list', query }, form).subject).toMatchObject({
    filter: { overpaid: true },
    sort: query.sort,
  })
  expect(choice.orderOf('sandbox', { kind: 'period', from: 5, to: 9 }, form).subject).toMatchObject(
    { filter: { period: { by: 'ended', from: 5, to: 9 }, overpaid: false } },
  )
})
