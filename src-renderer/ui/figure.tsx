import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './figure.module.css'

/** A row of figures at the head of a page. */
export function Figures({ children }: { children: ReactNode }) {
  return <div className={styles['figures']}>{children}</div>
}

/** One number, what it is and what stands behind it: with `href`, a link to the list of it. */
export function Figure({
  name,
  value,
  unit,
  more,
  href,
  bad = false,
}: {
  name: string
  /** Undefined until it is known. */
  value: string | undefined
  unit?: string | undefined
  more: ReactNode
  href?: string | undefined
  bad?: boolean
}) {
  const content = (
    <>
      <span className={styles['name']}>{name}</span>
      <span className={classes(styles['value'], bad && styles['bad'])}>
        {value ?? '–'}
        {unit !== undefined && <span className={styles['unit']}> {unit}</span>}
      </span>
      <span className={styles['more']}>{more}</span>
    </>
  )
  if (href === undefined) return <div className={styles['figure']}>{content}</div>
  return (
    <a href={href} className={styles['figure']}>
      {content}
    </a>
  )
}
