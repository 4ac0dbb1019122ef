import { useEffect, useState } from 'react'
import type { CaptureView } from '../../../../src-preload/contract/capture-query.ts'
import { formatNumber } from '../../../ui/format.ts'
import { useResource } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { type MenuItem, Menu } from '../../../ui/menu.tsx'
import { NameDialog } from '../../../components/list/name-dialog.tsx'
import { search } from '../inspector-commands.ts'
import {
  followViews,
  removeView,
  replaceView,
  savedViews,
  saveView,
  showView,
  useShownView,
  viewCounts,
} from './views.ts'

export const viewsId = 'capture-views'

/** What was saved under a name with what it finds now, and the way to save what is asked for. */
export function ViewsMenu({ text }: { text: string }) {
  const state = useResource(savedViews)
  // Idle until the menu is opened: counting is work.
  const counted = viewCounts.store()
  const shownId = useShownView((each) => each.id)
  const [naming, setNaming] = useState<'new' | 'rename' | null>(null)
  useEffect(followViews, [])
  const views = state.status === 'ready' ? state.value : []
  const counts = counted.status === 'ready' ? counted.value : []
  const same = views.filter((view) => view.text === text)
  const last = views.find(({ id }) => id === shownId)
  const shown = same.find(({ id }) => id === shownId) ?? same[0]
  /** What is shown, or was before it was changed. */
  const meant = shown ?? last

  const saved: MenuItem[] = views.map((view) => ({
    label: view.name,
    checked: view.id === shown?.id,
    hint: countOf(counts.find(({ id }) => id === view.id)),
    onSelect: () => showView(view),
  }))
  const acts: MenuItem[] = [
    {
      label: 'Save this query…',
      icon: 'plus',
      disabled: text.trim() === '',
      onSelect: () => setNaming('new'),
    },
    ...(meant === undefined ? [] : actsOn(meant, shown === undefined)),
    {
      label: 'All captures',
      disabled: text.trim() === '',
      onSelect: () => search({ text: '' }),
    },
  ]
  const failed: MenuItem[] =
    state.status === 'failed'
      ? [
          {
            label: `Views could not be read: ${state.error.message}`,
            icon: 'refresh',
            onSelect: () => void savedViews.reload(),
          },
          'line',
        ]
      : []

  function actsOn(view: CaptureView, isChanged: boolean): MenuItem[] {
    return [
      {
        label: `Save this as “${view.name}”`,
        disabled: !isChanged || text.trim() === '',
        onSelect: () => void replaceView(view, text),
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
        onOpen={() => void viewCounts.reload()}
        trigger={
          <Button id={viewsId} title="Saved views (v)">
            {shown === undefined ? 'Views' : shown.name} ▾
          </Button>
        }
        items={[...failed, ...(saved.length === 0 ? acts : [...saved, 'line' as const, ...acts])]}
      />
      {naming !== null && (
        <NameDialog
          title={naming === 'new' ? 'Save this query' : 'Rename the view'}
          detail={naming === 'new' ? text : (meant?.text ?? '')}
          name={naming === 'rename' ? (meant?.name ?? '') : ''}
          onClose={() => setNaming(null)}
          onSave={(name) =>
            naming === 'rename' && meant !== undefined
              ? saveView(name, meant.text, meant.id)
              : saveView(name, text, null)
          }
        />
      )}
    </>
  )
}

function countOf(known: { readonly count: number | null } | undefined): string | undefined {
  if (known === undefined) return undefined
  return known.count === null ? '–' : formatNumber(known.count)
}
