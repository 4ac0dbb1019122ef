import { attempt, request, reload } from '../app/bridge.ts'
import { formatCount } from '../ui/format.ts'
import { confirm } from '../ui/dialog.tsx'
import { showToast } from '../ui/toast.tsx'

/** Asks first, with the numbers; pinned captures stay. Says in the end what was deleted. */
export async function clearCaptures(): Promise<void> {
  const counts = await attempt('Could not count the captures', () => request('capture.counts'))
  if (counts === undefined) return
  const loose = counts.total - counts.pinned
  if (loose <= 0) {
    showToast({
      title: 'There is nothing to clear',
      ...(counts.pinned > 0 && { detail: 'Only pinned captures are left, and those stay.' }),
    })
    return
  }
  const kept =
    counts.pinned === 0 ? '' : ` ${formatCount(counts.pinned, 'pinned capture')} will stay.`
  const yes = await confirm({
    title: `Delete ${formatCount(loose, 'capture')}?`,
    detail: `Everything received so far is deleted and cannot be brought back.${kept}`,
    action: 'Delete',
    destructive: true,
  })
  if (!yes) return
  const result = await attempt('Could not clear the captures', () =>
    request('capture.clear', { keepPinned: true }),
  )
  if (result === undefined) return
  reload('capture.counts')
  showToast({ title: `${formatCount(result.deleted, 'capture')} deleted` })
}
