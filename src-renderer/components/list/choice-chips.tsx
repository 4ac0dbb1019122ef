import { formatNumber } from '../../ui/format.ts'
import { Choices } from '../../ui/chip.tsx'
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
    <Choices
      label={label}
      value={value}
      onChange={onChange}
      options={choices.map(({ count, tone, ...choice }) => ({
        ...choice,
        more: count !== undefined && (
          <b className={classes(styles['count'], count > 0 && styles[tone ?? 'plain'])}>
            {formatNumber(count)}
          </b>
        ),
      }))}
    />
  )
}
