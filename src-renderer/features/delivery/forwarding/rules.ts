import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { on, request } from '../../../app/bridge.ts'
import { createResource } from '../../../app/resource.ts'
import { throttle } from '../../../ui/throttle.ts'
import type { WorkbenchRoute } from '../../../app/workbench-route.ts'

/** What is sent on, and how each of its targets fares; kept current by events. */
export const forwardRules = createResource(() => request('forwardRule.list'))

export const forwardingHome: WorkbenchRoute = { page: 'workbench', view: 'forwarding', rule: null }

export function ruleRoute(rule: number): WorkbenchRoute {
  return { page: 'workbench', view: 'forwarding', rule }
}

/** A newer version of one rule, from the answer to what was asked of it. */
export function takeRule(rule: ForwardRule): void {
  const state = forwardRules.store.getState()
  if (state.status !== 'ready') return
  const isKnown = state.value.some(({ id }) => id === rule.id)
  forwardRules.set(
    isKnown
      ? state.value.map((each) => (each.id === rule.id ? rule : each))
      : [...state.value, rule],
  )
}

/** Events tell of the rules that changed, and not of those that are gone: the list is read anew. */
const readMs = 300

export function startForwardRules(): () => void {
  const read = throttle(() => {
    if (forwardRules.store.getState().status !== 'idle') void forwardRules.reload()
  }, readMs)
  const stop = on('forwardRule.changed', read.call)
  return () => {
    stop()
    read.cancel()
  }
}
