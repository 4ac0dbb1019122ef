import type { ReactNode } from 'react'
import type { FailureSummary } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { classes } from '../../../ui/classes.ts'
import table from '../../../ui/table.module.css'
import text from '../../../ui/text.module.css'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { AccountName } from './account-name.tsx'
import { failuresHref } from './links.ts'
import { streakMs } from './words.ts'
import styles from './failures.module.css'

/** Rows of a list here; the accounts tab has all of them. */
const most = 10

/** The accounts one would look at first, each with the way to why it fails. */
export function AccountLists({
  webhook,
  summary: { current, worst, slowest },
  range,
}: {
  webhook: Webhook
  summary: FailureSummary
  range: HistoryRange
}) {
  const now = useNow() / 1000
  const link = (account: string, label: string | null) => (
    <a href={failuresHref(webhook, range, account)}>
      <AccountName account={account} label={label} />
    </a>
  )
  return (
    <div className={styles['lists']}>
      <List
        title="Failing now"
        none="Nothing is failing."
        columns={['Account', 'Since', 'For', 'Attempts']}
        rows={current
          .slice(0, most)
          .map(({ account, label, from, failedAttempts, ...streak }) => [
            account === null ? 'the webhook' : link(account, label),
            <Moment key="since" at={fromMs(from)} />,
            formatDuration(
              fromMs(streakMs({ account, label, from, failedAttempts, ...streak }, now)),
            ),
            formatNumber(failedAttempts),
          ])}
      />
      <List
        title="Most failed attempts"
        none="Nothing failed in this range."
        columns={['Account', 'Attempts']}
        rows={worst
          .slice(0, most)
          .map(({ account, label, failedAttempts }) => [
            link(account, label),
            formatNumber(failedAttempts),
          ])}
      />
      <List
        title="Furthest behind"
        none="No account is behind, of those whose lag was read."
        columns={['Account', 'Behind', 'Transactions']}
        rows={slowest
          .slice(0, most)
          .map(({ account, label, lag: { milliseconds, transactions, more } }) => [
            link(account, label),
            milliseconds === null ? 'not known' : formatDuration(fromMs(milliseconds)),
            transactions === null
              ? 'not counted'
              : `${formatNumber(transactions)}${more ? ' or more' : ''}`,
          ])}
      />
    </div>
  )
}

/** The first column names the row; the others are figures. */
function List({
  title,
  none,
  columns,
  rows,
}: {
  title: string
  none: string
  columns: readonly string[]
  rows: readonly (readonly ReactNode[])[]
}) {
  return (
    <section aria-label={title} className={styles['list']}>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p className={classes(text['small'], text['dim'])}>{none}</p>
      ) : (
        <table className={table['table']}>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={column} scope="col" className={classes(index > 0 && table['number'])}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, index) => (
                  <td key={index} className={classes(index > 0 && table['number'])}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
