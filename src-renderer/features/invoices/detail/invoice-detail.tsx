import { useState } from 'react'
import type { InvoiceDetail as Detail } from '../../../../src-preload/contract/invoice.ts'
import { moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { invoiceCodes } from '../../../../src-preload/domain/error-codes.ts'
import { put, useData } from '../../../app/bridge.ts'
import { TreeView } from '../../../components/body/tree-view.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AdvicePanel } from '../../../components/invoices/advice-panel.tsx'
import { ReportedTag, TimeLeft } from '../../../components/invoices/invoice-parts.tsx'
import { printState, wholeTone } from '../../../components/invoices/invoice-words.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { Fold, Note, Pane, Row, Stack, Tag, Text } from '../../../ui/layout.tsx'
import { QrCode } from '../../../components/qr-code.tsx'
import { formatShareText } from '../create/typed-invoice.ts'
import { closeInvoice } from '../list/invoice-list.ts'
import { fetchInvoice } from './advice.tsx'
import { Facts } from './facts.tsx'
import { Payments, Reports } from './payments.tsx'
import { Timeline } from './timeline.tsx'

const unknownCode: (typeof invoiceCodes)['unknown'] = 'INVOICE_UNKNOWN'

const take = (detail: Detail) =>
  put('invoice.get', { network: detail.network, id: detail.id }, detail)

/** The open invoice. */
export function InvoiceDetail({ network, id }: { network: Network; id: string }) {
  const query = useData('invoice.get', { network: network.id, id })
  const [former, setFormer] = useState<Detail | null>(null)
  const { data, error } = query
  if (data !== undefined && data !== former) setFormer(data)
  if (data === undefined && error?.code === unknownCode) {
    return <Unknown network={network} id={id} />
  }
  // While the user walks down the list, the invoice before stays until the next one is here.
  const isFormer = data === undefined && error === null && former?.network === network.id
  const shown = isFormer ? { ...query, data: former } : query
  return (
    <Loaded query={shown} of={`invoice ${id}`} rows={8}>
      {(invoice) => (
        <Pane
          key={invoice.id}
          role="region"
          aria-label={`Invoice ${invoice.id}`}
          aria-busy={isFormer}
          inert={isFormer}
        >
          <Head network={network} invoice={invoice} />
          <Stack scroll gap="none" tabIndex={0} role="region" aria-label={`All of ${invoice.id}`}>
            {error !== null && (
              <Note tone="bad">
                The invoice may be out of date: {error.message}{' '}
                <Button onClick={() => void query.refetch()}>Try again</Button>
              </Note>
            )}
            <AdvicePanel network={network} invoice={invoice} onFetched={take} />
            <PaymentLink invoice={invoice} />
            <Facts network={network} invoice={invoice} />
            <Payments invoice={invoice} />
            <Timeline invoice={invoice} onChanged={take} />
            <Reports invoice={invoice} />
            <Raw invoice={invoice} />
          </Stack>
        </Pane>
      )}
    </Loaded>
  )
}

/** Asks the gateway for the newest version. */
function useFetch(network: Network, id: string): { isBusy: boolean; run: () => void } {
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    await fetchInvoice(network.id, id, take)
    setBusy(false)
  }
  return { isBusy, run: () => void run() }
}

function Unknown({ network, id }: { network: Network; id: string }) {
  const { isBusy, run } = useFetch(network, id)
  return (
    <EmptyState
      title={`Invoice ${id} not found`}
      detail={`The synced invoices of ${network.name} do not include it. The gateway may have it.`}
    >
      <Button kind="main" busy={isBusy} onClick={run}>
        Ask the gateway
      </Button>
      <Button onClick={closeInvoice}>Close</Button>
    </EmptyState>
  )
}

function Head({ network, invoice }: { network: Network; invoice: Detail }) {
  const { id, status, expiresAt } = invoice
  const { isBusy, run } = useFetch(network, id)
  return (
    <Row as="header" pad="m" line="below">
      <Text as="h2" size="m" mono strong over="cut" title={id}>
        <UntrustedText text={id} />
      </Text>
      <CopyButton text={id} what="Id" iconOnly kind="quiet" />
      <Tag tone={wholeTone(invoice)}>
        <UntrustedText text={printState(invoice)} />
      </Tag>
      <ReportedTag invoice={invoice} />
      {status === 'pending' && <TimeLeft until={expiresAt} />}
      <Row last gap="none">
        <IconButton icon="refresh" label="Load from the gateway now" busy={isBusy} onClick={run} />
        <IconButton icon="close" label="Close (Esc)" onClick={closeInvoice} />
      </Row>
    </Row>
  )
}

/** Folded once the invoice cannot be paid any more, so that the payer does not pay twice. */
function PaymentLink({ invoice }: { invoice: Detail }) {
  const { id, paymentLink, currency, description, expiresAt, status } = invoice
  const { due } = moneyOf(invoice)
  if (paymentLink === '') return null
  // The gateway reports pending for a moment after the payment is on the chain.
  const isPayable = due > 0n
  const amount = isPayable ? String(due) : invoice.amount
  const share = formatShareText({ amount, currency, description, link: paymentLink, expiresAt })
  return (
    <Stack pad="m" line="below">
      <Fold summary="Payment link" open={isPayable}>
        <Row wrap gap="l" align="start">
          <QrCode
            text={paymentLink}
            title={`Payment link of invoice ${id}`}
            name={`invoice-${id}`}
            size={132}
          />
          <Stack grow gap="s">
            {!isPayable && (
              <Text as="p" size="s" tone="warn">
                {status === 'pending'
                  ? 'The whole amount was received'
                  : `The invoice is ${status}`}
                . A further payment is an overpayment.
              </Text>
            )}
            <Text as="code" mono tone="dim" over="break">
              <UntrustedText text={paymentLink} />
            </Text>
            <Row wrap gap="s">
              <CopyButton text={paymentLink} what="Payment link" label="Copy link" />
              <CopyButton text={share} what="Text to send" label="Copy text to send" />
            </Row>
          </Stack>
        </Row>
      </Fold>
    </Stack>
  )
}

function Raw({ invoice: { raw } }: { invoice: Detail }) {
  return (
    <Stack pad="m" line="below">
      <Fold lazy summary="Raw JSON">
        <Row justify="between">
          <Text size="s" tone="faint">
            The gateway’s last response
          </Text>
          <CopyButton text={raw} what="JSON" label="Copy all" kind="quiet" />
        </Row>
        <div style={{ height: 300 }}>
          <TreeView text={raw} label="Response as a tree" />
        </div>
      </Fold>
    </Stack>
  )
}
