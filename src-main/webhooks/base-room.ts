import type { AppContext } from '../app/context.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { SubscriptionStore } from './store/subscription-store.ts'

/** A client uses the URL and key that the network has at the time of the request. */
export type GatewayAccess = Pick<
  AppContext['access'],
  'webhooks' | 'query' | 'interest' | 'info' | 'current'
>

export type BaseRoom = Pick<
  AppContext,
  'chainNow' | 'files' | 'jobs' | 'labelsOf' | 'nameAccount' | 'now' | 'onBug' | 'wait'
> & {
  readonly access: GatewayAccess
  readonly events: Pick<AppContext['events'], 'emit'>
  readonly notices: Pick<AppContext['notices'], 'list' | 'raise' | 'clear'>
  readonly receiver: Pick<AppContext['receiver'], 'state' | 'url'>
  readonly settings: Pick<AppContext['settings'], 'get'>
  readonly store: SubscriptionStore
  /** @throws AppError WEBHOOK_MOVE_UNDER_WAY */
  readonly refuseWhileMoving: (network: NetworkId, webhook: string) => void
  /**
   * Returns the list of `lookup.begin` as raw addresses and forgets it. @throws AppError
   * LOOKUP_DRAFT_UNKNOWN
   */
  readonly takeDraft: (
    id: string,
  ) => Promise<{ readonly network: NetworkId; readonly addresses: readonly string[] }>
}

/** Adds the labels of accounts; a row without an account gets none. */
export function withLabels<R extends { readonly account: string | null }>(
  { labelsOf }: Pick<BaseRoom, 'labelsOf'>,
  network: NetworkId,
  rows: readonly R[],
) {
  const names = labelsOf(
    network,
    rows.flatMap(({ account }) => account ?? []),
  )
  return rows.map((row) => ({ ...row, label: names.get(row.account ?? '') ?? null }))
}

/** Returns the problem of work that may fail, so that a route can return the rest. */
export async function withProblem<T>(work: T | Promise<T>, fallback: T) {
  try {
    return { value: await work, problem: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { value: fallback, problem: error.message }
  }
}
