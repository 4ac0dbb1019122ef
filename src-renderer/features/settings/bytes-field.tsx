import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type ByteUnit, byteUnits } from '../../app/form-values.ts'

export type BytesDraft = { readonly amount: string; readonly unit: ByteUnit }

const options = byteUnits.map((unit) => ({ value: unit, label: unit }))

export function BytesField({
  label,
  hint,
  error,
  value,
  onChange,
}: {
  label: string
  hint?: string
  error?: string | undefined
  value: BytesDraft
  onChange: (value: BytesDraft) => void
}) {
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      inputMode="decimal"
      value={value.amount}
      onChange={(amount) => onChange({ ...value, amount })}
      suffix={
        <Select
          label={`${label}, unit`}
          value={value.unit}
          onChange={(unit) => onChange({ ...value, unit })}
          options={options}
        />
      }
    />
  )
}
