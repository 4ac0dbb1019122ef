import type { Ref } from 'react'
import type { FilterStage } from '../../../src-preload/contract/capture-query.ts'
import { type QueryFieldHandle, QueryField } from './query-field.tsx'
import styles from './query.module.css'

/** The deliveries a rule applies to: a query of the fields that are known at that stage. */
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
        label="Filter (optional)"
        maxLength={2000}
        placeholder="for example: event:account_tx account:EQ…"
        value={value}
        onChange={onChange}
        error={error}
        stage={stage}
      />
      <p className={styles['about']}>
        Fields: event, account, path, header, body, token
        {stage === 'indexed' && ', duplicate, order'}. Leave empty to match every delivery.
      </p>
    </div>
  )
}
