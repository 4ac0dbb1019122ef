import type { ComponentProps } from 'react'
import { classes } from './classes.ts'
import styles from './search-input.module.css'

/** What is searched for; Escape empties it, then leaves it. */
export function SearchInput({
  label,
  value,
  boxed = false,
  className,
  onType,
  onClear,
  onEnter,
  ...rest
}: {
  label: string
  value: string
  boxed?: boolean
  onType: (text: string) => void
  onClear: () => void
  onEnter?: () => void
} & Omit<ComponentProps<'input'>, 'onChange' | 'onKeyDown' | 'type' | 'value'>) {
  return (
    <input
      className={classes(styles['field'], boxed && styles['boxed'], className)}
      type="search"
      aria-label={label}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onType(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onEnter?.()
        if (event.key !== 'Escape') return
        event.stopPropagation()
        if (value === '') event.currentTarget.blur()
        else onClear()
      }}
      {...rest}
    />
  )
}
