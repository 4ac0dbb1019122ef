import type { Output } from '../../../../src-preload/contract/routes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink, useAddressText } from '../../../components/chain/account-link.tsx'
import { QrCode } from '../../../components/qr-code.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import styles from './attention.module.css'

/** What a wallet is given: as a code, as links, and as the message itself. */
export function RefundReady({
  refund,
  canUse,
}: {
  refund: Output<'refund.prepare'>
  /** It says what the fields do. */
  canUse: boolean
}) {
  const { links, boc, message, from, amount, currency } = refund
  const target = useAddressText({ address: message.to, isWallet: currency === 'TON' })
  return (
    <div className={styles['ready']} aria-busy={!canUse} inert={!canUse}>
      <QrCode text={links.web} title="Refund, for a wallet on a phone" name="refund" size={132} />
      <div className={styles['readySide']}>
        <p>
          <b>
            <InvoiceAmount units={amount} currency={currency} />
          </b>{' '}
          from{' '}
          <AccountLink
            account={{ address: from, name: null, label: null, isScam: false, isWallet: true }}
          />
        </p>
        <div className={styles['line']}>
          <CopyButton text={links.web} what="Refund link" label="Copy link" />
          <CopyButton text={links.ton} what="ton:// link" label="Copy ton:// link" />
          <CopyButton text={links.tonkeeper} what="Tonkeeper link" label="Copy tonkeeper:// link" />
        </div>
        <details>
          <summary>For a wallet that signs messages</summary>
          <p className={styles['message']}>
            To <code className={text['mono']}>{target}</code> with{' '}
            <InvoiceAmount units={message.value} currency="TON" />, the message as BOC:
          </p>
          <code className={styles['boc']} tabIndex={0}>
            {boc}
          </code>
          <CopyButton text={boc} what="Message as BOC" label="Copy BOC" />
        </details>
      </div>
    </div>
  )
}
