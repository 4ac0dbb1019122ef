import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import { type Reading, type SyncState, createReadList, readSyncState } from './read-list.ts'

const listAgainMs = 3_600_000
/** Recent invoices are read this often while all are read. */
const meanwhileMs = 60_000

export type ListProgress = ReturnType<typeof createListProgress>

export function createListProgress(
  context: Pick<InvoicesContext, 'access' | 'now' | 'store'>,
  ledger: Ledger,
  applicationIds: ApplicationIds,
) {
  const { now, store } = context
  const list = createReadList(context, ledger, applicationIds)

  const stateOf = (network: NetworkId) => readSyncState(store.ledgers.get(network)?.state)

  function save(
    network: NetworkId,
    state: SyncState,
    read: { readonly listedAt?: number; readonly fullAt?: number } = {},
  ): void {
    const { listedAt, fullAt } = store.ledgers.get(network) ?? { listedAt: null, fullAt: null }
    store.ledgers.put(network, { listedAt, fullAt, ...read, state: JSON.stringify(state) })
  }

  /** @throws AppError when not even single invoices can be requested */
  async function whyOneByOne(network: NetworkId, error: unknown, reading: Reading) {
    if (!(error instanceof AppError) || !refusals.has(error.code)) throw error
    const [pending] = store.rows.pending(network, undefined, 1)
    if (pending === undefined) throw error
    try {
      await ledger.fetch(network, pending.id, 'fetch', reading.asking)
    } catch {
      throw error
    }
    return error.message
  }

  /**
   * @param isWished a user waits, so that requests which the gateway refused before are repeated
   * @throws AppError as the client does; the signal's reason
   */
  async function readRecent(
    network: NetworkId,
    isWished: boolean,
    reading: Reading,
  ): Promise<void> {
    let state = stateOf(network)
    if (isWished || state.refused === null || now() >= state.refused.at + listAgainMs) {
      try {
        state = { ...(await list.newest(network, state, reading)), refused: null }
      } catch (error) {
        const message = await whyOneByOne(network, error, reading)
        state = { ...state, refused: { at: now(), message } }
      }
      save(network, state)
    }
    if (state.refused !== null) await list.oneByOne(network, reading)
    else {
      await list.pending(network, reading)
      await list.inOtherState(network, reading)
      try {
        save(network, await list.overpaid(network, stateOf(network), reading, isWished))
      } catch (error) {
        // The gateway cannot filter by overpayment: reading all invoices finds them.
        if (!(error instanceof AppError) || error.code !== gatewayCodes.refused) throw error
      }
    }
    save(network, stateOf(network), { listedAt: now() })
  }

  /** Reads the recent invoices between the pages of all. */
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
    problem(network: NetworkId): string | null {
      const { refused } = stateOf(network)
      return (
        refused &&
        `Tondesk requests invoices one by one, because the gateway does not list them for this token (${refused.message}) Only webhooks report invoices that were created outside this app.`
      )
    },
    readRecent,
    readAll,
    beginAnew: (network: NetworkId) => save(network, { ...stateOf(network), full: null }),
    forget(network: NetworkId): void {
      list.forget(network)
      store.ledgers.forget(network)
    },
  }
}

/** Refusals of the list for a token that is valid for single invoices (gateway-facts 3.1). */
const refusals: ReadonlySet<string> = new Set([
  gatewayCodes.refused,
  gatewayCodes.keyRefused,
  gatewayCodes.forbidden,
  gatewayCodes.notFound,
])
