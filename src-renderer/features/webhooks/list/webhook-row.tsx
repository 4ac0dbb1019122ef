import { memo } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { classes } from '../../../ui/classes.ts'
import grid from '../../../ui/grid.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { Cell } from '../../../components/list/window-grid.tsx'
import { Endpoint } from '../endpoint.tsx'
import { StatusMark } from '../status-mark.tsx'
import { onOff } from '../webhook-words.ts'
import styles from './list.module.css'

export const rowElementId = (id: string) => `webhook-${id}`

export const WebhookRow = memo(function WebhookRow({
  webhook,
  index,
  top,
  isOpen,
  hasCursor,
}: {
  webhook: Webhook
  index: number
  /** Its place in the scrolled area, in pixels. */
  top: number
  isOpen: boolean
  hasCursor: boolean
}) {
  const { id, endpoint, isHere, accounts, opcodes, failedAttempts, failing, lastOnlineAt } = webhook
  // None found among what was never read says nothing.
  const isKnown = failing > 0 || accounts === 0 || webhook.subscriptionsReadAt !== null
  return (
    <div
      role="row"
      id={rowElementId(id)}
      data-webhook={id}
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      className={classes(grid['row'], isOpen && styles['open'], hasCursor && styles['cursor'])}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Cell className={styles['status']}>
        <StatusMark webhook={webhook} />
      </Cell>
      <span role="gridcell" className={styles['endpoint']}>
        <Endpoint url={endpoint} className={text['mono']} />
        {isHere && (
          <span className={styles['here']}>
            <Tag title="It delivers to this computer’s receiver.">this receiver</Tag>
          </span>
        )}
      </span>
      <Count value={accounts} className={styles['middle']} />
      <Count value={opcodes} className={styles['middle']} />
      <Cell className={classes(styles['wide'], text['dim'])}>{onOff(webhook.mempool)}</Cell>
      <Cell className={classes(styles['wide'], text['dim'])}>{onOff(webhook.newContracts)}</Cell>
      <Count value={failedAttempts} className={styles['wide']} tone="warn" />
      <Count value={isKnown ? failing : null} tone="bad" />
      <Cell className={classes(styles['wide'], text['dim'])}>
        {lastOnlineAt !== null && <Moment at={fromMs(lastOnlineAt)} />}
      </Cell>
    </div>
  )
})

function Count({
  value,
  className,
  tone,
}: {
  value: number | null
  className?: string | undefined
  /** Of a number that is better none. */
  tone?: 'warn' | 'bad'
}) {
  const look = value === 0 ? text['faint'] : tone === undefined ? undefined : styles[tone]
  return (
    <Cell className={classes(text['number'], className, look)}>
      {value !== null && formatNumber(value)}
    </Cell>
  )
}
