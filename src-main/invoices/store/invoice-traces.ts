import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, createSql } from '../../database/sql.ts'

type PaidTransaction = { readonly account: string; readonly lt: string; readonly hash: string }

type LatestPayment = PaidTransaction & {
  readonly invoice: string
  readonly at: number
  readonly key: number
}

const maxOfEvent = 50
/** The index stores signed 64-bit integers. */
const largestLt = 2n ** 63n - 1n
const payment = 'p.account, CAST(p.lt AS TEXT) AS lt, p.hash'

export function createInvoiceTraces(database: Database, index: Database) {
  const sql = createSql(database)
  const indexSql = createSql(index)
  return {
    paidBy: (network: NetworkId, account: string, lt: string) =>
      BigInt(lt) > largestLt
        ? null
        : sql.value<string>(
            `SELECT i.id FROM payments p JOIN invoices i ON i.key = p.invoice_key
             WHERE p.network = ? AND p.account = ? AND p.lt = ?`,
            ...[network, account, BigInt(lt)],
          ),
    paymentsOf: (network: NetworkId, invoice: string, limit: number) =>
      sql.all<PaidTransaction>(
        `SELECT ${payment} FROM invoices i JOIN payments p ON p.invoice_key = i.key
         WHERE i.network = ? AND i.id = ? ORDER BY p.at, p.lt LIMIT ?`,
        ...[network, invoice, limit],
      ),
    latest(network: NetworkId, before: { at: number; key: number } | null, limit: number) {
      const { at, key } = before ?? { at: Number.MAX_SAFE_INTEGER, key: 0 }
      return sql.all<LatestPayment>(
        `SELECT ${payment}, p.at, p.key, i.id AS invoice FROM payments p INDEXED BY payments_by_time
         JOIN invoices i ON i.key = p.invoice_key
         WHERE p.network = ? AND (p.at, p.key) < (?, ?) ORDER BY p.at DESC, p.key DESC LIMIT ?`,
        ...[network, at, key, limit],
      )
    },
    reportedTo: (capture: number): NetworkId | null =>
      sql.value('SELECT network FROM invoice_reports WHERE capture_id = ?', capture),
    reportsFollowedTo: () =>
      Number(sql.value(`SELECT value FROM settings WHERE key = 'invoices.reportsTo'`) ?? 0),
    capturesOf: (network: NetworkId, invoice: string, limit: number) =>
      sql.column<number>(
        `SELECT capture_id FROM invoice_reports INDEXED BY invoice_reports_by_invoice
         WHERE network = ? AND invoice_id = ? ORDER BY capture_id DESC LIMIT ?`,
        ...[network, invoice, limit],
      ),
    /** Returns at most fifty captures. */
    capturesOfEvent: (account: string, lt: string) =>
      BigInt(lt) > largestLt
        ? []
        : indexSql.column<number>(
            `SELECT id FROM facts WHERE lt = ? AND lower(account) = ?
             ORDER BY id DESC LIMIT ${maxOfEvent}`,
            ...[BigInt(lt), account.toLowerCase()],
          ),
  }
}
