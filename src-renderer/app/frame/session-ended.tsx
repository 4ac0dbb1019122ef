import { CopyButton } from '../../ui/toast.tsx'
import styles from './session-ended.module.css'

const command = 'tondesk open'

export function SessionEnded() {
  return (
    <main className={styles['page']}>
      <h1>The session of this tab has ended</h1>
      <p className={styles['words']}>
        Tondesk was started again, or the link that opened this page had been used before: each link
        works once. Nothing that was captured is lost. For a new link, run this in a terminal on the
        same computer:
      </p>
      <p className={styles['command']}>
        <code>{command}</code>
        <CopyButton text={command} what="Command" />
      </p>
    </main>
  )
}
