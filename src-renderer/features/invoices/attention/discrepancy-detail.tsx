import { type ReactNode, useState } from 'react'
import type { Discrepancy } from '../../../../src-preload/contract/discrepancy.ts'
import type { discrepancyCodes } from '../../../../src-preload/domain/error-codes.ts'
import { request, put, useData } from '../../../app/bridge.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { TransactionHash } from '../../../components/chain/chain-text.tsx'
import { type Act, AdviceNote } from '../../../components/invoices/advice-panel.tsx'
import { discrepancyTexts, discrepancyTones } from '../../../components/invoices/invoice-labels.ts'
import {
  InvoiceLink,
  InvoiceAmount,
  InvoiceMoment,
  InvoiceState,
} from '../../../components/invoices/invoice-cells.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { SavedText } from '../../../components/settings.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { fromMs } from '../../../ui/format.ts'
import { Tag, Pane, Row, Section, Stack } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { KeyValues } from '../../../ui/values.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { runActOn } from '../detail/advice.tsx'
import { Candidates } from '../payments/payments-view.tsx'
import { labelOf, nameOf } from '../../../components/invoices/discrepancies.ts'
import {
  describeAmount,
  handleDiscrepancies,
  openDiscrepancy,
  reopenDiscrepancies,
} from './discrepancies.ts'
import { RefundDialog } from './refund-dialog.tsx'

const unknownCode: (typeof discrepancyCodes)['unknown'] = 'MATTER_UNKNOWN'

/** Shows one discrepancy: the facts, advice, and the possible actions. */
export function DiscrepancyDetail({ id }: { id: number }) {
  const { id: network } = useShownNetwork()
  const query = useData('discrepancy.get', { network, key: id })
  if (query.error?.code === unknownCode) {
    return (
      <EmptyState
        title="This discrepancy no longer exists"
        detail="The discrepancy was resolved, or the link comes from another installation of Tondesk."
      >
        <Button onClick={() => openDiscrepancy(network, null)}>Close</Button>
      </EmptyState>
    )
  }
  return (
    <Loaded query={query} of="the discrepancy">
      {(matter) => (
        <Pane>
          <Row as="header" pad="m" line="below">
            <UntrustedText as="h2" size="m" over="cut" text={nameOf(matter)} />
            <Tag tone={discrepancyTones[matter.kind]} title={discrepancyTexts[matter.kind]}>
              {labelOf(matter)}
            </Tag>
            {matter.handledAt !== null && <Tag tone="ok">handled</Tag>}
            <Row last>
              <IconButton
                icon="close"
                label="Close"
                onClick={() => openDiscrepancy(network, null)}
              />
            </Row>
          </Row>
          <Stack gap="none" scroll tabIndex={0} role="region" aria-label="Discrepancy">
            <DiscrepancyAdvice matter={matter} />
            <Stack pad="l" line="below">
              <KeyValues values={factsOf(matter)} />
            </Stack>
            {matter.kind === 'unmatched' && matter.payment !== null && (
              <Section title="Invoices that may match">
                <Candidates payment={matter.payment} />
              </Section>
            )}
            <DiscrepancyNote matter={matter} />
          </Stack>
        </Pane>
      )}
    </Loaded>
  )
}

/** Gives advice on the next step. For a handled discrepancy it shows the actions that may still be useful. */
function DiscrepancyAdvice({ matter }: { matter: Discrepancy }) {
  const network = useShownNetwork()
  const { advice, handledAt, invoice, key, kind } = matter
  const [isRefunding, setRefunding] = useState(false)
  const isHandled = handledAt !== null
  // The possible invoices of a payment are listed further below.
  const acts = advice.acts.filter((act) =>
    isHandled ? act === 'prepare-refund' : act !== 'find-payment' || kind !== 'unmatched',
  )
  const run = async (act: Act) => {
    if (act === 'prepare-refund') setRefunding(true)
    else if (act === 'mark-handled') await handleDiscrepancies(network.id, [key])
    else if (invoice !== null) await runActOn(act, network, invoice.id)
  }
  return (
    <>
      <AdviceNote advice={advice} acts={acts} isSettled={isHandled} onAct={run}>
        {isHandled && (
          <Button onClick={() => void reopenDiscrepancies(network.id, [key])}>Reopen</Button>
        )}
      </AdviceNote>
      {isRefunding && <RefundDialog matter={matter} onClose={() => setRefunding(false)} />}
    </>
  )
}

function factsOf(discrepancy: Discrepancy): Readonly<Record<string, ReactNode>> {
  const { network, invoice, payment, amount, currency, since, handledAt, refund } = discrepancy
  const comment = payment?.comment ?? null
  const payer = payment?.payer ?? invoice?.payer ?? null
  const label = payment?.payerLabel ?? invoice?.payerLabel ?? null
  const transaction = (hash: string) => <TransactionHash hash={hash} network={network} />
  const description = invoice?.description ?? ''
  return {
    Invoice: invoice !== null && (
      <Row wrap>
        <InvoiceLink id={invoice.id} network={network} />
        <InvoiceState invoice={{ ...invoice, matters: [] }} />
      </Row>
    ),
    Description: description !== '' && <UntrustedText text={description} />,
    Requested: invoice !== null && (
      <InvoiceAmount units={invoice.amount} currency={invoice.currency} />
    ),
    Amount: amount !== null && (
      <>
        <InvoiceAmount units={amount} currency={currency} /> {describeAmount(discrepancy)}
      </>
    ),
    Payer: payer !== null && <AccountLink account={{ address: payer, label, isWallet: true }} />,
    Comment: comment !== null && <UntrustedText text={`“${comment}”`} />,
    Transaction: payment !== null && transaction(payment.hash),
    Since: <InvoiceMoment at={since} />,
    Refund: refund !== null && (
      <Row wrap>
        <InvoiceAmount units={refund.amount} currency={refund.currency} /> sent back{' '}
        <InvoiceMoment at={refund.at} />
        {transaction(refund.hash)}
      </Row>
    ),
    Handled: handledAt !== null && <Moment at={fromMs(handledAt)} />,
  }
}

function DiscrepancyNote({ matter: { network, key, note } }: { matter: Discrepancy }) {
  const save = async (text: string) => {
    const saved = await request('discrepancy.setNote', { network, key, note: text.trim() })
    put('discrepancy.get', { network, key }, saved)
  }
  return (
    <Section title="Note">
      <SavedText
        label="Note"
        hideLabel
        maxLength={2000}
        placeholder="For example, what you agreed with the payer"
        value={note}
        save={save}
      />
    </Section>
  )
}
