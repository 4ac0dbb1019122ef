import { Choices } from '../../../ui/chip.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { type Since, printLocal, spans } from './since.ts'
import styles from './replay-form.module.css'

const hour = 3_600_000

export function SinceField({
  since,
  onChange,
  error,
}: {
  since: Since
  onChange: (since: Since) => void
  error: string | undefined
}) {
  const chosen =
    since.kind === 'minutes' ? String(since.minutes) : since.kind === 'today' ? 'today' : 'typed'
  return (
    <div className={styles['field']}>
      <span className={styles['label']}>Everything received in the last, or since</span>
      <Choices
        label="Since"
        value={chosen}
        options={spans}
        onChange={(value) => {
          const next = spans.find((span) => span.value === value)?.since
          if (next === undefined) return
          onChange(
            next.kind === 'typed' ? { kind: 'typed', text: printLocal(Date.now() - hour) } : next,
          )
        }}
      />
      {since.kind === 'typed' && (
        <TextField
          label="Since when"
          hideLabel
          type="datetime-local"
          step={1}
          value={since.text}
          onChange={(text) => onChange({ kind: 'typed', text })}
          error={error}
        />
      )}
    </div>
  )
}
