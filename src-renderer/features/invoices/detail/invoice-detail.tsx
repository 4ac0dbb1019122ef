import { type ReactNode, useState } from 'react'
import {
  describeAccepted,
  describeUncounted,
  linkWithReference,
  moneyOf,
} from '../../../../src-preload/contract/invoice-money.ts'
import type { InvoiceDetail as Detail } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { invoiceCodes } from '../../../../src-preload/domain/error-codes.ts'
import { put, request, useData } from '../../../app/bridge.ts'
import { newWindowLabel, openInNewWindow, printPage } from '../../../app/host-window.ts'
import { openSandboxAction } from '../../../app/sandbox-action.ts'
import { TreeView } from '../../../components/body/tree-view.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { TransactionHash } from '../../../components/chain/chain-text.tsx'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import { AdvicePanel } from '../../../components/invoices/advice-panel.tsx'
import {
  describeState,
  sourceLabels,
  invoiceTone,
} from '../../../components/invoices/invoice-labels.ts'
import {
  InvoiceAmount,
  InvoiceLink,
  InvoiceMoment,
  Payer,
  ReportedTag,
  TimeLeft,
} from '../../../components/invoices/invoice-cells.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { QrCode } from '../../../components/qr-code.tsx'
import { SavedText } from '../../../components/settings.tsx'
import { ActionButton, Button, IconButton } from '../../../ui/button.tsx'
import { Checkbox, TextArea } from '../../../ui/form.tsx'
import { formatDuration, fromMs } from '../../../ui/format.ts'
import { Fold, Note, Pane, Row, Small, Stack, Tag, Text } from '../../../ui/layout.tsx'
import { KeyValues } from '../../../ui/values.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import { closeCreate } from '../create/issuing.ts'
import { formatShareText } from '../create/typed-invoice.ts'
import { closeInvoice } from '../list/invoice-list.tsx'
import { fetchInvoice } from './advice.tsx'
import { Payments, Reports, Timeline } from './sections.tsx'
import { maxOrderReference } from '../../../../src-preload/domain/invoice-values.ts'

const unknownCode: (typeof invoiceCodes)['unknown'] = 'INVOICE_UNKNOWN'

/** Shows the open invoice. */
export function InvoiceDetail({ id }: { id: string }) {
  const network = useShownNetwork()
  const query = useData('invoice.get', { network: network.id, id })
  const [former, setFormer] = useState<Detail | null>(null)
  const { data, error } = query
  if (data !== undefined && data !== former) setFormer(data)
  if (data === undefined && error?.code === unknownCode) {
    return (
      <EmptyState
        title={`Invoice ${id} not found`}
        detail={`Tondesk has not synced an invoice with this id from ${network.name}. Load the invoice from the gateway to check.`}
      >
        <ActionButton kind="main" action={() => fetchInvoice(network.id, id)}>
          Load from the gateway
        </ActionButton>
        <Button onClick={closeInvoice}>Close</Button>
      </EmptyState>
    )
  }
  // While the user walks through the list, the previous invoice stays until the next one is loaded.
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
          data-print
        >
          <Head invoice={invoice} />
          <Stack scroll gap="none" tabIndex={0} role="region" aria-label="Invoice details">
            {error !== null && (
              <Note tone="bad">
                The invoice may be out of date: {error.message}{' '}
                <Button onClick={() => void query.refetch()}>Try again</Button>
              </Note>
            )}
            <AdvicePanel invoice={invoice} />
            {invoice.together?.isLast === false ? (
              <LinkOfLast id={invoice.together.other} network={invoice.network} />
            ) : (
              <PaymentLink invoice={invoice} />
            )}
            <Facts invoice={invoice} />
            <Payments invoice={invoice} />
            <Timeline invoice={invoice} />
            <Reports invoice={invoice} />
            <Stack pad="m" line="below">
              <Fold lazy summary="Raw JSON">
                <Row justify="between">
                  <Small tone="faint">The gateway’s last response</Small>
                  <CopyButton text={invoice.raw} what="JSON" label="Copy JSON" kind="quiet" />
                </Row>
                <div style={{ height: 300 }}>
                  <TreeView text={invoice.raw} label="Response as a tree" />
                </div>
              </Fold>
            </Stack>
          </Stack>
        </Pane>
      )}
    </Loaded>
  )
}

function Head({ invoice }: { invoice: Detail }) {
  const { id, network, status, expiresAt } = invoice
  return (
    <Row as="header" pad="m" line="below">
      <UntrustedText as="h2" size="m" mono strong over="cut" title={id} text={id} />
      <CopyButton text={id} what="Id" iconOnly kind="quiet" />
      <Tag tone={invoiceTone(invoice)}>
        <UntrustedText text={describeState(invoice)} />
      </Tag>
      <ReportedTag invoice={invoice} />
      {status === 'pending' && <TimeLeft until={expiresAt} />}
      <Row last gap="none">
        <ActionButton
          kind="quiet"
          icon="refresh"
          aria-label="Load from the gateway now"
          title="Load from the gateway now"
          action={() => fetchInvoice(network, id)}
        />
        <IconButton icon="print" label="Print the invoice" onClick={() => void printPage()} />
        <IconButton icon="window" label={newWindowLabel()} onClick={() => void openInNewWindow()} />
        <IconButton icon="close" label="Close (Esc)" onClick={closeInvoice} />
      </Row>
    </Row>
  )
}

/** Shows the payment link of the invoice that requests the rest, because the payer must not pay both. */
function LinkOfLast({ id, network }: { id: string; network: NetworkId }) {
  const { data: last } = useData('invoice.get', { network, id })
  return last === undefined ? null : <PaymentLink invoice={last} />
}

/**
 * Shows the payment link. It is collapsed when the invoice can no longer be paid, so that the payer
 * does not pay twice.
 */
export function PaymentLink({ invoice }: { invoice: Detail }) {
  const { id, currency, description, expiresAt, status, orderReference } = invoice
  const isSandbox = useShownNetwork().kind === 'sandbox'
  const [hasReference, setHasReference] = useState(false)
  const named = linkWithReference(invoice.paymentLink, orderReference)
  const canName = named !== invoice.paymentLink
  const paymentLink = hasReference ? named : invoice.paymentLink
  const { due } = moneyOf(invoice)
  if (paymentLink === '') return null
  // The gateway reports the invoice as pending for a moment after the payment was confirmed on the chain.
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
            <UntrustedText as="code" mono tone="dim" over="break" text={paymentLink} />
            {canName && (
              <Checkbox
                label="Add the order reference as the comment of the payment"
                checked={hasReference}
                onChange={setHasReference}
              />
            )}
            <Row wrap gap="s">
              <CopyButton text={paymentLink} what="Payment link" label="Copy link" />
              {isPayable && isSandbox && (
                <Button onClick={() => payOnSandbox(id)}>Pay on the sandbox</Button>
              )}
            </Row>
            <ShareText key={share} initial={share} />
          </Stack>
        </Row>
      </Fold>
    </Stack>
  )
}

function payOnSandbox(id: string): void {
  closeCreate()
  openSandboxAction('pay', { invoice: id })
}

/** Can be changed before it is copied: the description may be internal. */
function ShareText({ initial }: { initial: string }) {
  const [text, setText] = useState(initial)
  return (
    <Stack gap="s">
      <TextArea label="Text to share" rows={4} spellCheck={false} value={text} onChange={setText} />
      <CopyButton text={text} what="Text for the payer" label="Copy text for the payer" />
    </Stack>
  )
}

/** Shows the requested amount, the amount that arrived, and the times. */
function Facts({ invoice }: { invoice: Detail }) {
  const now = useGatewayNow(invoice.network) / 1000
  const { network, id, status, amount, currency, received, description, payer, comment } = invoice
  const { createdAt, expiresAt, changedAt, firstSeenAt, firstSource, confirmedAt, together } =
    invoice
  const { due, excess, isToReturn, refunded, toReturn } = moneyOf(invoice)
  const sum = (units: bigint | string) => (
    <InvoiceAmount units={String(units)} currency={currency} />
  )
  return (
    <Stack pad="m" line="below">
      <KeyValues
        values={{
          Amount: sum(amount),
          Received:
            received === null ? <Text tone="faint">Payments not loaded yet</Text> : sum(received),
          Due: due > 0n && sum(due),
          [isToReturn ? 'To refund' : 'Overpaid']: (isToReturn ? toReturn : excess) > 0n && (
            <>
              {sum(isToReturn ? toReturn : excess)}
              {!isToReturn && status !== 'pending' && ' · marked as handled'}
            </>
          ),
          Refunded: refunded > 0n && sum(refunded),
          Accepted: invoice.accepted && describeAccepted(invoice),
          'Counts with': together && <InvoiceLink id={together.other} network={invoice.network} />,
          'Not counted': invoice.uncounted.length !== 0 && (
            <Text tone="warn">{describeUncounted(invoice)}</Text>
          ),
          Description: description !== '' && <UntrustedText over="break" text={description} />,
          'Order reference': (
            <SavedText
              key={id}
              label="Order reference"
              hideLabel
              maxLength={maxOrderReference}
              placeholder="None"
              value={invoice.orderReference}
              save={async (reference) => {
                const saved = await request('invoice.setOrder', { network, id, reference })
                put('invoice.get', { network, id }, saved)
              }}
            />
          ),
          'Paid by': payer !== null && <Payer invoice={invoice} />,
          'Pay to': <AccountLink key="to" account={{ address: invoice.payTo, isWallet: true }} />,
          Comment: comment !== null && (
            <Row gap="xs">
              <UntrustedText mono over="break" text={comment} />
              <CopyButton text={comment} what="Comment" iconOnly kind="quiet" />
            </Row>
          ),
          Created: (
            <>
              <InvoiceMoment at={createdAt} seconds /> · valid for{' '}
              {formatDuration(fromMs(expiresAt - createdAt))}
            </>
          ),
          [expiresAt <= now ? 'Expired' : 'Expires']: status !== 'cancelled' && (
            <InvoiceMoment at={expiresAt} seconds />
          ),
          Changed: changedAt !== createdAt && <InvoiceMoment at={changedAt} seconds />,
          'Paid on chain': paidOnChain(invoice),
          Confirmed: confirmedAt === null ? 'not yet' : <InvoiceMoment at={confirmedAt} seconds />,
          'First seen': (
            <>
              <InvoiceMoment at={firstSeenAt} seconds /> · source: {sourceLabels[firstSource]}
            </>
          ),
        }}
      />
    </Stack>
  )
}

function paidOnChain({ network, paidAt, payments }: Detail): ReactNode {
  if (paidAt === null) return null
  const last = payments.find(({ at }) => at === paidAt)
  return (
    <>
      <InvoiceMoment at={paidAt} seconds />
      {last !== undefined && (
        <>
          {' · '}
          <TransactionHash hash={last.hash} network={network} />
        </>
      )}
    </>
  )
}
