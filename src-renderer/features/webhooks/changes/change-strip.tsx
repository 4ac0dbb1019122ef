import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { JobStrip } from '../../../components/jobs/job-strip.tsx'
import { MainAction } from './change-actions.tsx'
import { ChangeProgress } from './change-progress.tsx'
import { changeRoute } from './change-route.ts'
import { titleOf } from './change-words.ts'
import { changesOf } from './changes.ts'

/** Above the page of webhooks while something is being changed, whichever of its views one is on. */
export function ChangeStrip({ network }: { network: NetworkId }) {
  const changes = valueOf(useResource(changesOf(network))) ?? []
  return (
    <JobStrip jobs={changes} titleOf={titleOf} routeOf={(change) => changeRoute(change)}>
      {(change) => (
        <>
          <ChangeProgress change={change} />
          <MainAction change={change} />
        </>
      )}
    </JobStrip>
  )
}
