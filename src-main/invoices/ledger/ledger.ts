import type { Invoice, InvoiceSource } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { formatMoney, serializeUnits, sumByCurrency } from '../../../src-preload/domain/amount.ts'
import { AppError, invoiceCodes, networkCodes } from '../../../src-preload/domain/app-error.ts'
import { unlessNotFound } from '../../chain/access.ts'
import type { InvoiceEntry } from '../../gateway/invoice-responses.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { AccountBook } from '../chain/accounts.ts'
import type { InvoicesContext, LabelsOf } from '../context.ts'
import { acceptedOf } from '../../../src-preload/contract/invoice-money.ts'
import { describeGroup } from '../matching/together.ts'
import type { UncountedPayments } from '../matching/uncounted.ts'
import type {
  EventDetail,
  NewEvent,
  StoredReport,
  ReportOutcome,
} from '../store/invoice-reports.ts'
import { type GatewayInvoice, type StoredInvoice, rootOf } from '../store/invoice-rows.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import { isInvoiceId, fromGateway, toUnconfirmedInvoice } from './gateway-invoice.ts'

/** The claim of a delivery; `entry` is null if no row can or may be created from it. */
type Report = Omit<StoredReport, 'outcome'> & { readonly entry: InvoiceEntry | null }

/** The next steps in the life of an invoice. An error of `reconcile` undoes the transaction around it. */
type InvoiceLife = {
  /** In the transaction that wrote the rows, payments are linked to them and discrepancies are found. */
  readonly reconcile: (network: NetworkId, keys: readonly number[]) => void
  /** Lists that show the invoices load them again. */
  readonly notify: (network: NetworkId, ids: readonly string[]) => void
}

export type Ledger = ReturnType<typeof createLedger>

/** Only as many reports of an invoice are stored as are displayed. */
export const maxReports = 50
const unsettled: ReadonlySet<string> = new Set(['waiting', 'differs'])

/** When a call returns, everything is on disk and reconciled. */
export function createLedger(
  { access, labelsOf, now, store }: Pick<InvoicesContext, 'access' | 'labelsOf' | 'now' | 'store'>,
  payments: PaymentSources,
  life: InvoiceLife,
) {
  const { rows, events, reports } = store
  /** The number of gateways that the network has had; see `forget`. */
  const gateways = new Map<NetworkId, number>()

  function addEvent(key: number, event: NewEvent): void {
    events.add(key, { seenAt: now(), capture: null, transaction: null, ...event })
  }

  /**
   * Records a response in one transaction; a response older than the row (by its date_change) changes
   * nothing. `askedAt`, this computer's time of the request, orders responses with the same date_change.
   */
  function record(
    network: NetworkId,
    entries: readonly InvoiceEntry[],
    source: InvoiceSource,
    askedAt = 0,
  ): void {
    if (entries.length === 0) return
    const at = now()
    const written = store.transaction(() => {
      const open = reports.open(network)
      const found = new Map<number, string>()
      for (const entry of entries.map(fromGateway)) {
        const key = writeInvoice(store, addEvent, network, entry, source, { at, askedAt, open })
        if (key !== null) found.set(key, entry.id)
      }
      if (found.size > 0) life.reconcile(network, [...found.keys()])
      return [...found.values()]
    })
    life.notify(network, written)
  }

  /** @throws AppError INVOICE_UNKNOWN */
  function get(network: NetworkId, id: string): StoredInvoice {
    const found = rows.find(network, id)
    if (found === null) throw unknownInvoice(id)
    return found
  }

  return {
    addEvent,
    find: rows.find,
    record,
    get,
    /**
     * Requests an invoice; null if the gateway does not have it.
     * @throws AppError of the client
     */
    async fetch(
      network: NetworkId,
      id: string,
      source: InvoiceSource,
      queryOptions?: QueryOptions,
    ): Promise<StoredInvoice | null> {
      const askedAt = now()
      const gateway = gateways.get(network)
      // The id may be a word of the API's paths: a request for `token` would return a token.
      if (!isInvoiceId(id)) return null
      const entry = await unlessNotFound(access.invoices(network).get(id, queryOptions))
      if (entry === null) return null
      queryOptions?.signal?.throwIfAborted()
      if (gateways.get(network) !== gateway) {
        const message = 'The network’s settings changed during the request. Try again.'
        throw new AppError(networkCodes.unavailable, message)
      }
      record(network, [entry], source, askedAt)
      return rows.find(network, id)
    },
    /**
     * Records a delivery's claim in the caller's transaction.
     * @returns whether the gateway must be queried
     */
    reported: (report: Report) => recordReport(store, addEvent, life, report),
    adopt(network: NetworkId, id: string, from: NetworkId, askedAt: number): void {
      store.transaction(() => {
        reports.move(id, from, network)
        const stray = rows.find(from, id)
        if (stray?.confirmedAt === null) rows.remove(stray.key)
        const row = rows.find(network, id)
        if (row === null) return
        settleReports(store, row, row, askedAt)
        life.reconcile(network, [row.key])
      })
      for (const each of [from, network]) life.notify(each, [id])
    },
    /** Deletes an unconfirmed invoice. Deliveries after `askedAt` still need a request. */
    missing(network: NetworkId, id: string, askedAt: number): void {
      const isChanged = store.transaction(() => {
        const waiting = reports.withOutcome(network, id, 'waiting')
        const settled = waiting.filter(({ receivedAt }) => receivedAt <= askedAt)
        for (const { capture } of settled) reports.setOutcome(capture, 'unknown-there')
        const row = rows.find(network, id)
        if (row === null || settled.length < waiting.length) return false
        if (row.confirmedAt === null) rows.remove(row.key)
        else if (row.reported === null) return false
        else {
          rows.setReported(row.key, null)
          life.reconcile(network, [row.key])
        }
        return true
      })
      if (isChanged) life.notify(network, [id])
    },
    view: (network: NetworkId, invoices: readonly StoredInvoice[]) =>
      viewInvoices(network, invoices, labelsOf, payments, store),
    setOrder(network: NetworkId, id: string, reference: string): void {
      rows.setOrder(get(network, id).key, reference)
      life.notify(network, [id])
    },
    /** From now on the invoice counts together with the one whose rest it requests. */
    setRest(network: NetworkId, id: string, of: string): void {
      store.transaction(() => {
        const [rest, former] = [get(network, id), rows.find(network, of)]
        if (former === null || rest.restOf !== null || rest.key === rootOf(former)) return
        rows.setRest(rest.key, rootOf(former))
        const note = (key: number, text: string) =>
          addEvent(key, {
            at: rest.createdAt,
            source: 'created-here',
            kind: 'note',
            detail: { text },
          })
        const much = formatMoney(rest.amount, rest.currency)
        note(former.key, `Invoice ${id} requests the rest of ${much}.`)
        note(rest.key, `Requests the rest of invoice ${of}.`)
        life.reconcile(network, [former.key, rest.key])
      })
      life.notify(network, [id, of])
    },
    /** Drops responses to earlier requests, because the network's invoices now belong to another gateway. */
    forget: (network: NetworkId) => void gateways.set(network, (gateways.get(network) ?? 0) + 1),
  }
}

/** @returns whether the gateway must be queried */
function recordReport(
  { rows, reports }: InvoiceStore,
  addEvent: (key: number, event: NewEvent) => void,
  life: InvoiceLife,
  { entry, ...report }: Report,
): boolean {
  const { network, invoice: id, capture, receivedAt: at, status, overpayment } = report
  const row = rows.find(network, id)
  const isConfirmed = row !== null && row.confirmedAt !== null && isKnownState(report, row)
  // Repeated reports share a line, and the number of lines is limited, because anyone can send deliveries.
  const earlier = reports.ofInvoice(network, id, maxReports)
  const isRepeat =
    earlier.length === maxReports ||
    earlier.some((each) => each.status === status && unsettled.has(each.outcome))
  if (!reports.add({ ...report, outcome: isConfirmed ? 'stale' : 'waiting' })) return false
  if (earlier.length === maxReports) {
    const settled = earlier.findLast(({ outcome }) => outcome !== 'waiting')
    const oldest = settled ?? earlier.at(-1)
    if (oldest !== undefined) reports.remove(oldest.capture)
  }
  if (isConfirmed) return false
  let key = row?.key
  if (key !== undefined) rows.setReported(key, { status, at })
  else if (entry !== null) {
    const sighting = { at, source: 'webhook', confirmedAt: null } as const
    key = rows.insert(network, toUnconfirmedInvoice(entry), { ...sighting, reportedStatus: status })
  }
  if (key === undefined) return true
  if (!isRepeat) {
    const currency = row?.currency ?? entry?.currency ?? null
    const detail = { status, overpayment: overpayment?.toString() ?? null, currency }
    addEvent(key, { at, source: 'webhook', kind: 'reported', detail, capture })
  }
  life.notify(network, [id])
  return true
}

/** @returns the last report that the response settles */
function settleReports(
  { rows, reports }: InvoiceStore,
  { network, id, key }: Pick<StoredInvoice, 'network' | 'id' | 'key'>,
  observed: Observed,
  askedAt: number,
): StoredReport | null {
  let last: StoredReport | null = null
  let left: StoredReport | null = null
  for (const report of reports.withOutcome(network, id, 'waiting')) {
    const outcome = outcomeOf(report, observed)
    // The response to a request sent before the delivery does not contradict the delivery.
    if (outcome === 'differs' && report.receivedAt > askedAt) left = report
    else {
      reports.setOutcome(report.capture, outcome)
      last = report
    }
  }
  rows.setReported(key, left && { status: left.status, at: left.receivedAt })
  return last
}

function writeInvoice(
  store: InvoiceStore,
  addEvent: (key: number, event: NewEvent) => void,
  network: NetworkId,
  entry: GatewayInvoice,
  source: InvoiceSource,
  {
    at,
    askedAt,
    open,
  }: { at: number; askedAt: number; open: ReturnType<InvoiceStore['reports']['open']> },
): number | null {
  const { rows, reports } = store
  const row = rows.find(network, entry.id)
  const confirmed = row?.confirmedAt === null ? null : row
  const hasReports = open.waiting && (row === null || row.reported !== null)
  if (confirmed !== null && isOlder(entry, confirmed, askedAt > (confirmed.confirmedAt ?? 0))) {
    return hasReports && settleReports(store, confirmed, confirmed, askedAt) !== null
      ? confirmed.key
      : null
  }
  const changes = changesBetween(confirmed, entry)
  const isSame = row !== null && changes.length === 0 && row.raw === entry.raw
  const sighting = { at, source, confirmedAt: at, reportedStatus: null }
  const key = row?.key ?? rows.insert(network, entry, sighting)
  if (isSame) rows.setConfirmedAt(key, at)
  else if (row !== null) rows.update(key, entry, at)
  const report = hasReports
    ? settleReports(store, { network, id: entry.id, key }, entry, askedAt)
    : null
  if (!hasReports && row !== null && row.reported !== null) rows.setReported(key, null)
  if (open.differs && changes.length > 0) {
    for (const differing of reports.withOutcome(network, entry.id, 'differs')) {
      const outcome = outcomeOf(differing, entry)
      if (outcome === 'confirmed') reports.setOutcome(differing.capture, outcome)
    }
  }
  const { createdAt, changedAt } = entry
  const isMoved = changedAt !== confirmed?.changedAt
  const momentOf = ({ kind }: Change) => {
    if (kind === 'created') return createdAt
    return kind === 'overpayment' && !isMoved ? Math.max(at, changedAt) : changedAt
  }
  const capture = source === 'webhook' ? (report?.capture ?? null) : null
  for (const change of changes) {
    const detail = detailOf(change, entry)
    addEvent(key, { at: momentOf(change), source, kind: change.kind, detail, capture })
  }
  return isSame && report === null ? null : key
}

export function unknownInvoice(id: string): AppError {
  return new AppError(
    invoiceCodes.unknown,
    `Invoice ${id} is not in the local ledger. If the gateway has this invoice, sync again.`,
  )
}

function detailOf(change: Change, { amount, currency, status }: GatewayInvoice): EventDetail {
  if (change.kind === 'created') return { amount: amount.toString(), currency, status }
  if (change.kind === 'status') return { from: change.from, to: change.to }
  return { from: change.from.toString(), to: change.to.toString(), currency }
}

type PaymentSources = {
  readonly isRead: AccountBook['isRead']
  readonly uncounted: UncountedPayments['of']
}

export function viewInvoices(
  network: NetworkId,
  invoices: readonly StoredInvoice[],
  labelsOf: LabelsOf,
  { isRead, uncounted }: PaymentSources,
  { figures, payments }: Pick<InvoicesContext['store'], 'figures' | 'payments'>,
): Invoice[] {
  const uncountedPayments = uncounted(network, invoices)
  const silent = invoices.filter(({ paidBy, received }) => paidBy === null && received > 0n)
  const ofSilent = silent.length > 0 ? payments.ofInvoices(silent.map(({ key }) => key)) : []
  const senders = new Map(ofSilent.map(({ invoiceKey, payer }) => [invoiceKey, payer]))
  const payerOf = ({ key, paidBy }: StoredInvoice) =>
    paidBy ?? senders.get(key) ?? uncountedPayments.get(key)?.at(-1)?.payer ?? null
  const payers = [...new Set(invoices.flatMap((stored) => payerOf(stored) ?? []))]
  const labels = payers.length > 0 ? labelsOf(network, payers) : null
  const united = figures.groups(invoices)
  return invoices.map((stored) => {
    const { key, comment, confirmedAt, firstSeenAt, firstSource, paymentLink, raw, ...rest } =
      stored
    const { tolerance, restOf: _, ...shown } = rest
    const group = united.get(rootOf(stored))
    const together = group === undefined ? null : describeGroup(group, stored.id)
    const payer = payerOf(stored)
    const sums = sumByCurrency(uncountedPayments.get(key) ?? [])
    const { amount, received, overpayment, refunded } = shown
    return {
      ...shown,
      payer,
      isConfirmed: confirmedAt !== null,
      ...serializeUnits({ amount, overpayment, refunded }),
      received: received > 0n || isRead(stored) ? received.toString() : null,
      uncounted: sums.map(({ currency, sum }) => ({ currency, amount: sum.toString() })),
      payerLabel: payer === null ? null : (labels?.get(payer) ?? null),
      matters: [...shown.matters],
      accepted: acceptedOf(tolerance, shown.status, together ?? { amount, received }),
      together,
    }
  })
}

/** Decides whether and how a response or a delivery changes an invoice. */

type Observed = Pick<StoredInvoice, 'status' | 'overpayment' | 'changedAt'>

type Change =
  | { readonly kind: 'created' }
  | { readonly kind: 'status'; readonly from: string; readonly to: string }
  | { readonly kind: 'overpayment'; readonly from: bigint; readonly to: bigint }

/** A status only advances: from pending to undocumented states to final ones. */
function rankOf(status: string): number {
  if (status === 'pending') return 0
  return status === 'paid' || status === 'cancelled' || status === 'expired' ? 2 : 1
}

/**
 * Gateway times have whole seconds, so two states may share one, and an overpayment grows without
 * changing the time. In that case the response to a request sent after `stored` was written
 * (`isAskedSince`) counts as newer.
 */
export function isOlder(response: Observed, stored: Observed, isAskedSince: boolean): boolean {
  if (response.changedAt !== stored.changedAt) return response.changedAt < stored.changedAt
  if (isAskedSince) return false
  const [responseRank, storedRank] = [rankOf(response.status), rankOf(stored.status)]
  if (responseRank !== storedRank) return responseRank < storedRank
  return response.status === stored.status && response.overpayment < stored.overpayment
}

export function changesBetween(stored: Observed | null, response: Observed): Change[] {
  const changes: Change[] = stored === null ? [{ kind: 'created' }] : []
  const from = stored ?? { status: 'pending', overpayment: 0n }
  if (response.status !== from.status) {
    changes.push({ kind: 'status', from: from.status, to: response.status })
  }
  if (response.overpayment !== from.overpayment) {
    changes.push({ kind: 'overpayment', from: from.overpayment, to: response.overpayment })
  }
  return changes
}

type Word = Pick<StoredReport, 'status' | 'changedAt' | 'overpayment'>

function isBefore({ status, changedAt }: Word, stored: Observed): boolean {
  if (changedAt !== null && changedAt !== stored.changedAt) return changedAt < stored.changedAt
  return rankOf(status) < rankOf(stored.status)
}

function agrees({ status, overpayment }: Word, stored: Observed): boolean {
  // A gateway may report overpayments elsewhere, so a missing one does not count as a difference.
  return status === stored.status && (overpayment === null || overpayment <= stored.overpayment)
}

/** True if the gateway has already confirmed the whole claim, as after a repeated or late delivery. */
export function isKnownState(word: Word, stored: Observed): boolean {
  if (isBefore(word, stored)) return true
  const isLater = word.changedAt !== null && word.changedAt > stored.changedAt
  return !isLater && agrees(word, stored)
}

export function outcomeOf(word: Word, stored: Observed): ReportOutcome {
  if (agrees(word, stored)) return 'confirmed'
  return isBefore(word, stored) ? 'stale' : 'differs'
}
