import { useShownNetwork } from '../../../components/network-tag.tsx'
import { ActionButton, Button } from '../../../ui/button.tsx'
import { attempt, request, useData } from '../../../app/bridge.ts'
import { type InvoicesQuery, everyInvoice, invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { EmptyState, Skeleton } from '../../../ui/loaded.tsx'
import { Kbd } from '../../../ui/layout.tsx'
import { openCreate } from '../create/issuing.ts'
import { invoiceJobs } from '../jobs/invoice-jobs.tsx'
import { changeQuery } from './invoice-list.ts'
import { isFiltered } from './invoice-query.ts'

/** The list without a row: why, and one next step. */
export function NoInvoices({ query }: { query: InvoicesQuery }) {
  const network = useShownNetwork()
  const { data: sync } = useData('invoiceSync.state', { network: network.id })
  if (isFiltered(query)) {
    return (
      <EmptyState title="No invoice matches the filters">
        <Button onClick={() => changeQuery({ ...everyInvoice, sort: query.sort })}>
          Show all invoices
        </Button>
      </EmptyState>
    )
  }
  if (sync?.status === 'off') {
    return (
      <EmptyState
        title={`Invoices are not set up on ${network.name}`}
        detail={`An invoice requests an exact amount of TON or USDT, and Tondesk shows when it is paid. ${sync.problem ?? 'The gateway grants access in a few steps.'}`}
      >
        <Button kind="main" onClick={() => navigate({ ...invoicesHome, view: 'access' })}>
          Set up access
        </Button>
      </EmptyState>
    )
  }
  if (sync?.status === 'reading' && sync.lastAt === null) {
    return <Skeleton rows={12} label="Loading the invoices" />
  }
  return (
    <EmptyState
      title="No invoices yet"
      detail="An invoice requests an exact amount of TON or USDT and expires after a time you choose. Send its link or its QR code to the payer. Tondesk shows when it is paid, and what needs your decision."
    >
      <Button kind="main" icon="plus" onClick={() => openCreate()}>
        New invoice <Kbd>n</Kbd>
      </Button>
      {network.kind === 'sandbox' && <Samples />}
    </EmptyState>
  )
}

const samples = [
  { amount: '1.5', currency: 'TON', lifeTimeSeconds: 3600, description: 'Sample: coffee and cake' },
  { amount: '4.2', currency: 'USDT', lifeTimeSeconds: 3600, description: 'Sample: two coffees' },
] as const

function Samples() {
  const { id: network } = useShownNetwork()
  const create = () =>
    attempt('Could not create the samples', async () => {
      const draft = await request('invoiceIssue.draft', {
        network,
        lines: [...samples],
      })
      invoiceJobs.begun(await request('invoiceIssue.start', { draft: draft.id }))
    })
  return <ActionButton action={create}>Create two samples</ActionButton>
}
