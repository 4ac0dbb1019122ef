import { useEffect, useState } from 'react'
import { create } from 'zustand'
import type { Payment, PaymentFilter } from '../../../../src-preload/contract/payment.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { request, useData } from '../../../app/bridge.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { untrustedColumn, UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { TransactionHash } from '../../../components/chain/chain-text.tsx'
import { uncountedLabels } from '../../../components/invoices/discrepancies.ts'
import { certaintyLabels } from '../../../components/invoices/invoice-labels.ts'
import {
  amountColumn,
  InvoiceAmount,
  InvoiceLink,
  InvoiceMoment,
  MatchReasons,
  momentColumn,
} from '../../../components/invoices/invoice-cells.tsx'
import { ActionButton, Button, Choices } from '../../../ui/button.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { type DataColumn, DataList } from '../../../ui/data-list.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Pane, Row, Stack, Tag, Text } from '../../../ui/layout.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { readNow } from '../list/sync-state.tsx'
import { useChanges } from '../use-changes.ts'
import { useForm } from '../../../app/use-form.ts'
import { Form, TextField } from '../../../ui/form.tsx'
import { linkPayment } from '../attention/discrepancies.ts'

const group = 'Payments'

/** The filter is kept while the user looks at other pages. */
const useFilter = create<Pick<PaymentFilter, 'only' | 'text'>>(() => ({ only: null, text: '' }))

type Question = Pick<Input<'payment.page'>, 'network' | 'filter'>

const payments = createLiveList({
  load: async (question: Question, offset, limit) => {
    const page = await request('payment.page', { ...question, offset, limit })
    return { total: page.total, rows: page.payments, extra: null }
  },
  idOf: ({ key }: Payment) => key,
  pollMs: 500,
})

/** Shows the payments that arrived at the addresses of invoices, and the invoice of each payment. */
export function PaymentsView() {
  const { id: network } = useShownNetwork()
  const { only, text } = useFilter()
  const [linking, setLinking] = useState<Payment | null>(null)
  useEffect(() => {
    const isSameNetwork = payments.use.getState().question?.network === network
    payments.open({ network, filter: { only, text } }, { keep: isSameNetwork })
  }, [network, only, text])
  useChanges(network, payments, 'payment.changed')
  const key = shortcutsOf(group)
  useShortcuts([key(['r'], 'Sync with the gateway and the chain', () => void readNow(network))])
  return (
    <Pane>
      <Row as="search" wrap gap="s" pad="m" line="below">
        <Choices<PaymentFilter['only']>
          label="Payments to show"
          value={only}
          options={[
            { value: null, label: 'All' },
            { value: 'linked', label: 'Matched' },
            { value: 'unmatched', label: 'Unmatched' },
          ]}
          onChange={(next) => useFilter.setState({ only: next })}
        />
        <SearchField
          group={group}
          label="Search the payments"
          placeholder="Payer, comment, invoice or hash"
          value={text}
          onSearch={(next) => useFilter.setState({ text: next })}
        />
      </Row>
      <DataList
        list={payments}
        columns={columnsOf(setLinking)}
        of="payments"
        thing="payment"
        group={group}
        onOpen={(payment) => {
          if (payment.invoice === null) setLinking(payment)
          else navigate({ ...invoiceRoute(payment.invoice), network })
        }}
        empty={
          only !== null || text !== '' ? (
            <EmptyState title="No payment matches the filters" />
          ) : (
            <EmptyState
              title="No payments yet"
              detail="Tondesk watches the recipient addresses of your invoices on the chain. Payments to these addresses are listed here with the matching invoice."
            >
              <ActionButton action={() => readNow(network)}>Sync now</ActionButton>
            </EmptyState>
          )
        }
      />
      {linking !== null && <LinkDialog payment={linking} onClose={() => setLinking(null)} />}
    </Pane>
  )
}

function columnsOf(onLink: (payment: Payment) => void): DataColumn<Payment>[] {
  return [
    momentColumn({ name: 'Received', width: 104 }, ({ at }) => at),
    amountColumn({ name: 'Amount', width: 110 }, (payment) => payment),
    {
      name: 'From',
      width: 120,
      grow: 1,
      cell: ({ payer, payerLabel }) => (
        <AccountLink
          tabIndex={-1}
          account={{ address: payer, label: payerLabel, isWallet: true }}
        />
      ),
    },
    untrustedColumn({ name: 'Comment', width: 100, grow: 1, gives: 2 }, ({ comment }) => comment),
    {
      name: 'Invoice',
      width: 160,
      grow: 1,
      cell: (payment) => {
        const { network, invoice, certainty, names, uncounted } = payment
        if (invoice === null && names !== null && uncounted !== null) {
          return (
            <Row gap="s">
              <InvoiceLink id={names} network={network} tabIndex={-1} />
              <Tag tone="warn">{uncountedLabels[uncounted]}</Tag>
            </Row>
          )
        }
        if (invoice === null) {
          return (
            <Button kind="link" tabIndex={-1} onClick={() => onLink(payment)}>
              Link this payment…
            </Button>
          )
        }
        return (
          <Row gap="s">
            <InvoiceLink id={invoice} network={network} tabIndex={-1} />
            {certainty !== null && certainty !== 'certain' && (
              <Tag tone={certainty === 'guess' ? 'warn' : 'plain'}>
                {certaintyLabels[certainty]}
              </Tag>
            )}
          </Row>
        )
      },
    },
    {
      name: 'Transaction',
      width: 176,
      gives: 1,
      cell: ({ hash, network }) => <TransactionHash hash={hash} network={network} />,
    },
  ]
}

function LinkDialog({ payment, onClose }: { payment: Payment; onClose: () => void }) {
  const { amount, currency, comment, at } = payment
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Link the payment to an invoice"
      detail={
        <>
          <InvoiceAmount units={amount} currency={currency} />
          {comment !== null && (
            <>
              {' '}
              with “<UntrustedText text={comment} />”
            </>
          )}
          , received <InvoiceMoment at={at} />. Tondesk keeps your choice when it matches payments
          again.
        </>
      }
    >
      <Candidates payment={payment} onLinked={onClose} />
    </Dialog>
  )
}

/**
 * Lists the invoices that a payment may belong to, with the reasons. The user can also enter the id
 * of any invoice.
 */
export function Candidates({ payment, onLinked }: { payment: Payment; onLinked?: () => void }) {
  const { network, key } = payment
  const query = useData('payment.candidates', { network, key })
  const link = async (invoice: string) => {
    if (await linkPayment(network, key, invoice)) onLinked?.()
  }
  return (
    <Stack>
      <Loaded query={query} of="possible invoices" rows={2}>
        {(candidates) =>
          candidates.length === 0 ? (
            <Text as="p" tone="dim">
              No invoice matches this payment.
            </Text>
          ) : (
            <Stack as="ul">
              {candidates.map(({ invoice, description, status, amount, ...candidate }) => (
                <Stack key={invoice} as="li" gap="xs">
                  <Row wrap>
                    <InvoiceLink id={invoice} network={network} />
                    <InvoiceAmount units={amount} currency={candidate.currency} />
                    <Text tone="dim">
                      {status} · <UntrustedText text={description} />
                    </Text>
                    <Row last>
                      {candidate.canLink ? (
                        <ActionButton action={() => link(invoice)}>
                          Link payment to this invoice
                        </ActionButton>
                      ) : (
                        `cannot be paid in ${payment.currency}`
                      )}
                    </Row>
                  </Row>
                  <MatchReasons
                    of={candidate.evidence}
                    label={`Reasons for and against a match with invoice ${invoice}`}
                  />
                </Stack>
              ))}
            </Stack>
          )
        }
      </Loaded>
      <InvoiceIdForm
        label="ID of another invoice"
        action="Link payment to this invoice"
        onSubmit={link}
      />
    </Stack>
  )
}

/** The form in which the user enters the id of an invoice. */
export function InvoiceIdForm({
  label,
  action,
  onSubmit,
}: {
  label: string
  action: string
  onSubmit: (id: string) => Promise<void>
}) {
  const form = useForm({ invoice: '' }, async ({ invoice }) => {
    if (invoice.trim() === '') return { invoice: 'Enter the id of the invoice.' }
    await onSubmit(invoice.trim())
    return undefined
  })
  return (
    <Form form={form} inline label={label} action={action}>
      <TextField
        label={label}
        mono
        maxLength={100}
        placeholder="60ffb0a1"
        {...form.field('invoice')}
      />
    </Form>
  )
}
