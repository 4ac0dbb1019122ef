import { create } from 'zustand'
import type { InvoiceView } from '../../../../src-preload/contract/invoice.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, request } from '../../../app/bridge.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { createResource } from '../../../app/resource.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { changeQuery } from './go.ts'
import { filterOf, queryOf } from './invoice-query.ts'

/** The person's own, of all networks. */
export const savedViews = createResource(() => request('invoiceView.list'))

/** The saved one that was shown last: what is changed since can be saved to it. */
export const useShownView = create<{ id: number | null }>(() => ({ id: null }))

/** Returns the way to stop. */
export function followViews(): () => void {
  return on('invoiceView.changed', () => void savedViews.reload())
}

export function showView(view: InvoiceView): void {
  useShownView.setState({ id: view.id })
  changeQuery(queryOf(view))
}

/** @throws AppError when the name is refused: the form tells why. */
export async function saveView(
  name: string,
  query: InvoicesQuery,
  id: number | null,
): Promise<void> {
  const view = await request('invoiceView.save', {
    id,
    name,
    filter: filterOf(query),
    sort: query.sort,
  })
  useShownView.setState({ id: view.id })
  announce(`View ${view.name} saved`)
  await savedViews.reload()
}

/** It shows from now on what the list shows. */
export async function replaceView(view: InvoiceView, query: InvoicesQuery): Promise<void> {
  const done = await attempt('Could not save the view', async () => {
    await saveView(view.name, query, view.id)
    return true
  })
  if (done === undefined) return
  showToast({
    id: 'invoice-view',
    title: `“${view.name}” shows this now`,
    action: {
      label: 'Undo',
      run: () =>
        void attempt('Could not undo it', () => saveView(view.name, queryOf(view), view.id)),
    },
  })
}

export async function removeView(view: InvoiceView): Promise<void> {
  const done = await attempt('Could not remove the view', () =>
    request('invoiceView.remove', { id: view.id }),
  )
  if (done === undefined) return
  useShownView.setState({ id: null })
  void savedViews.reload()
  showToast({
    id: 'invoice-view',
    title: `“${view.name}” removed`,
    action: {
      label: 'Undo',
      run: () => void attempt('Could not undo it', () => saveView(view.name, queryOf(view), null)),
    },
  })
}
