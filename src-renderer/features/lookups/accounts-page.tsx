import type { ReactNode } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { type AccountsView, accountsHome } from '../../app/chain-route.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { navigate, printRoute, useRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/layout.tsx'
import { Page, PageViews } from '../../ui/page.tsx'
import { NetworksAwaited } from '../../components/networks-awaited.tsx'
import { useCurrentNetwork } from '../../app/networks.ts'
import { AddressBook } from './address-book.tsx'
import { LookupList } from './lookup-list.tsx'
import { LookupView } from './lookup-view.tsx'
import { NewLookup } from './new-lookup.tsx'

/** Bulk lookups and the address book. */
export function AccountsPage() {
  const route = useRoute((state) => state.route)
  const view: AccountsView = route.page === 'accounts' ? route : { view: 'home' }
  useShortcuts([{ keys: ['n'], label: 'New lookup', group: 'Accounts', run: openNew }])
  return (
    <Page
      title="Accounts"
      scroll={view.view === 'home'}
      beside={<Views current={view.view} />}
      actions={
        view.view !== 'new' && (
          <Button icon="plus" kind={view.view === 'home' ? 'main' : 'plain'} onClick={openNew}>
            New lookup <Kbd>n</Kbd>
          </Button>
        )
      }
    >
      <View view={view} />
    </Page>
  )
}

function openNew(): void {
  navigate({ ...accountsHome, view: 'new' })
}

function View({ view }: { view: AccountsView }) {
  switch (view.view) {
    case 'home':
      return <LookupList />
    case 'job':
      return <LookupView id={view.id} />
    case 'new':
      return <OnNetwork>{(network) => <NewLookup network={network} />}</OnNetwork>
    case 'labels':
      return (
        <OnNetwork>{(network) => <AddressBook key={network.id} network={network} />}</OnNetwork>
      )
  }
}

/** What is about the network that is chosen. */
function OnNetwork({ children }: { children: (network: Network) => ReactNode }) {
  const network = useCurrentNetwork()
  return network === null ? <NetworksAwaited /> : children(network)
}

const places = [
  { view: 'home', label: 'Lookups', also: ['job', 'new'] },
  { view: 'labels', label: 'Address book', also: [] },
] as const

function Views({ current }: { current: AccountsView['view'] }) {
  return (
    <PageViews
      label="Accounts"
      views={places.map(({ view, label, also }) => ({
        href: printRoute({ ...accountsHome, view }),
        label,
        current:
          view === current ? 'page' : also.some((each) => each === current) ? 'true' : undefined,
      }))}
    />
  )
}
