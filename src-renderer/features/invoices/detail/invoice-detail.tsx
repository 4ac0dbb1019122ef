import { useEffect, useState } from 'react'
import type { invoiceCodes } from '../../../../src-preload/domain/error-codes.ts'
import type { InvoiceDetail as Detail } from '../../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import { on } from '../../../app/bridge.ts'
import type { Resource } from '../../../app/resource.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { closeInvoice } from '../list/go.ts'
import { fetchInvoice } from './advice-acts.ts'
import { InvoiceSections } from './invoice-sections.tsx'

const unknownCode: (typeof invoiceCodes)['unknown'] = 'INVOICE_UNKNOWN'

/** The invoice that is open, in whichever state it is; kept current while it is. */
export function InvoiceDetail({ network, id }: { network: Network; id: string }) {
  const { state, resource } = useAnswer('invoice.get', { network: network.id, id })
  const [former, setFormer] = useState<Detail | null>(null)
  useEffect(() => followInvoice(network.id, id, resource), [network.id, id, resource])
  if (state.status === 'ready' && state.value !== former) setFormer(state.value)
  switch (state.status) {
    case 'ready':
      return (
        <InvoiceSections
          key={id}
          network={network}
          invoice={state.value}
          problem={state.problem?.message ?? null}
          resource={resource}
        />
      )
    case 'failed':
      if (state.error.code === unknownCode) {
        return <Unknown network={network} id={id} resource={resource} />
      }
      return (
        <FailedState
          what={`Invoice ${id} could not be read`}
          why={state.error.message}
          onRetry={() => void resource.reload()}
        />
      )
    case 'idle':
    case 'loading':
      // While one walks down the list the one before stays for the moment that this takes.
      return former === null || former.network !== network.id ? (
        <Skeleton rows={8} label="Loading the invoice" />
      ) : (
        <InvoiceSections
          key={former.id}
          network={network}
          invoice={former}
          problem={null}
          resource={resource}
          isFormer
        />
      )
  }
}

function Unknown({
  network,
  id,
  resource,
}: {
  network: Network
  id: string
  resource: Resource<Detail>
}) {
  const [isBusy, setIsBusy] = useState(false)
  const ask = async () => {
    setIsBusy(true)
    await fetchInvoice(network.id, id, (fetched) => resource.set(fetched))
    setIsBusy(false)
  }
  return (
    <EmptyState
      title={`No invoice ${id} is known here`}
      detail={`As far as the invoices of ${network.name} were read. The gateway may have it all the same.`}
    >
      <Button kind="main" busy={isBusy} onClick={() => void ask()}>
        Ask the gateway for it
      </Button>
      <Button onClick={closeInvoice}>Close</Button>
    </EmptyState>
  )
}

function followInvoice(network: NetworkId, id: string, resource: Resource<Detail>): () => void {
  const look = () => void resource.reload()
  const stops = [
    on('invoice.changed', (changed) => {
      if (changed.network === network && (changed.ids === null || changed.ids.includes(id))) look()
    }),
    on('matter.changed', (changed) => {
      if (changed.network === network) look()
    }),
    on('payment.changed', (changed) => {
      if (changed.network === network) look()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
