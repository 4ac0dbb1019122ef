import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import { Note, Row, Text, Small } from './layout.tsx'
import { CopyButton } from './toast.tsx'
import styles from './loaded.module.css'

/**
 * Shows a response in each of its states: loading, failed with a button to retry, loaded, and
 * loaded although the last reload failed.
 */
export function Loaded<T>({
  query: { data, error, refetch },
  of,
  rows = 6,
  children,
}: {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown }
  /** The name of the loaded thing, such as “the lookups”. */
  of: string
  /** Number of lines of the placeholder. */
  rows?: number
  children: (data: T) => ReactNode
}) {
  if (data !== undefined) {
    return (
      <>
        {error !== null && (
          <Note tone="warn">
            The data shown may be outdated: {error.message}{' '}
            <Button onClick={() => void refetch()}>Try again</Button>
          </Note>
        )}
        {children(data)}
      </>
    )
  }
  if (error === null) return <Skeleton rows={rows} label={`Loading ${of}`} />
  return <FailedState what={`Could not load ${of}`} why={error} onRetry={() => void refetch()} />
}

/** Loads the next page of a list; shows nothing once all pages are loaded. */
export function MoreButton({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
  children,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  children: string
}) {
  if (!hasNextPage) return null
  return (
    <Row last>
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? 'Loading…' : children}
      </Button>
    </Row>
  )
}

/** Formats an error for copying to a report or a search. */
export function formatErrorDetails(what: string, why: string, code: string | null): string {
  const more =
    code === null ? [] : [`Error code: ${code}`, `docs/troubleshooting.md#${code.toLowerCase()}`]
  return [what, why, ...more].join('\n')
}

/** Replaces an empty list by its purpose and the next step. */
export function EmptyState({
  title,
  detail,
  children,
}: {
  title: string
  detail?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className={styles['state']}>
      <h2 className={styles['title']}>{title}</h2>
      {detail !== undefined && <p className={styles['detail']}>{detail}</p>}
      {children !== undefined && <div className={styles['next']}>{children}</div>}
    </div>
  )
}

/** Replaces content that could not be loaded: what failed, why, and a button to try again. */
export function FailedState({
  what,
  why,
  onRetry,
  children,
}: {
  what: string
  /** If the error has a code, which docs/troubleshooting.md explains, its details can be copied. */
  why: string | { readonly message: string; readonly code?: unknown }
  onRetry?: (() => void) | undefined
  /** A further action. */
  children?: ReactNode
}) {
  const message = typeof why === 'string' ? why : why.message
  const hasCode = typeof why === 'object' && 'code' in why && typeof why.code === 'string'
  const code = hasCode ? why.code : null
  return (
    <div className={styles['state']} role="alert">
      <Text tone="bad">
        <Icon name="warning" size={18} />
      </Text>
      <h2 className={styles['title']}>{what}</h2>
      <p className={styles['detail']}>{message}</p>
      {code !== null && (
        <p className={styles['detail']}>
          <Small tone="faint">
            Error code <code>{code}</code>
          </Small>{' '}
          <CopyButton
            text={formatErrorDetails(what, message, code)}
            what="Error details"
            iconOnly
            kind="quiet"
          />
        </p>
      )}
      {(onRetry !== undefined || children !== undefined) && (
        <div className={styles['next']}>
          {onRetry !== undefined && (
            <Button onClick={onRetry} icon="refresh">
              Try again
            </Button>
          )}
          {children}
        </div>
      )}
    </div>
  )
}

/** A placeholder while content is loading, invisible for the first 150 ms. */
export function Skeleton({
  rows = 4,
  label = 'Loading',
  className,
}: {
  rows?: number
  label?: string
  className?: string | undefined
}) {
  return (
    <div className={classes(styles['skeleton'], className)} role="status">
      <Text hidden>{label}</Text>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles['skeletonBar']} aria-hidden="true" />
      ))}
    </div>
  )
}

/** Shows progress as a bar; the text beside it contains the same numbers. */
export function Progress({ label, done, of }: { label: string; done: number; of: number }) {
  return <progress className={styles['progress']} aria-label={label} value={done} max={of || 1} />
}
