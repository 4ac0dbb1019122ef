import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { networks, selectNetwork } from '../../app/networks.ts'

/** A link of another network: what it leads to is not asked of this one. */
export function ForeignLink({
  id,
  shown,
  stay,
  onStay,
}: {
  id: NetworkId
  shown: Network
  /** What there is to do here instead, where the other network is gone. */
  stay: string
  onStay: () => void
}) {
  const state = useResource(networks)
  const known = state.status === 'ready' ? state.value.networks : []
  const name = known.find((each) => each.id === id)?.name
  if (name === undefined) {
    return (
      <EmptyState
        title="This link is of a network that is not here"
        detail={`It was removed, or added on another computer. You are on ${shown.name}.`}
      >
        <Button onClick={onStay}>{stay}</Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={`This link is of ${name}`}
      detail={`You are on ${shown.name}, which was not asked for it.`}
    >
      <Button kind="main" onClick={() => void selectNetwork(id)}>
        Switch to {name}
      </Button>
      <Button onClick={onStay}>Stay on {shown.name}</Button>
    </EmptyState>
  )
}
