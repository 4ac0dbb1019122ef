import { create } from 'zustand'
import type {
  DifferenceKind,
  Plan,
  SubscriptionsFormat,
} from '../../../../src-preload/contract/subscription.ts'
import type { ErrorBody } from '../../../../src-preload/domain/app-error.ts'
import type { GivenFile } from '../../../components/files/given-file.ts'

type PlanState = {
  readonly file: GivenFile | null
  readonly format: SubscriptionsFormat
  /** What is being done with it; null when nothing is. */
  readonly busy:
    | { readonly step: 'reading'; readonly done: number; readonly total: number }
    | { readonly step: 'comparing' }
    | null
  /** As last compared; it stays in sight while it is compared anew. */
  readonly plan: Plan | null
  readonly problem: ErrorBody | null
  /** Which differences are listed; null for all. */
  readonly shown: DifferenceKind | null
  /** The change that applied it last. */
  readonly changeId: number | null
}

export const noPlan: PlanState = {
  file: null,
  format: 'yaml',
  busy: null,
  plan: null,
  problem: null,
  shown: null,
  changeId: null,
}

export function createPlanStore() {
  return create<PlanState>(() => noPlan)
}
export type PlanStore = ReturnType<typeof createPlanStore>
