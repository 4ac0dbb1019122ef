import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import type { Save } from './use-save.ts'
import styles from './section.module.css'

/** Fields of one section with their Save; the button rests until something was changed. */
export function SectionForm({
  save,
  dirty,
  onSubmit,
  onReset,
  children,
}: {
  save: Save
  dirty: boolean
  onSubmit: () => void
  onReset: () => void
  children: ReactNode
}) {
  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (dirty && !save.busy) onSubmit()
      }}
    >
      {children}
      {save.problem !== null && (
        <p className={styles['error']} role="alert">
          {save.problem}
        </p>
      )}
      <div className={styles['line']}>
        <Button
          type="submit"
          kind={dirty ? 'main' : 'plain'}
          busy={save.busy}
          aria-disabled={!dirty}
        >
          Save
        </Button>
        {dirty && (
          <Button kind="quiet" onClick={onReset}>
            Discard
          </Button>
        )}
      </div>
    </form>
  )
}
