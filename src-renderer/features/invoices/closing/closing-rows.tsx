import { useRef, useState } from 'react'
import type { ClosingRow } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Payment } from '../../../../src-preload/contract/payment.ts'
import { formatExact, fromMs, shorten } from '../../../ui/format.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { navigate, parseRoute, printRoute } from '../../../app/route.ts'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { ListStates } from '../../../components/list/list-states.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { Cell, WindowGrid } from '../../../components/list/window-grid.tsx'
import { rowAt } from '../../../components/list/windows.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { useWidth } from '../list/use-width.ts'
import type { ClosingList } from './closing-data.ts'
import { type ClosedSpan, sayDays } from './closing-span.ts'
import { differenceTones, differenceWords, stepOf } from './closing-words.ts'
import styles from './closing.module.css'

/** Each invoice of the period with its payments, and each payment that has none. */
export function ClosingRows({
  network,
  list,
  span,
  onlyDifferences,
}: {
  network: Network
  list: ClosingList
  span: ClosedSpan
  onlyDifferences: boolean
}) {
  const [cursor, setCursor] = useState<number | null>(null)
  const box = useRef<HTMLDivElement>(null)
  // Where it has no room it is under the pointer.
  const hasWhy = useWidth(box) >= widthWithWhy
  const state = list.store()
  const hrefOf = ({ invoice, payments }: ClosingRow) => {
    if (invoice !== null) return printRoute({ ...invoiceRoute(invoice.id), network: network.id })
    const [payment] = payments
    return payment === undefined ? null : transactionHref(payment.hash, network.id)
  }
  const open = (row: ClosingRow) => {
    const href = hrefOf(row)
    if (href !== null) navigate(parseRoute(href))
  }
  const group = 'Close of day'
  useGridKeys({
    group,
    count: state.status === 'ready' ? state.total : 0,
    cursor,
    onCursor: setCursor,
  })
  useShortcuts([
    {
      keys: ['Enter'],
      label: 'Open the invoice, or the transaction',
      group,
      run: () => {
        const row = state.status === 'ready' && cursor !== null ? rowAt(state, cursor) : null
        if (row !== null) open(row)
      },
    },
  ])
  return (
    <div ref={box} className={styles['rows']}>
      <ListStates
        list={list}
        of="the rows"
        empty={
          onlyDifferences ? (
            <EmptyState
              title="Everything agrees"
              detail="Each invoice that was paid has its payment, and each payment its invoice."
            />
          ) : (
            <EmptyState
              title={`Nothing was paid: ${sayDays(span)}`}
              detail="Neither does the gateway say so, nor has the chain a payment to an address of invoices."
            />
          )
        }
      >
        {(ready) => (
          <WindowGrid
            label="Invoices against the chain"
            className={styles[hasWhy ? 'columns' : 'withoutWhy']}
            columns={hasWhy ? [...columns, { name: 'Why' }] : columns}
            list={list}
            state={ready}
            cursor={cursor}
            onCursor={setCursor}
            onOpen={open}
            cells={(row) => (
              <Cells row={row} network={network} href={hrefOf(row)} hasWhy={hasWhy} />
            )}
          />
        )}
      </ListStates>
    </div>
  )
}

/** In pixels. */
const widthWithWhy = 1120

const columns = [
  { name: 'Agrees' },
  { name: 'Invoice' },
  { name: 'What to do' },
  { name: 'Asked', end: true },
  { name: 'Received', end: true },
  { name: 'Payments' },
  { name: 'When' },
]

function Cells({
  row,
  network,
  href,
  hasWhy,
}: {
  row: ClosingRow
  network: Network
  href: string | null
  hasWhy: boolean
}) {
  const { difference, invoice, payments } = row
  const step = stepOf(row)
  const currency = invoice?.currency ?? payments[0]?.currency ?? 'TON'
  const ofCurrency = payments.filter((each) => each.currency === currency)
  const received = ofCurrency.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const at = payments[0]?.at ?? invoice?.changedAt ?? null
  return (
    <>
      <Cell title={row.text}>
        {difference === null ? (
          <Tag tone="ok">agrees</Tag>
        ) : (
          <Tag tone={differenceTones[difference]}>{differenceWords[difference]}</Tag>
        )}
      </Cell>
      <Cell className={text['mono']} title={invoice?.id}>
        {invoice === null || href === null ? (
          <span className={text['faint']}>none</span>
        ) : (
          <a href={href} tabIndex={-1}>
            <UntrustedText text={invoice.id} />
          </a>
        )}
      </Cell>
      <Cell>
        {step !== null && (
          <a href={printRoute({ ...step.route, network: network.id })} tabIndex={-1}>
            {step.label}
          </a>
        )}
      </Cell>
      <Cell className={text['number']}>
        {invoice !== null && <InvoiceAmount units={invoice.amount} currency={invoice.currency} />}
      </Cell>
      <Cell className={text['number']}>
        {payments.length > 0 && <InvoiceAmount units={String(received)} currency={currency} />}
      </Cell>
      <Cell>
        <Payments payments={payments} network={network} />
      </Cell>
      <Cell className={text['dim']} title={at === null ? undefined : formatExact(fromMs(at))}>
        {at !== null && <InvoiceMoment at={at} />}
      </Cell>
      {hasWhy && (
        <Cell className={text['dim']} title={row.text}>
          {row.text}
        </Cell>
      )}
    </>
  )
}

/** The first as a link; how many more there are. */
function Payments({
  payments: [first, ...others],
  network,
}: {
  payments: readonly Payment[]
  network: Network
}) {
  if (first === undefined) return <span className={text['faint']}>none</span>
  return (
    <>
      <a
        className={classes(text['mono'])}
        href={transactionHref(first.hash, network.id)}
        title={[first, ...others].map(({ hash }) => hash).join('\n')}
        tabIndex={-1}
      >
        {shorten(first.hash, 6, 4)}
      </a>
      {others.length > 0 && ` +${others.length}`}
    </>
  )
}
