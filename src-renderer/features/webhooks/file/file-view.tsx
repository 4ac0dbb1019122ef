import { useEffect } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatBytes } from '../../../ui/format.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { DropZone } from '../../../components/files/drop-zone.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { ChangeView } from '../changes/change-view.tsx'
import { changesOf } from '../changes/changes.ts'
import { open, OpenSubscriptionsButton } from './file-open.tsx'
import { PlanView } from './plan-view.tsx'
import { plans, usePlan } from './plans.ts'
import { StartView } from './start-view.tsx'
import styles from './file.module.css'

/** Subscriptions as a file: what it wants against what is, mended, and undone. */
export function FileView({ network }: { network: Network }) {
  useEffect(() => plans.useNetwork(network.id), [network.id])
  return (
    <DropZone
      hint="Drop it to compare it with the gateway"
      className={styles['page']}
      onFile={(file) => void open(file)}
    >
      <Content network={network} />
    </DropZone>
  )
}

function Content({ network }: { network: Network }) {
  const { file, busy, plan, problem, changeId } = usePlan()
  const changes = valueOf(useResource(changesOf(network.id)))
  const change = changes?.find(({ id }) => id === changeId)
  if (change !== undefined) {
    const leave = () => {
      usePlan.setState({ changeId: null })
      // What differs is another thing by now.
      void plans.again()
    }
    return <ChangeView key={change.id} change={change} onLeave={leave} back="What differs" />
  }
  if (file === null) return <StartView network={network} />
  if (plan !== null) return <PlanView network={network} plan={plan} />
  if (problem !== null) {
    return (
      <div className={styles['failed']}>
        <FailedState what={`“${file.name}” could not be compared`} why={problem.message} />
        <div className={styles['line']}>
          <Button icon="refresh" onClick={() => void plans.again()}>
            Try again
          </Button>
          <OpenSubscriptionsButton />
          <Button kind="quiet" onClick={() => plans.putAway()}>
            Put it away
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div className={styles['failed']} role="status">
      <p className={styles['fileName']}>{file.name}</p>
      {busy?.step === 'reading' ? (
        <>
          <Progress label={`Reading ${file.name}`} done={busy.done} of={busy.total} />
          <p className={styles['hint']}>
            {formatBytes(busy.done)} of {formatBytes(busy.total)} read
          </p>
        </>
      ) : (
        <p className={styles['hint']}>
          Reading what is subscribed now, to compare it. Of many accounts this takes a while.
        </p>
      )}
      <Button onClick={() => plans.putAway()}>Cancel</Button>
    </div>
  )
}
