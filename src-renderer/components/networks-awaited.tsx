import { useData } from '../app/bridge.ts'
import { Loaded } from '../ui/loaded.tsx'

/** Replaces a page of a network until the selected network is loaded. */
export function NetworksAwaited() {
  return (
    <Loaded query={useData('network.list')} of="the networks" rows={8}>
      {() => null}
    </Loaded>
  )
}
