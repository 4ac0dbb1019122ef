import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoicesRoom } from '../invoices-room.ts'

type Expiry = {
  /** By the gateway's clock: earlier expiries were requested; null before the first reading. */
  readonly to: number | null
  readonly tries: number
  readonly notBefore: number
}

/** The gateway's list shows an expiry slightly after it happens. */
const delayMs = 2000
/** Where more have expired, the list is read instead. */
const maxExpired = 20
/** An invoice that is pending after its expiry is requested a few more times, each time later. */
const retryMs = 2000
const maxTries = 5

export type ExpiredInvoices = ReturnType<typeof createExpiredInvoices>

/** Requests the pending invoices whose time is over. */
export function createExpiredInvoices(
  { now, onBug, store }: Pick<InvoicesContext, 'now' | 'onBug' | 'store'>,
  { clock, ledger, requests }: Pick<InvoicesRoom, 'clock' | 'ledger' | 'requests'>,
) {
  const expiries = new Map<NetworkId, Expiry>()

  const expiredTo = (network: NetworkId) => clock.now(network) - delayMs

  /** Expiries before the first call are left to the reading of the list. */
  function begin(network: NetworkId): Expiry & { readonly to: number } {
    const { to, ...rest } = expiries.get(network) ?? { to: null, tries: 0, notBefore: 0 }
    const expiry = { ...rest, to: to ?? expiredTo(network) }
    expiries.set(network, expiry)
    return expiry
  }

  async function fetchAll(network: NetworkId, ids: readonly string[], signal: AbortSignal) {
    const queryOptions = { signal, priority: 'job', owner: 'invoices' } as const
    const fetched = ids.map((id) =>
      ledger.fetch(network, id, 'fetch', queryOptions).catch((error: unknown) => {
        if (!(error instanceof AppError) && !signal.aborted) onBug(error)
      }),
    )
    await Promise.all(fetched)
  }

  return {
    begin,
    /** @returns whether the list must be read, because many have expired */
    request(network: NetworkId): boolean {
      const isRunning =
        requests.isRunning(network, 'list') || requests.isRunning(network, 'expired')
      const expiry = begin(network)
      const to = expiredTo(network)
      if (isRunning || to <= expiry.to || now() < expiry.notBefore) return false
      const expired = store.rows.expiring(network, expiry.to, to, maxExpired + 1)
      if (expired.length === 0 || expired.length > maxExpired) {
        expiries.set(network, { ...expiry, to, tries: 0 })
        return expired.length > 0
      }
      const run = async (signal: AbortSignal) => {
        const ids = expired.map(({ id }) => id)
        await fetchAll(network, ids, signal)
        expiries.set(network, afterTry(begin(network), to, now()))
      }
      requests.start(network, { key: 'expired', run }).catch(onBug)
      return false
    },
    forget: (network: NetworkId) => void expiries.delete(network),
  }
}

function afterTry({ to, tries }: Expiry, triedTo: number, now: number): Expiry {
  const notBefore = now + retryMs * (tries + 1)
  if (tries >= maxTries) return { to: triedTo, tries: 0, notBefore }
  return { to, tries: tries + 1, notBefore }
}
