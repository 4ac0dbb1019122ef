/** One reading of a gateway's list after another, and how far each has come. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { LocalLedger } from '../ledger/ledger.ts'
import type { Reading, ReadList } from './read-list.ts'
import { type SyncState, readSyncState } from './sync-state.ts'

type Readings = {
  /** What is remembered of how far it was read. */
  stateOf(network: NetworkId): SyncState
  /**
   * What is new, what is pending, what is overpaid.
   * @param isAsked a person waits: what the gateway refused before is tried again
   * @throws AppError as the client does; the signal's reason
   */
  lately(network: NetworkId, isAsked: boolean, reading: Reading): Promise<void>
  /** All of it, from where it was left, and between its pages what is new. @throws as `lately` does */
  all(network: NetworkId, isAsked: boolean, reading: Reading): Promise<void>
  /** All of it is read from the beginning next time. */
  beginAnew(network: NetworkId): void
}

const listAgainMs = 3_600_000
/** Newest ones, pending ones and so on again, while all are being read. */
const meanwhileMs = 60_000

export function createReadings(deps: {
  readonly list: ReadList
  readonly store: Pick<InvoiceStore, 'rows' | 'ledgers'>
  readonly ledger: Pick<LocalLedger, 'fetch'>
  readonly now: () => number
}): Readings {
  const { list, store, ledger, now } = deps

  const stateOf = (network: NetworkId) => readSyncState(store.ledgers.get(network)?.state)

  function save(
    network: NetworkId,
    next: SyncState,
    read: { readonly listedAt?: number; readonly fullAt?: number } = {},
  ): void {
    const known = store.ledgers.get(network)
    const moments = { listedAt: known?.listedAt ?? null, fullAt: known?.fullAt ?? null }
    store.ledgers.put(network, { ...moments, ...read, state: JSON.stringify(next) })
  }

  /** @throws AppError where not even one can be asked for */
  async function asksOneByOne(network: NetworkId, error: unknown, reading: Reading) {
    if (!(error instanceof AppError) || !refusals.has(error.code)) throw error
    const start = { expiresAt: Number.MIN_SAFE_INTEGER, key: 0 }
    const [known] = store.rows.pending(network, start, 1)
    if (known === undefined) throw error
    try {
      await ledger.fetch(network, known.id, 'fetch', reading.asking)
    } catch {
      throw error
    }
    return error.message
  }

  async function lately(network: NetworkId, isAsked: boolean, reading: Reading): Promise<void> {
    let known = stateOf(network)
    const isRefused = known.refused !== null && now() < known.refused.at + listAgainMs && !isAsked
    if (!isRefused) {
      try {
        known = await list.newest(network, known, reading)
        known = { ...known, refused: null }
      } catch (error) {
        const message = await asksOneByOne(network, error, reading)
        known = { ...known, refused: { at: now(), message } }
      }
      save(network, known)
    }
    if (known.refused !== null) {
      await list.oneByOne(network, reading)
      save(network, stateOf(network), { listedAt: now() })
      return
    }
    await list.pending(network, reading)
    await list.inOtherState(network, reading)
    try {
      known = await list.overpaid(network, stateOf(network), reading, isAsked)
      save(network, known)
    } catch (error) {
      // One that cannot filter by it: reading all finds them.
      if (!(error instanceof AppError) || error.code !== gatewayCodes.refused) throw error
    }
    save(network, stateOf(network), { listedAt: now() })
  }

  async function all(network: NetworkId, isAsked: boolean, reading: Reading): Promise<void> {
    let latelyAt = now()
    for (;;) {
      const known = stateOf(network)
      if (known.refused !== null) return
      const next = await list.full(network, known, reading)
      if (next.full === null) {
        save(network, next, { fullAt: now() })
        return
      }
      save(network, next)
      if (now() - latelyAt < meanwhileMs) continue
      // How far it has come is of all of them.
      await lately(network, isAsked, { ...reading, onRead: () => undefined })
      latelyAt = now()
    }
  }

  return {
    stateOf,
    lately,
    all,
    beginAnew: (network) => save(network, { ...stateOf(network), full: null }),
  }
}

/** What a gateway may say to a token that is good for single invoices only (gateway-facts 3.1). */
const refusals: ReadonlySet<string> = new Set([
  gatewayCodes.refused,
  gatewayCodes.keyRefused,
  gatewayCodes.forbidden,
  gatewayCodes.notFound,
])
