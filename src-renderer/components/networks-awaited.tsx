import { useResource } from '../app/resource.ts'
import { FailedState } from '../ui/failed-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { networks } from '../app/networks.ts'

/** In the place of what is about a network, until it is known which one is chosen. */
export function NetworksAwaited() {
  const state = useResource(networks)
  if (state.status !== 'failed') return <Skeleton rows={8} />
  return (
    <FailedState
      what="The networks could not be listed"
      why={state.error.message}
      onRetry={() => void networks.reload()}
    />
  )
}
