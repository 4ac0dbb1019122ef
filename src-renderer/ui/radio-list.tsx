import { useId } from 'react'
import styles from './radio-list.module.css'

type RadioOption<T extends string> = {
  readonly value: T
  readonly label: string
  /** A sentence on what it means. */
  readonly why?: string
}

/** One of a few, each with what it means. */
export function RadioList<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly RadioOption<T>[]
  onChange: (value: T) => void
}) {
  const id = useId()
  return (
    <fieldset className={styles['list']}>
      <legend className={styles['legend']}>{label}</legend>
      {options.map((option) => (
        <div key={option.value} className={styles['option']}>
          <input
            type="radio"
            id={`${id}-${option.value}`}
            name={id}
            checked={option.value === value}
            aria-describedby={option.why === undefined ? undefined : `${id}-${option.value}-why`}
            onChange={() => onChange(option.value)}
          />
          <label htmlFor={`${id}-${option.value}`}>{option.label}</label>
          {option.why !== undefined && <p id={`${id}-${option.value}-why`}>{option.why}</p>}
        </div>
      ))}
    </fieldset>
  )
}
