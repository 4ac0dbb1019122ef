/** Handles deliveries of invoices. Anyone can send one, so a delivery only causes a request to the gateway. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { z } from 'zod'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { type InvoiceEntry, invoiceEntry } from '../../gateway/invoice-responses.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import { parseJson } from '../../ton/lossless-json.ts'
import { isInvoiceId } from '../ledger/gateway-invoice.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoiceArrivals } from '../store/invoice-arrivals.ts'
import type { StoredReport } from '../store/invoice-reports.ts'
import { syncProblem } from './schedule.ts'

/** A larger body cannot be an invoice. */
const maxBytes = 128 * 1024
const maxDecodedBytes = 256 * 1024
/** The limit per network, because anyone can send any number of deliveries. */
const maxUnconfirmed = 10_000
const maxUnknown = 10_000

type Delivery = { readonly capture: number; readonly receivedAt: number; readonly claim: Claim }

export function createDeliveries(
  { access, networks, onBug, store }: InvoicesContext,
  arrivals: InvoiceArrivals,
  decodeBody: (
    body: Uint8Array,
    encoding: string | null,
    maxBytes: number,
  ) => Promise<{ readonly bytes: Uint8Array; readonly problem: string | null }>,
  ledger: Pick<Ledger, 'reported'>,
  /** Anyone can send deliveries, so the invoice must be requested from the gateway. */
  request: (network: NetworkId, id: string) => void,
) {
  async function read(capture: number): Promise<Delivery[]> {
    const arrival = arrivals.read(capture, maxBytes)
    if (arrival === null) return []
    const { receivedAt, headers, body } = arrival
    const encoding =
      headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1] ?? null
    const { bytes, problem } = await decodeBody(body, encoding, maxDecodedBytes)
    const claim = problem === null ? parseClaim(Buffer.from(bytes).toString('utf8')) : null
    return claim === null ? [] : [{ capture, receivedAt, claim }]
  }

  function write(deliveries: readonly Delivery[], to: number): void {
    const room = new Map<NetworkId, number>()
    const reported: { readonly network: NetworkId; readonly id: string }[] = []
    store.transaction(() => {
      for (const { capture, receivedAt, claim } of deliveries) {
        const { id, status, changedAt, overpayment } = claim
        const isInLedger = (network: NetworkId) => store.rows.has(network, id)
        const [network] = networksOf(isInLedger, networks.state().networks, access.current())
        if (network === undefined) continue
        const left = room.get(network) ?? maxUnconfirmed - store.rows.countUnconfirmed(network)
        room.set(network, left - 1)
        const entry = left > 0 ? claim.entry : null
        const report = { capture, network, invoice: id, receivedAt, status, changedAt, overpayment }
        if (ledger.reported({ ...report, entry })) reported.push({ network, id })
      }
      if (deliveries.length > 0) store.reports.pruneUnknown(maxUnknown)
      store.reports.setFollowedTo(to)
    })
    for (const { network, id } of reported) request(network, id)
  }

  async function recordAll(signal: AbortSignal): Promise<void> {
    const upTo = arrivals.classifiedTo()
    let from = store.reports.followedTo()
    while (from < upTo && !signal.aborted) {
      const { ids, to } = arrivals.slice(from, upTo)
      write((await Promise.all(ids.map(read))).flat(), to)
      from = to
      await yieldToEventLoop()
    }
  }

  return createBackgroundLoop(recordAll, onBug)
}

type Claim = Pick<StoredReport, 'status' | 'changedAt' | 'overpayment'> & {
  readonly id: string
  readonly entry: InvoiceEntry | null
}

const claimFields = z.object({
  id: z.string().refine(isInvoiceId),
  status: z.string().min(1).max(40),
  overpayment: z.unknown().optional(),
})

/** @returns null for a body that is not an invoice, or whose id cannot be requested */
export function parseClaim(text: string): Claim | null {
  let body: unknown
  try {
    body = parseJson(text)
  } catch {
    return null
  }
  const fields = claimFields.safeParse(body).data
  if (fields === undefined) return null
  const { id, status } = fields
  const entry = invoiceEntry.safeParse(body).data ?? null
  return {
    id,
    status,
    entry,
    changedAt: entry?.changedAt ?? null,
    overpayment: (fields.overpayment ?? null) === null ? null : (entry?.overpayment ?? null),
  }
}

/**
 * Sorts networks: those with the invoice, then those that can be queried, then those without a
 * token; among equals the selected network comes first.
 */
export function networksOf(
  isInLedger: (network: NetworkId) => boolean,
  networks: readonly Network[],
  current: NetworkId,
): NetworkId[] {
  const rank = (network: Network): number => {
    if (isInLedger(network.id)) return 0
    if (syncProblem(network) === null) return 1
    return network.kind === 'sandbox' || (network.urls?.console ?? null) !== null ? 2 : 3
  }
  const ranked = networks.map((network) => ({
    id: network.id,
    rank: 2 * rank(network) + Number(network.id !== current),
  }))
  const likely = ranked.filter((each) => each.rank < 6)
  return likely.toSorted((one, other) => one.rank - other.rank).map(({ id }) => id)
}
