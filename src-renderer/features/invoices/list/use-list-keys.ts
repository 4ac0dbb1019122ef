import type { RefObject } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { copyText } from '../../../ui/copy-button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { rowAt } from '../../../components/list/windows.ts'
import { cancelInvoices } from './cancel-commands.tsx'
import { closeInvoice, listRoute, openInvoice } from './go.ts'
import { clearSelection, invoices, putCursor, showNews, useInvoiceList } from './invoice-list.ts'
import { selectTo, toggleRow } from './selecting.ts'
import { readNow } from './sync-state.tsx'

const group = 'Invoices'
const key = shortcutsOf(group)

/** The keys of the list; the sheet behind `?` lists them from here. */
export function useListKeys({
  network,
  openId,
  field,
}: {
  network: Network
  /** The one that is open. */
  openId: string | null
  field: RefObject<HTMLInputElement | null>
}): void {
  const state = invoices.store()
  const { cursor, selected } = useInvoiceList()
  const count = state.status === 'ready' ? state.total : 0
  const row = state.status === 'ready' && cursor !== null ? rowAt(state, cursor) : null

  const put = (index: number | null) => {
    const there = putCursor(index)
    // Beside an open one, what is walked to is shown at once.
    if (there !== null && listRoute().id !== null) openInvoice(network, there.id, true)
  }
  const extend = (step: 1 | -1) => {
    if (count === 0) return
    if (cursor !== null && selected.size === 0) toggleRow(cursor)
    const next = Math.max(0, Math.min(count - 1, (cursor ?? -1) + step))
    put(next)
    void selectTo(next)
  }
  const leave = () => {
    if (selected.size > 0) clearSelection()
    else if (openId !== null) closeInvoice()
    else if (cursor !== null) putCursor(null)
  }
  const meant = selected.size > 0 ? [...selected.values()] : row === null ? [] : [row]

  useGridKeys({ group, thing: 'invoice', count, cursor, onCursor: put })
  useShortcuts([
    key(['Enter'], 'Open the invoice', () => {
      if (row !== null) openInvoice(network, row.id)
    }),
    key(['x', ' '], 'Select or deselect', () => {
      if (cursor !== null) toggleRow(cursor)
    }),
    key(['J', 'shift+ArrowDown'], 'Select downwards', () => extend(1)),
    key(['K', 'shift+ArrowUp'], 'Select upwards', () => extend(-1)),
    key(['X'], 'Select all from the last selected on', () => {
      if (cursor !== null) void selectTo(cursor)
    }),
    key(['c'], 'Copy the payment link', () => {
      const id = row?.id ?? openId
      if (id !== null) void copyLink(network, id)
    }),
    key(['Delete'], 'Cancel…', () => {
      if (meant.length > 0) void cancelInvoices(network, meant)
    }),
    key(['r'], 'Read the invoices now', () => void readNow(network)),
    key(['.'], 'Show what is new', showNews),
    key(['/'], 'Search the invoices', () => {
      field.current?.focus()
      field.current?.select()
    }),
    key(['Escape'], 'Put away the selection, the detail', leave),
  ])
}

/** Rows do not hold it: it is asked for. */
async function copyLink(network: Network, id: string): Promise<void> {
  const detail = await attempt('Could not copy the link', () =>
    request('invoice.get', { network: network.id, id }),
  )
  if (detail !== undefined && (await copyText(detail.paymentLink, 'Payment link'))) {
    showToast({ id: 'payment-link', title: `Payment link of ${id} copied` })
  }
}
