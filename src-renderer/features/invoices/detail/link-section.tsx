import { useState } from 'react'
import type { InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import { moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { formatShareText } from '../create/typed-invoice.ts'
import { QrCode } from '../../../components/qr-code.tsx'
import styles from './detail.module.css'

/** How it is paid. Once it cannot be paid any more, put away: nobody is to pay it again by mistake. */
export function LinkSection({ invoice }: { invoice: InvoiceDetail }) {
  const { due } = moneyOf(invoice)
  // One that is paid on the chain still says pending for a moment: nobody is to pay it again.
  const isPayable = due > 0n
  const [isOpen, setIsOpen] = useState(isPayable)
  if (invoice.paymentLink === '') return null
  return (
    <details
      className={styles['fold']}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Payment link</summary>
      <Link invoice={invoice} due={due} />
    </details>
  )
}

function Link({ invoice, due }: { invoice: InvoiceDetail; due: bigint }) {
  const { id, paymentLink, currency, description, expiresAt } = invoice
  const isPayable = due > 0n
  const amount = isPayable ? String(due) : invoice.amount
  const share = formatShareText({ amount, currency, description, link: paymentLink, expiresAt })
  return (
    <div className={styles['link']}>
      <QrCode
        text={paymentLink}
        title={`Payment link of invoice ${id}`}
        name={`invoice-${id}`}
        size={132}
      />
      <div className={styles['linkSide']}>
        {!isPayable && (
          <p className={styles['warn']}>
            Whoever pays by it now pays too much:{' '}
            {invoice.status === 'pending' ? 'all of it was received' : `it is ${invoice.status}`}.
          </p>
        )}
        <code className={styles['address']}>
          <UntrustedText text={paymentLink} />
        </code>
        <div className={styles['acts']}>
          <CopyButton text={paymentLink} what="Payment link" label="Copy link" />
          <CopyButton text={share} what="Text to send" label="Copy text to send" />
        </div>
      </div>
    </div>
  )
}
