import { useResource, valueOf } from '../../../app/resource.ts'
import { useRoute } from '../../../app/route.ts'
import { JobStrip } from '../../../components/jobs/job-strip.tsx'
import { MainAction } from './job-actions.tsx'
import { JobProgress } from './job-progress.tsx'
import { titleOf } from './job-words.ts'
import { replayRoute, replays } from './replays.ts'

/** Above every part of the inspector while something is sent again. */
export function ReplayStrip() {
  const jobs = valueOf(useResource(replays)) ?? []
  const isListed = useRoute(({ route }) => route.page === 'workbench' && route.view === 'replays')
  return (
    // What stands in the view need not stand above it as well.
    <JobStrip jobs={isListed ? [] : jobs} titleOf={titleOf} routeOf={({ id }) => replayRoute(id)}>
      {(job) => (
        <>
          <JobProgress job={job} />
          <MainAction job={job} />
        </>
      )}
    </JobStrip>
  )
}
