import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { cancelReplay, removeReplay, resumeReplay } from './job-commands.ts'
import { canResume, canStop, titleOf } from './job-words.ts'

/** Stop or resume: the one thing most often asked of it. */
export function MainAction({ job }: { job: ReplayJob }) {
  const title = titleOf(job)
  if (job.state === 'running') {
    return (
      <Button icon="stop" aria-label={`Stop ${title}`} onClick={() => void cancelReplay(job)}>
        Stop
      </Button>
    )
  }
  if (!canResume(job)) return null
  return (
    <Button icon="play" aria-label={`Resume ${title}`} onClick={() => void resumeReplay(job)}>
      Resume
    </Button>
  )
}

export function JobMenu({ job }: { job: ReplayJob }) {
  return (
    <Menu
      items={[
        {
          label: 'Stop',
          icon: 'stop',
          disabled: !canStop(job),
          onSelect: () => void cancelReplay(job),
        },
        'line',
        {
          label: 'Remove…',
          icon: 'trash',
          danger: true,
          disabled: canStop(job),
          onSelect: () => void removeReplay(job),
        },
      ]}
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
