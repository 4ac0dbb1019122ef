import type { ReactNode } from 'react'
import styles from './state.module.css'

/** What this place is for, and the one next step. */
export function EmptyState({
  title,
  detail,
  children,
}: {
  title: string
  detail?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className={styles['state']}>
      <h2 className={styles['title']}>{title}</h2>
      {detail !== undefined && <p className={styles['detail']}>{detail}</p>}
      {children !== undefined && <div className={styles['next']}>{children}</div>}
    </div>
  )
}
