/** Saved queries of the Inspector. */
import { useState } from 'react'
import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import { reload, request, useDataOf } from '../../app/bridge.ts'
import { createSavedViews } from '../../components/list/saved-views.tsx'
import { formatNumber } from '../../ui/format.ts'
import { search } from './inspector.ts'
import { presets } from './presets.ts'

export const viewsId = 'capture-views'

const SavedViews = createSavedViews({
  routes: 'captureView',
  thing: 'query',
  contentOf: (view: CaptureView) => view.text,
  isSame: (a, b) => a === b,
  save: (name, text, id) => request('captureView.save', { id, name, text }),
  onShow: (text) => search(text),
})

export function ViewsMenu({ text }: { text: string }) {
  // Counting takes time, so it waits until the menu is opened.
  const [isCounted, setCounted] = useState(false)
  const { data: counts = [] } = useDataOf('captureView.counts', isCounted ? undefined : null)
  const hasNoQuery = text.trim() === ''
  return (
    <SavedViews
      id={viewsId}
      content={text}
      isEmpty={hasNoQuery}
      title="Saved views (v)"
      detail={(query) => query}
      hintOf={(view) => describeCount(counts.find(({ id }) => id === view.id))}
      onOpen={() => {
        setCounted(true)
        reload('captureView.counts')
      }}
      more={[
        { label: 'All captures', disabled: hasNoQuery, onSelect: () => search('') },
        'line',
        ...presets.map((each) => ({ label: each.label, onSelect: () => search(each.text) })),
      ]}
    />
  )
}

function describeCount(known: { readonly count: number | null } | undefined): string | undefined {
  if (known === undefined) return undefined
  return known.count === null ? '–' : formatNumber(known.count)
}
