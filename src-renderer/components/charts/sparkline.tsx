import { memo } from 'react'
import { classes } from '../../ui/classes.ts'
import styles from './chart.module.css'

const height = 16
const barWidth = 2
const step = 2.5

/**
 * Shows small bars, one per interval; `label` describes them in words. Without `failed` all values
 * are failures.
 */
export const Sparkline = memo(function Sparkline({
  values,
  failed = values,
  label,
  wide = false,
}: {
  values: readonly number[]
  /** The failed part of each value. */
  failed?: readonly number[]
  label: string
  /** True to use the width of the container. */
  wide?: boolean
}) {
  const width = values.length * step
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes(styles['spark'], wide && styles['wide'])}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      <path stroke="var(--line)" d={`M0 ${height - 0.5}H${width}`} />
      {barHeights(values).map((part, index) => {
        const bad = failedHeight(part, values[index] ?? 0, failed[index] ?? 0)
        return (
          part > 0 && (
            <g key={index}>
              <Bar index={index} part={part} className={styles['count']} />
              {bad > 0 && <Bar index={index} part={bad} />}
            </g>
          )
        )
      })}
    </svg>
  )
})

function Bar({
  index,
  part,
  className,
}: {
  index: number
  part: number
  className?: string | undefined
}) {
  const tall = part * height
  return (
    <rect className={className} x={index * step} y={height - tall} width={barWidth} height={tall} />
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
