/** Follows deliveries of invoices into the ledger: each only marks what the gateway is to be asked for. */
import { setImmediate } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceEntry } from '../../gateway/invoice-answers.ts'
import type { InvoiceArrival, InvoiceArrivals } from '../store/invoice-arrivals.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { LocalLedger } from '../ledger/ledger.ts'
import { type Claim, readClaim } from './claim.ts'

export type FollowDeps = {
  readonly arrivals: InvoiceArrivals
  /** Text of a body, whatever it is encoded with; null where it cannot be read. */
  readonly decode: (arrival: InvoiceArrival) => Promise<string | null>
  readonly readEntry: (value: unknown) => InvoiceEntry | null
  readonly store: Pick<InvoiceStore, 'transaction' | 'rows' | 'reports'>
  readonly ledger: Pick<LocalLedger, 'reported'>
  /** Which networks a delivery may be of, the likeliest first; never empty. */
  readonly networksOf: (id: string) => readonly NetworkId[]
  /** The gateway is to be asked for it. */
  readonly onReported: (network: NetworkId, id: string) => void
  readonly onBug: (error: unknown) => void
}

type Follow = {
  start(): void
  classified(upTo: number): void
  stop(): Promise<void>
}

/** Invoices are small; what is larger is none. */
const largestBytes = 128 * 1024
/** Of what only deliveries have told, in each network: anybody can send as many as he likes. */
const maxUnconfirmed = 10_000
const maxUnknown = 10_000

type Delivery = { readonly capture: number; readonly receivedAt: number; readonly claim: Claim }

export function createFollow(deps: FollowDeps): Follow {
  const { arrivals, store, ledger } = deps
  let upTo = 0
  let isOn = false
  let isStopped = false
  let following: Promise<void> | null = null

  async function read(capture: number): Promise<Delivery[]> {
    const arrival = arrivals.read(capture, largestBytes)
    if (arrival === null) return []
    const text = await deps.decode(arrival)
    const claim = text === null ? null : readClaim(text, deps.readEntry)
    return claim === null ? [] : [{ capture, receivedAt: arrival.receivedAt, claim }]
  }

  function write(deliveries: readonly Delivery[], to: number): void {
    const room = new Map<NetworkId, number>()
    const asked: (readonly [NetworkId, string])[] = []
    store.transaction(() => {
      for (const { capture, receivedAt, claim } of deliveries) {
        const { id, status, changedAt, overpayment } = claim
        const [network] = deps.networksOf(id)
        if (network === undefined) continue
        const left = room.get(network) ?? maxUnconfirmed - store.rows.countUnconfirmed(network)
        room.set(network, left - 1)
        const entry = left > 0 ? claim.entry : null
        const report = { capture, network, invoice: id, receivedAt, status, changedAt, overpayment }
        if (ledger.reported({ ...report, entry })) asked.push([network, id])
      }
      if (deliveries.length > 0) store.reports.pruneUnknown(maxUnknown)
      store.reports.setFollowedTo(to)
    })
    for (const [network, id] of asked) deps.onReported(network, id)
  }

  async function follow(): Promise<void> {
    let from = store.reports.followedTo()
    while (from < upTo && !isStopped) {
      const { ids, to } = arrivals.slice(from, upTo)
      const deliveries = (await Promise.all(ids.map(read))).flat()
      write(deliveries, to)
      from = to
      await setImmediate()
    }
  }

  function go(): void {
    if (!isOn || isStopped || following !== null) return
    const started = upTo
    following = follow()
      .catch(deps.onBug)
      .finally(() => {
        following = null
        if (upTo > started) go()
      })
  }

  return {
    start() {
      isOn = true
      upTo = Math.max(upTo, arrivals.classifiedTo())
      go()
    },
    classified(to) {
      upTo = Math.max(upTo, to)
      go()
    },
    async stop() {
      isStopped = true
      await following
    },
  }
}
