import type { ReactNode } from 'react'
import type { FailureSummary } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { Figure, Figures } from '../../../ui/figure.tsx'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { AccountName } from './account-name.tsx'
import { failuresHref } from './links.ts'
import { sayTransactions, streakMs } from './words.ts'

/** The figures one looks for first. */
export function SummaryFigures({
  webhook,
  summary,
  first,
  range,
}: {
  webhook: Webhook
  summary: FailureSummary | null
  /** The failing account one would look at first. */
  first: string | undefined
  range: HistoryRange
}) {
  const now = useNow() / 1000
  if (summary === null) {
    return (
      <Figures>
        {['Failing now', 'Failed attempts', 'Longest streak', 'Furthest behind'].map((name) => (
          <Figure key={name} name={name} value={undefined} more="" />
        ))}
      </Figures>
    )
  }
  const { failing, failedAttempts, longest, slowest } = summary
  const [last] = slowest
  const hrefOf = (account: string | null | undefined) =>
    account === null || account === undefined ? undefined : failuresHref(webhook, range, account)
  return (
    <Figures>
      <Figure
        name="Failing now"
        value={formatNumber(failing)}
        more={
          <>
            {failing > 0 && (failing === 1 ? 'account, ' : 'accounts, ')}
            {sinceWhen(summary)}
          </>
        }
        href={hrefOf(first)}
        bad={failing > 0}
      />
      <Figure
        name="Failed attempts, last hour"
        value={formatNumber(failedAttempts.hour)}
        more={`${formatNumber(failedAttempts.day)} in 24 h, ${formatNumber(failedAttempts.week)} in 7 d`}
        bad={failedAttempts.hour > 0}
      />
      <Figure
        name="Longest streak"
        value={longest === null ? 'none' : formatDuration(fromMs(streakMs(longest, now)))}
        more={
          longest === null ? (
            'nothing failed in this range'
          ) : (
            <>
              {longest.account === null ? (
                'the webhook'
              ) : (
                <AccountName account={longest.account} label={longest.label} />
              )}
              {longest.to === null && ', still going on'}
            </>
          )
        }
        href={hrefOf(longest?.account)}
      />
      <Figure
        name="Furthest behind"
        value={
          last === undefined
            ? 'none'
            : last.lag.milliseconds === null
              ? `${formatNumber(last.lag.transactions ?? 0)} tx`
              : formatDuration(fromMs(last.lag.milliseconds))
        }
        more={
          last === undefined ? (
            'no lag is known'
          ) : (
            <>
              <AccountName account={last.account} label={last.label} />
              {last.lag.transactions !== null && `, ${sayTransactions(last.lag)}`}
            </>
          )
        }
        href={hrefOf(last?.account)}
      />
    </Figures>
  )
}

function sinceWhen({ failing, began, since }: FailureSummary): ReactNode {
  if (since === null) return 'no history yet'
  if (failing === 0) return 'the last delivery of each got through'
  if (began === null) return 'since before it was watched'
  return (
    <>
      since <Moment at={fromMs(began)} />
    </>
  )
}
