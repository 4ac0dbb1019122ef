import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'

export type PaidTransaction = {
  readonly account: string
  readonly lt: string
  readonly hash: string
}

/** What the ledger of invoices has to do with captures. */
export type InvoiceTraces = {
  /** The invoice that a transaction of an account pays. */
  paidBy(network: NetworkId, account: string, lt: string): string | null
  /** Transactions that pay it, the oldest first. */
  paymentsOf(network: NetworkId, invoice: string, limit: number): PaidTransaction[]
  /** Payments that belong to invoices, newest first: those before a place. */
  latest(
    network: NetworkId,
    before: { readonly at: number; readonly key: number } | null,
    limit: number,
  ): (PaidTransaction & { readonly invoice: string; readonly at: number; readonly key: number })[]
  /** The network whose ledger has taken this delivery. */
  reportedTo(capture: number): NetworkId | null
  /** Captures up to this one were looked at for the ledger. */
  reportsFollowedTo(): number
  /** Deliveries that told of it, newest first. */
  capturesOf(network: NetworkId, invoice: string, limit: number): number[]
  /** Captures of deliveries of an account's transaction; at most fifty. */
  capturesOfEvent(account: string, lt: string): number[]
}

const maxOfEvent = 50
/** Where the index's integers end. */
const largestLt = 2n ** 63n - 1n

/** @param index a connection to the index file */
export function createInvoiceTraces(database: Database, index: Database): InvoiceTraces {
  const paidBy = database.prepare(
    `SELECT i.id FROM payments p JOIN invoices i ON i.key = p.invoice_key
     WHERE p.network = ? AND p.account = ? AND p.lt = ?`,
  )
  const payment = 'p.account, CAST(p.lt AS TEXT) AS lt, p.hash'
  const paymentsOf = database.prepare(
    `SELECT ${payment} FROM invoices i JOIN payments p ON p.invoice_key = i.key
     WHERE i.network = ? AND i.id = ? ORDER BY p.at, p.lt LIMIT ?`,
  )
  const latest = database.prepare(
    `SELECT ${payment}, p.at, p.key, i.id FROM payments p INDEXED BY payments_by_time
     JOIN invoices i ON i.key = p.invoice_key
     WHERE p.network = ? AND (p.at, p.key) < (?, ?) ORDER BY p.at DESC, p.key DESC LIMIT ?`,
  )
  const reportedTo = database.prepare('SELECT network FROM invoice_reports WHERE capture_id = ?')
  const followedTo = database.prepare(`SELECT value FROM settings WHERE key = 'invoices.reportsTo'`)
  const capturesOf = database.prepare(
    `SELECT capture_id FROM invoice_reports INDEXED BY invoice_reports_by_invoice
     WHERE network = ? AND invoice_id = ? ORDER BY capture_id DESC LIMIT ?`,
  )
  const ofEvent = index.prepare(
    `SELECT id FROM facts WHERE lt = ? AND lower(account) = ? ORDER BY id DESC LIMIT ${maxOfEvent}`,
  )
  const toPaid = (row: Record<string, unknown>): PaidTransaction => ({
    account: row['account'] as string,
    lt: row['lt'] as string,
    hash: row['hash'] as string,
  })
  return {
    paidBy(network, account, lt) {
      const row = BigInt(lt) > largestLt ? undefined : paidBy.get(network, account, BigInt(lt))
      return (row?.['id'] as string | undefined) ?? null
    },
    paymentsOf: (network, invoice, limit) => paymentsOf.all(network, invoice, limit).map(toPaid),
    latest(network, before, limit) {
      const { at, key } = before ?? { at: Number.MAX_SAFE_INTEGER, key: 0 }
      return latest.all(network, at, key, limit).map((row) => ({
        ...toPaid(row),
        at: row['at'] as number,
        key: row['key'] as number,
        invoice: row['id'] as string,
      }))
    },
    reportedTo: (capture) => (reportedTo.get(capture)?.['network'] as string | undefined) ?? null,
    reportsFollowedTo: () => Number(followedTo.get()?.['value'] ?? 0),
    capturesOf: (network, invoice, limit) =>
      capturesOf.all(network, invoice, limit).map((row) => row['capture_id'] as number),
    capturesOfEvent(account, lt) {
      if (BigInt(lt) > largestLt) return []
      return ofEvent.all(BigInt(lt), account.toLowerCase()).map((row) => row['id'] as number)
    },
  }
}
