import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { Payment } from '../../../../src-preload/contract/payment.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import { printRoute } from '../../../app/route.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { linkPayment } from '../attention/matters.ts'
import detail from '../detail/detail.module.css'
import { Evidence } from '../detail/evidence.tsx'
import { InvoiceAmount } from '../invoice-amount.tsx'
import styles from './payments.module.css'

type Candidate = Output<'payment.candidates'>[number]

/** Invoices that a payment could be of, each with what speaks for it; or any, by its id. */
export function Candidates({
  network,
  payment,
  onLinked,
}: {
  network: Network
  payment: Payment
  onLinked?: () => void
}) {
  const { state } = useAnswer('payment.candidates', { network: network.id, key: payment.key })
  const [id, setId] = useState('')
  const [busy, setBusy] = useState(false)
  const link = async (invoice: string) => {
    setBusy(true)
    if (await linkPayment(network.id, payment.key, invoice)) onLinked?.()
    setBusy(false)
  }
  return (
    <div className={styles['candidates']}>
      {state.status === 'loading' && <Skeleton rows={2} label="Looking for invoices" />}
      {state.status === 'failed' && <p role="alert">{state.error.message}</p>}
      {state.status === 'ready' && state.value.length === 0 && (
        <p className={text['dim']}>Nothing speaks for any invoice.</p>
      )}
      {state.status === 'ready' && (
        <ul className={detail['items']}>
          {state.value.map((each) => (
            <CandidateItem
              key={each.invoice}
              network={network}
              payment={payment}
              candidate={each}
              busy={busy}
              onLink={() => void link(each.invoice)}
            />
          ))}
        </ul>
      )}
      <form
        aria-label="Another invoice"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && id.trim() !== '') void link(id.trim())
        }}
      >
        <TextField
          label="Another invoice"
          mono
          maxLength={100}
          placeholder="60ffb0a1"
          value={id}
          onChange={setId}
          suffix={
            <Button type="submit" busy={busy} disabled={id.trim() === ''}>
              It is of this one
            </Button>
          }
        />
      </form>
    </div>
  )
}

function CandidateItem({
  network,
  payment,
  candidate,
  busy,
  onLink,
}: {
  network: Network
  payment: Payment
  candidate: Candidate
  busy: boolean
  onLink: () => void
}) {
  const { invoice, description, status, amount, currency, canLink, evidence } = candidate
  return (
    <li className={detail['item']}>
      <div className={detail['itemLine']}>
        <a
          className={text['mono']}
          href={printRoute({ ...invoiceRoute(invoice), network: network.id })}
        >
          <UntrustedText text={invoice} />
        </a>
        <InvoiceAmount units={amount} currency={currency} />
        <span className={text['dim']}>
          {status} · <UntrustedText text={description} />
        </span>
        <span className={detail['end']}>
          {canLink ? (
            <Button busy={busy} onClick={onLink}>
              It is of this one
            </Button>
          ) : (
            `cannot be paid in ${payment.currency}`
          )}
        </span>
      </div>
      <Evidence of={evidence} label={`What speaks for ${invoice}, and against it`} />
    </li>
  )
}
