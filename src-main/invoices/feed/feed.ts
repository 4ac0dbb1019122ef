/** Deliveries of invoices: each only makes the gateway be asked for what it tells of. */
import { setImmediate } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { GatewayAccess, Networks } from '../parts.ts'
import { whyNotAsked } from '../sync/askable.ts'
import { type Requester, type RequesterDeps, createRequester } from './requester.ts'
import { type FollowDeps, createFollow } from './follow.ts'
import { networksOf } from './networks-of.ts'

export type FeedDeps = Omit<FollowDeps, 'networksOf' | 'onReported' | 'ledger' | 'store'> &
  Omit<RequesterDeps, 'othersThan' | 'networkIds' | 'store' | 'ledger'> & {
    readonly ledger: FollowDeps['ledger'] & RequesterDeps['ledger']
    readonly store: Pick<InvoiceStore, 'transaction' | 'rows' | 'reports'>
    readonly access: Pick<GatewayAccess, 'current'>
    readonly networks: Networks
  }

type Feed = {
  readonly requester: Requester
  start(): void
  /** Captures up to this one are classified. */
  classified(upTo: number): void
  /** Its deliveries are of another's invoices: none is asked for until `rest` is forgotten too. */
  forget(network: NetworkId, rest: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export function createFeed(deps: FeedDeps): Feed {
  const { store, access } = deps
  const requester = createRequester({
    ...deps,
    networkIds: () => deps.networks().map(({ id }) => id),
    othersThan: (network) =>
      deps
        .networks()
        .filter((each) => each.id !== network && whyNotAsked(each) === null)
        .map(({ id }) => id),
  })
  const follow = createFollow({
    ...deps,
    networksOf: (id) =>
      networksOf((network) => store.rows.has(network, id), deps.networks(), access.current()),
    onReported: (network, id) => requester.ask(network, id),
  })
  return {
    requester,
    start: () => follow.start(),
    classified: (upTo) => follow.classified(upTo),
    forget: (network, rest) =>
      requester.forget(network, async () => {
        while (store.reports.forgetSome(network)) await setImmediate()
        await rest()
      }),
    async stop() {
      await follow.stop()
      await requester.stop()
    },
  }
}
