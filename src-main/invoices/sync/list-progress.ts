import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { LocalLedger } from '../ledger/ledger.ts'
import { type ReadList, type Reading, type SyncState, readSyncState } from './read-list.ts'

const listAgainMs = 3_600_000
/** Recent invoices are read this often while all are read. */
const meanwhileMs = 60_000

export function createListProgress(deps: {
  readonly list: ReadList
  readonly store: Pick<InvoiceStore, 'rows' | 'ledgers'>
  readonly ledger: Pick<LocalLedger, 'fetch'>
  readonly now: () => number
}) {
  const { list, store, ledger, now } = deps

  const stateOf = (network: NetworkId) => readSyncState(store.ledgers.get(network)?.state)

  function save(
    network: NetworkId,
    next: SyncState,
    read: { readonly listedAt?: number; readonly fullAt?: number } = {},
  ): void {
    const before = store.ledgers.get(network)
    const moments = { listedAt: before?.listedAt ?? null, fullAt: before?.fullAt ?? null }
    store.ledgers.put(network, { ...moments, ...read, state: JSON.stringify(next) })
  }

  /** @throws AppError when not even single invoices can be requested */
  async function whyOneByOne(network: NetworkId, error: unknown, reading: Reading) {
    if (!(error instanceof AppError) || !refusals.has(error.code)) throw error
    const start = { expiresAt: Number.MIN_SAFE_INTEGER, key: 0 }
    const [pending] = store.rows.pending(network, start, 1)
    if (pending === undefined) throw error
    try {
      await ledger.fetch(network, pending.id, 'fetch', reading.asking)
    } catch {
      throw error
    }
    return error.message
  }

  async function readRecent(
    network: NetworkId,
    isWished: boolean,
    reading: Reading,
  ): Promise<void> {
    let state = stateOf(network)
    const isRefused = state.refused !== null && now() < state.refused.at + listAgainMs && !isWished
    if (!isRefused) {
      try {
        state = await list.newest(network, state, reading)
        state = { ...state, refused: null }
      } catch (error) {
        const message = await whyOneByOne(network, error, reading)
        state = { ...state, refused: { at: now(), message } }
      }
      save(network, state)
    }
    if (state.refused !== null) {
      await list.oneByOne(network, reading)
      save(network, stateOf(network), { listedAt: now() })
      return
    }
    await list.pending(network, reading)
    await list.inOtherState(network, reading)
    try {
      state = await list.overpaid(network, stateOf(network), reading, isWished)
      save(network, state)
    } catch (error) {
      // The gateway cannot filter by overpayment: reading all invoices finds them.
      if (!(error instanceof AppError) || error.code !== gatewayCodes.refused) throw error
    }
    save(network, stateOf(network), { listedAt: now() })
  }

  async function readAll(network: NetworkId, isWished: boolean, reading: Reading): Promise<void> {
    let recentAt = now()
    for (;;) {
      const state = stateOf(network)
      if (state.refused !== null) return
      const next = await list.full(network, state, reading)
      if (next.full === null) {
        save(network, next, { fullAt: now() })
        return
      }
      save(network, next)
      if (now() - recentAt < meanwhileMs) continue
      await readRecent(network, isWished, { ...reading, onRead: () => undefined })
      recentAt = now()
    }
  }

  return {
    stateOf,
    /**
     * @param isWished a user waits, so that requests which the gateway refused before are repeated
     * @throws AppError as the client does; the signal's reason
     */
    readRecent,
    /**
     * Reads the recent invoices between the pages of all.
     * @throws as `readRecent` does
     */
    readAll,
    beginAnew: (network: NetworkId) => save(network, { ...stateOf(network), full: null }),
  }
}

/** Refusals of the list for a token that is valid for single invoices (gateway-facts 3.1). */
const refusals: ReadonlySet<string> = new Set([
  gatewayCodes.refused,
  gatewayCodes.keyRefused,
  gatewayCodes.forbidden,
  gatewayCodes.notFound,
])
