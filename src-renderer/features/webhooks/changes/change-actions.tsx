import type { Change } from '../../../../src-preload/contract/subscription.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { actionsOf } from '../../../components/jobs/job-state.ts'
import {
  cancelChange,
  pauseChange,
  removeChange,
  resumeChange,
  undoChange,
} from './change-commands.tsx'
import { titleOf } from './change-words.ts'

/** Pause, resume or undo: the one thing most often asked of it. */
export function MainAction({ change }: { change: Change }) {
  const { canPause, canResume } = actionsOf(change)
  const title = titleOf(change)
  if (canPause) {
    return (
      <Button icon="pause" aria-label={`Pause ${title}`} onClick={() => void pauseChange(change)}>
        Pause
      </Button>
    )
  }
  if (canResume) {
    return (
      <Button icon="play" aria-label={`Resume ${title}`} onClick={() => void resumeChange(change)}>
        Resume
      </Button>
    )
  }
  if (!change.canUndo) return null
  return (
    <Button icon="undo" aria-label={`Undo ${title}…`} onClick={() => void undoChange(change)}>
      Undo…
    </Button>
  )
}

/** All that can be done with it. */
export function ChangeMenu({ change }: { change: Change }) {
  const { canStop } = actionsOf(change)
  return (
    <Menu
      items={[
        {
          label: 'Undo…',
          icon: 'undo',
          onSelect: () => void undoChange(change),
          disabled: !change.canUndo,
        },
        {
          label: 'Stop for good…',
          icon: 'stop',
          onSelect: () => void cancelChange(change),
          disabled: !canStop,
        },
        'line',
        {
          label: 'Remove the report…',
          icon: 'trash',
          danger: true,
          onSelect: () => void removeChange(change),
          disabled: change.state === 'running',
        },
      ]}
      trigger={
        <Button
          kind="quiet"
          icon="more"
          aria-label={`Actions of ${titleOf(change)}`}
          title="Actions"
        />
      }
    />
  )
}
