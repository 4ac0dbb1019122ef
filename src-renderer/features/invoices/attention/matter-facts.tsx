import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { fromMs } from '../../../ui/format.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { Moment } from '../../../ui/moment.tsx'
import { printRoute } from '../../../app/route.ts'
import { KeyValues } from '../../../ui/kv.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/hash-text.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import detail from '../detail/detail.module.css'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { InvoiceState } from '../invoice-state.tsx'
import { amountWordsOf } from './matter-words.ts'
import styles from './attention.module.css'

/** Whom and what it is about, and what came of it. */
export function MatterFacts({ network, matter }: { network: Network; matter: Matter }) {
  const { invoice, payment, amount, currency, since, handledAt, refund } = matter
  const payer = payment?.payer ?? invoice?.paidBy ?? null
  const label = payment?.payerLabel ?? invoice?.payerLabel ?? null
  return (
    <KeyValues
      className={detail['facts']}
      pairs={[
        [
          'Invoice',
          invoice === null ? null : (
            <span key="invoice" className={styles['line']}>
              <a
                className={text['mono']}
                href={printRoute({ ...invoiceRoute(invoice.id), network: network.id })}
              >
                <UntrustedText text={invoice.id} />
              </a>
              <InvoiceState invoice={{ ...invoice, matters: [] }} />
            </span>
          ),
        ],
        [
          'Description',
          invoice === null || invoice.description === '' ? null : (
            <span key="text" className={detail['text']}>
              <UntrustedText text={invoice.description} />
            </span>
          ),
        ],
        [
          'Asked for',
          invoice === null ? null : (
            <InvoiceAmount key="amount" units={invoice.amount} currency={invoice.currency} />
          ),
        ],
        [
          'Amount',
          amount === null ? null : (
            <span key="sum">
              <InvoiceAmount units={amount} currency={currency} /> {amountWordsOf(matter)}
            </span>
          ),
        ],
        [
          'Payer',
          payer === null ? null : (
            <AccountLink
              key="payer"
              account={{ address: payer, name: null, label, isScam: false, isWallet: true }}
            />
          ),
        ],
        [
          'Comment',
          payment === null || payment.comment === null ? null : (
            <span key="comment">
              “<UntrustedText text={payment.comment} />”
            </span>
          ),
        ],
        [
          'Transaction',
          payment === null ? null : (
            <HashText
              key="hash"
              hash={payment.hash}
              href={transactionHref(payment.hash, network.id)}
              what="Transaction hash"
            />
          ),
        ],
        ['Since', <InvoiceMoment key="since" at={since} />],
        [
          'Refund',
          refund === null ? null : (
            <span key="refund" className={styles['line']}>
              <InvoiceAmount units={refund.amount} currency={refund.currency} /> sent back{' '}
              <InvoiceMoment at={refund.at} />
              <HashText
                hash={refund.hash}
                href={transactionHref(refund.hash, network.id)}
                what="Transaction hash"
              />
            </span>
          ),
        ],
        ['Handled', handledAt === null ? null : <Moment key="handled" at={fromMs(handledAt)} />],
      ]}
    />
  )
}
