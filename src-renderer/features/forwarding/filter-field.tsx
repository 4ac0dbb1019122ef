import { QueryField } from '../inspector/query/query-field.tsx'
import styles from './rule-form.module.css'

/** Which deliveries a rule takes, in the language of the inspector's query bar. */
export function FilterField({
  value,
  onChange,
  error,
}: {
  value: string
  onChange: (text: string) => void
  error: string | undefined
}) {
  return (
    <div className={styles['field']}>
      <QueryField
        label="Only what matches"
        maxLength={2000}
        placeholder="everything, or such as: event:account_tx account:EQ…"
        value={value}
        onChange={onChange}
        error={error}
      />
      <p className={styles['hint']}>
        Of what is known on arrival: event, account, path, header, body, token. Empty takes
        everything.
      </p>
    </div>
  )
}
