import { memo } from 'react'
import { saySpark, sparkHeights } from './subscription-words.ts'
import styles from './sparkline.module.css'

const height = 16
const barWidth = 2
const step = 2.5

/** Failed attempts of the last 24 hours, an hour a bar; the words say the same. */
export const Sparkline = memo(function Sparkline({ spark }: { spark: readonly number[] }) {
  const words = saySpark(spark)
  const width = spark.length * step
  return (
    <svg
      role="img"
      aria-label={words}
      className={styles['spark']}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      <title>{words}</title>
      <path className={styles['base']} d={`M0 ${height - 0.5}H${width}`} />
      {sparkHeights(spark).map(
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
