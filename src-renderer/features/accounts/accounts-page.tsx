import type { ReactNode } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { type AccountsView, accountsHome } from '../../chain-route.ts'
import { useShortcuts } from '../../keyboard.ts'
import { navigate, printRoute, useRoute } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Page } from '../../ui/page.tsx'
import { PageViews } from '../../ui/page-views.tsx'
import { NetworksAwaited } from '../networks-awaited.tsx'
import { useCurrentNetwork } from '../networks.ts'
import { NewLookup } from './new/new-lookup.tsx'
import { JobView } from './job/job-view.tsx'
import { JobsList } from './jobs-list.tsx'
import { LabelsView } from './labels/labels-view.tsx'

/** Bulk lookups, and the person's own labels. */
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
      return <JobsList />
    case 'job':
      return <JobView id={view.id} />
    case 'new':
      return <OnNetwork>{(network) => <NewLookup network={network} />}</OnNetwork>
    case 'labels':
      return <OnNetwork>{(network) => <LabelsView key={network.id} network={network} />}</OnNetwork>
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
