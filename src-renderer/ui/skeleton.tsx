import { classes } from './classes.ts'
import styles from './skeleton.module.css'
import text from './text.module.css'

/** Stands where content will be. Invisible for the first 150 ms. */
export function Skeleton({
  rows = 4,
  label = 'Loading',
  className,
}: {
  rows?: number
  label?: string
  className?: string | undefined
}) {
  return (
    <div className={classes(styles['skeleton'], className)} role="status">
      <span className={text['hidden']}>{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles['bar']} aria-hidden="true" />
      ))}
    </div>
  )
}
