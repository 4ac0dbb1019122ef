import { Button } from '../../ui/button.tsx'
import styles from './section.module.css'

/** In place of how something of the app is doing, when that could not be asked. */
export function UnknownState({ why, onRetry }: { why: string; onRetry: () => void }) {
  return (
    <p className={styles['error']} role="alert">
      Its state is not known: {why}{' '}
      <Button kind="link" onClick={onRetry}>
        Try again
      </Button>
    </p>
  )
}
