import { type ReactNode, useLayoutEffect, useRef } from 'react'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { type Route, navigate } from '../../app/route.ts'
import { Page } from '../../ui/page.tsx'
import { NetworksAwaited } from '../networks-awaited.tsx'
import { useCurrentNetwork } from '../../app/networks.ts'
import { ForeignLink } from './foreign-link.tsx'
import { OfNetwork } from './of-network.tsx'

/** A page about the network that is chosen: a link of another one is not asked of it. */
export function NetworkPage({
  title,
  of,
  home,
  stay,
  onSwitch,
  scroll = false,
  beside,
  actions,
  children,
}: {
  title: string
  /** The network of the link that led here; null of one that fits any. */
  of: NetworkId | null
  home: Route
  /** What there is to do here instead of following a link whose network is gone. */
  stay: (network: string) => string
  /** The user has chosen another network while the page is open. */
  onSwitch?: (former: NetworkId, now: NetworkId) => void
  scroll?: boolean
  beside: ReactNode
  actions: (network: Network) => ReactNode
  children: (network: Network) => ReactNode
}) {
  const network = useCurrentNetwork()
  const id = network?.id ?? null
  const before = useRef(id)
  // Before anything of a link to the former network is painted.
  useLayoutEffect(() => {
    const former = before.current
    before.current = id
    if (former !== null && id !== null && former !== id) onSwitch?.(former, id)
  }, [id, onSwitch])
  if (network === null) {
    return (
      <Page title={title}>
        <NetworksAwaited />
      </Page>
    )
  }
  const isForeign = of !== null && of !== network.id
  return (
    <OfNetwork key={network.id} network={network}>
      <Page
        title={title}
        scroll={scroll || isForeign}
        beside={beside}
        actions={!isForeign && actions(network)}
      >
        {isForeign ? (
          <ForeignLink
            id={of}
            shown={network}
            stay={stay(network.name)}
            onStay={() => navigate(home)}
          />
        ) : (
          children(network)
        )}
      </Page>
    </OfNetwork>
  )
}
