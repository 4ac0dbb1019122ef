/** Deliveries of invoices. Anybody can send one, so a delivery only triggers a request to the gateway. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import type { AppContext } from '../../app/context.ts'
import { type InvoiceEntry, invoiceEntry } from '../../gateway/invoice-answers.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import { parseJson } from '../../ton/lossless-json.ts'
import { isAskable } from '../ledger/gateway-invoice.ts'
import type { LocalLedger } from '../ledger/ledger.ts'
import type { GatewayAccess, Networks } from '../parts.ts'
import type { InvoiceArrival, InvoiceArrivals } from '../store/invoice-arrivals.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import { whyNotAsked } from './schedule.ts'

export type DeliveriesDeps = Pick<AppContext, 'onBug'> & {
  readonly access: Pick<GatewayAccess, 'current'>
  readonly networks: Networks
  readonly arrivals: InvoiceArrivals
  readonly decode: (arrival: InvoiceArrival) => Promise<string | null>
  readonly store: Pick<InvoiceStore, 'transaction' | 'rows' | 'reports'>
  readonly ledger: Pick<LocalLedger, 'reported'>
  readonly onReported: (network: NetworkId, id: string) => void
}

/** Larger bodies are not invoices. */
const maxBytes = 128 * 1024
/** The limit per network, because anybody can send any number of deliveries. */
const maxUnconfirmed = 10_000
const maxUnknown = 10_000

type Delivery = { readonly capture: number; readonly receivedAt: number; readonly claim: Claim }

export function createDeliveries(deps: DeliveriesDeps) {
  const { arrivals, store, ledger } = deps

  async function read(capture: number): Promise<Delivery[]> {
    const arrival = arrivals.read(capture, maxBytes)
    if (arrival === null) return []
    const text = await deps.decode(arrival)
    const claim = text === null ? null : parseClaim(text)
    return claim === null ? [] : [{ capture, receivedAt: arrival.receivedAt, claim }]
  }

  function write(deliveries: readonly Delivery[], to: number): void {
    const room = new Map<NetworkId, number>()
    const reported: (readonly [NetworkId, string])[] = []
    store.transaction(() => {
      for (const { capture, receivedAt, claim } of deliveries) {
        const { id, status, changedAt, overpayment } = claim
        const isInLedger = (network: NetworkId) => store.rows.has(network, id)
        const [network] = networksOf(isInLedger, deps.networks(), deps.access.current())
        if (network === undefined) continue
        const left = room.get(network) ?? maxUnconfirmed - store.rows.countUnconfirmed(network)
        room.set(network, left - 1)
        const entry = left > 0 ? claim.entry : null
        const report = { capture, network, invoice: id, receivedAt, status, changedAt, overpayment }
        if (ledger.reported({ ...report, entry })) reported.push([network, id])
      }
      if (deliveries.length > 0) store.reports.pruneUnknown(maxUnknown)
      store.reports.setFollowedTo(to)
    })
    for (const [network, id] of reported) deps.onReported(network, id)
  }

  async function recordAll(signal: AbortSignal): Promise<void> {
    const upTo = arrivals.classifiedTo()
    let from = store.reports.followedTo()
    while (from < upTo && !signal.aborted) {
      const { ids, to } = arrivals.slice(from, upTo)
      const deliveries = (await Promise.all(ids.map(read))).flat()
      write(deliveries, to)
      from = to
      await yieldToEventLoop()
    }
  }

  return createBackgroundLoop(recordAll, deps.onBug)
}

type Claim = {
  readonly id: string
  readonly status: string
  readonly changedAt: number | null
  readonly overpayment: bigint | null
  readonly entry: InvoiceEntry | null
}

/** @returns null for a body that is no invoice, or whose id cannot be requested */
export function parseClaim(text: string): Claim | null {
  let fields: Readonly<Record<string, unknown>>
  try {
    const value = parseJson(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    fields = value as Record<string, unknown>
  } catch {
    return null
  }
  const { id, status } = fields
  if (typeof id !== 'string' || !isAskable(id)) return null
  if (typeof status !== 'string' || status === '' || status.length > 40) return null
  const entry = invoiceEntry.safeParse(fields).data ?? null
  const hasOverpayment = fields['overpayment'] !== undefined && fields['overpayment'] !== null
  return {
    id,
    status,
    changedAt: entry?.changedAt ?? null,
    overpayment: hasOverpayment ? (entry?.overpayment ?? null) : null,
    entry,
  }
}

/**
 * Networks with the invoice come first, then those that can be queried, then those without a token; among
 * equals the selected network. Pure.
 */
export function networksOf(
  isInLedger: (network: NetworkId) => boolean,
  networks: readonly Network[],
  current: NetworkId,
): NetworkId[] {
  const rank = (network: Network): number => {
    if (isInLedger(network.id)) return 0
    if (whyNotAsked(network) === null) return 1
    return network.kind === 'sandbox' || (network.urls?.console ?? null) !== null ? 2 : 3
  }
  const ranked = networks.map((network) => ({
    id: network.id,
    rank: 2 * rank(network) + Number(network.id !== current),
  }))
  const likely = ranked.filter((each) => each.rank < 6)
  return likely.toSorted((one, other) => one.rank - other.rank).map(({ id }) => id)
}
