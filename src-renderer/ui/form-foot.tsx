import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import styles from './form.module.css'

/** Ends a form in a dialog: what was refused, the way back, and the button that carries it out. */
export function FormFoot({
  problem,
  busy,
  action,
  onCancel,
  children,
}: {
  problem: string | null
  busy: boolean
  /** What the main button says. */
  action: string
  onCancel: () => void
  children?: ReactNode
}) {
  return (
    <div className={classes(styles['foot'], styles['sticky'])}>
      {children}
      {problem !== null && (
        <p className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['buttons']}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="main" busy={busy}>
          {action}
        </Button>
      </div>
    </div>
  )
}
