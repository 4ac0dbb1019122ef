/** Filters that the user saved under a name, for every network. */
import { useState } from 'react'
import { create } from 'zustand'
import type { InvoiceView } from '../../../../src-preload/contract/invoice.ts'
import { attempt, request, reload, useData } from '../../../app/bridge.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { NameDialog } from '../../../components/list/name-dialog.tsx'
import { Button, type MenuItem, Menu } from '../../../ui/button.tsx'
import { announce, showToast } from '../../../ui/toast.tsx'
import { changeQuery } from './invoice-list.tsx'
import { filterOf, isSameQuery, queryOf } from './invoice-query.ts'

/** The saved view that was shown last: what the user changes since can be saved to it. */
const useLastShown = create<{ id: number | null }>(() => ({ id: null }))

export function ViewsMenu({ query }: { query: InvoicesQuery }) {
  const views = useData('invoiceView.list').data ?? []
  const lastId = useLastShown((state) => state.id)
  const [naming, setNaming] = useState<'new' | 'rename' | null>(null)
  const same = views.filter((view) => isSameQuery(queryOf(view), query))
  const shown = same.find(({ id }) => id === lastId) ?? same[0]
  /** The view on the screen, or the one that it was before the user changed it. */
  const target = shown ?? views.find(({ id }) => id === lastId)
  const saved: MenuItem[] = views.map((view) => ({
    label: view.name,
    checked: view.id === shown?.id,
    onSelect: () => {
      useLastShown.setState({ id: view.id })
      changeQuery(queryOf(view))
    },
  }))
  const actions: MenuItem[] = [
    { label: 'Save this view…', icon: 'plus', onSelect: () => setNaming('new') },
  ]
  if (target !== undefined) {
    actions.push(
      {
        label: `Save changes to “${target.name}”`,
        disabled: shown !== undefined,
        onSelect: () => void replaceView(target, query),
      },
      { label: `Rename “${target.name}”…`, onSelect: () => setNaming('rename') },
      {
        label: `Remove “${target.name}”`,
        icon: 'trash',
        danger: true,
        onSelect: () => void removeView(target),
      },
    )
  }
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button kind="quiet" title="Saved views">
            {shown === undefined ? 'Views' : shown.name} ▾
          </Button>
        }
        items={saved.length === 0 ? actions : [...saved, 'line', ...actions]}
      />
      {naming !== null && (
        <NameDialog
          title={naming === 'new' ? 'Save this view' : 'Rename the view'}
          detail="A view keeps the filters and the order of the list. It is available on every network."
          name={naming === 'rename' ? (target?.name ?? '') : ''}
          onClose={() => setNaming(null)}
          onSave={(name) =>
            naming === 'rename' && target !== undefined
              ? saveView(name, queryOf(target), target.id)
              : saveView(name, query, null)
          }
        />
      )}
    </>
  )
}

/** @throws AppError when the name is refused: the form shows why. */
async function saveView(name: string, query: InvoicesQuery, id: number | null): Promise<void> {
  const view = await request('invoiceView.save', {
    id,
    name,
    filter: filterOf(query),
    sort: query.sort,
  })
  useLastShown.setState({ id: view.id })
  announce(`View ${view.name} saved`)
  reload('invoiceView.list')
}

async function replaceView(view: InvoiceView, query: InvoicesQuery): Promise<void> {
  const done = await attempt('Could not save the view', async () => {
    await saveView(view.name, query, view.id)
    return true
  })
  if (done === true)
    showUndo(`“${view.name}” saved`, () => saveView(view.name, queryOf(view), view.id))
}

async function removeView(view: InvoiceView): Promise<void> {
  const done = await attempt('Could not remove the view', () =>
    request('invoiceView.remove', { id: view.id }),
  )
  if (done === undefined) return
  useLastShown.setState({ id: null })
  reload('invoiceView.list')
  showUndo(`“${view.name}” removed`, () => saveView(view.name, queryOf(view), null))
}

function showUndo(title: string, undo: () => Promise<void>): void {
  showToast({
    id: 'invoice-view',
    title,
    action: { label: 'Undo', run: () => void attempt('Could not undo', undo) },
  })
}
