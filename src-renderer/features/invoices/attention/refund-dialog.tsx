import { useState } from 'react'
import type { Matter, Network, Output } from '../../../../src-preload/contract/index.ts'
import { editAmount, readAmount } from '../../../amount.ts'
import { useAnswer } from '../../../use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../chain/account-link.tsx'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import { QrCode } from '../create/qr-code.tsx'
import { Where } from '../create/where.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import { SandboxSend } from './sandbox-send.tsx'
import styles from './attention.module.css'

type Refund = Output<'refund.prepare'>

/**
 * A transfer back, prepared for one's own wallet: a link to open there, and the message for who signs
 * elsewhere. Nothing is signed and nothing is sent from here.
 */
export function RefundDialog({
  network,
  matter,
  open,
  onClose,
}: {
  network: Network
  matter: Matter
  open: boolean
  onClose: () => void
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      title="Prepare a refund"
      detail="Open it in the wallet that received the payment. Tondesk holds no wallet key: it neither signs nor sends."
    >
      {open && <Form network={network} matter={matter} onClose={onClose} />}
    </Dialog>
  )
}

function Form({
  network,
  matter,
  onClose,
}: {
  network: Network
  matter: Matter
  onClose: () => void
}) {
  /** What was typed; null where the proposal stands. */
  const [amount, setAmount] = useState<string | null>(null)
  const [comment, setComment] = useState<string | null>(null)
  const [to, setTo] = useState<string | null>(null)
  const units = amount === null ? null : readAmount(amount, matter.currency)
  const isWrong = amount !== null && (units === null || units === '0')
  const { state } = useAnswer('refund.prepare', {
    network: network.id,
    key: matter.key,
    amount: isWrong ? null : units,
    comment,
    to: to?.trim() === '' ? null : to,
  })
  const [former, setFormer] = useState<Refund | null>(null)
  if (state.status === 'ready' && state.value !== former) setFormer(state.value)
  const refund = state.status === 'ready' ? state.value : former
  if (refund === null) {
    if (state.status !== 'failed') return <Skeleton rows={5} label="Preparing the refund" />
    return (
      <>
        <p className={styles['problem']} role="alert">
          {state.error.message}
        </p>
        <Foot network={network} onClose={onClose} />
      </>
    )
  }
  const problem = state.status === 'failed' ? state.error.message : undefined
  const canUse = state.status === 'ready' && !isWrong
  return (
    <>
      <div className={styles['fields']}>
        <TextField
          label="Amount"
          mono
          inputMode="decimal"
          maxLength={60}
          value={amount ?? editAmount(refund.amount, refund.currency)}
          onChange={setAmount}
          error={isWrong ? `Give an amount of ${refund.currency}, such as 12.5.` : undefined}
          suffix={refund.currency}
        />
        <TextField
          label="Comment"
          maxLength={120}
          value={comment ?? refund.comment}
          onChange={setComment}
        />
        <TextField
          label="To"
          mono
          maxLength={100}
          value={to ?? refund.to}
          onChange={setTo}
          error={problem}
          hint="The payer. An exchange may not find a refund to the address it paid from."
        />
      </div>
      {refund.warnings.length > 0 && (
        <ul className={styles['warnings']} aria-label="Before you send it">
          {refund.warnings.map((warning) => (
            <li key={warning}>
              <UntrustedText text={warning} />
            </li>
          ))}
        </ul>
      )}
      <Ready refund={refund} canUse={canUse} />
      {network.kind === 'sandbox' && <SandboxSend refund={refund} canSend={canUse} />}
      <Foot network={network} onClose={onClose} />
    </>
  )
}

function Ready({ refund, canUse }: { refund: Refund; canUse: boolean }) {
  const { links, boc, message, from, amount, currency } = refund
  return (
    <div className={styles['ready']} aria-busy={!canUse}>
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
            To <code className={text['mono']}>{message.to}</code> with{' '}
            <InvoiceAmount units={message.value} currency="TON" />, the message as BOC:
          </p>
          <code className={styles['boc']}>{boc}</code>
          <CopyButton text={boc} what="Message as BOC" label="Copy BOC" />
        </details>
      </div>
    </div>
  )
}

function Foot({ network, onClose }: { network: Network; onClose: () => void }) {
  return (
    <div className={styles['foot']}>
      <Where network={network} />
      <Button onClick={onClose}>Close</Button>
    </div>
  )
}
