import type { InvoiceEvent, InvoiceReport } from '../../../src-preload/contract/invoice.ts'
import { type Database, createSql, flag, int64, json } from '../../database/sql.ts'

export type ReportOutcome = InvoiceReport['outcome']

/** A delivery's claim about an invoice, which anyone could have sent. Times are milliseconds. */
export type StoredReport = Readonly<InvoiceReport> & {
  readonly network: string
  readonly invoice: string
  readonly changedAt: number | null
  readonly overpayment: bigint | null
}

const followedKey = 'invoices.reportsTo'

export function createInvoiceReports(database: Database) {
  const sql = createSql(database, { overpayment: int64, waiting: flag, differs: flag })
  const select = `SELECT capture_id AS capture, network, invoice_id AS invoice, received_at, status,
    changed_at, overpayment, outcome FROM invoice_reports WHERE network = ? AND invoice_id = ?`
  const some = (outcome: ReportOutcome, index: string) =>
    `EXISTS (SELECT 1 FROM invoice_reports INDEXED BY invoice_reports_${index}
       WHERE network = $network AND outcome = '${outcome}') AS ${outcome}`
  const waiting =
    "invoice_reports INDEXED BY invoice_reports_waiting WHERE network = ? AND outcome = 'waiting'"
  return {
    /** @returns false for a second report of the same capture, which is ignored */
    add(report: StoredReport): boolean {
      const { capture: captureId, invoice: invoiceId, ...fields } = report
      return sql.insertNew('invoice_reports', { captureId, invoiceId, ...fields }) !== null
    },
    ofInvoice: (network: string, invoice: string, limit: number) =>
      sql.all<StoredReport>(
        `${select} ORDER BY capture_id DESC LIMIT ?`,
        ...[network, invoice, limit],
      ),
    withOutcome: (network: string, invoice: string, outcome: ReportOutcome) =>
      sql.all<StoredReport>(
        `${select} AND outcome = ? ORDER BY capture_id`,
        ...[network, invoice, outcome],
      ),
    open: (network: string) =>
      sql.get(`SELECT ${some('waiting', 'waiting')}, ${some('differs', 'differing')}`, {
        network,
      }) as { readonly waiting: boolean; readonly differs: boolean },
    setOutcome: (captureId: number, outcome: ReportOutcome) =>
      void sql.update('invoice_reports', { outcome }, { captureId }),
    remove: (captureId: number) => void sql.remove('invoice_reports', { captureId }),
    move: (invoiceId: string, from: string, to: string) =>
      void sql.update('invoice_reports', { network: to }, { network: from, invoiceId }),
    /** Returns reports whose invoices must still be requested, longest waiting first, after this capture. */
    waiting: (network: string, after: number, limit: number) =>
      sql.all<{ capture: number; invoice: string }>(
        `SELECT capture_id AS capture, invoice_id AS invoice FROM ${waiting}
         AND capture_id > ? ORDER BY capture_id LIMIT ?`,
        ...[network, after, limit],
      ),
    isWaiting: (network: string, invoice: string) =>
      sql.exists(
        `invoice_reports INDEXED BY invoice_reports_by_invoice
         WHERE network = ? AND invoice_id = ? AND outcome = 'waiting'`,
        ...[network, invoice],
      ),
    countWaiting: (network: string) => sql.count(waiting, network),
    /** Keeps only the newest reports of unknown invoices, because anyone can send any number of them. */
    pruneUnknown: (keep: number) =>
      void sql.run(
        `DELETE FROM invoice_reports WHERE outcome = 'unknown-there' AND capture_id <= (
           SELECT capture_id FROM invoice_reports INDEXED BY invoice_reports_unknown
           WHERE outcome = 'unknown-there' ORDER BY capture_id DESC LIMIT 1 OFFSET ?)`,
        keep,
      ),
    followedTo: () =>
      Number(sql.value('SELECT value FROM settings WHERE key = ?', followedKey) ?? 0),
    setFollowedTo(capture: number): void {
      const setting = { key: followedKey, value: String(capture) }
      sql.insert('settings', setting, 'INSERT OR REPLACE')
    },
    forgetSome: (network: string) => sql.removeSome('invoice_reports', 'capture_id', { network }),
  }
}

export type EventDetail = Readonly<Record<string, string | number | null>>

/** One event in an invoice's history. Times are milliseconds. */
export type StoredEvent = Readonly<Omit<InvoiceEvent, 'text'>> & { readonly detail: EventDetail }

export type NewEvent = Omit<StoredEvent, 'seenAt' | 'capture' | 'transaction'> &
  Partial<Pick<StoredEvent, 'capture' | 'transaction'>>

export function createInvoiceEvents(database: Database) {
  const sql = createSql(database, { detail: json })
  return {
    add(key: number, { capture, transaction, ...event }: StoredEvent): void {
      const { at, seenAt, source, kind, detail } = event
      const fields = { at, seenAt, source, kind, detail, captureId: capture, txHash: transaction }
      sql.insert('invoice_events', { invoiceKey: key, ...fields })
    },
    list: (key: number, limit: number) =>
      sql
        .all<StoredEvent>(
          `SELECT at, seen_at, source, kind, detail, capture_id AS capture,
             tx_hash AS "transaction" FROM invoice_events
           WHERE invoice_key = ? ORDER BY id DESC LIMIT ?`,
          ...[key, limit],
        )
        .reverse(),
  }
}
