import { create } from 'zustand'
import type { CaptureView } from '../../../../src-preload/contract/capture-query.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, request } from '../../../app/bridge.ts'
import { createResource } from '../../../app/resource.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { search } from '../inspector-commands.ts'

/** Queries that the person has given a name. */
export const savedViews = createResource(() => request('captureView.list'))

/** How many captures each finds; asked for when somebody looks. */
export const viewCounts = createResource(() => request('captureView.counts'))

/** The one that was shown last: what is changed since can be saved to it. */
export const useShownView = create<{ id: number | null }>(() => ({ id: null }))

/** Returns the way to stop. */
export function followViews(): () => void {
  return on('captureView.changed', () => void savedViews.reload())
}

export function showView(view: CaptureView): void {
  useShownView.setState({ id: view.id })
  search({ text: view.text })
}

/** @throws AppError when the name is refused: the form tells why. */
export async function saveView(name: string, text: string, id: number | null): Promise<void> {
  const view = await request('captureView.save', { id, name, text })
  useShownView.setState({ id: view.id })
  announce(`View ${view.name} saved`)
  await savedViews.reload()
}

/** It shows from now on what the list shows. */
export async function replaceView(view: CaptureView, text: string): Promise<void> {
  const done = await attempt('Could not save the view', async () => {
    await saveView(view.name, text, view.id)
    return true
  })
  if (done === undefined) return
  showToast({
    id: 'capture-view',
    title: `“${view.name}” shows this now`,
    action: {
      label: 'Undo',
      run: () => void attempt('Could not undo it', () => saveView(view.name, view.text, view.id)),
    },
  })
}

export async function removeView(view: CaptureView): Promise<void> {
  const done = await attempt('Could not remove the view', () =>
    request('captureView.remove', { id: view.id }),
  )
  if (done === undefined) return
  useShownView.setState({ id: null })
  void savedViews.reload()
  showToast({
    id: 'capture-view',
    title: `“${view.name}” removed`,
    action: {
      label: 'Undo',
      run: () => void attempt('Could not undo it', () => saveView(view.name, view.text, null)),
    },
  })
}
