import type { ReactNode } from 'react'
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import { type Route, printRoute } from '../../app/route.ts'
import { actionsOf } from './job-state.ts'
import styles from './job-strip.module.css'

type Job = { readonly id: number; readonly state: JobState; readonly problem: string | null }

/** Above a page while something is under way there, whichever of its views one is on. */
export function JobStrip<T extends Job>({
  jobs,
  titleOf,
  routeOf,
  children,
}: {
  jobs: readonly T[]
  titleOf: (job: T) => string
  routeOf: (job: T) => Route
  /** How far it has come, and what may be asked of it. */
  children: (job: T) => ReactNode
}) {
  return (
    <div>
      {jobs
        .filter((job) => actionsOf(job).canStop)
        .map((job) => (
          <div
            key={job.id}
            className={styles['strip']}
            role="group"
            aria-label={`Under way: ${titleOf(job)}`}
          >
            <a href={printRoute(routeOf(job))} className={styles['stripName']}>
              {titleOf(job)}
            </a>
            {children(job)}
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
