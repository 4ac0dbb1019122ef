/** The dialog that creates one invoice: it shows the form, then the outcome. */
import { type RefObject, useRef, useState } from 'react'
import type { Currency } from '../../../../src-preload/domain/amount.ts'
import { issueLimits, maxOrderReference } from '../../../../src-preload/domain/invoice-values.ts'
import { readAmount } from '../../../../src-preload/domain/written-amount.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate, routeHref } from '../../../app/route.ts'
import { currencyChoices, formatMoney } from '../../../components/amount.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import {
  OfNetwork,
  TargetNetwork,
  useNetwork,
  useShownNetwork,
} from '../../../components/network-tag.tsx'
import { Button, Choices } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Form, Select, TextField } from '../../../ui/form.tsx'
import { formatDay, formatMinute, fromMs } from '../../../ui/format.ts'
import { Note, Row, Text } from '../../../ui/layout.tsx'
import { type Stage, changeForm, closeCreate, leaveCreate, submit, useIssuing } from './issuing.ts'
import { CreatedInvoice, InvoiceProgress, LostResponse } from './outcome.tsx'
import {
  type TypedLifetime,
  defaultLifetime,
  formatLifetime,
  lifeUnits,
  lifetimeOf,
  presets,
  readLifetime,
  splitCurrency,
  splitLifetime,
} from './typed-invoice.ts'

export function CreateDialog() {
  const { isOpen, stage } = useIssuing()
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open={isOpen}
      onClose={() => void leaveCreate()}
      wide
      title={titleOf(stage)}
      initialFocus={field}
    >
      <Content stage={stage} field={field} />
    </Dialog>
  )
}

function titleOf(stage: Stage): string {
  const item = stage.at === 'job' ? stage.item : null
  if (item?.state === 'done') return `Invoice ${item.invoice ?? ''} created`
  if (item?.state === 'failed') return 'The invoice was not created'
  return item?.state === 'unclear' ? 'The invoice may have been created' : 'New invoice'
}

type Field = RefObject<HTMLInputElement | null>

function Content({ stage, field }: { stage: Stage; field: Field }) {
  const { id } = useShownNetwork()
  // The invoice belongs to the network on which it was started, even after a switch.
  const network = useNetwork(stage.at === 'form' ? id : stage.network)
  return (
    <OfNetwork network={network}>
      {stage.at === 'lost' ? (
        <LostResponse why={stage.why} />
      ) : stage.at !== 'job' ? (
        <CreateForm field={field} busy={stage.at === 'sending'} />
      ) : stage.item?.state === 'done' ? (
        <CreatedInvoice item={stage.item} />
      ) : (
        <InvoiceProgress job={stage.job} item={stage.item} />
      )}
    </OfNetwork>
  )
}

function CreateForm({ field, busy }: { field: Field; busy: boolean }) {
  const network = useShownNetwork()
  const { form, stage } = useIssuing()
  const [isTried, setTried] = useState(false)
  const amount = readAmount(form.amount, form.currency)
  const isValidLife = lifetimeOf(form).seconds !== null
  const length = Array.from(form.description).length
  const isTooLong = length > issueLimits.descriptionCharacters
  const problem = stage.at === 'form' ? stage.problem : null
  const send = () => {
    setTried(true)
    if (amount.problem !== null) field.current?.focus()
    else if (isValidLife && !isTooLong) void submit(network)
  }
  const openFile = () => {
    closeCreate()
    navigate({ ...invoicesHome, view: 'issue', draft: null })
  }
  return (
    <Form
      form={{ busy, problem: problem?.message ?? null, submit: send }}
      label="New invoice"
      action="Create invoice"
      onCancel={closeCreate}
      beside={
        <>
          {problem?.code === 'INVOICE_NO_ACCESS' && (
            <a href={routeHref({ ...invoicesHome, view: 'setup' })} onClick={closeCreate}>
              Set up invoices
            </a>
          )}
          <Button kind="link" onClick={openFile}>
            Issue invoices from a file…
          </Button>
          <TargetNetwork network={network} />
        </>
      }
    >
      {form.restOf !== null && (
        <Note>
          Requests the rest of invoice <UntrustedText text={form.restOf} />. Both invoices then
          count together, and its link leads to the new one.
        </Note>
      )}
      <TextField
        label="Amount"
        mono
        inputMode="decimal"
        maxLength={100}
        placeholder="12.5"
        ref={field}
        value={form.amount}
        // An empty amount is an error only after the first attempt to submit.
        error={form.amount.trim() === '' && !isTried ? undefined : (amount.problem ?? undefined)}
        onChange={(typed) => {
          const { amount: digits, currency } = splitCurrency(typed)
          changeForm({ amount: digits, ...(currency !== null && { currency }) })
        }}
        suffix={
          <Select<Currency>
            label="Currency"
            value={form.currency}
            onChange={(currency) => changeForm({ currency })}
            options={currencyChoices()}
          />
        }
      />
      {amount.readings.length > 0 && (
        <Row role="group" aria-label="Possible amounts">
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
        </Row>
      )}
      <TextField
        label="Description"
        placeholder="order-4711"
        value={form.description}
        error={isTooLong ? `At most ${issueLimits.descriptionCharacters} characters.` : undefined}
        onChange={(description) => changeForm({ description })}
        hint="The payer does not see the description."
        suffix={
          <>
            {length} of {issueLimits.descriptionCharacters}
            <Text hidden> characters</Text>
          </>
        }
      />
      <TextField
        label="Order reference"
        placeholder="4711"
        maxLength={maxOrderReference}
        value={form.orderReference}
        onChange={(orderReference) => changeForm({ orderReference })}
        hint="Stored on this computer only. Search, lists and exports show it."
      />
      <LifetimeField value={form} onChange={changeForm} />
      <Preview />
    </Form>
  )
}

/** The choice of a lifetime: a preset or any number. */
export function LifetimeField({
  value: { preset, life, lifeUnit },
  onChange,
}: {
  value: TypedLifetime
  onChange: (part: Partial<TypedLifetime>) => void
}) {
  const read = readLifetime(life, lifeUnit)
  return (
    <Field label="Expires in">
      <Choices<string>
        label="Expires in"
        value={preset === null ? 'other' : String(preset)}
        options={[
          ...presets.map(({ seconds, label }) => ({ value: String(seconds), label })),
          { value: 'other', label: 'Other' },
        ]}
        onChange={(chosen) => {
          if (chosen !== 'other') {
            onChange({ preset: Number(chosen) })
            return
          }
          const { amount, unit } = splitLifetime(preset ?? defaultLifetime)
          onChange({ preset: null, life: amount, lifeUnit: unit })
        }}
      />
      {preset === null && (
        <TextField
          label="Lifetime"
          hideLabel
          inputMode="decimal"
          maxLength={12}
          value={life}
          error={read.seconds === null ? read.why : undefined}
          onChange={(next) => onChange({ life: next })}
          suffix={
            <Select
              label="Unit of the expiry time"
              value={lifeUnit}
              onChange={(next) => onChange({ lifeUnit: next })}
              options={lifeUnits}
            />
          }
        />
      )}
    </Field>
  )
}

/** Shows exactly what will be requested from the gateway. */
function Preview() {
  const form = useIssuing((state) => state.form)
  const now = useGatewayNow(useShownNetwork().id)
  const { amount, problem } = readAmount(form.amount, form.currency)
  const { seconds } = lifetimeOf(form)
  const until = seconds === null ? null : now + fromMs(seconds * 1000)
  return (
    <Note>
      <p aria-live="polite">
        {amount === null || problem !== null ? (
          'Enter an amount.'
        ) : (
          <>
            Requests{' '}
            <Text mono strong>
              {formatMoney(amount.toString(), form.currency)}
            </Text>
            {until !== null && seconds !== null && (
              <>
                , expires in {formatLifetime(seconds)} ({formatDay(until, now)}{' '}
                {formatMinute(until)})
              </>
            )}
            .
          </>
        )}
      </p>
    </Note>
  )
}
