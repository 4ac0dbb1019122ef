import type { ReactNode } from 'react'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { ReadyWindows, WindowList } from './windows.ts'

/** A windowed list in whichever of its four states it is. */
export function ListStates<T, X>({
  list,
  of,
  onRetry = () => list.refresh(),
  empty,
  children,
}: {
  list: WindowList<T, X>
  /** What it lists: "the steps". */
  of: string
  onRetry?: () => void
  /** In its place while it has no row. */
  empty: ReactNode
  children: (state: ReadyWindows<T, X>) => ReactNode
}) {
  const state = list.store()
  if (state.status === 'loading') return <Skeleton rows={10} label={`Loading ${of}`} />
  if (state.status === 'failed') {
    return (
      <FailedState
        what={`${of.charAt(0).toUpperCase()}${of.slice(1)} could not be listed`}
        why={state.error.message}
        onRetry={onRetry}
      />
    )
  }
  return state.total === 0 ? empty : children(state)
}

/** How many rows it has, as far as is known. */
export function useTotal<T, X>(list: WindowList<T, X>): number {
  return list.store((state) => (state.status === 'ready' ? state.total : 0))
}
