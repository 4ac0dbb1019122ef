import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './page.module.css'

/** A page: one bar with its name, then its content. */
export function Page({
  title,
  beside,
  actions,
  scroll = true,
  children,
}: {
  title: string
  /** Right of the name: a search field, chips. */
  beside?: ReactNode
  /** At the end of the bar. */
  actions?: ReactNode
  /** False for a page whose parts scroll on their own. */
  scroll?: boolean
  children: ReactNode
}) {
  return (
    <div className={styles['page']}>
      <div className={styles['bar']}>
        <h1>{title}</h1>
        {beside}
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
      {/* Scrollable, so it must be reachable by keyboard. */}
      <div
        className={classes(styles['content'], !scroll && styles['still'])}
        {...(scroll && { tabIndex: 0, role: 'region', 'aria-label': title })}
      >
        {children}
      </div>
    </div>
  )
}
