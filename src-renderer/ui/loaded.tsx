import type { ReactNode } from 'react'
import { FailedState } from './failed-state.tsx'
import { Skeleton } from './skeleton.tsx'

/** An answer in whichever of its states it is: on its way, failed with a way to try again, or there. */
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
  if (data !== undefined) return children(data)
  if (error === null) return <Skeleton rows={rows} label={`Loading ${of}`} />
  return (
    <FailedState what={`Could not load ${of}`} why={error.message} onRetry={() => void refetch()} />
  )
}
