import { Popover } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { classes } from '../../../ui/classes.ts'
import styles from './account.module.css'

/** Pressed, it narrows the list. */
export function Chip({
  isOn,
  onPress,
  children,
}: {
  isOn: boolean
  onPress: () => void
  children: ReactNode
}) {
  return (
    <button
      type="button"
      className={classes(styles['chip'], isOn && styles['on'])}
      aria-pressed={isOn}
      onClick={onPress}
    >
      {children}
    </button>
  )
}

/** A chip that opens a small form. */
export function FormChip({
  label,
  isOn,
  title,
  children,
}: {
  label: string
  isOn: boolean
  title: string
  children: (close: () => void) => ReactNode
}) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={classes(styles['chip'], isOn && styles['on'])}>
        {label}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start">
          <Popover.Popup className={styles['popup']} aria-label={title}>
            {children(() => setOpen(false))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
