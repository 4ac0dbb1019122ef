import type { ReplayJob } from '../../../src-preload/contract/index.ts'
import { useResource, valueOf } from '../../resource.ts'
import { printRoute, useRoute } from '../../route.ts'
import { MainAction } from './job-actions.tsx'
import { JobProgress } from './job-progress.tsx'
import { titleOf } from './job-words.ts'
import { replayRoute, replays } from './replays.ts'
import styles from '../jobs/job-strip.module.css'

/** Above every part of the inspector while something is sent again. */
export function ReplayStrip() {
  const jobs = valueOf(useResource(replays)) ?? []
  const isListed = useRoute(({ route }) => route.page === 'workbench' && route.view === 'replays')
  // What stands in the view need not stand above it as well.
  const shown = isListed ? [] : jobs.filter(isUnderWay)
  return (
    <div>
      {shown.map((job) => (
        <div
          key={job.id}
          className={styles['strip']}
          role="group"
          aria-label={`Under way: ${titleOf(job)}`}
        >
          <a href={printRoute(replayRoute(job.id))} className={styles['stripName']}>
            {titleOf(job)}
          </a>
          <JobProgress job={job} />
          <MainAction job={job} />
          {job.problem !== null && (
            <p className={styles['problem']} role="status">
              {job.problem}
            </p>
          )}
        </div>
      ))}
    </div>
  )
}

function isUnderWay({ state }: ReplayJob): boolean {
  return state === 'running' || state === 'paused'
}
