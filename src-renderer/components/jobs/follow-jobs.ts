import type { JobState } from '../../../src-preload/contract/lookup.ts'
import { type Resource, valueOf } from '../../app/resource.ts'
import { mergeJobs } from './job-state.ts'

/**
 * Keeps lists of jobs current by events, and tells once of each job that ends or has to wait.
 * @param listOf the list that a job stands in
 * @param outcomeOf null while there is nothing to be told
 */
export function followJobs<T extends { readonly id: number; readonly state: JobState }>(
  listOf: (job: T) => Resource<T[]>,
  outcomeOf: (job: T) => string | null,
) {
  /** Those whose end somebody waits for, on whichever page. */
  const awaited = new Set<number>()
  let tell: (job: T) => void = () => undefined

  function tellOnce(job: T): void {
    if (outcomeOf(job) !== null && awaited.delete(job.id)) tell(job)
  }

  /** Begun just now: its end is told, though it may have come before the answer did. */
  async function begun(job: T): Promise<void> {
    awaited.add(job.id)
    const list = listOf(job)
    await list.reload()
    const now = valueOf(list.store.getState())?.find(({ id }) => id === job.id)
    if (now !== undefined) tellOnce(now)
  }

  function take(job: T): void {
    const list = listOf(job)
    const state = list.store.getState()
    if (state.status !== 'ready') {
      // From now on it is known how each stood before.
      void list.reload()
      return
    }
    const before = state.value.find(({ id }) => id === job.id)
    if (before !== undefined && before.state !== job.state) awaited.add(job.id)
    list.set(mergeJobs(state.value, [job]))
    tellOnce(job)
  }

  function removed(list: Resource<T[]>, id: number): void {
    const state = list.store.getState()
    if (state.status === 'ready') list.set(state.value.filter((each) => each.id !== id))
  }

  function onOutcome(listener: (job: T) => void): void {
    tell = listener
  }

  return { begun, take, removed, onOutcome }
}
