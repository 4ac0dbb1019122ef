import type { ReactNode } from 'react'
import { classes } from '../../ui/classes.ts'
import { formatClock, formatDay, formatExact } from '../../ui/format.ts'
import { Text, textClasses } from '../../ui/layout.tsx'
import { useNow } from '../../ui/time.tsx'
import styles from './timeline.module.css'

export type TimelineStep = {
  /** The time in microseconds. */
  readonly at: number
  readonly name: string
  readonly isBad: boolean
  /** The time since another step, as text. */
  readonly since: string
  readonly detail: ReactNode
}

/** Shows steps in order, each with a bar for the time since the previous step. */
export function Timeline({ steps }: { steps: readonly TimelineStep[] }) {
  const now = useNow()
  const start = steps[0]?.at ?? 0
  const whole = Math.max(1, (steps.at(-1)?.at ?? 0) - start)
  return (
    <div className={styles['timeline']}>
      <ol className={styles['steps']}>
        {steps.map(({ at, name, isBad, since, detail }, index) => {
          const before = steps[index - 1]?.at ?? start
          const left = Math.min(99, ((before - start) / whole) * 100)
          return (
            <li key={index} className={styles['step']}>
              <span className={styles['name']}>{name}</span>
              <Text as="time" mono tone="dim" title={formatExact(at)}>
                <span className={styles['day']}>{formatDay(at, Math.max(now, at))} </span>
                {formatClock(at)}
              </Text>
              <Text number tone="faint" over="nowrap">
                {since}
              </Text>
              <span className={styles['lane']} aria-hidden="true">
                <span
                  className={classes(styles['length'], isBad && styles['bad'])}
                  style={{ left: `${left}%`, width: `max(3px, ${((at - before) / whole) * 100}%)` }}
                />
              </span>
              <span
                className={classes(styles['detail'], textClasses({ tone: 'dim', over: 'break' }))}
              >
                {detail}
              </span>
            </li>
          )
        })}
      </ol>
    </div>
  )
}
