import { useMemo, useState } from 'react'
import type { Streak } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { createResource, useResource } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { classes } from '../../../ui/classes.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { LtText } from '../../../components/chain/hash-text.tsx'
import { AccountName } from './account-name.tsx'
import { currentBounds, useGrowth } from './history.ts'
import { failuresHref } from './links.ts'
import { streakMs } from './words.ts'
import styles from './failures.module.css'

const pageSize = 10

/** Times without a delivery getting through. Of an account, or of the whole webhook. */
export function Streaks({
  webhook,
  account = null,
  range,
}: {
  webhook: Webhook
  account?: string | null
  range: HistoryRange
}) {
  const [sort, setSort] = useState<'newest' | 'longest'>('newest')
  const [page, setPage] = useState(0)
  const { network, id } = webhook
  const resource = useMemo(
    () =>
      createResource(() =>
        request('failure.streaks', {
          network,
          webhook: id,
          account,
          ...currentBounds(range),
          sort,
          offset: page * pageSize,
          limit: pageSize,
        }),
      ),
    [network, id, account, range, sort, page],
  )
  useGrowth(network, id, resource)
  const state = useResource(resource)
  const total = state.status === 'ready' ? state.value.total : 0
  return (
    <section className={styles['section']} aria-label="Streaks">
      <div className={styles['sectionHead']}>
        <h3>Times without a delivery getting through</h3>
        <Choices
          label="Order"
          value={sort}
          onChange={(next) => {
            setSort(next)
            setPage(0)
          }}
          options={[
            { value: 'newest', label: 'Newest' },
            { value: 'longest', label: 'Longest' },
          ]}
        />
      </div>
      {state.status === 'failed' && (
        <FailedState
          what="The streaks could not be listed"
          why={state.error.message}
          onRetry={() => void resource.reload()}
        />
      )}
      {(state.status === 'idle' || state.status === 'loading') && (
        <Skeleton rows={4} label="Loading streaks" />
      )}
      {state.status === 'ready' && total === 0 && (
        <p className={classes(text['small'], text['dim'])}>
          None in this range: every delivery got through, as far as it was watched.
        </p>
      )}
      {state.status === 'ready' && total > 0 && (
        <>
          <StreakTable webhook={webhook} range={range} streaks={state.value.streaks} />
          <Pages page={page} total={total} onPage={setPage} />
        </>
      )}
    </section>
  )
}

function StreakTable({
  webhook,
  range,
  streaks,
}: {
  webhook: Webhook
  range: HistoryRange
  streaks: readonly Streak[]
}) {
  const now = useNow() / 1000
  return (
    <table className={table['table']}>
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col">Began</th>
          <th scope="col">Ended</th>
          <th scope="col" className={table['number']}>
            Lasted
          </th>
          <th scope="col" className={table['number']}>
            Attempts
          </th>
          <th scope="col" className={table['number']}>
            Failed at lt
          </th>
        </tr>
      </thead>
      <tbody>
        {streaks.map((streak) => (
          <tr key={`${streak.account ?? ''} ${streak.from}`}>
            <td>
              {streak.account === null ? (
                'the webhook'
              ) : (
                <a href={failuresHref(webhook, range, streak.account)}>
                  <AccountName account={streak.account} label={streak.label} />
                </a>
              )}
            </td>
            <td>
              <Moment at={fromMs(streak.from)} />
            </td>
            <td>
              {streak.to === null ? (
                <Tag tone="bad">going on</Tag>
              ) : (
                <Moment at={fromMs(streak.to)} />
              )}
            </td>
            <td className={table['number']}>{formatDuration(fromMs(streakMs(streak, now)))}</td>
            <td className={table['number']}>{formatNumber(streak.failedAttempts)}</td>
            <td className={table['number']}>
              {streak.failedLt !== null && <LtText lt={streak.failedLt} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Pages({
  page,
  total,
  onPage,
}: {
  page: number
  total: number
  onPage: (page: number) => void
}) {
  if (total <= pageSize) return null
  const last = Math.ceil(total / pageSize) - 1
  const to = Math.min(total, (page + 1) * pageSize)
  return (
    <div className={styles['pages']}>
      <span>
        {formatNumber(page * pageSize + 1)} to {formatNumber(to)} of {formatNumber(total)}
      </span>
      <Button disabled={page === 0} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </div>
  )
}
