import { on, request } from '../../../app/bridge.ts'
import { createResource } from '../../../app/resource.ts'
import type { WorkbenchRoute } from '../../../app/workbench-route.ts'

/** What the gateway gets in the place of 200, in the order in which it is tried; kept current by events. */
export const answerRules = createResource(() => request('answerRule.list'))

export const answersHome: WorkbenchRoute = { page: 'workbench', view: 'answers' }

export function startAnswerRules(): () => void {
  return on('answerRule.changed', ({ rules }) => answerRules.set([...rules]))
}
