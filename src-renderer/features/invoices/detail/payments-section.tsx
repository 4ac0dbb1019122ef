import type { InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import type { Payment } from '../../../../src-preload/contract/payment.ts'
import { describeMoney } from '../../../../src-preload/contract/invoice-money.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/hash-text.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { certaintyWords } from '../invoice-words.ts'
import { unlinkPayment } from './advice-acts.ts'
import { Evidence } from './evidence.tsx'
import styles from './detail.module.css'

/** What arrived for it on the chain, and why that is taken to be of it. */
export function PaymentsSection({ invoice }: { invoice: InvoiceDetail }) {
  const { payments, unlinked } = invoice
  return (
    <div className={pane['section']}>
      <h3>Payments</h3>
      {payments.length === 0 ? (
        <p className={classes(text['small'], text['faint'])}>{describeMoney(invoice)}</p>
      ) : (
        <ul className={styles['items']}>
          {payments.map((payment) => (
            <PaymentItem key={payment.key} payment={payment} />
          ))}
        </ul>
      )}
      {unlinked.length > 0 && (
        <ul className={styles['items']} aria-label="Payments that are not counted">
          {unlinked.map((payment) => (
            <PaymentItem key={payment.key} payment={payment} />
          ))}
        </ul>
      )}
    </div>
  )
}

function PaymentItem({ payment }: { payment: Payment }) {
  const { network, amount, currency, payer, payerLabel, at, hash, comment } = payment
  const { certainty, evidence, inTime, invoice, names } = payment
  return (
    <li className={styles['item']}>
      <div className={styles['itemLine']}>
        <b>
          <InvoiceAmount units={amount} currency={currency} signed={invoice !== null} />
        </b>
        <InvoiceMoment at={at} className={text['small']} />
        {inTime === false && (
          <Tag tone="bad" title="It came when its invoice could not be paid any more.">
            not in time
          </Tag>
        )}
        {invoice === null && (
          <Tag tone="warn" title="The gateway does not count it for this invoice.">
            {names === null ? 'may be for this invoice' : 'not counted'}
          </Tag>
        )}
        {certainty !== null && (
          <Tag
            tone={certainty === 'guess' ? 'warn' : 'plain'}
            title="How sure it is that it is of this invoice"
          >
            {certaintyWords[certainty]}
          </Tag>
        )}
      </div>
      <div className={classes(styles['itemLine'], text['small'])}>
        from
        <AccountLink
          account={{ address: payer, name: null, label: payerLabel, isScam: false, isWallet: true }}
        />
        in
        <HashText hash={hash} href={transactionHref(hash, network)} what="Transaction hash" />
        <span className={styles['end']}>
          {invoice !== null && (
            <Button
              kind="quiet"
              title="It belongs to another invoice, or to none"
              onClick={() => void unlinkPayment(payment)}
            >
              Not of this invoice
            </Button>
          )}
        </span>
      </div>
      {comment !== null && (
        <p className={classes(text['small'], text['dim'])}>
          “<UntrustedText text={comment} />”
        </p>
      )}
      <Evidence
        of={evidence}
        label={invoice === null ? 'Why it is not counted' : 'Why it is taken to be of this invoice'}
      />
    </li>
  )
}
