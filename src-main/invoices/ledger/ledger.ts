import type { AppContext } from '../../app/context.ts'
import type { Invoice, InvoiceSource } from '../../../src-preload/contract/invoice.ts'
import {
  invoiceCodes,
  networkCodes,
  gatewayCodes,
} from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoiceEntry } from '../../gateway/invoice-answers.ts'
import type { EventDetail, StoredReport } from '../store/invoice-reports.ts'
import type { GatewayInvoice } from '../store/invoice-rows.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import type { GatewayAccess, Reconciler, Ledger } from '../parts.ts'
import {
  type Change,
  type Observed,
  changesBetween,
  isOlder,
  isNoNews,
  outcomeOf,
} from './compare.ts'
import { isAskable, fromGateway, unconfirmed } from './gateway-invoice.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'

type LedgerDeps = Pick<AppContext, 'labelsOf' | 'now' | 'onBug' | 'wait'> & {
  readonly access: Pick<GatewayAccess, 'invoices'>
  readonly store: Pick<InvoiceStore, 'transaction' | 'rows' | 'events' | 'reports'>
  readonly reconciler: Pick<Reconciler, 'reconcile' | 'isRead' | 'uncounted'>
  readonly onChanged: (network: NetworkId, ids: readonly string[] | null) => void
}

/** A delivery's claim; `entry` is null when no row can or may be made of it. */
type Report = Omit<StoredReport, 'outcome'> & { readonly entry: InvoiceEntry | null }

export type LocalLedger = Ledger & {
  /**
   * Records a delivery's claim, within the caller's transaction.
   * @returns whether the gateway must be queried
   */
  reported(report: Report): boolean
  adopt(network: NetworkId, id: string, from: NetworkId, askedAt: number): void
  /** Deletes an unconfirmed invoice. Deliveries after `askedAt` still need a request. */
  missing(network: NetworkId, id: string, askedAt: number): void
  /** Drops responses to earlier requests: the network's invoices are another gateway's from now on. */
  forget(network: NetworkId): void
  stop(): void
}

export function createLedger(deps: LedgerDeps): LocalLedger {
  const { store, reconciler, now } = deps
  const { rows, events, reports } = store
  const changedInvoices = createChangedInvoices({ ...deps, emit: deps.onChanged })
  const lives = new Map<NetworkId, number>()

  function settle(
    key: number,
    row: StoredInvoice | null,
    told: Observed,
    asked: { network: NetworkId; id: string; askedAt: number },
  ): StoredReport | null {
    let last: StoredReport | null = null
    let left: StoredReport | null = null
    for (const report of reports.withOutcome(asked.network, asked.id, 'waiting')) {
      const outcome = outcomeOf(report, told)
      // An answer to a request from before the delivery does not contradict the delivery.
      if (outcome === 'differs' && report.receivedAt > asked.askedAt) left = report
      else {
        reports.setOutcome(report.capture, outcome)
        last = report
      }
    }
    if (left !== null || row?.reported !== undefined) {
      rows.setReported(key, left && { status: left.status, at: left.receivedAt })
    }
    return last
  }

  function confirmDiffering(network: NetworkId, told: GatewayInvoice): void {
    for (const report of reports.withOutcome(network, told.id, 'differs')) {
      const outcome = outcomeOf(report, told)
      if (outcome === 'confirmed') reports.setOutcome(report.capture, outcome)
    }
  }

  type Learnt = {
    readonly source: InvoiceSource
    readonly at: number
    readonly askedAt: number
    readonly open: { readonly waiting: boolean; readonly differs: boolean }
  }

  function write(network: NetworkId, told: GatewayInvoice, learnt: Learnt): number | null {
    const { source, at, askedAt, open } = learnt
    const row = rows.find(network, told.id)
    const known = row?.confirmedAt === null ? null : row
    const asked = { network, id: told.id, askedAt }
    const hasReports = open.waiting && (row === null || row.reported !== null)
    if (known !== null && isOlder(told, known, askedAt > (known.confirmedAt ?? 0))) {
      return hasReports && settle(known.key, known, known, asked) !== null ? known.key : null
    }
    const changes = changesBetween(known, told)
    const isSame = row !== null && changes.length === 0 && row.raw === told.raw
    const key =
      row?.key ?? rows.insert(network, told, { at, source, confirmedAt: at, reportedStatus: null })
    if (isSame) rows.setConfirmedAt(key, at)
    else if (row !== null) rows.update(key, told, at)
    const report = hasReports ? settle(key, row, told, asked) : null
    if (!hasReports && row !== null && row.reported !== null) rows.setReported(key, null)
    if (open.differs && changes.length > 0) confirmDiffering(network, told)
    const isMoved = known === null || told.changedAt !== known.changedAt
    for (const change of changes) {
      events.add(key, {
        at:
          change.kind === 'overpayment' && !isMoved
            ? Math.max(at, told.changedAt)
            : momentOf(change, told),
        seenAt: at,
        source,
        kind: change.kind,
        detail: detailOf(change, told),
        capture: source === 'webhook' ? (report?.capture ?? null) : null,
        transaction: null,
      })
    }
    return isSame && report === null ? null : key
  }

  function record(
    network: NetworkId,
    entries: readonly InvoiceEntry[],
    source: InvoiceSource,
    askedAt = 0,
  ): void {
    if (entries.length === 0) return
    const at = now()
    const told = entries.map(fromGateway)
    const changed = store.transaction(() => {
      const open = reports.open(network)
      const written = told.flatMap((each) => {
        const key = write(network, each, { source, at, askedAt, open })
        return key === null ? [] : [{ key, id: each.id }]
      })
      const keys = [...new Set(written.map(({ key }) => key))]
      if (keys.length > 0) reconciler.reconcile(network, keys)
      return written
    })
    if (changed.length > 0)
      changedInvoices.tell(
        network,
        changed.map(({ id }) => id),
      )
  }

  function get(network: NetworkId, id: string): StoredInvoice {
    const found = rows.find(network, id)
    if (found === null) throw unknownInvoice(id)
    return found
  }

  return {
    find: (network, id) => rows.find(network, id),
    get,
    record,
    async fetch(network, id, source, asking) {
      // API path words can stand in place of an id: a request for `token` would return a token.
      if (!isAskable(id)) return null
      const askedAt = now()
      const life = lives.get(network)
      let entry
      try {
        entry = await deps.access.invoices(network).get(id, asking)
      } catch (error) {
        if (error instanceof AppError && error.code === gatewayCodes.notFound) return null
        throw error
      }
      asking?.signal?.throwIfAborted()
      if (lives.get(network) !== life) {
        const message = 'The network is another now: ask again.'
        throw new AppError(networkCodes.unavailable, message)
      }
      record(network, [entry], source, askedAt)
      return rows.find(network, id)
    },
    reported({ entry, ...report }) {
      const { network, invoice: id, capture, receivedAt, status, overpayment } = report
      const row = rows.find(network, id)
      const isKnown = row !== null && row.confirmedAt !== null && isNoNews(report, row)
      // Repeats share one line and lines are limited, because anybody can send deliveries.
      const before = reports.ofInvoice(network, id, maxTold)
      const isRepeat =
        before.length === maxTold ||
        before.some((each) => each.status === status && unsettled.has(each.outcome))
      if (!reports.add({ ...report, outcome: isKnown ? 'stale' : 'waiting' })) return false
      if (before.length === maxTold) reports.remove(dispensable(before).capture)
      if (isKnown) return false
      let key = row?.key ?? null
      if (key !== null) rows.setReported(key, { status, at: receivedAt })
      else if (entry !== null) {
        key = rows.insert(network, unconfirmed(entry), {
          at: receivedAt,
          source: 'webhook',
          confirmedAt: null,
          reportedStatus: status,
        })
      }
      if (key !== null && !isRepeat) {
        events.add(key, {
          at: receivedAt,
          seenAt: now(),
          source: 'webhook',
          kind: 'reported',
          detail: {
            status,
            overpayment: overpayment?.toString() ?? null,
            currency: row?.currency ?? entry?.currency ?? null,
          },
          capture,
          transaction: null,
        })
      }
      if (key !== null) changedInvoices.tell(network, [id])
      return true
    },
    adopt(network, id, from, askedAt) {
      store.transaction(() => {
        reports.move(id, from, network)
        const stray = rows.find(from, id)
        if (stray?.confirmedAt === null) rows.remove(stray.key)
        const row = rows.find(network, id)
        if (row === null) return
        settle(row.key, row, row, { network, id, askedAt })
        reconciler.reconcile(network, [row.key])
      })
      changedInvoices.tell(from, [id])
      changedInvoices.tell(network, [id])
    },
    missing(network, id, askedAt) {
      const isOther = store.transaction(() => {
        const waiting = reports.withOutcome(network, id, 'waiting')
        const asked = waiting.filter(({ receivedAt }) => receivedAt <= askedAt)
        for (const { capture } of asked) reports.setOutcome(capture, 'unknown-there')
        const row = rows.find(network, id)
        if (row === null || asked.length < waiting.length) return false
        if (row.confirmedAt === null) rows.remove(row.key)
        else if (row.reported === null) return false
        else {
          rows.setReported(row.key, null)
          reconciler.reconcile(network, [row.key])
        }
        return true
      })
      if (isOther) changedInvoices.tell(network, [id])
    },
    addEvent: (key, { at, source, kind, detail, transaction = null }) =>
      events.add(key, { at, seenAt: now(), source, kind, detail, capture: null, transaction }),
    view(network, invoices) {
      const payers = [...new Set(invoices.flatMap(({ paidBy }) => paidBy ?? []))]
      const names = payers.length > 0 ? deps.labelsOf(network, payers) : new Map<string, string>()
      const uncounted = reconciler.uncounted(network, invoices)
      return invoices.map((each) =>
        toView(each, names, reconciler.isRead(each), uncounted.get(each.key) ?? []),
      )
    },
    tell: (network, ids) => changedInvoices.tell(network, ids),
    forget: (network) => void lives.set(network, (lives.get(network) ?? 0) + 1),
    stop: () => changedInvoices.stop(),
  }
}

const maxTold = 50
const unsettled: ReadonlySet<string> = new Set(['waiting', 'differs'])

/** Returns the oldest report whose invoice was requested already; only as many are kept as are shown. */
function dispensable(newestFirst: readonly StoredReport[]): StoredReport {
  const settled = newestFirst.findLast(({ outcome }) => outcome !== 'waiting')
  return settled ?? (newestFirst.at(-1) as StoredReport)
}

export function unknownInvoice(id: string): AppError {
  return new AppError(
    invoiceCodes.unknown,
    `The ledger has no invoice ${id}. Read the gateway’s list again if it should be there.`,
  )
}

function momentOf({ kind }: Change, told: GatewayInvoice): number {
  return kind === 'created' ? told.createdAt : told.changedAt
}

function detailOf(change: Change, { amount, currency, status }: GatewayInvoice): EventDetail {
  switch (change.kind) {
    case 'created':
      return { amount: amount.toString(), currency, status }
    case 'status':
      return { from: change.from, to: change.to }
    case 'overpayment':
      return { from: change.from.toString(), to: change.to.toString(), currency }
  }
}

export function toView(
  stored: StoredInvoice,
  names: ReadonlyMap<string, string>,
  isRead: boolean,
  uncounted: readonly Pick<StoredPayment, 'currency' | 'amount'>[],
): Invoice {
  const { received, paidBy } = stored
  return {
    network: stored.network,
    id: stored.id,
    status: stored.status,
    reported: stored.reported,
    isConfirmed: stored.confirmedAt !== null,
    currency: stored.currency,
    amount: stored.amount.toString(),
    received: received > 0n || isRead ? received.toString() : null,
    overpayment: stored.overpayment.toString(),
    uncounted: sumByCurrency(uncounted),
    description: stored.description,
    payTo: stored.payTo,
    paidBy,
    payerLabel: paidBy === null ? null : (names.get(paidBy) ?? null),
    createdAt: stored.createdAt,
    expiresAt: stored.expiresAt,
    changedAt: stored.changedAt,
    paidAt: stored.paidAt,
    matters: [...stored.matters],
  }
}

function sumByCurrency(
  payments: readonly Pick<StoredPayment, 'currency' | 'amount'>[],
): Invoice['uncounted'] {
  return [...Map.groupBy(payments, ({ currency }) => currency)].map(([currency, all]) => ({
    currency,
    amount: all.reduce((sum, { amount }) => sum + amount, 0n).toString(),
  }))
}

/** Emits the ids of changed invoices, at most four times a second. */

type ChangedInvoices = {
  tell(network: NetworkId, ids: readonly string[] | null): void
  stop(): void
}

/** Beyond this number the event names no ids, and lists reload. */
const maxIds = 200

function createChangedInvoices(deps: {
  readonly emit: (network: NetworkId, ids: readonly string[] | null) => void
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
}): ChangedInvoices {
  const changed = new Map<NetworkId, Set<string> | null>()
  const notifier = createChangeNotifier<NetworkId>({
    wait: deps.wait,
    onBug: deps.onBug,
    running: () => [],
    emit(networks) {
      for (const network of networks) {
        const ids = changed.get(network) ?? null
        changed.delete(network)
        deps.emit(network, ids === null ? null : [...ids])
      }
    },
  })
  return {
    tell(network, ids) {
      const known = changed.get(network)
      const all = known === null || ids === null ? null : new Set([...(known ?? []), ...ids])
      changed.set(network, all !== null && all.size > maxIds ? null : all)
      notifier.tell(network)
    },
    stop: () => notifier.stop(),
  }
}
