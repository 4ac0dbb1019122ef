/**
 * A delivery that tells of a transaction of an address of invoices makes that address be read at once:
 * a payment that the gateway has no word for, in part or without an invoice, is seen then too. It
 * only makes us look, so it does not matter who has sent it; at most once a second.
 */
import type { AppContext } from '../../app/context.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { TouchedAccounts } from '../store/touched-accounts.ts'
import { readAddress } from '../../ton/address.ts'
import type { ChainFollower, Networks } from '../parts.ts'

type TouchedDeps = Pick<AppContext, 'onBug' | 'wait'> & {
  readonly accounts: TouchedAccounts
  readonly networks: Networks
  readonly chain: Pick<ChainFollower, 'nudge'>
}

type Touched = {
  /** Deliveries up to this capture are classified. */
  classified(upTo: number): void
  stop(): void
}

const everyMs = 1000

export function createTouched(deps: TouchedDeps): Touched {
  const waiting = new Set<string>()
  const stopped = new AbortController()
  // What came before the start is in the first reading.
  let reached = deps.accounts.newest()
  let isPaced = false

  function nudge(): void {
    const accounts = [...waiting]
    waiting.clear()
    for (const { id } of deps.networks()) deps.chain.nudge(id satisfies NetworkId, accounts)
  }

  async function pace(): Promise<void> {
    isPaced = true
    while (waiting.size > 0) {
      nudge()
      await deps.wait(everyMs, stopped.signal)
    }
    isPaced = false
  }

  return {
    classified(upTo) {
      // The index tells of its last slices while the app ends, and its reader is closed by then.
      if (stopped.signal.aborted) return
      for (const account of deps.accounts.between(reached, upTo)) {
        const raw = readAddress(account)?.raw
        if (raw !== undefined) waiting.add(raw)
      }
      reached = Math.max(reached, upTo)
      if (isPaced || waiting.size === 0) return
      pace().catch((error: unknown) => {
        isPaced = false
        if (!stopped.signal.aborted) deps.onBug(error)
      })
    },
    stop: () => stopped.abort(),
  }
}
