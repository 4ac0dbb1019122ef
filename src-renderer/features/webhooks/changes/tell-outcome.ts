import type { Change } from '../../../../src-preload/contract/subscription.ts'
import { navigate } from '../../../app/route.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { showChange } from '../accounts/subscriptions.ts'
import { undoChange } from './change-commands.tsx'
import { changeRoute } from './change-route.ts'
import { outcomeOf, titleOf } from './change-words.ts'

/** Who waits for a change may be on any page: its end is told there too, with the way back. */
export function tellOutcome(change: Change): void {
  const outcome = outcomeOf(change)
  if (outcome === null) return
  showChange(change)
  announce(`${titleOf(change)}: ${outcome}`)
  showToast({
    // Of several only the last is still to be undone at a press.
    id: 'change',
    title: titleOf(change),
    detail: outcome,
    tone: change.state === 'failed' ? 'bad' : 'plain',
    action: change.canUndo
      ? { label: 'Undo…', run: () => void undoChange(change) }
      : { label: 'Open', run: () => navigate(changeRoute(change)) },
  })
}
