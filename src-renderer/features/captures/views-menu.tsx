/** Saved queries of the Inspector. */
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import { attempt, request, reload, useData, useDataOf } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { Button, type MenuItem, Menu } from '../../ui/button.tsx'
import { FormDialog, TextField } from '../../ui/form.tsx'
import { formatNumber } from '../../ui/format.ts'
import { announce, showToast } from '../../ui/toast.tsx'
import { search } from './inspector.ts'
import { presets } from './presets.ts'

export const viewsId = 'capture-views'

/** The view shown last: a changed query can be saved to it. */
const useShownView = create<{ id: number | null }>(() => ({ id: null }))

export function ViewsMenu({ text }: { text: string }) {
  const { data: views = [], error, refetch } = useData('captureView.list')
  // Counting takes time, so it waits until the menu is opened.
  const [isCounted, setCounted] = useState(false)
  const { data: counts = [] } = useDataOf('captureView.counts', isCounted ? undefined : null)
  const shownId = useShownView((state) => state.id)
  const [named, setNamed] = useState<CaptureView | 'new' | null>(null)
  const same = views.filter((view) => view.text === text)
  const shown = same.find(({ id }) => id === shownId) ?? same[0]
  /** The view that is shown, or was before the query was changed. */
  const view = shown ?? views.find(({ id }) => id === shownId)
  const hasNoQuery = text.trim() === ''
  const id = shown?.id
  useEffect(() => {
    if (id !== undefined) useShownView.setState({ id })
  }, [id])

  const saved: MenuItem[] = views.map((each) => ({
    label: each.name,
    checked: each.id === shown?.id,
    hint: describeCount(counts.find(({ id }) => id === each.id)),
    onSelect: () => {
      useShownView.setState({ id: each.id })
      search(each.text)
    },
  }))
  const failed: MenuItem[] =
    error === null
      ? []
      : [
          {
            label: `Could not load the views: ${error.message}`,
            icon: 'refresh',
            onSelect: () => void refetch(),
          },
          'line',
        ]
  const actions: MenuItem[] = [
    {
      label: 'Save this query…',
      icon: 'plus',
      disabled: hasNoQuery,
      onSelect: () => setNamed('new'),
    },
    ...(view === undefined ? [] : actionsOf(view)),
    { label: 'All captures', disabled: hasNoQuery, onSelect: () => search('') },
    'line',
    ...presets.map((each) => ({ label: each.label, onSelect: () => search(each.text) })),
  ]

  function actionsOf(of: CaptureView): MenuItem[] {
    return [
      {
        label: `Save this as “${of.name}”`,
        disabled: shown !== undefined || hasNoQuery,
        onSelect: () => void replaceView(of, text),
      },
      { label: `Rename “${of.name}”…`, onSelect: () => setNamed(of) },
      {
        label: `Remove “${of.name}”`,
        icon: 'trash',
        danger: true,
        onSelect: () => void removeView(of),
      },
    ]
  }

  return (
    <>
      <Menu
        onOpen={() => {
          setCounted(true)
          reload('captureView.counts')
        }}
        trigger={
          <Button id={viewsId} title="Saved views (v)">
            {shown?.name ?? 'Views'} ▾
          </Button>
        }
        items={[...failed, ...saved, ...(saved.length === 0 ? [] : ['line' as const]), ...actions]}
      />
      {named !== null && <NameDialog named={named} text={text} onClose={() => setNamed(null)} />}
    </>
  )
}

function NameDialog({
  named,
  text,
  onClose,
}: {
  named: CaptureView | 'new'
  text: string
  onClose: () => void
}) {
  const known = named === 'new' ? null : named
  const form = useForm({ name: known?.name ?? '' }, async ({ name }) => {
    if (name.trim() === '') return { name: 'Enter a name.' }
    await saveView(name.trim(), known?.text ?? text, known?.id ?? null)
    onClose()
    return undefined
  })
  return (
    <FormDialog
      title={known === null ? 'Save this query' : 'Rename the view'}
      detail={known?.text ?? text}
      form={form}
      action="Save"
      onClose={onClose}
    >
      <TextField label="Name" maxLength={60} autoFocus {...form.field('name')} />
    </FormDialog>
  )
}

function describeCount(known: { readonly count: number | null } | undefined): string | undefined {
  if (known === undefined) return undefined
  return known.count === null ? '–' : formatNumber(known.count)
}

/** @throws AppError where the name is refused */
async function saveView(name: string, text: string, id: number | null): Promise<void> {
  const view = await request('captureView.save', { id, name, text })
  useShownView.setState({ id: view.id })
  announce(`View ${view.name} saved`)
  reload('captureView.list')
}

async function replaceView(view: CaptureView, text: string): Promise<void> {
  const done = await attempt('Could not save the view', async () => {
    await saveView(view.name, text, view.id)
    return true
  })
  if (done !== undefined) offerUndo(`“${view.name}” saved`, view, view.id)
}

async function removeView(view: CaptureView): Promise<void> {
  const done = await attempt('Could not remove the view', () =>
    request('captureView.remove', { id: view.id }),
  )
  if (done === undefined) return
  useShownView.setState({ id: null })
  reload('captureView.list')
  offerUndo(`“${view.name}” removed`, view, null)
}

function offerUndo(title: string, { name, text }: CaptureView, id: number | null): void {
  const undo = () => void attempt('Could not undo', () => saveView(name, text, id))
  showToast({ id: 'capture-view', title, action: { label: 'Undo', run: undo } })
}
