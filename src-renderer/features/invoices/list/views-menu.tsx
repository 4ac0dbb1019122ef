import { useEffect, useState } from 'react'
import type { InvoiceView } from '../../../../src-preload/contract/invoice.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { type MenuItem, Menu } from '../../../ui/menu.tsx'
import { NameDialog } from '../../../components/list/name-dialog.tsx'
import { isSameQuery, queryOf } from './invoice-query.ts'
import {
  followViews,
  removeView,
  replaceView,
  savedViews,
  saveView,
  showView,
  useShownView,
} from './views.ts'

/** What was saved under a name, and the way to save what is shown. */
export function ViewsMenu({ query }: { query: InvoicesQuery }) {
  const views = valueOf(useResource(savedViews)) ?? []
  const shownId = useShownView((state) => state.id)
  const [naming, setNaming] = useState<'new' | 'rename' | null>(null)
  useEffect(followViews, [])
  const same = views.filter((view) => isSameQuery(queryOf(view), query))
  const last = views.find(({ id }) => id === shownId)
  const shown = same.find(({ id }) => id === shownId) ?? same[0]
  /** What is shown, or was before it was changed. */
  const meant = shown ?? last
  const saved: MenuItem[] = views.map((view) => ({
    label: view.name,
    checked: view.id === shown?.id,
    onSelect: () => showView(view),
  }))
  const acts: MenuItem[] = [
    { label: 'Save this view…', icon: 'plus', onSelect: () => setNaming('new') },
    ...(meant === undefined ? [] : actsOn(meant, shown === undefined)),
  ]
  function actsOn(view: InvoiceView, isChanged: boolean): MenuItem[] {
    return [
      {
        label: `Save this as “${view.name}”`,
        disabled: !isChanged,
        onSelect: () => void replaceView(view, query),
      },
      { label: `Rename “${view.name}”…`, onSelect: () => setNaming('rename') },
      {
        label: `Remove “${view.name}”`,
        icon: 'trash',
        danger: true,
        onSelect: () => void removeView(view),
      },
    ]
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
        items={saved.length === 0 ? acts : [...saved, 'line', ...acts]}
      />
      {naming !== null && (
        <NameDialog
          title={naming === 'new' ? 'Save this view' : 'Rename the view'}
          detail="Its filters and its order. It is there for every network."
          name={naming === 'rename' ? (meant?.name ?? '') : ''}
          onClose={() => setNaming(null)}
          onSave={(name) =>
            naming === 'rename' && meant !== undefined
              ? saveView(name, queryOf(meant), meant.id)
              : saveView(name, query, null)
          }
        />
      )}
    </>
  )
}
