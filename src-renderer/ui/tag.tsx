import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './tag.module.css'

export type Tone = 'ok' | 'warn' | 'bad' | 'plain'

/** A word on a tinted ground. The word says it all; the colour only helps the eye. */
export function Tag({
  tone = 'plain',
  title,
  children,
}: {
  tone?: Tone
  title?: string | undefined
  children: ReactNode
}) {
  return (
    <span className={classes(styles['tag'], styles[tone])} title={title}>
      {children}
    </span>
  )
}
