import { memo } from 'react'
import { classes } from '../../ui/classes.ts'
import { formatMinute, formatNumber } from '../../ui/format.ts'
import { minBars } from './plan.ts'
import styles from './chart.module.css'

type Values = {
  readonly values: readonly number[]
  /** The failed part of each value. */
  readonly failed?: readonly number[]
  /** Says in words what the bars show. */
  readonly label: string
}

/** As many bars as can be seen in the cell of a table. */
const maxBars = 8

/** Small bars in a line of text, each for a part of the time; all values are failures. */
export const Sparkline = memo(function Sparkline({ values, label }: Values) {
  const size = Math.ceil(values.length / maxBars)
  const joined = Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size).reduce((sum, each) => sum + each, 0),
  )
  return <Bars values={joined} failed={joined} label={label} />
})

/** Few values are points with their numbers. */
export const isSparse = (values: readonly number[]): boolean =>
  values.filter((each) => each > 0).length < minBars

/**
 * A chart of a few steps until now, as wide as its container, with the time at which it begins; nothing
 * without values.
 */
export function SmallChart({ from, ...values }: Values & { from: number }) {
  if (values.values.every((each) => each === 0)) return null
  return (
    <div className={styles['small']}>
      <Bars {...values} isPoints={isSparse(values.values)} />
      <span>{formatMinute(from)}</span>
      <span>now</span>
    </div>
  )
}

export function Bars({
  values,
  failed = [],
  label,
  isPoints = false,
}: Values & { isPoints?: boolean }) {
  return (
    <div
      role="img"
      aria-label={label}
      title={label}
      className={classes(styles['spark'], isPoints && styles['points'])}
    >
      {barHeights(values).map((part, index) => {
        const bad = failedHeight(part, values[index] ?? 0, failed[index] ?? 0)
        return (
          <span key={index}>
            {part > 0 && (
              <i style={{ height: `${part * 100}%` }}>
                {bad > 0 && (
                  <b style={{ height: isPoints ? undefined : `${(bad / part) * 100}%` }} />
                )}
                {isPoints && <small>{formatNumber(values[index] ?? 0)}</small>}
              </i>
            )}
          </span>
        )
      })}
    </div>
  )
}

const leastPart = 0.15

/** Returns heights from 0 to 1; a single event stays visible beside thousands. */
export function barHeights(values: readonly number[]): number[] {
  const max = Math.max(1, ...values)
  return values.map((each) => (each === 0 ? 0 : Math.max(leastPart, each / max)))
}

/** Returns the height of a bar's failed part, which is visible for every number above zero. */
export function failedHeight(part: number, value: number, failed: number): number {
  if (failed === 0 || value === 0) return 0
  return Math.min(part, Math.max(leastPart, (part * failed) / value))
}
