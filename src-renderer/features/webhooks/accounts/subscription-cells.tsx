import type { Subscription } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { printRoute } from '../../../app/route.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Cell } from '../../../components/list/window-grid.tsx'
import { accountRoute } from './account-route.ts'
import { toggleRow } from './selecting.ts'
import { Sparkline } from './sparkline.tsx'
import { ofWebhook, watchAccounts } from './subscription-commands.ts'
import { hasDelivered, printLag } from './subscription-words.ts'
import styles from './accounts.module.css'

/** One account in its row. */
export function SubscriptionCells({
  row,
  index,
  webhook,
  isSelected,
}: {
  row: Subscription
  index: number
  webhook: Webhook
  isSelected: boolean
}) {
  const { account, label, failedAt, failedLt, failedAttempts, isFailing } = row
  return (
    <>
      <Cell>
        <input
          type="checkbox"
          className={styles['check']}
          tabIndex={-1}
          aria-label={`Select ${label ?? account}`}
          checked={isSelected}
          onChange={() => toggleRow(index)}
          // The row's own press would take it back.
          onClick={(event) => event.stopPropagation()}
        />
      </Cell>
      <Cell>
        <Star row={row} webhook={webhook} />
      </Cell>
      <Cell>
        <AccountLink
          account={{ address: account, name: null, label: null, isScam: false, isWallet: false }}
          href={printRoute(accountRoute(webhook, account))}
          tabIndex={-1}
        />
      </Cell>
      <Cell title={label ?? undefined}>{label !== null && <UntrustedText text={label} />}</Cell>
      <Lt lt={hasDelivered(row) ? row.lastDeliveredLt : null} none="never" />
      <Cell className={classes(text['dim'], styles['failedAt'])}>
        {failedAt !== null && <Moment at={fromMs(failedAt)} />}
      </Cell>
      <Lt lt={failedLt} className={styles['failedLt']} />
      <Cell className={classes(text['number'], isFailing && styles['bad'])}>
        {failedAttempts > 0 && formatNumber(failedAttempts)}
      </Cell>
      <Since row={row} />
      <LagCell row={row} />
      <Cell className={styles['sparkCell']}>
        <Sparkline spark={row.spark} />
      </Cell>
    </>
  )
}

export function Star({ row, webhook }: { row: Subscription; webhook: Webhook }) {
  const { account, isWatched, label } = row
  const what = label ?? account
  return (
    <IconButton
      icon={isWatched ? 'starred' : 'star'}
      className={classes(styles['star'], isWatched && styles['watched'])}
      label={isWatched ? `Stop watching ${what}` : `Watch ${what}`}
      title={isWatched ? 'Its lag is followed. Press to stop.' : 'Follow its lag'}
      aria-pressed={isWatched}
      tabIndex={-1}
      onClick={() => void watchAccounts(ofWebhook(webhook), [account], !isWatched)}
    />
  )
}

function Lt({
  lt,
  none = '',
  className,
}: {
  lt: string | null
  none?: string
  className?: string | undefined
}) {
  return (
    <Cell
      className={classes(text['mono'], text['number'], lt === null && text['faint'], className)}
      title={lt === null ? undefined : formatNumber(lt)}
    >
      {lt ?? none}
    </Cell>
  )
}

function Since({ row: { isFailing, failingSince } }: { row: Subscription }) {
  if (!isFailing) return <Cell />
  return (
    <Cell className={styles['bad']}>
      {failingSince === null ? (
        <span title="It failed already when it was first seen from here.">failing</span>
      ) : (
        <Moment at={fromMs(failingSince)} />
      )}
    </Cell>
  )
}

function LagCell({ row: { lag } }: { row: Subscription }) {
  if (lag === null) {
    return (
      <Cell className={text['faint']} title="Read for failing and watched accounts only.">
        –
      </Cell>
    )
  }
  const words = printLag(lag)
  return (
    <Cell className={words === 'none' ? text['dim'] : styles['warn']} title={words}>
      {words}
    </Cell>
  )
}
