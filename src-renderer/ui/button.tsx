import type { ComponentPropsWithRef, ReactNode } from 'react'
import { classes } from './classes.ts'
import { type IconName, Icon } from './icons.tsx'
import styles from './button.module.css'

export type ButtonKind = 'plain' | 'main' | 'danger' | 'dangerMain' | 'quiet' | 'link'

type ButtonProps = ComponentPropsWithRef<'button'> & {
  kind?: ButtonKind
  icon?: IconName
  /** Shown as pressed out while its work runs; stays focusable, so focus is not lost. */
  busy?: boolean | undefined
  children?: ReactNode
}

export function Button({
  kind = 'plain',
  icon,
  busy = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...(busy && { 'aria-disabled': true, 'aria-busy': true })}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={classes(
        styles['button'],
        kind !== 'plain' && styles[kind],
        icon !== undefined && children === undefined && styles['iconOnly'],
        className,
      )}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

/** A button that shows a picture only; `label` is its name and its tooltip. */
export function IconButton({
  label,
  icon,
  kind = 'quiet',
  ...rest
}: Omit<ButtonProps, 'children' | 'icon'> & { label: string; icon: IconName }) {
  return <Button aria-label={label} title={label} icon={icon} kind={kind} {...rest} />
}

/** Shows and hides what is below it; `label` is the name of that. */
export function DisclosureButton({
  label,
  isOpen,
  onToggle,
}: {
  label: string
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
}) {
  return (
    <IconButton
      icon={isOpen ? 'down' : 'right'}
      label={label}
      aria-expanded={isOpen}
      onClick={() => onToggle(!isOpen)}
    />
  )
}
