import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import styles from './state.module.css'

/** What did not work, why, and a way to try again. Stands where the content would be. */
export function FailedState({
  what,
  why,
  onRetry,
}: {
  what: string
  why: string
  onRetry?: (() => void) | undefined
}) {
  return (
    <div className={styles['state']} role="alert">
      <span className={styles['bad']}>
        <Icon name="warning" size={18} />
      </span>
      <h2 className={styles['title']}>{what}</h2>
      <p className={styles['detail']}>{why}</p>
      {onRetry !== undefined && (
        <div className={classes(styles['next'])}>
          <Button onClick={onRetry} icon="refresh">
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}
