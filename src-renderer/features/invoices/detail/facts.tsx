import type { ReactNode } from 'react'
import type { InvoiceDetail, InvoiceSource } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { describeUncounted, moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import { formatDuration, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import text from '../../../ui/text.module.css'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/hash-text.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { useGatewayNow } from '../gateway-clock.ts'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { sourceWords } from '../invoice-words.ts'
import { Payer } from '../list/invoice-cells.tsx'
import styles from './detail.module.css'

/** What it asks, what came of it, and when. */
export function Facts({ network, invoice }: { network: Network; invoice: InvoiceDetail }) {
  const now = useGatewayNow(network.id) / 1000
  const { currency, amount, description, payTo, paidBy, comment } = invoice
  const { due, excess, isToReturn } = moneyOf(invoice)
  const { createdAt, expiresAt, changedAt, firstSeenAt, firstSource, confirmedAt } = invoice
  return (
    <KeyValues
      className={styles['facts']}
      pairs={[
        ['Amount', <InvoiceAmount key="amount" units={amount} currency={currency} />],
        ['Received', received(invoice)],
        [
          'Due',
          due === 0n ? null : <InvoiceAmount key="due" units={String(due)} currency={currency} />,
        ],
        [
          isToReturn ? 'To return' : 'Excess',
          excess === 0n ? null : (
            <span key="excess">
              <InvoiceAmount units={String(excess)} currency={currency} />
              {!isToReturn && invoice.status !== 'pending' && ' · marked as handled'}
            </span>
          ),
        ],
        [
          'Not counted',
          invoice.uncounted.length === 0 ? null : (
            <span key="uncounted" className={styles['warn']}>
              {describeUncounted(invoice)}
            </span>
          ),
        ],
        [
          'Description',
          description === '' ? null : (
            <span key="text" className={styles['text']}>
              <UntrustedText text={description} />
            </span>
          ),
        ],
        ['Paid by', paidBy === null ? null : <Payer key="payer" invoice={invoice} />],
        [
          'Pay to',
          <AccountLink
            key="to"
            account={{ address: payTo, name: null, label: null, isScam: false, isWallet: true }}
          />,
        ],
        [
          'Comment',
          comment === null ? null : (
            <span key="comment" className={styles['withCopy']}>
              <span className={text['mono']}>
                <UntrustedText text={comment} />
              </span>
              <CopyButton text={comment} what="Comment" iconOnly kind="quiet" />
            </span>
          ),
        ],
        [
          'Created',
          <span key="created">
            <InvoiceMoment at={createdAt} /> · lifetime{' '}
            {formatDuration(fromMs(expiresAt - createdAt))}
          </span>,
        ],
        [
          expiresAt <= now ? 'Expired' : 'Expires',
          invoice.status === 'cancelled' ? null : <InvoiceMoment key="ends" at={expiresAt} />,
        ],
        ['Changed', changedAt === createdAt ? null : <InvoiceMoment key="at" at={changedAt} />],
        ['Paid on chain', paidOnChain(network, invoice)],
        [
          'Confirmed',
          confirmedAt === null ? 'not yet' : <Moment key="confirmed" at={fromMs(confirmedAt)} />,
        ],
        [
          'First seen',
          <span key="seen">
            <Moment at={fromMs(firstSeenAt)} />, {sayFirst(firstSource)}
          </span>,
        ],
      ]}
    />
  )
}

function sayFirst(source: InvoiceSource): string {
  return source === 'created-here' ? sourceWords[source] : `from ${sourceWords[source]}`
}

function received({ received: units, currency }: InvoiceDetail): ReactNode {
  if (units === null) {
    return <span className={text['faint']}>the chain has not been read yet</span>
  }
  return <InvoiceAmount units={units} currency={currency} />
}

function paidOnChain(network: Network, { paidAt, payments }: InvoiceDetail): ReactNode {
  if (paidAt === null) return null
  const by = payments.find(({ at }) => at === paidAt)
  return (
    <>
      <InvoiceMoment at={paidAt} />
      {by !== undefined && (
        <>
          {' · '}
          <HashText
            hash={by.hash}
            href={transactionHref(by.hash, network.id)}
            what="Transaction hash"
          />
        </>
      )}
    </>
  )
}
