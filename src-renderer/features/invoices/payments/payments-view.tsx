import { useEffect, useMemo, useRef, useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Payment, PaymentFilter } from '../../../../src-preload/contract/payment.ts'
import { on, onReconnect, request } from '../../../app/bridge.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { throttle } from '../../../ui/throttle.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/hash-text.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { ListStates, useTotal } from '../../../components/list/list-states.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { useRowCursor } from '../../../components/list/use-row-cursor.ts'
import { Cell, WindowGrid } from '../../../components/list/window-grid.tsx'
import { createWindowList, rowAt } from '../../../components/list/windows.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { certaintyWords } from '../invoice-words.ts'
import { readNow } from '../list/sync-state.tsx'
import { Candidates } from './candidates.tsx'
import styles from './payments.module.css'

type Only = PaymentFilter['only']

const columns = [
  { name: 'Received' },
  { name: 'Amount', end: true },
  { name: 'From' },
  { name: 'Comment' },
  { name: 'Invoice' },
  { name: 'Transaction' },
]

const keyOf = ({ key }: Payment) => key

/** While much happens the list is looked at anew this often. */
const lookMs = 500

/** What the chain shows that addresses of invoices received, and which invoice each is of. */
export function PaymentsView({ network }: { network: Network }) {
  const [only, setOnly] = useState<Only>(null)
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const payments = useMemo(() => createWindowList<Payment, null>(), [])
  useEffect(() => {
    payments.open(
      async (offset, limit) => {
        const filter = { only, text: typed }
        const page = await request('payment.page', { network: network.id, filter, offset, limit })
        return { total: page.total, rows: page.payments, extra: null }
      },
      { keep: true },
    )
  }, [payments, network.id, only, typed])
  useEffect(() => {
    const look = throttle(() => payments.refresh(), lookMs)
    const stops = [
      on('payment.changed', (changed) => {
        if (changed.network === network.id) look.call()
      }),
      onReconnect(() => look.call()),
    ]
    return () => {
      for (const stop of stops) stop()
      look.cancel()
    }
  }, [payments, network.id])
  return (
    <div className={pane['pane']}>
      <search className={styles['filter']}>
        <ChoiceChips<Only>
          label="Payments shown"
          value={only}
          choices={[
            { value: null, label: 'All' },
            { value: 'linked', label: 'Of an invoice' },
            { value: 'unmatched', label: 'Of none' },
          ]}
          onChange={setOnly}
        />
        <SearchField
          ref={field}
          label="Search the payments"
          placeholder="type to search payer, comment, invoice, hash"
          value={typed}
          onSearch={setTyped}
        />
      </search>
      <Rows
        network={network}
        payments={payments}
        field={field}
        isAll={only === null && typed === ''}
      />
    </div>
  )
}

function Rows({
  network,
  payments,
  field,
  isAll,
}: {
  network: Network
  payments: ReturnType<typeof createWindowList<Payment, null>>
  field: React.RefObject<HTMLInputElement | null>
  isAll: boolean
}) {
  const [linking, setLinking] = useState<Payment | null>(null)
  const state = payments.store()
  const { cursor, put } = useRowCursor(payments, keyOf)
  const row = state.status === 'ready' && cursor !== null ? rowAt(state, cursor) : null
  const open = (payment: Payment) => {
    if (payment.invoice === null) setLinking(payment)
    else navigate({ ...invoiceRoute(payment.invoice), network: network.id })
  }
  const key = shortcutsOf('Payments')
  useGridKeys({
    group: 'Payments',
    thing: 'payment',
    count: useTotal(payments),
    cursor,
    onCursor: put,
  })
  useShortcuts([
    key(['Enter'], 'Open its invoice, or find one', () => {
      if (row !== null) open(row)
    }),
    key(['r'], 'Read the gateway and the chain now', () => void readNow(network)),
    key(['/'], 'Search the payments', () => {
      field.current?.focus()
      field.current?.select()
    }),
  ])
  return (
    <>
      <ListStates
        list={payments}
        of="the payments"
        empty={
          isAll ? (
            <EmptyState
              title="No payment has been seen"
              detail="Addresses that invoices name are followed on the chain. What they receive stands here, with the invoice it is of."
            >
              <Button onClick={() => void readNow(network)}>Read the chain now</Button>
            </EmptyState>
          ) : (
            <EmptyState title="No payment is like that" />
          )
        }
      >
        {(ready) => (
          <WindowGrid
            label="Payments"
            className={styles['columns']}
            columns={columns}
            list={payments}
            state={ready}
            cursor={cursor}
            onCursor={put}
            onOpen={open}
            cells={(payment) => (
              <PaymentCells
                network={network}
                payment={payment}
                onLink={() => setLinking(payment)}
              />
            )}
          />
        )}
      </ListStates>
      <Dialog
        open={linking !== null}
        onClose={() => setLinking(null)}
        wide
        title="Which invoice is it of?"
        detail={
          linking !== null && (
            <>
              <InvoiceAmount units={linking.amount} currency={linking.currency} />
              {linking.comment !== null && (
                <>
                  {' '}
                  with “<UntrustedText text={linking.comment} />”
                </>
              )}
              , received <InvoiceMoment at={linking.at} />. What you say stands: no rule changes it
              again.
            </>
          )
        }
      >
        {linking !== null && (
          <Candidates network={network} payment={linking} onLinked={() => setLinking(null)} />
        )}
      </Dialog>
    </>
  )
}

function PaymentCells({
  network,
  payment,
  onLink,
}: {
  network: Network
  payment: Payment
  onLink: () => void
}) {
  const { at, amount, currency, payer, payerLabel, comment, invoice, certainty, hash } = payment
  return (
    <>
      <Cell className={text['dim']}>
        <InvoiceMoment at={at} />
      </Cell>
      <Cell className={text['number']}>
        <InvoiceAmount units={amount} currency={currency} />
      </Cell>
      <Cell>
        <AccountLink
          tabIndex={-1}
          account={{ address: payer, name: null, label: payerLabel, isScam: false, isWallet: true }}
        />
      </Cell>
      <Cell title={comment ?? undefined}>
        {comment !== null && <UntrustedText text={comment} />}
      </Cell>
      <Cell className={classes(styles['invoice'])}>
        {invoice === null ? (
          <Button kind="link" tabIndex={-1} onClick={onLink}>
            Of none: find it…
          </Button>
        ) : (
          <>
            <a
              className={text['mono']}
              href={printRoute({ ...invoiceRoute(invoice), network: network.id })}
              tabIndex={-1}
            >
              <UntrustedText text={invoice} />
            </a>{' '}
            {certainty !== null && certainty !== 'certain' && (
              <Tag tone={certainty === 'guess' ? 'warn' : 'plain'}>{certaintyWords[certainty]}</Tag>
            )}
          </>
        )}
      </Cell>
      <Cell>
        <HashText hash={hash} href={transactionHref(hash, network.id)} what="Transaction hash" />
      </Cell>
    </>
  )
}
