import type { Change } from '../../../../src-preload/contract/subscription.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { on, request } from '../../../app/bridge.ts'
import { type Resource, createResource } from '../../../app/resource.ts'
import { followJobs } from '../../../components/jobs/follow-jobs.ts'
import { outcomeOf } from './change-words.ts'

const lists = new Map<NetworkId, Resource<Change[]>>()

/** The changes of a network, newest first; kept current by events. */
export function changesOf(network: NetworkId): Resource<Change[]> {
  const list = lists.get(network) ?? createResource(() => request('change.list', { network }))
  lists.set(network, list)
  return list
}

const followed = followJobs(({ network }: Change) => changesOf(network), outcomeOf)

/** Begun just now: its end is told. */
export const followChange = followed.begun

/** Follows all changes; `onOutcome` is called once for each that ends or has to wait. */
export function startChanges(onOutcome: (change: Change) => void): () => void {
  followed.onOutcome(onOutcome)
  const stops = [
    on('change.changed', ({ changes }) => changes.forEach(followed.take)),
    on('change.removed', ({ id }) => {
      for (const list of lists.values()) followed.removed(list, id)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
