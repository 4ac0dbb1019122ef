import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import styles from './steps.module.css'
import surface from './surface.module.css'
import { Hint, Problem, Text } from './layout.tsx'

/** A list of `Step`s to do in order. */
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
  /** Why the action of the step failed. */
  problem: string | null
  /** The button of the step. */
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

type GuideStep = {
  readonly href: string
  readonly title: string
  /** A few words below the title: what was found, or what is missing. */
  readonly note: string
  readonly state: 'done' | 'failed' | 'open'
  readonly isCurrent: boolean
}

/** Steps with a page each: a list of them that stays visible, beside the open one. */
export function Guide({
  label,
  steps,
  head,
  children,
}: {
  label: string
  steps: readonly GuideStep[]
  /** Content above the list. */
  head: ReactNode
  children: ReactNode
}) {
  return (
    <div className={styles['guide']}>
      <nav aria-label={label} className={styles['guideList']}>
        {head}
        <ol>
          {steps.map(({ href, title, note, state, isCurrent }, index) => (
            <li key={href}>
              <a
                href={href}
                className={classes(surface['hover'], surface['navLink'], styles['guideLink'])}
                aria-current={isCurrent ? 'step' : undefined}
              >
                <span className={classes(styles['mark'], state !== 'open' && styles[state])}>
                  {state === 'open' ? index + 1 : <Icon name={marks[state]} size={13} />}
                </span>
                <span className={styles['body']}>
                  {title}
                  {state !== 'open' && <Text hidden>, {state}</Text>}
                  <Text as="small" size="s" tone={state === 'failed' ? 'bad' : 'dim'} over="cut2">
                    {note}
                  </Text>
                </span>
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <div>{children}</div>
    </div>
  )
}

const marks = { done: 'check', failed: 'warning' } as const
