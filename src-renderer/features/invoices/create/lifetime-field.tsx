import { Choices } from '../../../ui/chip.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import {
  type LifeUnit,
  lifeUnits,
  presets,
  readLifetime,
  splitLifetime,
  usualSeconds,
} from './lifetime.ts'
import styles from './create.module.css'

/** As it is chosen: a preset, or null for what stands in the field. */
export type TypedLifetime = {
  readonly preset: number | null
  readonly life: string
  readonly lifeUnit: LifeUnit
}

/** One of those one mostly wants, or any other; what is wrong with it is said as one types. */
export function LifetimeField({
  value: { preset, life, lifeUnit },
  onChange,
}: {
  value: TypedLifetime
  onChange: (part: Partial<TypedLifetime>) => void
}) {
  const read = readLifetime(life, lifeUnit)
  return (
    <div className={styles['field']}>
      <span className={styles['label']}>Lives for</span>
      <Choices<string>
        label="Lives for"
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
          const { amount, unit } = splitLifetime(preset ?? usualSeconds)
          onChange({ preset: null, life: amount, lifeUnit: unit })
        }}
      />
      {preset === null && (
        <TextField
          label="For how long"
          hideLabel
          inputMode="decimal"
          maxLength={12}
          value={life}
          error={read.seconds === null ? read.why : undefined}
          onChange={(next) => onChange({ life: next })}
          suffix={
            <Select
              label="Unit of the lifetime"
              value={lifeUnit}
              onChange={(next) => onChange({ lifeUnit: next })}
              options={lifeUnits}
            />
          }
        />
      )}
    </div>
  )
}
