import styles from './page-views.module.css'

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
        <a key={view.href} className={styles['view']} href={view.href} aria-current={view.current}>
          {view.label}
        </a>
      ))}
    </nav>
  )
}
