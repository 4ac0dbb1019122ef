import type { Change, NetworkId } from '../../../../src-preload/contract/index.ts'
import { on, request } from '../../../bridge.ts'
import type { Resource } from '../../../resource.ts'
import { createResource, valueOf } from '../../../resource.ts'
import { mergeJobs } from '../../jobs/job-state.ts'
import { outcomeOf } from './change-words.ts'

const lists = new Map<NetworkId, Resource<Change[]>>()

/** The changes of a network, newest first; kept current by events. */
export function changesOf(network: NetworkId): Resource<Change[]> {
  const list = lists.get(network) ?? createResource(() => request('change.list', { network }))
  lists.set(network, list)
  return list
}

/** Those whose end somebody waits for, on whichever page. */
const awaited = new Set<number>()
let tell: (change: Change) => void = () => undefined

function tellOnce(change: Change): void {
  if (outcomeOf(change) !== null && awaited.delete(change.id)) tell(change)
}

/** Begun just now: its end is told, though it may have come before the answer did. */
export async function followChange({ id, network }: Change): Promise<void> {
  awaited.add(id)
  const list = changesOf(network)
  await list.reload()
  const now = valueOf(list.store.getState())?.find((each) => each.id === id)
  if (now !== undefined) tellOnce(now)
}

function take(change: Change): void {
  const list = changesOf(change.network)
  const state = list.store.getState()
  if (state.status !== 'ready') {
    // From now on it is known how each stood before.
    void list.reload()
    return
  }
  const before = state.value.find(({ id }) => id === change.id)
  if (before !== undefined && before.state !== change.state) awaited.add(change.id)
  list.set(mergeJobs(state.value, [change]))
  tellOnce(change)
}

/** Follows all changes; `onOutcome` is called once for each that ends or has to wait. */
export function startChanges(onOutcome: (change: Change) => void): () => void {
  tell = onOutcome
  const stops = [
    on('change.changed', ({ changes }) => {
      for (const change of changes) take(change)
    }),
    on('change.removed', ({ id }) => {
      for (const list of lists.values()) {
        const state = list.store.getState()
        if (state.status === 'ready') list.set(state.value.filter((each) => each.id !== id))
      }
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
