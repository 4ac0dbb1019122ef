/** Deliveries of invoices: each only makes the gateway be asked for what it tells of. */
import { setImmediate } from 'node:timers/promises'
import type { NetworkId, Network } from '../../../src-preload/contract/network.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { GatewayAccess, Networks } from '../parts.ts'
import { whyNotAsked } from '../sync/askable.ts'
import { type Requester, type RequesterDeps, createRequester } from './requester.ts'
import type { InvoiceEntry } from '../../gateway/invoice-answers.ts'
import type { InvoiceArrival, InvoiceArrivals } from '../store/invoice-arrivals.ts'
import type { LocalLedger } from '../ledger/ledger.ts'
import { parseJson } from '../../ton/lossless-json.ts'
import { isAskable } from '../ledger/gateway-invoice.ts'

/** Follows deliveries of invoices into the ledger: each only marks what the gateway is to be asked for. */

type FollowDeps = {
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

function createFollow(deps: FollowDeps): Follow {
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

/** What a delivery says of an invoice. Everything here is the sender's claim. Pure. */

type Claim = {
  readonly id: string
  readonly status: string
  readonly changedAt: number | null
  readonly overpayment: bigint | null
  /** All of the invoice; null where too much of it is missing. */
  readonly entry: InvoiceEntry | null
}

/** @returns null for what is none, or of an id that no gateway can be asked for */
export function readClaim(
  text: string,
  readEntry: (value: unknown) => InvoiceEntry | null,
): Claim | null {
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
  const entry = readEntry(fields)
  const hasOverpayment = fields['overpayment'] !== undefined && fields['overpayment'] !== null
  return {
    id,
    status,
    changedAt: entry?.changedAt ?? null,
    overpayment: hasOverpayment ? (entry?.overpayment ?? null) : null,
    entry,
  }
}

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

/**
 * Which networks a delivery may be of, the likeliest first: it does not say. Those whose ledger has the
 * invoice, before those that can be asked, before those that could be; the chosen one first among
 * equals. Pure.
 */
export function networksOf(
  isKnown: (network: NetworkId) => boolean,
  networks: readonly Network[],
  current: NetworkId,
): NetworkId[] {
  const rank = (network: Network): number => {
    if (isKnown(network.id)) return 0
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
