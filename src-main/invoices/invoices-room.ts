import type { BackgroundRequests } from '../jobs/background-requests.ts'
import type { AccountBook } from './chain/accounts.ts'
import type { ChainWatcher } from './chain/watcher.ts'
import type { Changes } from './changes.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Candidates } from './matching/candidates.ts'
import type { DiscrepancyWriter } from './matching/discrepancy-writer.ts'
import type { GatewayClock } from './matching/gateway-clock.ts'
import type { Reconciler } from './matching/reconciler.ts'
import type { PaymentView, UncountedPayments } from './matching/uncounted.ts'

/** The functions of this feature that other features use. */
export type InvoicesRoom = {
  readonly book: AccountBook
  readonly candidates: Candidates
  readonly chain: ChainWatcher
  readonly changes: Changes
  readonly clock: GatewayClock
  readonly ledger: Ledger
  readonly reconciler: Reconciler
  readonly requests: BackgroundRequests
  readonly uncounted: UncountedPayments
  readonly view: PaymentView
  readonly writer: DiscrepancyWriter
}
