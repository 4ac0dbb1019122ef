import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { Explanation } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { createResource, useResource, valueOf } from '../../../app/resource.ts'
import { captureHref, navigate } from '../../../app/route.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import warning from '../../../ui/warning.module.css'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../../components/chain/hash-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { LogTable } from './delivery-log.tsx'
import { AccountHistory } from './account-history.tsx'
import { useFailingAccounts } from './failing-accounts.ts'
import { useGrowth } from './history.ts'
import { failuresHref, failuresRoute } from './links.ts'
import { RangeLinks } from './range-links.tsx'
import { Steps } from './steps.tsx'
import { Streaks } from './streaks.tsx'
import { sayPlace, seenTones, seenWords } from './words.ts'
import styles from './failures.module.css'

/** Why the deliveries of one account fail, and what to do. */
export function ExplanationView({
  webhook,
  account,
  range,
}: {
  webhook: Webhook
  account: string
  range: HistoryRange
}) {
  const { network, id, status } = webhook
  const resource = useMemo(
    () => createResource(() => request('failure.explain', { network, webhook: id, account })),
    [network, id, account],
  )
  useGrowth(network, id, resource)
  const seen = useRef(status)
  useEffect(() => {
    if (seen.current === status) return
    seen.current = status
    void resource.reload()
  }, [status, resource])
  const state = useResource(resource)
  return (
    <section aria-label="Why it fails">
      <Head
        webhook={webhook}
        account={account}
        label={valueOf(state)?.label ?? null}
        range={range}
      />
      {(state.status === 'idle' || state.status === 'loading') && (
        <Skeleton rows={10} label="Looking for the cause" />
      )}
      {state.status === 'failed' && (
        <FailedState
          what="Why it fails could not be looked up"
          why={state.error.message}
          onRetry={() => void resource.reload()}
        />
      )}
      {state.status === 'ready' && (
        <>
          {state.problem !== null && (
            <p className={warning['bar']} role="status">
              What you see may be old: {state.problem.message}
            </p>
          )}
          <Explained webhook={webhook} explanation={state.value} />
        </>
      )}
      <AccountHistory webhook={webhook} account={account} range={range} />
      <Streaks webhook={webhook} account={account} range={range} />
    </section>
  )
}

/** Which account it is, and the way to the next failing one. */
function Head({
  webhook,
  account,
  label,
  range,
}: {
  webhook: Webhook
  account: string
  label: string | null
  range: HistoryRange
}) {
  const failing = valueOf(useFailingAccounts(webhook).state)
  const accounts = failing?.accounts ?? []
  const index = accounts.indexOf(account)
  // Known sooner than the explanation, of an account that still fails.
  const labelled = failing?.labels.get(account) ?? label
  const go = (at: number) => {
    const next = accounts[at]
    if (next !== undefined) navigate(failuresRoute(webhook, range, next), { replace: true })
  }
  const back = () => navigate(failuresRoute(webhook, range))
  const group = 'Failures'
  useShortcuts([
    { keys: ['j', 'ArrowDown'], label: 'Next failing account', group, run: () => go(index + 1) },
    {
      keys: ['k', 'ArrowUp'],
      label: 'Previous failing account',
      group,
      run: () => go(index === -1 ? 0 : index - 1),
    },
    { keys: ['Escape'], label: 'Back to the figures', group, run: back },
  ])
  return (
    <div className={styles['bar']}>
      <a className={styles['back']} href={failuresHref(webhook, range)}>
        <Icon name="left" size={13} />
        All failures
      </a>
      <span className={styles['who']}>
        <AccountLink
          account={{
            address: account,
            label: labelled,
            name: null,
            isScam: false,
            isWallet: false,
          }}
        />
      </span>
      <RangeLinks webhook={webhook} account={account} range={range} />
      {failing !== null && failing.total > 0 && (
        <span className={styles['walk']}>
          {sayPlace(index, failing.total)}
          <IconButton
            icon="left"
            label="Previous failing account (k)"
            disabled={index === 0}
            onClick={() => go(index === -1 ? 0 : index - 1)}
          />
          <IconButton
            icon="right"
            label="Next failing account (j)"
            disabled={index >= accounts.length - 1}
            onClick={() => go(index + 1)}
          />
        </span>
      )}
    </div>
  )
}

function Explained({ webhook, explanation }: { webhook: Webhook; explanation: Explanation }) {
  const { failedAt, failedLt, failedAttempts, logs, logsProblem, seen, cause } = explanation
  return (
    <>
      <p className={styles['cause']}>{cause}</p>
      <Steps webhook={webhook} explanation={explanation} />
      <Part title="What failed">
        <KeyValues
          pairs={[
            [
              'Failed',
              failedAt === null ? 'at no known time' : <Moment key="" at={fromMs(failedAt)} />,
            ],
            ['Logical time', failedLt === null ? null : <LtText key="" lt={failedLt} />],
            ['Attempts', formatNumber(failedAttempts)],
          ]}
        />
      </Part>
      <Part title="The transaction">
        <Transaction webhook={webhook} explanation={explanation} />
      </Part>
      <Part title="What this receiver saw">
        <p>
          <Tag tone={seenTones[seen.what]}>{seenWords[seen.what]}</Tag> {seen.message}
        </p>
        {seen.captures.length > 0 && (
          <ul className={styles['captures']}>
            {seen.captures.map(({ id, receivedAt, status }) => (
              <li key={id}>
                <a href={captureHref(id)}>Capture {formatNumber(id)}</a>, answered{' '}
                {status === null ? 'nothing' : status}, <Moment at={receivedAt} />
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title="In the gateway’s log">
        {logsProblem === null ? (
          <LogTable logs={logs} none="The log has no entry near this failure." />
        ) : (
          <Unread why={logsProblem} />
        )}
      </Part>
    </>
  )
}

function Transaction({
  webhook: { network },
  explanation: { transaction, transactionProblem },
}: {
  webhook: Webhook
  explanation: Explanation
}) {
  if (transaction !== null) {
    const { hash, at, sentence } = transaction
    return (
      <>
        {sentence !== null && <p>{sentence}</p>}
        <p>
          <HashText hash={hash} href={transactionHref(hash, network)} what="Transaction hash" />{' '}
          <span className={text['dim']}>
            <Moment at={fromMs(at)} />
          </span>
        </p>
      </>
    )
  }
  if (transactionProblem !== null) return <Unread why={transactionProblem} />
  return <p className={text['dim']}>None is known.</p>
}

function Unread({ why }: { why: string }) {
  return (
    <p className={styles['warn']}>
      <Icon name="warning" size={13} /> Could not be read: {why}
    </p>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className={classes(pane['section'], styles['part'], text['small'])}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}
