import { type RefObject, useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { currencyChoices, formatAmount } from '../../../components/amount.ts'
import type { Currency } from '../../../../src-preload/domain/amount.ts'
import { formatDay, formatMinute, fromMs } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import text from '../../../ui/text.module.css'
import { useGatewayNow } from '../gateway-clock.ts'
import { type Form, changeForm, closeCreate, lifetimeOf, submit, useIssuing } from './issuing.ts'
import { printLifetime } from './lifetime.ts'
import { LifetimeField } from './lifetime-field.tsx'
import { issueLimits } from '../../../../src-preload/domain/invoice-words.ts'
import { readTypedAmount, splitCurrency } from './typed-amount.ts'
import { Where } from './where.tsx'
import styles from './create.module.css'

/** What one invoice is to ask for; what is wrong is said as one types. */
export function CreateForm({
  network,
  field,
  busy,
}: {
  network: Network
  field: RefObject<HTMLInputElement | null>
  busy: boolean
}) {
  const { form, stage } = useIssuing()
  /** An empty field is no mistake until one wants to go on. */
  const [tried, setTried] = useState(false)
  const amount = readTypedAmount(form.amount, form.currency)
  const life = lifetimeOf(form)
  const length = Array.from(form.description).length
  const problems = {
    amount:
      amount.units !== null
        ? undefined
        : (amount.why ?? (tried ? 'Give the amount, such as 12.5.' : undefined)),
    description:
      length > issueLimits.descriptionCharacters
        ? `At most ${issueLimits.descriptionCharacters} characters.`
        : undefined,
  }
  const problem = stage.at === 'form' ? stage.problem : null

  const send = () => {
    setTried(true)
    if (amount.units === null) {
      field.current?.focus()
      return
    }
    if (life.seconds !== null && problems.description === undefined) void submit(network)
  }

  return (
    <form
      className={styles['form']}
      aria-label="New invoice"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) send()
      }}
    >
      <TextField
        label="Amount"
        mono
        inputMode="decimal"
        maxLength={100}
        placeholder="12.5"
        ref={field}
        value={form.amount}
        error={problems.amount}
        onChange={(typed) => {
          const { amount: digits, currency } = splitCurrency(typed)
          changeForm({ amount: digits, ...(currency !== null && { currency }) })
        }}
        suffix={
          <Select<Currency>
            label="Currency"
            value={form.currency}
            onChange={(currency) => changeForm({ currency })}
            options={currencyChoices}
          />
        }
      />
      {amount.units === null && amount.readings !== undefined && (
        <div className={styles['readings']} role="group" aria-label="Which amount is meant">
          {amount.readings.map((reading) => (
            <Button
              key={reading}
              onClick={() => {
                changeForm({ amount: reading })
                field.current?.focus()
              }}
            >
              {reading} {form.currency}
            </Button>
          ))}
        </div>
      )}
      <LifetimeField value={form} onChange={changeForm} />
      <TextField
        label="Description"
        placeholder="order-4711"
        value={form.description}
        error={problems.description}
        onChange={(description) => changeForm({ description })}
        hint="Nobody but you sees it at the gateway."
        suffix={
          <span className={styles['count']}>
            {length} of {issueLimits.descriptionCharacters}
            <span className={text['hidden']}> characters</span>
          </span>
        }
      />
      <Preview form={form} network={network} />
      {problem !== null && (
        <p className={styles['problem']} role="alert">
          {problem.message}{' '}
          {problem.code === 'INVOICE_NO_ACCESS' && (
            <a href={printRoute({ ...invoicesHome, view: 'access' })} onClick={closeCreate}>
              Get access
            </a>
          )}
        </p>
      )}
      <div className={styles['foot']}>
        <Button
          kind="link"
          onClick={() => {
            closeCreate()
            navigate({ ...invoicesHome, view: 'issue', draft: null })
          }}
        >
          Many from a file…
        </Button>
        <Where network={network} className={styles['end']} />
        <Button onClick={closeCreate}>Cancel</Button>
        <Button type="submit" kind="main" busy={busy}>
          {busy ? 'Creating…' : 'Create the invoice'}
        </Button>
      </div>
    </form>
  )
}

/** Exactly what the gateway will be asked for. */
function Preview({ form, network }: { form: Form; network: Network }) {
  const now = useGatewayNow(network.id)
  const { units } = readTypedAmount(form.amount, form.currency)
  const { seconds } = lifetimeOf(form)
  if (units === null) return <p className={styles['preview']}>Nothing is asked for yet.</p>
  const until = seconds === null ? null : now + fromMs(seconds * 1000)
  return (
    <p className={styles['preview']} aria-live="polite">
      Asks for{' '}
      <b className={text['mono']}>
        {formatAmount(units, form.currency)} {form.currency}
      </b>
      {until !== null && seconds !== null && (
        <>
          {' '}
          within {printLifetime(seconds)}, until {formatDay(until, now)} {formatMinute(until)}
        </>
      )}
      .
    </p>
  )
}
