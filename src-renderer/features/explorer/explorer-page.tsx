import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../src-preload/contract/network.ts'
import { type ExplorerRoute, emptyFilter, explorerHome } from '../../app/chain-route.ts'
import { useCurrentNetwork } from '../../app/networks.ts'
import { navigate, useRoute } from '../../app/route.ts'
import { clearSearch } from '../../components/chain/chain-search.ts'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { ViewBar } from '../../components/page-views.tsx'
import { IconButton } from '../../ui/button.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { AccountView } from './account-view.tsx'
import { BlockView, LatestBlocks } from './block-views.tsx'
import { JettonView } from './jetton-view.tsx'
import { CollectionView, NftView, NftsView } from './nft-views.tsx'
import { BuildPage } from './build-view.tsx'
import { ContractPage } from './contract-page.tsx'
import { type LeftPage, SearchField, SearchHome } from './search.tsx'
import { TransactionView } from './transaction-view.tsx'
import { HistoryList, HistoryView } from './history-view.tsx'
import { WatchedAccounts } from './watched-view.tsx'

/** The explorer: search, accounts, transactions, blocks, sending a message. */
export function ExplorerPage() {
  const route = useRoute((state) => state.route)
  const { isSwitching, left } = useNetworkSwitch(route.page === 'explorer' ? route : null)
  useShortcuts([{ keys: ['b'], label: 'Back', group: 'Explorer', run: back }])
  if (route.page !== 'explorer' || isSwitching) return null
  return (
    <NetworkPage
      title="Explorer"
      of={route.network}
      home={explorerHome}
      stay={(name) => `Search ${name}`}
      scroll={
        route.view === 'home' ||
        route.view === 'watched' ||
        (route.view === 'exports' && route.id === null)
      }
      beside={
        <>
          {route.view !== 'home' && <IconButton icon="left" label="Back" onClick={back} />}
          <SearchField />
        </>
      }
      actions={() => <ViewBar />}
    >
      {(network) => <View route={route} network={network} left={left} />}
    </NetworkPage>
  )
}

const back = () => window.history.back()

function View({
  route,
  network,
  left,
}: {
  route: ExplorerRoute
  network: Network
  left: LeftPage | null
}): ReactNode {
  switch (route.view) {
    case 'home':
      return <SearchHome left={left} />
    case 'tx':
      return <TransactionView key={route.hash} id={route.hash} />
    case 'account':
      return <AccountView key={route.address} address={route.address} filter={route.filter} />
    case 'jetton':
      return <JettonView key={route.address} address={route.address} />
    case 'nft':
      return <NftView key={route.address} address={route.address} />
    case 'collection':
      return <CollectionView key={route.address} address={route.address} />
    case 'nfts':
      return <NftsView key={route.address} address={route.address} />
    case 'contract':
      return <ContractPage key={route.address} address={route.address} />
    case 'block':
      return <BlockView key={route.id} id={route.id} />
    case 'blocks':
      return <LatestBlocks />
    case 'build':
      return <BuildPage isSigned={route.isSigned} />
    case 'watched':
      return <WatchedAccounts network={network} />
    case 'exports':
      return route.id === null ? <HistoryList /> : <HistoryView id={route.id} />
  }
}

type Shown = {
  /** The network of the displayed pages. */
  readonly network: Network | null
  /** The page that was closed because the user switched to another network. */
  readonly left: LeftPage | null
}

const nothingShown: Shown = { network: null, left: null }
const useShown = create<Shown>(() => nothingShown)

/**
 * Handles a switch to another network. An account is then displayed on the new network. A
 * transaction or a block exists on one network only, so the search is displayed instead, with a
 * link back. Nothing of the former network is requested from the new one.
 */
function useNetworkSwitch(route: ExplorerRoute | null) {
  const network = useCurrentNetwork()
  const { network: shown, left } = useShown()
  const isSwitching = network !== null && shown !== null && network.id !== shown.id
  const isHome = route?.view === 'home'
  const show = useEffectEvent(() => {
    const hasSwitched = isSwitching && route !== null
    if (hasSwitched) clearSearch()
    useShown.setState({ network, left: hasSwitched ? follow(route, shown, network) : null })
  })
  useEffect(() => {
    if (network?.id !== shown?.id || (!isHome && left !== null)) show()
  }, [network, shown, isHome, left])
  useEffect(() => () => useShown.setState(nothingShown), [])
  return { isSwitching, left }
}

/** The parts of the page's address that are valid on one network only. */
const onlyHere = {
  tx: 'The transaction',
  block: 'The block',
  jetton: 'The jetton',
  nft: 'The NFT',
  collection: 'The collection',
  nfts: 'The list of NFTs',
} as const

function follow(route: ExplorerRoute, from: Network, to: Network): LeftPage | null {
  // A link to a third network is left unchanged, and so is a link that was waiting for this switch.
  if ((route.network ?? from.id) !== from.id) return null
  if (route.view === 'account') {
    navigate({ ...route, network: to.id, filter: emptyFilter }, { replace: true })
  } else if (Object.hasOwn(onlyHere, route.view)) {
    navigate({ page: 'explorer', network: null, view: 'home' })
    return {
      what: onlyHere[route.view as keyof typeof onlyHere],
      networkName: from.name,
      route: { ...route, network: from.id },
    }
  } else if (route.network !== null) {
    navigate({ ...route, network: to.id }, { replace: true })
  }
  return null
}
