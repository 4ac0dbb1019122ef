import { Button } from '../../../ui/button.tsx'
import { revealSecrets } from '../inspector-commands.ts'
import type { OpenCapture } from '../inspector-state.ts'
import styles from './detail.module.css'

/** Says that secrets are masked and how to see them; they are hidden again when one leaves. */
export function MaskNote({ open }: { open: OpenCapture }) {
  if (open.revealed) return <span className={styles['note']}>Secrets are shown.</span>
  if (!open.capture.masked) return <span className={styles['note']} />
  return (
    <span className={styles['note']}>
      Secrets are masked.{' '}
      <Button kind="link" onClick={() => void revealSecrets()}>
        Reveal
      </Button>
    </span>
  )
}
