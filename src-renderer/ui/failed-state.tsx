import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import styles from './state.module.css'

/** What did not work, why, and a way to try again. Stands where the content would be. */
export function FailedState({
  what,
  why,
  onRetry,
  children,
}: {
  what: string
  why: string
  onRetry?: (() => void) | undefined
  /** Another way out. */
  children?: ReactNode
}) {
  return (
    <div className={styles['state']} role="alert">
      <span className={styles['bad']}>
        <Icon name="warning" size={18} />
      </span>
      <h2 className={styles['title']}>{what}</h2>
      <p className={styles['detail']}>{why}</p>
      {(onRetry !== undefined || children !== undefined) && (
        <div className={classes(styles['next'])}>
          {onRetry !== undefined && (
            <Button onClick={onRetry} icon="refresh">
              Try again
            </Button>
          )}
          {children}
        </div>
      )}
    </div>
  )
}
