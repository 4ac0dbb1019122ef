import { type ComponentType, useEffect } from 'react'
import { useData } from '../../app/bridge.ts'
import { useRequestedDialog } from '../../app/invoice-dialogs.ts'
import { type InvoicesRoute, invoicesHome } from '../../app/invoices-route.ts'
import { navigate, printRoute, useRoute } from '../../app/route.ts'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { useShortcuts } from '../../ui/keyboard.ts'
import { Kbd, Pane } from '../../ui/layout.tsx'
import { PageViews } from '../../ui/page.tsx'
import { AccessView } from './access/access-view.tsx'
import { AttentionView } from './attention/attention-view.tsx'
import { IssueView } from './create/issue-view.tsx'
import { openCreate } from './create/issuing.ts'
import { CreateDialog } from './create/new-invoice.tsx'
import { openExport } from './export/export-choice.ts'
import { ExportDialog } from './export/export-dialog.tsx'
import { InvoiceJobStrip } from './jobs/invoice-jobs.tsx'
import { JobsView } from './jobs/jobs-view.tsx'
import { ListView } from './list/list-view.tsx'
import { PaymentsView } from './payments/payments-view.tsx'
import { ReconciliationView } from './reconciliation/reconciliation-view.tsx'

/** The invoices of the chosen network. */
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
      actions={() => <PageActions />}
    >
      {() => <InvoicesView route={route} />}
    </NetworkPage>
  )
}

/** Actions of every view of the page. */
function PageActions() {
  const { id: network } = useShownNetwork()
  const { dialog } = useRequestedDialog()
  useEffect(() => {
    if (dialog === null) return
    useRequestedDialog.setState({ dialog: null })
    if (dialog === 'create') openCreate()
    else openExport()
  }, [dialog])
  const { data: counts } = useData('invoice.counts', { network })
  useShortcuts([{ keys: ['n'], label: 'New invoice', group: 'Invoices', run: () => openCreate() }])
  return (
    <>
      <ExportDialog />
      {/* An empty list has a main button for the same. */}
      <Button
        icon="plus"
        kind={counts?.total === 0 ? 'plain' : 'main'}
        onClick={() => openCreate()}
      >
        New invoice <Kbd>n</Kbd>
      </Button>
      <CreateDialog />
    </>
  )
}

function InvoicesView({ route }: { route: InvoicesRoute }) {
  const { id: network } = useShownNetwork()
  useEffect(() => {
    // The link of one invoice or one draft names its network.
    if (route.network !== null) return
    const isOfOne = route.view === 'list' ? route.id !== null : route.view === 'issue'
    if (isOfOne) navigate({ ...route, network }, { replace: true })
  }, [route, network])
  const Content = contents[route.view]
  return (
    <Pane>
      <InvoiceJobStrip network={network} />
      <Content />
    </Pane>
  )
}

const contents: Record<InvoicesRoute['view'], ComponentType> = {
  list: ListView,
  attention: AttentionView,
  payments: PaymentsView,
  closing: ReconciliationView,
  issue: IssueView,
  jobs: JobsView,
  access: AccessView,
}

const views = [
  ['list', 'List', invoicesHome],
  ['attention', 'Needs attention', { ...invoicesHome, view: 'attention', matter: null }],
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
        // A file of invoices becomes a job.
        current:
          view === route.view
            ? 'page'
            : route.view === 'issue' && view === 'jobs'
              ? 'true'
              : undefined,
      }))}
    />
  )
}
