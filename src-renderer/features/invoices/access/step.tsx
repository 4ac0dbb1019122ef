import type { ReactNode } from 'react'
import type { InvoiceAccessStep } from '../../../../src-preload/contract/invoice-access.ts'
import { classes } from '../../../ui/classes.ts'
import { Icon } from '../../../ui/icons.tsx'
import { type Tone, Tag } from '../../../ui/tag.tsx'
import styles from './access.module.css'

type State = InvoiceAccessStep['state']

const words: Record<State, string> = {
  done: 'done',
  open: 'to do',
  waiting: 'with the operator',
  blocked: 'later',
  unknown: 'not known here',
}

const tones: Record<State, Tone> = {
  done: 'ok',
  open: 'warn',
  waiting: 'plain',
  blocked: 'plain',
  unknown: 'plain',
}

/** One step: where it stands, what it is, and below that what can be done of it here. */
export function Step({
  step: { state, title, text },
  number,
  isNext,
  children,
}: {
  step: InvoiceAccessStep
  number: number
  /** Its turn has come. */
  isNext: boolean
  children: ReactNode
}) {
  return (
    <li className={styles['step']} aria-current={isNext ? 'step' : undefined}>
      <span className={classes(styles['mark'], state === 'done' && styles['doneMark'])}>
        {state === 'done' ? <Icon name="check" size={13} /> : number}
      </span>
      <div className={styles['words']}>
        <h3 className={styles['stepTitle']}>
          {title} <Tag tone={tones[state]}>{words[state]}</Tag>
        </h3>
        <p className={styles['note']}>{text}</p>
        {children}
      </div>
    </li>
  )
}
