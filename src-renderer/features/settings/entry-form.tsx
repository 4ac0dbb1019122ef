import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import type { Entry } from './use-entry.ts'
import styles from './section.module.css'

/** What is added or replaced in place: its fields, the word for doing it, and Cancel. */
export function EntryForm({
  label,
  action,
  entry,
  problem = entry.problem,
  onCancel,
  children,
}: {
  label?: string
  /** The word on the button: "Add". */
  action: string
  entry: Entry
  /** Null where a field shows it. */
  problem?: string | null
  onCancel: () => void
  children: ReactNode
}) {
  return (
    <form
      className={styles['form']}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        entry.submit()
      }}
    >
      {children}
      {problem !== null && (
        <p className={styles['error']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['line']}>
        <Button type="submit" kind="main" busy={entry.busy}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}
