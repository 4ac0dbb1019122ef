import type { InvoiceReport } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'

export type ReportOutcome = InvoiceReport['outcome']

/** What a delivery told of an invoice: anybody could have sent it. Moments are milliseconds. */
export type StoredReport = {
  readonly capture: number
  readonly network: string
  readonly invoice: string
  readonly receivedAt: number
  readonly status: string
  /** Null where it does not say. */
  readonly changedAt: number | null
  /** Null where it does not say. */
  readonly overpayment: bigint | null
  readonly outcome: ReportOutcome
}

type InvoiceReports = {
  /** One a capture: one that is there already is left as it is. @returns whether it was added */
  add(report: StoredReport): boolean
  /** Newest first. */
  ofInvoice(network: string, invoice: string, limit: number): StoredReport[]
  /** Those of an invoice with this outcome, oldest first. */
  withOutcome(network: string, invoice: string, outcome: ReportOutcome): StoredReport[]
  /** Whether there is any of these outcomes: mostly there is none. */
  open(network: string): { readonly waiting: boolean; readonly differs: boolean }
  setOutcome(capture: number, outcome: ReportOutcome): void
  remove(capture: number): void
  /** It was another network's. */
  move(invoice: string, from: string, to: string): void
  /** Those whose invoices are still to be asked for, the longest waiting first, after this capture. */
  waiting(network: string, after: number, limit: number): { capture: number; invoice: string }[]
  isWaiting(network: string, invoice: string): boolean
  countWaiting(network: string): number
  /** Keeps the newest of those about invoices that nobody knows: anybody can send as many as he likes. */
  pruneUnknown(keep: number): void
  /** How far the captures were followed; 0 at first. */
  followedTo(): number
  setFollowedTo(capture: number): void
  /** @returns false once nothing is left; call again until then */
  forgetSome(network: string): boolean
}

const followedKey = 'invoices.reportsTo'
const stepRows = 500

export function createInvoiceReports(database: Database): InvoiceReports {
  const columns =
    'capture_id, network, invoice_id, received_at, status, changed_at, overpayment, outcome'
  const add = database.prepare(
    `INSERT OR IGNORE INTO invoice_reports (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const ofInvoice = database.prepare(
    `SELECT ${columns} FROM invoice_reports WHERE network = ? AND invoice_id = ?
     ORDER BY capture_id DESC LIMIT ?`,
  )
  const withOutcome = database.prepare(
    `SELECT ${columns} FROM invoice_reports WHERE network = ? AND invoice_id = ? AND outcome = ?
     ORDER BY capture_id`,
  )
  for (const statement of [ofInvoice, withOutcome]) statement.setReadBigInts(true)
  const some = (outcome: ReportOutcome, name: string) =>
    `EXISTS (SELECT 1 FROM invoice_reports INDEXED BY invoice_reports_${name}
       WHERE network = $network AND outcome = '${outcome}') AS ${name}`
  const open = database.prepare(
    `SELECT ${some('waiting', 'waiting')}, ${some('differs', 'differing')}`,
  )
  const setOutcome = database.prepare('UPDATE invoice_reports SET outcome = ? WHERE capture_id = ?')
  const remove = database.prepare('DELETE FROM invoice_reports WHERE capture_id = ?')
  const move = database.prepare(
    'UPDATE invoice_reports SET network = ? WHERE network = ? AND invoice_id = ?',
  )
  const waiting = database.prepare(
    `SELECT capture_id, invoice_id FROM invoice_reports INDEXED BY invoice_reports_waiting
     WHERE network = ? AND outcome = 'waiting' AND capture_id > ? ORDER BY capture_id LIMIT ?`,
  )
  const isWaiting = database.prepare(
    `SELECT 1 FROM invoice_reports INDEXED BY invoice_reports_by_invoice
     WHERE network = ? AND invoice_id = ? AND outcome = 'waiting' LIMIT 1`,
  )
  const countWaiting = database.prepare(
    `SELECT count(*) AS n FROM invoice_reports INDEXED BY invoice_reports_waiting
     WHERE network = ? AND outcome = 'waiting'`,
  )
  const pruneUnknown = database.prepare(
    `DELETE FROM invoice_reports WHERE outcome = 'unknown-there' AND capture_id <= (
       SELECT capture_id FROM invoice_reports INDEXED BY invoice_reports_unknown
       WHERE outcome = 'unknown-there' ORDER BY capture_id DESC LIMIT 1 OFFSET ?)`,
  )
  const value = database.prepare('SELECT value FROM settings WHERE key = ?')
  const setValue = database.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)')
  const forget = database.prepare(
    `DELETE FROM invoice_reports WHERE capture_id IN
       (SELECT capture_id FROM invoice_reports WHERE network = ? LIMIT ${stepRows})`,
  )
  return {
    add(report) {
      const { capture, network, invoice, receivedAt, status, changedAt, overpayment } = report
      const { outcome } = report
      const values = [capture, network, invoice, receivedAt, status, changedAt, overpayment]
      return Number(add.run(...values, outcome).changes) > 0
    },
    ofInvoice: (network, invoice, limit) => ofInvoice.all(network, invoice, limit).map(toReport),
    withOutcome: (network, invoice, outcome) =>
      withOutcome.all(network, invoice, outcome).map(toReport),
    open(network) {
      const row = open.get({ $network: network })
      return { waiting: row?.['waiting'] === 1, differs: row?.['differing'] === 1 }
    },
    setOutcome: (capture, outcome) => void setOutcome.run(outcome, capture),
    remove: (capture) => void remove.run(capture),
    move: (invoice, from, to) => void move.run(to, from, invoice),
    waiting: (network, after, limit) =>
      waiting.all(network, after, limit).map((row) => ({
        capture: row['capture_id'] as number,
        invoice: row['invoice_id'] as string,
      })),
    isWaiting: (network, invoice) => isWaiting.get(network, invoice) !== undefined,
    countWaiting: (network) => Number(countWaiting.get(network)?.['n']),
    pruneUnknown: (keep) => void pruneUnknown.run(keep),
    followedTo: () => Number(value.get(followedKey)?.['value'] ?? 0),
    setFollowedTo: (capture) => void setValue.run(followedKey, String(capture)),
    forgetSome: (network) => Number(forget.run(network).changes) > 0,
  }
}

function toReport(row: Readonly<Record<string, unknown>>): StoredReport {
  const changedAt = row['changed_at'] as bigint | null
  return {
    capture: Number(row['capture_id']),
    network: row['network'] as string,
    invoice: row['invoice_id'] as string,
    receivedAt: Number(row['received_at']),
    status: row['status'] as string,
    changedAt: changedAt === null ? null : Number(changedAt),
    overpayment: row['overpayment'] as bigint | null,
    outcome: row['outcome'] as ReportOutcome,
  }
}
