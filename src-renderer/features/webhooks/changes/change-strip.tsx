import type { Change, NetworkId } from '../../../../src-preload/contract/index.ts'
import { useResource, valueOf } from '../../../resource.ts'
import { printRoute } from '../../../route.ts'
import { MainAction } from './change-actions.tsx'
import { ChangeProgress } from './change-progress.tsx'
import { changeRoute } from './change-route.ts'
import { titleOf } from './change-words.ts'
import { changesOf } from './changes.ts'
import styles from '../../jobs/job-strip.module.css'

/** Above the page of webhooks while something is being changed, whichever of its views one is on. */
export function ChangeStrip({ network }: { network: NetworkId }) {
  const changes = valueOf(useResource(changesOf(network))) ?? []
  return (
    <div>
      {changes.filter(isUnderWay).map((change) => (
        <div
          key={change.id}
          className={styles['strip']}
          role="group"
          aria-label={`Under way: ${titleOf(change)}`}
        >
          <a href={printRoute(changeRoute(change))} className={styles['stripName']}>
            {titleOf(change)}
          </a>
          <ChangeProgress change={change} />
          <MainAction change={change} />
          {change.problem !== null && (
            <p className={styles['problem']} role="status">
              {change.problem}
            </p>
          )}
        </div>
      ))}
    </div>
  )
}

function isUnderWay({ state }: Change): boolean {
  return state === 'running' || state === 'paused'
}
