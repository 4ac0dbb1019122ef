import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import { attempt } from '../../../app/attempt.ts'
import { formatNumber } from '../../../ui/format.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { rowAt } from '../../../components/list/windows.ts'
import { invoices, readRows, useInvoiceList } from './invoice-list.ts'

/** As many as one job cancels. */
export const mostSelected = 10_000
const pageSize = 500

/** Rows between two indexes, both with them, whether they were fetched yet or not. */
async function rowsBetween(from: number, to: number): Promise<Invoice[]> {
  const found: Invoice[] = []
  while (from + found.length <= to) {
    const offset = from + found.length
    const { invoices: rows } = await readRows(offset, Math.min(pageSize, to - offset + 1))
    if (rows.length === 0) break
    found.push(...rows)
  }
  return found
}

function select(change: (selected: Map<string, Invoice>) => void, anchor: number): void {
  const selected = new Map(useInvoiceList.getState().selected)
  change(selected)
  useInvoiceList.setState({ selected, anchor })
  announce(`${formatNumber(selected.size)} selected`)
}

export function toggleRow(index: number): void {
  const state = invoices.store.getState()
  const row = state.status === 'ready' ? rowAt(state, index) : null
  if (row === null) return
  const { selected } = useInvoiceList.getState()
  if (!selected.has(row.id) && selected.size >= mostSelected) {
    tellTooMany()
    return
  }
  select((now) => {
    if (!now.delete(row.id)) now.set(row.id, row)
  }, index)
}

/** All from the one selected last to this one. */
export async function selectTo(index: number): Promise<void> {
  const { anchor, cursor, network, query } = useInvoiceList.getState()
  const start = anchor ?? cursor ?? index
  const [from, to] = [Math.min(start, index), Math.max(start, index)]
  if (to - from >= mostSelected) {
    tellTooMany()
    return
  }
  // The cursor may move before the rows are there.
  useInvoiceList.setState({ anchor: start })
  const rows = await attempt('Could not select the rows', () => rowsBetween(from, to))
  const now = useInvoiceList.getState()
  // Something else is shown by now: nothing of it was meant.
  if (rows === undefined || now.network !== network || now.query !== query) return
  if (new Set([...now.selected.keys(), ...rows.map(({ id }) => id)]).size > mostSelected) {
    tellTooMany()
    return
  }
  select((selected) => {
    for (const row of rows) selected.set(row.id, row)
  }, start)
}

function tellTooMany(): void {
  showToast({
    title: `At most ${formatNumber(mostSelected)} rows can be selected`,
    detail: 'To cancel more, filter them and cancel what is pending of it, a part at a time.',
    tone: 'bad',
  })
}
