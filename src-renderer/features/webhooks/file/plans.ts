import type { Difference } from '../../../../src-preload/contract/subscription.ts'
import { request } from '../../../app/bridge.ts'
import { readBase64 } from '../../../components/files/given-file.ts'
import { createWindowList } from '../../../components/list/windows.ts'
import { createPlanFeed } from './plan-feed.ts'
import { createPlanStore } from './plan-state.ts'

/** The file being compared; it stays while one looks at other pages. */
export const usePlan = createPlanStore()

export const plans = createPlanFeed({
  store: usePlan,
  ask: request as never,
  readPiece: readBase64,
})

export const differences = createWindowList<Difference, null>()
