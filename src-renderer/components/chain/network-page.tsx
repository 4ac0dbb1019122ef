import { type ReactNode, useLayoutEffect, useRef } from 'react'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { selectNetwork, useCurrentNetwork } from '../../app/networks.ts'
import { useData } from '../../app/bridge.ts'
import { type Route, navigate } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { NetworksAwaited } from '../networks-awaited.tsx'
import { OfNetwork } from '../network-tag.tsx'

/** Renders a page about the selected network. A link to another network causes no request to this one. */
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
  /** The network of the link; null if it fits any network. */
  of: NetworkId | null
  home: Route
  /** The action offered instead of following a link whose network was removed. */
  stay: (network: string) => string
  /** Called if the user selects another network while the page is open. */
  onSwitch?: (former: NetworkId, now: NetworkId) => void
  scroll?: boolean
  beside: ReactNode
  actions: (network: Network) => ReactNode
  children: (network: Network) => ReactNode
}) {
  const network = useCurrentNetwork()
  const id = network?.id ?? null
  const before = useRef(id)
  // The effect runs before any link to the previous network is painted.
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

/** Explains that a link is for another network than the selected one, and offers to select that network. */
export function ForeignLink({
  id,
  shown,
  stay,
  onStay,
}: {
  id: NetworkId
  shown: Network
  stay: string
  onStay: () => void
}) {
  const name = useData('network.list').data?.networks.find((each) => each.id === id)?.name
  return (
    <EmptyState
      title={`This link is for ${name ?? 'a network that is not set up here'}`}
      detail={
        name === undefined
          ? `The network was removed, or exists only on another computer. You are on ${shown.name}.`
          : `You are on ${shown.name}. Switch the network to open this link.`
      }
    >
      {name !== undefined && (
        <Button kind="main" onClick={() => void selectNetwork(id)}>
          Switch to {name}
        </Button>
      )}
      <Button onClick={onStay}>{name === undefined ? stay : `Stay on ${shown.name}`}</Button>
    </EmptyState>
  )
}
