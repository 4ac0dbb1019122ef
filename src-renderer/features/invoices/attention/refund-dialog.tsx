import { useState } from 'react'
import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import type { chainCodes } from '../../../../src-preload/domain/error-codes.ts'
import type { Input, Output } from '../../../../src-preload/contract/routes.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { readAmount } from '../../../components/amount.ts'
import { decimalsOf, formatAmount } from '../../../../src-preload/domain/amount.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { useSettled } from '../../../ui/use-settled.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useAddressText } from '../../../components/chain/account-link.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { TargetNetwork } from '../../../components/network-tag.tsx'
import { RefundReady } from './refund-ready.tsx'
import { SandboxSend } from './sandbox-send.tsx'
import styles from './attention.module.css'

type Refund = Output<'refund.prepare'>

const badAddress: (typeof chainCodes)['badAddress'] = 'CHAIN_BAD_ADDRESS'

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
  const [typed, setTyped] = useState(nothingTyped)
  const units = typed.amount === null ? null : readAmount(typed.amount, matter.currency)
  const wrong = {
    amount: typed.amount !== null && (units === null || units === '0'),
    to: typed.to?.trim() === '',
  }
  const isWrong = wrong.amount || wrong.to
  const asked = JSON.stringify({
    amount: wrong.amount ? null : units,
    comment: typed.comment,
    to: wrong.to ? null : typed.to,
  })
  const settled = useSettled(asked)
  const { state } = useAnswer('refund.prepare', {
    network: network.id,
    key: matter.key,
    ...(JSON.parse(settled) as Pick<Input<'refund.prepare'>, 'amount' | 'comment' | 'to'>),
  })
  const [former, setFormer] = useState<Refund | null>(null)
  if (state.status === 'ready' && state.value !== former) setFormer(state.value)
  const refund = state.status === 'ready' ? state.value : former
  const problem = state.status === 'failed' ? state.error : null
  if (refund === null && problem === null) {
    return <Skeleton rows={5} label="Preparing the refund" />
  }
  // A link to what the fields no longer say must not be taken for one to what they do.
  const canUse = state.status === 'ready' && settled === asked && !isWrong
  return (
    <>
      <Fields
        currency={matter.currency}
        refund={refund}
        typed={typed}
        wrong={wrong}
        problem={problem}
        onType={(change) => setTyped({ ...typed, ...change })}
      />
      {refund !== null && (
        <>
          <Warnings of={refund} />
          <RefundReady refund={refund} canUse={canUse} />
          {network.kind === 'sandbox' && (
            <SandboxSend network={network} refund={refund} canSend={canUse} />
          )}
        </>
      )}
      <Foot network={network} onClose={onClose} />
    </>
  )
}

/** What was typed; null where the proposal stands. */
type Typed = {
  readonly amount: string | null
  readonly comment: string | null
  readonly to: string | null
}

const nothingTyped: Typed = { amount: null, comment: null, to: null }

function Fields({
  currency,
  refund,
  typed,
  wrong,
  problem,
  onType,
}: {
  currency: InvoiceCurrency
  /** Null where it could not be prepared at all: whoever knows the payer can give the address. */
  refund: Refund | null
  typed: Typed
  wrong: { readonly amount: boolean; readonly to: boolean }
  problem: AppError | null
  onType: (change: Partial<Typed>) => void
}) {
  const payee = useAddressText({ address: refund?.to ?? '', isWallet: true })
  const isOfAddress = problem?.code === badAddress
  const amount = refund === null ? '' : formatAmount(BigInt(refund.amount), decimalsOf[currency])
  const toError = wrong.to ? 'Give the address of who is to get it.' : problem?.message
  return (
    <>
      <div className={styles['fields']}>
        <TextField
          label="Amount"
          mono
          inputMode="decimal"
          maxLength={60}
          value={typed.amount ?? amount}
          onChange={(next) => onType({ amount: next })}
          error={wrong.amount ? `Give an amount of ${currency}, such as 12.5.` : undefined}
          suffix={currency}
        />
        <TextField
          label="Comment"
          maxLength={120}
          value={typed.comment ?? refund?.comment ?? ''}
          onChange={(next) => onType({ comment: next })}
        />
        <TextField
          label="To"
          mono
          maxLength={100}
          value={typed.to ?? payee}
          onChange={(next) => onType({ to: next })}
          error={wrong.to || isOfAddress ? toError : undefined}
          hint="The payer. An exchange may not find a refund to the address it paid from."
        />
      </div>
      {problem !== null && !isOfAddress && (
        <p className={styles['problem']} role="alert">
          {problem.message}
        </p>
      )}
    </>
  )
}

function Warnings({ of: { warnings } }: { of: Refund }) {
  if (warnings.length === 0) return null
  return (
    <ul className={styles['warnings']} aria-label="Before you send it">
      {warnings.map((warning) => (
        <li key={warning}>
          <UntrustedText text={warning} />
        </li>
      ))}
    </ul>
  )
}

function Foot({ network, onClose }: { network: Network; onClose: () => void }) {
  return (
    <div className={styles['foot']}>
      <TargetNetwork network={network} />
      <Button onClick={onClose}>Close</Button>
    </div>
  )
}
