import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import styles from './steps.module.css'
import { Hint, Problem, Text } from './layout.tsx'

/** A few things to do in their order; contains `Step`s. */
export function Steps({ children }: { children: ReactNode }) {
  return <ol className={styles['steps']}>{children}</ol>
}

export function Step({
  number,
  title,
  detail,
  isDone,
  isCurrent,
  problem,
  action,
}: {
  number: number
  title: string
  detail: ReactNode
  isDone: boolean
  isCurrent: boolean
  /** Why its action failed. */
  problem: string | null
  /** Its button. */
  action?: ReactNode
}) {
  return (
    <li className={styles['step']} aria-current={isCurrent ? 'step' : undefined}>
      <span className={classes(styles['mark'], isDone && styles['done'])}>
        {isDone ? <Icon name="check" size={13} /> : number}
      </span>
      <div className={styles['body']}>
        <h3>
          {title}
          {isDone && <Text hidden>, done</Text>}
        </h3>
        <Hint>{detail}</Hint>
        <Problem>{problem}</Problem>
      </div>
      {action}
    </li>
  )
}
