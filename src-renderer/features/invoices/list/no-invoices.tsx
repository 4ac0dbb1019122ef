import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { type InvoicesQuery, everyInvoice, invoicesHome } from '../../../app/invoices-route.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { openCreate } from '../create/issuing.ts'
import { invoiceSyncOf } from '../invoices.ts'
import { invoiceJobs } from '../jobs/invoice-jobs.tsx'
import { changeQuery } from './go.ts'
import { isFiltered } from './invoice-query.ts'

/** The list without a row: why, and the one next step. */
export function NoInvoices({ network, query }: { network: Network; query: InvoicesQuery }) {
  const sync = valueOf(useResource(invoiceSyncOf(network.id)))
  if (isFiltered(query)) {
    return (
      <EmptyState title="No invoice is like that" detail="The filters let none of them through.">
        <Button onClick={() => changeQuery({ ...everyInvoice, sort: query.sort })}>
          Show all invoices
        </Button>
      </EmptyState>
    )
  }
  if (sync?.status === 'off') {
    return (
      <EmptyState
        title={`Invoices of ${network.name} cannot be asked for yet`}
        detail={`With them a merchant asks for an exact amount of TON or USDT, and sees here whether it came. ${sync.problem ?? 'The gateway grants access to them in a few steps.'}`}
      >
        <Button kind="main" onClick={() => navigate({ ...invoicesHome, view: 'access' })}>
          Show the steps to access
        </Button>
      </EmptyState>
    )
  }
  if (sync?.status === 'reading' && sync.lastAt === null) {
    return <Skeleton rows={12} label="Reading the invoices" />
  }
  return (
    <EmptyState
      title="No invoice yet"
      detail="An invoice asks for an exact amount of TON or USDT within a time. Give its link or its QR code to the payer: what becomes of it is seen here, with what it needs of you."
    >
      <Button kind="main" icon="plus" onClick={() => openCreate()}>
        New invoice <Kbd>n</Kbd>
      </Button>
      {network.kind === 'sandbox' && <Samples network={network} />}
    </EmptyState>
  )
}

const samples = [
  { amount: '1.5', currency: 'TON', lifeTimeSeconds: 3600, description: 'Sample: coffee and cake' },
  { amount: '4.2', currency: 'USDT', lifeTimeSeconds: 3600, description: 'Sample: two coffees' },
] as const

function Samples({ network }: { network: Network }) {
  const [isBusy, setIsBusy] = useState(false)
  const create = async () => {
    setIsBusy(true)
    await attempt('Could not create the samples', async () => {
      const draft = await request('invoiceIssue.draft', {
        network: network.id,
        lines: [...samples],
      })
      invoiceJobs.begun(await request('invoiceIssue.start', { draft: draft.id }))
    })
    setIsBusy(false)
  }
  return (
    <Button busy={isBusy} onClick={() => void create()}>
      Create two samples
    </Button>
  )
}
