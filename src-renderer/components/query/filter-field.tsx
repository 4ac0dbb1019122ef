import type { Ref } from 'react'
import type { FilterStage } from '../../../src-preload/contract/capture-query.ts'
import { type QueryFieldHandle, QueryField } from './query-field.tsx'
import styles from './query.module.css'

/** Which deliveries a rule takes: a query of what is known of them when the rule is asked. */
export function FilterField({
  value,
  onChange,
  error,
  stage,
  ref,
}: {
  value: string
  onChange: (text: string) => void
  error: string | undefined
  stage: FilterStage
  ref?: Ref<QueryFieldHandle> | undefined
}) {
  return (
    <div className={styles['query']}>
      <QueryField
        ref={ref}
        label="Only what matches"
        maxLength={2000}
        placeholder="everything, or such as: event:account_tx account:EQ…"
        value={value}
        onChange={onChange}
        error={error}
        stage={stage}
      />
      <p className={styles['about']}>
        Of what is known {stage === 'arrival' ? 'on arrival' : 'when it is sent on'}: event,
        account, path, header, body, token{stage === 'indexed' && ', duplicate, order'}. Empty takes
        everything.
      </p>
    </div>
  )
}
