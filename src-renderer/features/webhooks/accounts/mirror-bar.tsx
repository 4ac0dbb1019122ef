import { useEffect } from 'react'
import type { MirrorState } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import warning from '../../../ui/warning.module.css'
import { Progress } from '../../../ui/progress.tsx'
import { cancelReading, ofWebhook, readNow } from './subscription-commands.ts'
import { printReading } from './subscription-words.ts'
import { useSubscriptions } from './subscriptions.ts'
import styles from './accounts.module.css'

/** What was never read is read at once, for there is nothing to show before. */
export function useFirstReading(webhook: Webhook): void {
  const mirror = useSubscriptions((state) => state.standing?.mirror)
  const isUnread =
    mirror !== undefined &&
    mirror.readAt === null &&
    mirror.reading === null &&
    mirror.problem === null
  const { network, id } = webhook
  useEffect(() => {
    if (isUnread) void readNow({ network, webhook: id })
  }, [isUnread, network, id])
}

/** When the copy was read, or how far it has come. */
export function MirrorState({ webhook }: { webhook: Webhook }) {
  const mirror = useSubscriptions((state) => state.standing?.mirror)
  if (mirror === undefined) return null
  const of = ofWebhook(webhook)
  if (mirror.reading !== null) {
    const { rows, expected } = mirror.reading
    return (
      <span className={styles['reading']} role="status">
        Reading {printReading(mirror.reading)}
        {expected !== null && <Progress label="Accounts read" done={rows} of={expected} />}
        <Button onClick={() => void cancelReading(of)}>Cancel</Button>
      </span>
    )
  }
  return (
    <>
      <span className={styles['read']}>
        {mirror.readAt === null ? 'never read' : <>read {<Moment at={fromMs(mirror.readAt)} />}</>}
      </span>
      <Button icon="refresh" onClick={() => void readNow(of)}>
        Read now <Kbd>r</Kbd>
      </Button>
    </>
  )
}

/** Why the copy may be old. */
export function MirrorProblem({ webhook }: { webhook: Webhook }) {
  const mirror = useSubscriptions((state) => state.standing?.mirror)
  if (mirror === undefined || mirror.problem === null || mirror.reading !== null) return null
  return (
    <p className={warning['bar']} role="alert">
      {mirror.readAt === null ? 'The accounts could not be read' : 'What you see may be old'}:{' '}
      {mirror.problem} <Button onClick={() => void readNow(ofWebhook(webhook))}>Try again</Button>
    </p>
  )
}
