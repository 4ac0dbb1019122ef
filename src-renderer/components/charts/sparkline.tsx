import { memo } from 'react'
import styles from './chart.module.css'

const height = 16
const barWidth = 2
const step = 2.5

/** Small bars of failures; `label` says the same in words. */
export const Sparkline = memo(function Sparkline({
  values,
  label,
}: {
  values: readonly number[]
  label: string
}) {
  const width = values.length * step
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles['spark']}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      <title>{label}</title>
      <path stroke="var(--line)" d={`M0 ${height - 0.5}H${width}`} />
      {barHeights(values).map(
        (part, index) =>
          part > 0 && (
            <rect
              key={index}
              x={index * step}
              y={height - part * height}
              width={barWidth}
              height={part * height}
            />
          ),
      )}
    </svg>
  )
})

/** Heights from 0 to 1; a single failure stays visible beside thousands. */
export function barHeights(values: readonly number[]): number[] {
  const max = Math.max(1, ...values)
  return values.map((each) => (each === 0 ? 0 : Math.max(0.15, each / max)))
}
