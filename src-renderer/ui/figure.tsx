import type { CSSProperties, ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './figure.module.css'
import { Digits } from './text.tsx'

/** A row of figures at the head of a page. */
export function Figures({
  label,
  values,
  children,
}: {
  label?: string
  /** Values with their units, where all figures are to be set in one size: that of the longest. */
  values?: readonly string[]
  children: ReactNode
}) {
  const style =
    values === undefined
      ? undefined
      : ({
          '--chars': Math.max(...values.map((value) => value.length), leastChars),
        } as CSSProperties)
  return (
    <div
      className={styles['figures']}
      role={label === undefined ? undefined : 'group'}
      aria-label={label}
      style={style}
    >
      {children}
    </div>
  )
}

/** A shorter value is not set larger. */
const leastChars = 11

/** One number, what it is and what is behind it: with `href`, a link to its rows. */
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
  /** Below it, in one or more lines, which may have links of their own. */
  more: ReactNode | readonly ReactNode[]
  href?: string | undefined
  bad?: boolean
}) {
  const chars = Math.max(leastChars, (value ?? '').length + (unit ?? '').length)
  const lines: readonly ReactNode[] = Array.isArray(more) ? more : [more]
  const content = (
    <>
      <span className={styles['name']}>{name}</span>
      <span className={classes(styles['value'], bad && styles['bad'])}>
        {value === undefined ? '–' : <Digits text={value} />}
        {unit !== undefined && <span className={styles['unit']}> {unit}</span>}
      </span>
    </>
  )
  return (
    <div className={styles['figure']} style={{ '--own': chars } as CSSProperties}>
      {href === undefined ? (
        content
      ) : (
        <a href={href} className={styles['link']}>
          {content}
        </a>
      )}
      {lines.map((line, index) => (
        <span key={index} className={styles['more']}>
          {line ?? '\u00a0'}
        </span>
      ))}
    </div>
  )
}
