import type { ReactNode } from 'react'
import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import { describeMoney, moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import { formatAmount } from '../../../components/amount.ts'
import { classes } from '../../../ui/classes.ts'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Cell } from '../../../components/list/window-grid.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { InvoiceState } from '../invoice-state.tsx'
import type { ColumnId, InvoiceColumn } from './columns.ts'
import { toggleRow } from './selecting.ts'
import styles from './list.module.css'

type Props = {
  invoice: Invoice
  index: number
  isSelected: boolean
  /** Its own link. */
  href: string
}

/** One invoice in its row: the columns there is room for. */
export function InvoiceCells({ columns, ...props }: Props & { columns: readonly InvoiceColumn[] }) {
  return columns.map(({ id }) => <InvoiceCell key={id} column={id} {...props} />)
}

function InvoiceCell({ column, invoice, index, isSelected, href }: Props & { column: ColumnId }) {
  const { id, currency, amount, received, description } = invoice
  switch (column) {
    case 'select':
      return (
        <Cell>
          <input
            type="checkbox"
            className={styles['check']}
            tabIndex={-1}
            aria-label={`Select ${id}`}
            checked={isSelected}
            onChange={() => toggleRow(index)}
            // The row's own press would open it.
            onClick={(event) => event.stopPropagation()}
          />
        </Cell>
      )
    case 'id':
      return (
        <Cell className={text['mono']} title={id}>
          <a className={styles['id']} href={href} tabIndex={-1}>
            <UntrustedText text={id} />
          </a>
        </Cell>
      )
    case 'status':
      return (
        <Cell>
          <InvoiceState invoice={invoice} />
        </Cell>
      )
    case 'amount':
      return (
        <Cell className={text['number']} title={`${formatAmount(amount, currency)} ${currency}`}>
          <InvoiceAmount units={amount} currency={currency} />
        </Cell>
      )
    case 'received':
      return received === null ? (
        <Sum title={describeMoney(invoice)} isFaint>
          ?
        </Sum>
      ) : (
        <Sum title={describeMoney(invoice)}>
          {received !== '0' && formatAmount(received, currency)}
        </Sum>
      )
    case 'overpayment': {
      const { excess, isToReturn } = moneyOf(invoice)
      return (
        <Sum title={excess === 0n ? undefined : describeMoney(invoice)} isFaint={!isToReturn}>
          {excess > 0n && formatAmount(String(excess), currency)}
        </Sum>
      )
    }
    case 'description':
      return (
        <Cell
          className={classes(text['dim'], styles['afterNumber'])}
          title={description === '' ? undefined : description}
        >
          <UntrustedText text={description} />
        </Cell>
      )
    case 'payer':
      return (
        <Cell>
          <Payer invoice={invoice} tabIndex={-1} canCopy={false} />
        </Cell>
      )
    case 'created':
      return <When at={invoice.createdAt} />
    case 'expires':
      return <When at={invoice.expiresAt} />
    case 'changed':
      return <When at={invoice.changedAt} />
  }
}

function Sum({
  title,
  isFaint = false,
  children,
}: {
  title: string | undefined
  isFaint?: boolean
  children: ReactNode
}) {
  return (
    <Cell className={classes(text['mono'], text['number'], isFaint && text['faint'])} title={title}>
      {children}
    </Cell>
  )
}

function When({ at }: { at: number }) {
  return (
    <Cell className={text['dim']}>
      <InvoiceMoment at={at} />
    </Cell>
  )
}

/** Who has paid it; nothing until somebody has. */
export function Payer({
  invoice: { paidBy, payerLabel },
  tabIndex,
  canCopy = true,
}: {
  invoice: Pick<Invoice, 'paidBy' | 'payerLabel'>
  tabIndex?: number
  canCopy?: boolean
}) {
  if (paidBy === null) return null
  return (
    <AccountLink
      account={{ address: paidBy, name: null, label: payerLabel, isScam: false, isWallet: true }}
      tabIndex={tabIndex}
      canCopy={canCopy}
    />
  )
}
