import { type ComponentPropsWithRef, type ReactNode, useId } from 'react'
import { classes } from './classes.ts'
import styles from './text-field.module.css'
import text from './text.module.css'

type Common = {
  label: string
  /** The name is read out but not shown: where its place says it already. */
  hideLabel?: boolean
  hint?: ReactNode
  /** What is wrong with it, in a sentence. */
  error?: string | undefined
  mono?: boolean
  /** For a few signs, such as a number. */
  short?: boolean
  value: string
  onChange: (value: string) => void
}

type Native<T extends 'input' | 'textarea'> = Omit<
  ComponentPropsWithRef<T>,
  'onChange' | 'value' | 'className' | 'id'
>

export function TextField({
  label,
  hideLabel = false,
  hint,
  error,
  mono = false,
  short = false,
  suffix,
  value,
  onChange,
  ...native
}: Common & { suffix?: ReactNode } & Native<'input'>) {
  const id = useId()
  return (
    <Around {...{ id, label, hideLabel, hint, error }}>
      <div className={classes(styles['row'], short && styles['short'])}>
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          {...native}
          {...described(id, hint, error)}
          className={classes(styles['input'], mono && styles['mono'])}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        {suffix !== undefined && <span className={styles['suffix']}>{suffix}</span>}
      </div>
    </Around>
  )
}

export function TextArea({
  label,
  hideLabel = false,
  hint,
  error,
  mono = false,
  value,
  onChange,
  ...native
}: Common & Native<'textarea'>) {
  const id = useId()
  return (
    <Around {...{ id, label, hideLabel, hint, error }}>
      <textarea
        id={id}
        {...native}
        {...described(id, hint, error)}
        className={classes(styles['input'], styles['area'], mono && styles['mono'])}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Around>
  )
}

function Around({
  id,
  label,
  hideLabel,
  hint,
  error,
  children,
}: {
  id: string
  label: string
  hideLabel: boolean
  hint: ReactNode
  error: string | undefined
  children: ReactNode
}) {
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={classes(hideLabel ? text['hidden'] : styles['label'])}>
        {label}
      </label>
      {children}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles['error']} role="alert">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
    </div>
  )
}

function described(id: string, hint: ReactNode, error: string | undefined) {
  const by = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`]
  return {
    'aria-invalid': error !== undefined,
    'aria-describedby': by.filter(Boolean).join(' ') || undefined,
  }
}
