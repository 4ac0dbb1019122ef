import type { ReactNode } from 'react'
import styles from './section.module.css'

type SectionId =
  | 'networks'
  | 'receiver'
  | 'sandbox'
  | 'tokens'
  | 'inspector'
  | 'monitoring'
  | 'retention'
  | 'appearance'
  | 'data'
  | 'diagnostics'
  | 'about'

export const sections: readonly { id: SectionId; title: string }[] = [
  { id: 'networks', title: 'Networks and keys' },
  { id: 'receiver', title: 'Receiver' },
  { id: 'sandbox', title: 'Sandbox' },
  { id: 'tokens', title: 'Webhook tokens' },
  { id: 'inspector', title: 'Inspector' },
  { id: 'monitoring', title: 'Webhooks and notices' },
  { id: 'retention', title: 'Retention' },
  { id: 'appearance', title: 'Appearance' },
  { id: 'data', title: 'Data and backups' },
  { id: 'diagnostics', title: 'Diagnostics' },
  { id: 'about', title: 'About' },
]

/** One matter of the settings. Its heading takes the focus when a link leads here. */
export function Section({
  id,
  detail,
  children,
}: {
  id: SectionId
  detail?: ReactNode
  children: ReactNode
}) {
  const title = sections.find((section) => section.id === id)?.title
  return (
    <section id={`settings-${id}`} className={styles['section']} aria-labelledby={`title-${id}`}>
      <div className={styles['head']}>
        <h2 id={`title-${id}`} className={styles['title']} tabIndex={-1}>
          {title}
        </h2>
        {detail !== undefined && <p className={styles['detail']}>{detail}</p>}
      </div>
      {children}
    </section>
  )
}
