import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { Button } from '../../ui/button.tsx'
import { type MenuItem, Menu } from '../../ui/menu.tsx'
import { pauseJob, removeJob, rerunJob, resumeJob, stopJob } from './job-commands.ts'
import { actionsOf } from '../jobs/job-state.ts'
import { titleOf } from './job-words.ts'

/** Pause or go on: the one thing most often asked of a lookup that is not done. */
export function PauseButton({ job }: { job: LookupJob }) {
  const { canPause, canResume } = actionsOf(job)
  if (canPause) {
    return (
      <Button icon="pause" aria-label={`Pause ${titleOf(job)}`} onClick={() => void pauseJob(job)}>
        Pause
      </Button>
    )
  }
  if (!canResume) return null
  return (
    <Button icon="play" aria-label={`Resume ${titleOf(job)}`} onClick={() => void resumeJob(job)}>
      Resume
    </Button>
  )
}

/** All that can be done with a lookup. */
export function JobMenu({ job }: { job: LookupJob }) {
  const { canStop, canRerun } = actionsOf(job)
  const items: MenuItem[] = [
    {
      label: 'Look up again',
      icon: 'refresh',
      onSelect: () => void rerunJob(job),
      disabled: !canRerun,
    },
    {
      label: 'Stop for good…',
      icon: 'stop',
      onSelect: () => void stopJob(job),
      disabled: !canStop,
    },
    'line',
    { label: 'Remove…', icon: 'trash', danger: true, onSelect: () => void removeJob(job) },
  ]
  return (
    <Menu
      items={items}
      trigger={
        <Button
          kind="quiet"
          icon="more"
          aria-label={`Actions of ${titleOf(job)}`}
          title="Actions"
        />
      }
    />
  )
}
