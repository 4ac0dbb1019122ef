import { type ByteUnit, byteUnits } from '../../app/use-form.ts'
import { Select, TextField } from '../../ui/form.tsx'

type Bytes = { readonly amount: string; readonly unit: ByteUnit }

const units = byteUnits.map((unit) => ({ value: unit, label: unit }))

export function BytesField({
  label,
  hint,
  error,
  value,
  onChange,
}: {
  label: string
  hint?: string
  error: string | undefined
  value: Bytes
  onChange: (value: Bytes) => void
}) {
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      short
      inputMode="decimal"
      value={value.amount}
      onChange={(amount) => onChange({ ...value, amount })}
      suffix={
        <Select
          label={`${label}, unit`}
          value={value.unit}
          onChange={(unit) => onChange({ ...value, unit })}
          options={units}
        />
      }
    />
  )
}
