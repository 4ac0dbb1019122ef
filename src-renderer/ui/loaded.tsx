import type { ReactNode } from 'react'
import { FailedState } from './failed-state.tsx'
import { Note } from './layout.tsx'
import { Skeleton } from './skeleton.tsx'

/**
 * An answer in whichever of its states it is: loading, failed with a button to try again, or loaded; and
 * loaded before, where loading it again has failed.
 */
export function Loaded<T>({
  query: { data, error, refetch },
  of,
  rows = 6,
  children,
}: {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown }
  /** What is loaded: “the lookups”. */
  of: string
  /** Lines of what stands in its place meanwhile. */
  rows?: number
  children: (data: T) => ReactNode
}) {
  if (data !== undefined) {
    return (
      <>
        {error !== null && <Note tone="warn">This may be out of date: {error.message}</Note>}
        {children(data)}
      </>
    )
  }
  if (error === null) return <Skeleton rows={rows} label={`Loading ${of}`} />
  return (
    <FailedState what={`Could not load ${of}`} why={error.message} onRetry={() => void refetch()} />
  )
}
