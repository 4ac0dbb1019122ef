import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'
import { classes } from './classes.ts'
import { ConfirmHost } from './confirm.tsx'
import styles from './dialog.module.css'

/** A window in the window. Escape and a press outside close it; focus goes back where it was. */
export function Dialog({
  open,
  onClose,
  title,
  detail,
  children,
  buttons,
  wide = false,
  stays = false,
  initialFocus,
}: {
  open: boolean
  onClose: () => void
  title: string
  detail?: ReactNode
  children?: ReactNode
  buttons?: ReactNode
  /** `widest`: two columns find room in it. */
  wide?: boolean | 'widest'
  /** A press outside does not close it. */
  stays?: boolean
  initialFocus?: RefObject<HTMLElement | null> | undefined
}) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && onClose()}
      disablePointerDismissal={stays}
    >
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup
          data-modal
          className={classes(
            styles['popup'],
            wide === true && styles['wide'],
            wide === 'widest' && styles['widest'],
          )}
          initialFocus={initialFocus}
        >
          <Base.Title className={styles['title']}>{title}</Base.Title>
          {detail !== undefined && (
            <Base.Description className={styles['detail']}>{detail}</Base.Description>
          )}
          {children}
          {buttons !== undefined && <div className={styles['buttons']}>{buttons}</div>}
          <ConfirmHost />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
