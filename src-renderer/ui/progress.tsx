import styles from './progress.module.css'

/** How far something has come, of how much; the words beside it say the same. */
export function Progress({ label, done, of }: { label: string; done: number; of: number }) {
  return <progress className={styles['progress']} aria-label={label} value={done} max={of || 1} />
}
