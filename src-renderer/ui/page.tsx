import { type ReactNode, useEffect, useRef } from 'react'
import { classes } from './classes.ts'
import buttons from './button.module.css'
import surface from './surface.module.css'
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
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => takeFocus(heading.current), [])
  return (
    <div className={styles['page']}>
      <div className={styles['bar']}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
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

let isFirst = true

/**
 * After a navigation the focus is on the heading of the new page, or the keyboard would go on from the link that
 * was followed. A field or a dialog that has taken the focus keeps it, and so does the window as it was opened.
 */
function takeFocus(heading: HTMLElement | null): void {
  const focused = document.activeElement
  const isFree = focused === null || focused === document.body || focused.closest('nav') !== null
  if (!isFirst && isFree) heading?.focus({ preventScroll: true })
  isFirst = false
}

type PageView = {
  readonly href: string
  readonly label: string
  /** `page`: it is shown. `true`: something that belongs to it is. */
  readonly current: 'page' | 'true' | undefined
}

/** The few parts of a page, beside its name. */
export function PageViews({ label, views }: { label: string; views: readonly PageView[] }) {
  return (
    <nav className={styles['views']} aria-label={label}>
      {views.map((view) => (
        <a
          key={view.href}
          className={classes(
            surface['hover'],
            buttons['chip'],
            buttons['large'],
            view.current !== undefined && buttons['on'],
          )}
          href={view.href}
          aria-current={view.current}
        >
          {view.label}
        </a>
      ))}
    </nav>
  )
}

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
    <div className={styles['contents']}>
      <nav aria-label={label} className={styles['contentsList']}>
        {links.map(({ href, title, isCurrent }) => (
          <a
            key={href}
            href={href}
            className={classes(surface['hover'], surface['navLink'], styles['contentsLink'])}
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
