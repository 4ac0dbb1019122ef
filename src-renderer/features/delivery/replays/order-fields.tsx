import { Choices } from '../../../ui/chip.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import form from '../../../ui/form.module.css'
import type { DraftErrors } from '../../../app/use-draft.ts'
import { PathSwitches } from '../targets/path-switches.tsx'
import { type Order, type PaceKind, type ReplayDraft, orders } from './replay-draft.ts'
import styles from './replay-form.module.css'

type Props = {
  draft: ReplayDraft
  errors: DraftErrors
  isAlone: boolean
  onChange: (part: Partial<ReplayDraft>) => void
}

const paces: readonly { readonly value: PaceKind; readonly label: string }[] = [
  { value: 'fast', label: 'As fast as it answers' },
  { value: 'original', label: 'At its own pace' },
  { value: 'rate', label: 'So many a second' },
]

/** How fast, how often and in which order; folded for a single one, where it hardly matters. */
export function OrderFields(props: Props) {
  const { draft, errors, isAlone } = props
  const hasError = Object.keys(errors).some((field) => field in draft && field !== 'target')
  return (
    <details className={form['more']} open={!isAlone || hasError}>
      <summary>{isAlone ? 'How often, path, host, time limit' : 'Pace, order, limits'}</summary>
      <div className={form['options']}>
        {!isAlone && <Pace {...props} />}
        <div className={styles['numbers']}>
          <Number name="times" label="Times" most={3} {...props} />
          <Number name="parallel" label="In parallel" most={3} {...props} />
          <Number name="timeoutSeconds" label="Seconds a try" most={3} {...props} />
        </div>
        <OrderChoice {...props} />
        <Switches {...props} />
      </div>
    </details>
  )
}

function Pace({ draft, errors, onChange }: Props) {
  return (
    <div className={styles['field']}>
      <span className={styles['label']}>Pace</span>
      <Choices<PaceKind>
        label="Pace"
        value={draft.pace}
        options={paces}
        onChange={(pace) => onChange({ pace })}
      />
      {draft.pace === 'original' && (
        <TextField
          label="Faster by"
          inputMode="decimal"
          suffix="times, 1 keeps the gaps as they were"
          value={draft.factor}
          onChange={(factor) => onChange({ factor })}
          error={errors['factor']}
        />
      )}
      {draft.pace === 'rate' && (
        <TextField
          label="Requests"
          inputMode="decimal"
          suffix="a second"
          value={draft.perSecond}
          onChange={(perSecond) => onChange({ perSecond })}
          error={errors['perSecond']}
        />
      )}
    </div>
  )
}

function Number({
  name,
  label,
  most,
  draft,
  errors,
  onChange,
}: Props & {
  name: 'times' | 'parallel' | 'timeoutSeconds'
  label: string
  /** Digits. */
  most: number
}) {
  return (
    <TextField
      label={label}
      inputMode="numeric"
      maxLength={most + 1}
      value={draft[name]}
      onChange={(value) => onChange({ [name]: value })}
      error={errors[name]}
    />
  )
}

function OrderChoice({ draft, isAlone, onChange }: Props) {
  // Of one there is nothing to put in order, but it can be sent twice in a row.
  const offered = isAlone
    ? orders.filter(({ value }) => value === 'arrival' || value === 'doubled')
    : orders
  const chosen = offered.find(({ value }) => value === draft.order)
  return (
    <div className={styles['field']}>
      <span className={styles['label']}>Order</span>
      <Choices<Order>
        label="Order"
        value={draft.order}
        options={offered.map(({ value, label }) => ({
          value,
          label: isAlone && value === 'arrival' ? 'Once' : label,
        }))}
        onChange={(order) => onChange({ order })}
      />
      {!isAlone && <p className={styles['hint']}>{chosen?.why}</p>}
    </div>
  )
}

function Switches({ draft, isAlone, onChange }: Props) {
  return (
    <div className={styles['switches']}>
      {!isAlone && (
        <Switch
          label="Stop at the first failure"
          hint="Ends at the first answer that is not 2xx; it can be resumed from there."
          checked={draft.stopAtFailure}
          onChange={(stopAtFailure) => onChange({ stopAtFailure })}
        />
      )}
      <PathSwitches
        given={draft}
        ofHost="The target sees the Host of the request as it came."
        onChange={onChange}
      />
    </div>
  )
}
