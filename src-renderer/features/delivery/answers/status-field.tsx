import { Chip } from '../../../ui/chip.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { statusPresets } from './answer-words.ts'
import styles from './answers.module.css'

/** Any status from 200 to 599; those that gateways take in different ways are a click away. */
export function StatusField({
  value,
  error,
  onChange,
}: {
  value: string
  error: string | undefined
  onChange: (status: string) => void
}) {
  const typed = value.trim()
  const known = statusPresets.find(([status]) => String(status) === typed)
  return (
    <div className={styles['field']}>
      <TextField
        label="Status"
        inputMode="numeric"
        maxLength={3}
        suffix={known?.[1]}
        value={value}
        onChange={onChange}
        error={error}
      />
      <div className={styles['presets']} role="group" aria-label="Usual statuses">
        {statusPresets.map(([status, words]) => (
          <Chip
            key={status}
            pressed={String(status) === typed}
            title={words}
            onPress={() => onChange(String(status))}
          >
            {status}
          </Chip>
        ))}
      </div>
    </div>
  )
}
