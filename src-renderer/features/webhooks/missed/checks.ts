import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { on, request } from '../../../app/bridge.ts'
import { type Resource, createResource } from '../../../app/resource.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { mergeJobs } from '../../../components/jobs/job-state.ts'
import { sayCounts } from './verdict-words.ts'

const lists = new Map<NetworkId, Resource<MissedCheck[]>>()

/** The checks of a network, newest first; kept current by events. */
export function checksOf(network: NetworkId): Resource<MissedCheck[]> {
  const list = lists.get(network) ?? createResource(() => request('ledger.list', { network }))
  lists.set(network, list)
  return list
}

/** Takes one that an answer holds, without waiting for the event. */
export function takeCheck(check: MissedCheck): void {
  const list = checksOf(check.network)
  const state = list.store.getState()
  if (state.status === 'ready') list.set(mergeJobs(state.value, [check]))
}

/** Who waits for a check may be on any page: its end is told there too. */
export function startChecks(): () => void {
  const stops = [
    on('ledger.changed', ({ checks }) => {
      for (const check of checks) {
        const state = lists.get(check.network)?.store.getState()
        if (state?.status === 'ready') tellOutcome(check, state.value)
        takeCheck(check)
      }
    }),
    on('ledger.removed', ({ id }) => {
      for (const list of lists.values()) {
        const state = list.store.getState()
        if (state.status === 'ready') list.set(state.value.filter((check) => check.id !== id))
      }
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function tellOutcome(check: MissedCheck, known: readonly MissedCheck[]): void {
  const before = known.find(({ id }) => id === check.id)
  if (before === undefined || before.state === check.state) return
  const outcome = outcomeOf(check)
  if (outcome === null) return
  const { route } = useRoute.getState()
  if (route.page === 'webhooks' && route.view === 'webhook' && route.tab === 'missed') {
    announce(outcome)
    return
  }
  showToast({
    title: 'Did I miss anything?',
    detail: outcome,
    tone: check.state === 'failed' ? 'bad' : 'plain',
    action: { label: 'Open', run: () => openCheck(check) },
  })
}

/** What is to be told of a check that has come to an end or a stop; null while it runs. */
function outcomeOf(check: MissedCheck): string | null {
  switch (check.state) {
    case 'running':
    case 'cancelled':
      return null
    case 'paused':
      return check.problem === null ? null : `The check waits: ${check.problem}`
    case 'failed':
      return `The check has failed: ${check.problem ?? 'the network could not be asked.'}`
    case 'done':
      return `The check is done: ${sayCounts(check)}`
  }
}

export function openCheck({ id, webhook, network }: MissedCheck): void {
  navigate({ ...webhookRoute(webhook, 'missed', String(id)), network })
}
