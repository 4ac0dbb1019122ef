import { type ComponentProps, useEffect, useRef } from 'react'
import { confirm } from './confirm.tsx'
import { Dialog } from './dialog.tsx'
import styles from './dialog.module.css'

/**
 * A dialog one writes in: a press outside leaves it open, and Escape asks before it loses what was
 * written. The form's own Cancel is asked for on purpose, and does not ask again.
 */
export function FormDialog({
  open,
  onClose,
  children,
  ...others
}: Omit<ComponentProps<typeof Dialog>, 'stays'>) {
  const changed = useRef(false)
  useEffect(() => {
    if (open) changed.current = false
  }, [open])
  const leave = async () => {
    const leaves =
      !changed.current ||
      (await confirm({
        title: 'Discard what you have entered?',
        detail: 'It is not kept.',
        action: 'Discard it',
        destructive: true,
      }))
    if (leaves) onClose()
  }
  return (
    <Dialog open={open} onClose={() => void leave()} stays {...others}>
      <div
        className={styles['form']}
        onInput={() => {
          changed.current = true
        }}
      >
        {children}
      </div>
    </Dialog>
  )
}
