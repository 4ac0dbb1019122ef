import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { fromMs } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { classes } from '../../ui/classes.ts'
import styles from './status-mark.module.css'
import { statusTones, statusWord } from './webhook-words.ts'

/** How the gateway has a webhook stand, and since when. */
export function StatusMark({
  webhook: { status, statusSince },
  since = true,
}: {
  webhook: Pick<Webhook, 'status' | 'statusSince'>
  since?: boolean
}) {
  const tone = status === null ? 'plain' : statusTones[status]
  return (
    <span className={classes(styles['mark'], styles[tone])}>
      <span className={styles['dot']} />
      <span className={styles['word']}>{statusWord(status)}</span>
      {since && statusSince !== null && (
        <span className={styles['since']}>
          {' '}
          <Moment at={fromMs(statusSince)} />
        </span>
      )}
    </span>
  )
}
