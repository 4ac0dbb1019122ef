import { Switch as Base } from '@base-ui/react/switch'
import { type ReactNode, useId } from 'react'
import styles from './switch.module.css'
import text from './text.module.css'

export function Switch({
  label,
  hideLabel = false,
  hint,
  checked,
  onChange,
  disabled = false,
  children,
}: {
  label: string
  /** The name is read out but not shown: where its place says it already. */
  hideLabel?: boolean
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  /** What is set beside it while it is on; below it, in line with its words. */
  children?: ReactNode
}) {
  const id = useId()
  return (
    <div className={styles['row']}>
      <Base.Root
        className={styles['switch']}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={`${id}-label`}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
      >
        <Base.Thumb className={styles['thumb']} />
      </Base.Root>
      <span
        id={`${id}-label`}
        className={hideLabel ? text['hidden'] : styles['label']}
        onClick={() => !disabled && onChange(!checked)}
      >
        {label}
      </span>
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
      {children !== undefined && checked && <div className={styles['under']}>{children}</div>}
    </div>
  )
}
