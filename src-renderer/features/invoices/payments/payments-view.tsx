import { useEffect, useRef, useState } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { Payment, PaymentFilter } from '../../../../src-preload/contract/payment.ts'
import { request } from '../../../app/bridge.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { formatAmount } from '../../../components/amount.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/chain-text.tsx'
import { InvoiceAmount, InvoiceMoment } from '../../../components/invoices/invoice-parts.tsx'
import { certaintyWords } from '../../../components/invoices/invoice-words.ts'
import { ChoiceChips, SearchField } from '../../../components/list/choice-chips.tsx'
import { Button } from '../../../ui/button.tsx'
import { type DataColumn, DataList } from '../../../ui/data-list.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { EmptyState } from '../../../ui/loaded.tsx'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Pane, Row, Tag, Text } from '../../../ui/layout.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { readNow } from '../list/sync-state.tsx'
import { useChanges } from '../use-changes.ts'
import { Candidates } from './candidates.tsx'

const group = 'Payments'

/** What is filtered stays while the user looks at other pages. */
const useFilter = create<Pick<PaymentFilter, 'only' | 'text'>>(() => ({ only: null, text: '' }))

type Question = Pick<Input<'payment.page'>, 'network' | 'filter'>

const payments = createLiveList({
  load: async (question: Question, offset, limit) => {
    const page = await request('payment.page', { ...question, offset, limit })
    return { total: page.total, rows: page.payments, extra: null }
  },
  idOf: ({ key }: Payment) => key,
  lookMs: 500,
})

/** What arrived at the addresses of invoices, and which invoice each payment belongs to. */
export function PaymentsView({ network }: { network: Network }) {
  const { only, text } = useFilter()
  const [linking, setLinking] = useState<Payment | null>(null)
  useEffect(() => {
    const isSameNetwork = payments.use.getState().question?.network === network.id
    payments.open({ network: network.id, filter: { only, text } }, { keep: isSameNetwork })
  }, [network.id, only, text])
  useChanges(network.id, payments, 'payment.changed')
  return (
    <Pane>
      <FilterBar network={network} />
      <DataList
        list={payments}
        columns={columnsOf(network, setLinking)}
        of="payments"
        thing="payment"
        group={group}
        onOpen={(payment) => {
          if (payment.invoice === null) setLinking(payment)
          else navigate({ ...invoiceRoute(payment.invoice), network: network.id })
        }}
        empty={<NoPayments network={network} isFiltered={only !== null || text !== ''} />}
      />
      {linking !== null && (
        <LinkDialog network={network} payment={linking} onClose={() => setLinking(null)} />
      )}
    </Pane>
  )
}

function FilterBar({ network }: { network: Network }) {
  const { only, text } = useFilter()
  const field = useRef<HTMLInputElement>(null)
  const key = shortcutsOf(group)
  useShortcuts([
    key(['r'], 'Sync gateway and chain now', () => void readNow(network)),
    { keys: ['/'], label: 'Search the payments', group, run: () => field.current?.select() },
  ])
  return (
    <Row as="search" wrap gap="s" pad="m" line="below">
      <ChoiceChips<PaymentFilter['only']>
        label="Payments shown"
        value={only}
        choices={[
          { value: null, label: 'All' },
          { value: 'linked', label: 'Matched' },
          { value: 'unmatched', label: 'Unmatched' },
        ]}
        onChange={(next) => useFilter.setState({ only: next })}
      />
      <SearchField
        ref={field}
        label="Search the payments"
        placeholder="Payer, comment, invoice or hash"
        value={text}
        onSearch={(next) => useFilter.setState({ text: next })}
      />
    </Row>
  )
}

function NoPayments({ network, isFiltered }: { network: Network; isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No payment matches the filters" />
  return (
    <EmptyState
      title="No payments yet"
      detail="Tondesk watches the addresses of your invoices on the chain. Payments that arrive there are listed here with their invoice."
    >
      <Button onClick={() => void readNow(network)}>Sync now</Button>
    </EmptyState>
  )
}

function columnsOf(network: Network, onLink: (payment: Payment) => void): DataColumn<Payment>[] {
  return [
    {
      name: 'Received',
      width: 104,
      look: 'dim',
      cell: ({ at }) => <InvoiceMoment at={at} />,
    },
    {
      name: 'Amount',
      width: 110,
      look: 'amount',
      cell: ({ amount, currency }) => `${formatAmount(amount, currency)} ${currency}`,
    },
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
    {
      name: 'Comment',
      width: 100,
      grow: 1,
      gives: 2,
      cell: ({ comment }) => comment !== null && <UntrustedText text={comment} />,
      title: ({ comment }) => comment ?? undefined,
    },
    {
      name: 'Invoice',
      width: 160,
      grow: 1,
      cell: (payment) => <MatchedInvoice network={network} payment={payment} onLink={onLink} />,
    },
    {
      name: 'Transaction',
      width: 176,
      gives: 1,
      cell: ({ hash }) => (
        <HashText hash={hash} href={transactionHref(hash, network.id)} what="Transaction hash" />
      ),
    },
  ]
}

function MatchedInvoice({
  network,
  payment,
  onLink,
}: {
  network: Network
  payment: Payment
  onLink: (payment: Payment) => void
}) {
  const { invoice, certainty } = payment
  if (invoice === null) {
    return (
      <Button kind="link" tabIndex={-1} onClick={() => onLink(payment)}>
        Unmatched: find invoice…
      </Button>
    )
  }
  return (
    <Row gap="s">
      <a href={printRoute({ ...invoiceRoute(invoice), network: network.id })} tabIndex={-1}>
        <Text mono>
          <UntrustedText text={invoice} />
        </Text>
      </a>
      {certainty !== null && certainty !== 'certain' && (
        <Tag tone={certainty === 'guess' ? 'warn' : 'plain'}>{certaintyWords[certainty]}</Tag>
      )}
    </Row>
  )
}

function LinkDialog({
  network,
  payment,
  onClose,
}: {
  network: Network
  payment: Payment
  onClose: () => void
}) {
  const { amount, currency, comment, at } = payment
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Link to an invoice"
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
      <Candidates network={network} payment={payment} onLinked={onClose} />
    </Dialog>
  )
}
