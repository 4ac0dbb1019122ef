import { useEffect } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { type InvoicesRoute, invoicesHome } from '../../app/invoices-route.ts'
import { navigate, printRoute, useRoute } from '../../app/route.ts'
import { Pane } from '../../ui/layout.tsx'
import { PageViews } from '../../ui/page-views.tsx'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { AccessView } from './access/access-view.tsx'
import { AttentionView } from './attention/attention-view.tsx'
import { ClosingView } from './closing/closing-view.tsx'
import { IssueView } from './create/issue-view.tsx'
import { InvoiceJobStrip } from './jobs/invoice-jobs.tsx'
import { JobsView } from './jobs/jobs-view.tsx'
import { ListView } from './list/list-view.tsx'
import { PageActions } from './page-actions.tsx'
import { PaymentsView } from './payments/payments-view.tsx'

/** The invoices of the network that is chosen: issued, followed, reconciled and exported. */
export function InvoicesPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'invoices') return null
  return (
    <NetworkPage
      title="Invoices"
      of={route.network}
      home={invoicesHome}
      stay={(name) => `Show the invoices of ${name}`}
      beside={<Views route={route} />}
      actions={(network) => <PageActions network={network} />}
    >
      {(network) => <Desk network={network} route={route} />}
    </NetworkPage>
  )
}

function Desk({ network, route }: { network: Network; route: InvoicesRoute }) {
  useEffect(() => {
    // An id alone says nothing of its network: the link in the bar is to hold both.
    if (route.network !== null) return
    const isOfOne = route.view === 'list' ? route.id !== null : route.view === 'issue'
    if (isOfOne) navigate({ ...route, network: network.id }, { replace: true })
  }, [route, network.id])
  return (
    <Pane>
      <InvoiceJobStrip network={network.id} />
      <View network={network} route={route} />
    </Pane>
  )
}

function View({ network, route }: { network: Network; route: InvoicesRoute }) {
  switch (route.view) {
    case 'list':
      return <ListView network={network} />
    case 'attention':
      return <AttentionView network={network} />
    case 'payments':
      return <PaymentsView network={network} />
    case 'closing':
      return <ClosingView network={network} />
    case 'issue':
      return <IssueView network={network} />
    case 'jobs':
      return <JobsView network={network} />
    case 'access':
      return <AccessView network={network} />
  }
}

const views = [
  ['list', 'List', invoicesHome],
  ['attention', 'Attention', { ...invoicesHome, view: 'attention', matter: null }],
  ['payments', 'Payments', { ...invoicesHome, view: 'payments' }],
  ['closing', 'Reconciliation', { ...invoicesHome, view: 'closing' }],
  ['jobs', 'Jobs', { ...invoicesHome, view: 'jobs', job: null }],
  ['access', 'Access', { ...invoicesHome, view: 'access' }],
] as const satisfies readonly (readonly [InvoicesRoute['view'], string, InvoicesRoute])[]

function Views({ route }: { route: InvoicesRoute }) {
  return (
    <PageViews
      label="Invoices"
      views={views.map(([view, label, to]) => ({
        href: printRoute(to),
        label,
        current: view === route.view ? 'page' : isPartOf(route.view, view) ? 'true' : undefined,
      }))}
    />
  )
}

/** What is issued from a file becomes a job. */
function isPartOf(shown: InvoicesRoute['view'], view: InvoicesRoute['view']): boolean {
  return shown === 'issue' && view === 'jobs'
}
