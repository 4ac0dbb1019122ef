import { type ReactNode, useEffect, useRef } from 'react'
import type { Answer } from '../../app/use-answer.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import warning from '../../ui/warning.module.css'
import { useShownNetwork } from '../../components/chain/of-network.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import styles from './transactions.module.css'

/** An answer in each of its states. What could not be fetched again stays, and says so. */
export function Answered<T>({
  answer: { state, resource },
  what,
  children,
}: {
  answer: Answer<T>
  /** The thing asked for: "The account". */
  what: string
  children: (value: T) => ReactNode
}) {
  const reload = () => void resource.reload()
  useReloadOnceAvailable(state.status === 'failed', reload)
  if (state.status === 'idle' || state.status === 'loading') {
    return <Skeleton rows={8} label={`${what} is being loaded`} />
  }
  if (state.status === 'failed') {
    return (
      <FailedState
        what={`${what} could not be loaded`}
        why={state.error.message}
        onRetry={reload}
      />
    )
  }
  return (
    <>
      {state.problem !== null && (
        <StaleBanner why={`What you see may be old: ${state.problem.message}`} onRetry={reload} />
      )}
      {children(state.value)}
    </>
  )
}

/** Asks again by itself when the network can be asked again: the sandbox runs, a key was given. */
export function useReloadOnceAvailable(hasFailed: boolean, reload: () => void): void {
  const { problem } = useShownNetwork()
  const before = useRef(problem)
  useEffect(() => {
    const cameBack = before.current !== null && problem === null
    before.current = problem
    if (cameBack && hasFailed) reload()
  })
}

/** Transactions of a page that could not be read: the others are shown all the same. */
export function UnreadTransactions({ unread }: { unread: readonly string[] }) {
  const [first] = unread
  if (first === undefined) return null
  return (
    <p className={warning['bar']} role="status">
      {formatCount(unread.length, 'transaction')} could not be read and{' '}
      {unread.length === 1 ? 'is' : 'are'} left out: <UntrustedText text={first} />
      {unread.length > 1 && ' …'}
    </p>
  )
}

/** Shown from this computer, or not as new as it should be: why, and the way to ask again. */
export function StaleBanner({ why, onRetry }: { why: string; onRetry: () => void }) {
  return (
    <div className={styles['stale']} role="status">
      <p>{why}</p>
      <Button icon="refresh" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
