import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/select.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { type ChartHead, ChartFrame } from '../../../components/charts/chart-panel.tsx'
import type { Live } from './live.ts'
import styles from './charts.module.css'

/** The title of a chart, by which another can be chosen. */
export function ChartPicker<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly { readonly value: T; readonly label: string }[]
  onChange: (value: T) => void
}) {
  return (
    <span className={styles['picker']}>
      <Select label={label} value={value} options={options} onChange={onChange} />
    </span>
  )
}

/** What stands in place of a chart until, or instead of, its figures. */
export function ChartStates<T>({
  head,
  live: { state, retry },
  children,
}: {
  head: ChartHead
  live: Live<T>
  /** Null where there is nothing to be drawn. */
  children: (value: T) => ReactNode
}) {
  if (state.status === 'ready') return children(state.value)
  return (
    <ChartFrame {...head} legend={null} table={null}>
      {state.status === 'failed' ? (
        <p className={styles['word']} role="alert">
          The chart could not be drawn: {state.error.message}{' '}
          <Button kind="link" onClick={retry}>
            Try again
          </Button>
        </p>
      ) : (
        <Skeleton rows={4} label="Loading the chart" />
      )}
    </ChartFrame>
  )
}

export function BareChart({ head, children }: { head: ChartHead; children: ReactNode }) {
  return (
    <ChartFrame {...head} legend={null} table={<p className={styles['word']}>{children}</p>}>
      <p className={styles['word']}>{children}</p>
    </ChartFrame>
  )
}
