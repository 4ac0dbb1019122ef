import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { actionsOf } from '../../../components/jobs/job-state.ts'
import { cancelJob, exportLinks, pauseJob, removeJob, resumeJob } from './job-commands.ts'
import { titleOf } from './job-words.ts'

/** Pause or resume: the one thing most often asked of it. */
export function MainAction({ job }: { job: InvoiceJob }) {
  const { canPause, canResume } = actionsOf(job)
  const title = titleOf(job)
  if (canPause) {
    return (
      <Button icon="pause" aria-label={`Pause ${title}`} onClick={() => void pauseJob(job)}>
        Pause
      </Button>
    )
  }
  if (!canResume) return null
  return (
    <Button icon="play" aria-label={`Resume ${title}`} onClick={() => void resumeJob(job)}>
      Resume
    </Button>
  )
}

/** All that can be done with it. */
export function JobMenu({ job }: { job: InvoiceJob }) {
  const { canStop } = actionsOf(job)
  return (
    <Menu
      items={[
        {
          label: 'Save the links as CSV',
          icon: 'download',
          onSelect: () => exportLinks(job),
          disabled: job.kind !== 'issue' || job.done === 0,
        },
        {
          label: 'Stop for good…',
          icon: 'stop',
          onSelect: () => void cancelJob(job),
          disabled: !canStop,
        },
        'line',
        {
          label: 'Remove the report…',
          icon: 'trash',
          danger: true,
          onSelect: () => void removeJob(job),
          disabled: canStop,
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
