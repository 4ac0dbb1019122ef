import { useState } from 'react'
import type { InvoiceDetail } from '../../../../src-preload/contract/index.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import { QrCode } from '../create/qr-code.tsx'
import { printShareText } from '../create/share-text.ts'
import styles from './detail.module.css'

/** How it is paid. Once it cannot be paid any more, put away: nobody is to pay it again by mistake. */
export function LinkSection({ invoice }: { invoice: InvoiceDetail }) {
  const isPayable = invoice.status === 'pending'
  const [isOpen, setIsOpen] = useState(isPayable)
  if (invoice.paymentLink === '') return null
  return (
    <details
      className={styles['fold']}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Payment link</summary>
      <Link invoice={invoice} isPayable={isPayable} />
    </details>
  )
}

function Link({ invoice, isPayable }: { invoice: InvoiceDetail; isPayable: boolean }) {
  const { id, paymentLink, amount, currency, description, expiresAt } = invoice
  const share = printShareText({ amount, currency, description, link: paymentLink, expiresAt })
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
            Whoever pays by it now pays too much: it is {invoice.status}.
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
