import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './chip.module.css'

/** Pressed, it narrows a list. */
export function Chip({
  pressed,
  large = false,
  title,
  className,
  onPress,
  children,
}: {
  pressed: boolean
  /** As high as a button beside it. */
  large?: boolean
  title?: string
  className?: string | undefined
  onPress: () => void
  children: ReactNode
}) {
  return (
    <button
      type="button"
      className={classes(styles['chip'], large && styles['large'], className)}
      aria-pressed={pressed}
      title={title}
      onClick={onPress}
    >
      {children}
    </button>
  )
}

/** A few to choose one from, all in sight. */
export function Choices<T extends string | null>({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly {
    readonly value: T
    readonly label: string
    /** Stands behind the label. */
    readonly more?: ReactNode
  }[]
}) {
  return (
    <div className={styles['choices']} role="group" aria-label={label}>
      {options.map((option) => (
        <Chip
          key={option.label}
          large
          pressed={option.value === value}
          onPress={() => onChange(option.value)}
        >
          {option.label} {option.more}
        </Chip>
      ))}
    </div>
  )
}
