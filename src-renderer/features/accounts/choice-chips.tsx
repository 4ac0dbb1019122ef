import { formatNumber } from '../../format.ts'
import { classes } from '../../ui/classes.ts'
import styles from './choice-chips.module.css'

export type Choice<T> = {
  readonly value: T
  readonly label: string
  readonly count?: number | undefined
  readonly tone?: 'ok' | 'warn' | 'bad' | undefined
}

/** Which part of a list is shown, each with how many there are. */
export function ChoiceChips<T extends string | null>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: T
  choices: readonly Choice<T>[]
  onChange: (value: T) => void
}) {
  return (
    <div role="group" aria-label={label} className={styles['chips']}>
      {choices.map((choice) => (
        <button
          key={choice.label}
          type="button"
          className={styles['chip']}
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}{' '}
          {choice.count !== undefined && (
            <b className={classes(choice.count > 0 && styles[choice.tone ?? 'plain'])}>
              {formatNumber(choice.count)}
            </b>
          )}
        </button>
      ))}
    </div>
  )
}
