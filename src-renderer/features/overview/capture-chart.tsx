import { memo } from 'react'
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { navigate } from '../../app/route.ts'
import styles from '../../components/charts/chart.module.css'
import { labelBar, labelTick } from '../../components/charts/ranges.ts'
import { type ChartData, barQuery } from './chart-data.ts'

type Point = { startsAt: number; accepted: number; refused: number }

/** Bars over time, refused on top of accepted. The exact figures are in the tooltip and the table. */
export const CaptureChart = memo(function CaptureChart({
  data: { range, now, buckets, ticks },
}: {
  data: ChartData
}) {
  const points = buckets.map(({ startsAt, total, refused }): Point => ({
    startsAt,
    accepted: total - refused,
    refused,
  }))
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0)
  const name = `Captures ${range.unit}, the last ${range.label}: ${formatNumber(total)} in all`
  return (
    <div className={styles['chart']}>
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={points}
          margin={{ top: 6, right: 4, bottom: 0, left: 0 }}
          barCategoryGap="22%"
          title={name}
          role="img"
          aria-label={name}
          className={styles['press'] ?? ''}
          onClick={({ activeLabel }) => {
            const bucket = buckets.find(({ startsAt }) => startsAt === Number(activeLabel))
            if (bucket === undefined || bucket.total === 0) return
            const query = { text: barQuery(range, bucket) }
            navigate({ page: 'inspector', captureId: null, query })
          }}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="startsAt"
            tickFormatter={(at: number) => labelTick(range, at, now)}
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            ticks={ticks}
            interval={0}
          />
          <YAxis
            width={44}
            tickLine={false}
            axisLine={false}
            allowDecimals={false}
            tickFormatter={(count: number) => formatNumber(count)}
            tickCount={4}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--bg-hover)' }}
            content={({ active, payload }) => {
              const point = payload[0]?.payload as Point | undefined
              if (!active || point === undefined) return null
              return (
                <div className={styles['tooltip']}>
                  <b>{labelBar(range, point.startsAt, now)}</b>
                  {formatCount(point.accepted + point.refused, 'capture')},{' '}
                  {formatNumber(point.refused)} refused
                </div>
              )
            }}
          />
          <Bar
            dataKey="accepted"
            stackId="captures"
            fill="var(--series-1)"
            isAnimationActive={false}
          />
          <Bar
            dataKey="refused"
            stackId="captures"
            fill="var(--series-4)"
            isAnimationActive={false}
          />
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
})
