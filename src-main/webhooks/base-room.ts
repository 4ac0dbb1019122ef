import type { AppContext } from '../app/context.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { SubscriptionStore } from './store/subscription-store.ts'

/** A client uses the network's URL and key at the time of the request. */
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
  /** Takes the list of `lookup.begin` as raw addresses. @throws AppError LOOKUP_DRAFT_UNKNOWN */
  readonly takeDraft: (
    id: string,
  ) => Promise<{ readonly network: NetworkId; readonly addresses: readonly string[] }>
}

/** Adds the labels of accounts; rows without an account have none. */
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
