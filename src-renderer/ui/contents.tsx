import type { ReactNode } from 'react'
import styles from './contents.module.css'

/** A long page: a list of its sections that stays in sight, beside the sections. */
export function Contents({
  label,
  links,
  children,
}: {
  label: string
  links: readonly { readonly href: string; readonly title: string; readonly isCurrent: boolean }[]
  children: ReactNode
}) {
  return (
    <div className={styles['layout']}>
      <nav aria-label={label} className={styles['list']}>
        {links.map(({ href, title, isCurrent }) => (
          <a
            key={href}
            href={href}
            className={styles['link']}
            aria-current={isCurrent ? 'true' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <div>{children}</div>
    </div>
  )
}
