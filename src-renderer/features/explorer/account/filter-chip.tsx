import { Popover } from '@base-ui/react/popover'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import chip from '../../../ui/chip.module.css'
import { classes } from '../../../ui/classes.ts'
import styles from './account.module.css'

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
      <Popover.Trigger className={classes(chip['chip'], isOn && chip['on'], styles['chip'])}>
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

/** The small form that such a chip opens. */
export function FilterForm({
  onApply,
  clear,
  children,
}: {
  onApply: () => void
  /** The way back to no filter; null while there is none. */
  clear: { readonly label: string; readonly run: () => void } | null
  children: ReactNode
}) {
  return (
    <form
      className={styles['popupForm']}
      onSubmit={(event) => {
        event.preventDefault()
        onApply()
      }}
    >
      {children}
      <div className={styles['popupButtons']}>
        {clear !== null && <Button onClick={clear.run}>{clear.label}</Button>}
        <Button kind="main" type="submit">
          Apply
        </Button>
      </div>
    </form>
  )
}
