import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { createSql, int64 } from '../../database/sql.ts'

/** What an address of invoices has sent. Moments are milliseconds, amounts minimal units. */
export type OutgoingTransfer = {
  /** Raw; of USDT the owner whose wallet is to have it. */
  readonly payee: string
  readonly lt: bigint
  /** Among the messages of its transaction. */
  readonly place: number
  readonly hash: string
  readonly at: number
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly comment: string | null
}

const stepRows = 500

export function createOutgoingTransfers(database: Database) {
  const sql = createSql(database, { lt: int64, amount: int64 })
  return {
    /** @returns false for one that is known */
    add: (network: string, account: string, transfer: OutgoingTransfer): boolean =>
      sql.run(
        `INSERT INTO outgoing_transfers (network, account, payee, lt, place, hash, at, currency,
           amount, comment)
         VALUES ($network, $account, $payee, $lt, $place, $hash, $at, $currency, $amount, $comment)
         ON CONFLICT DO NOTHING`,
        { ...transfer, network, account },
      ) > 0,
    /** Newest first, at most a hundred. */
    to: (
      network: string,
      account: string,
      payee: string,
      currency: InvoiceCurrency,
      since: number,
    ) =>
      sql.all<OutgoingTransfer>(
        `SELECT payee, lt, place, hash, at, currency, amount, comment FROM outgoing_transfers
         WHERE network = ? AND account = ? AND payee = ? AND currency = ? AND at >= ?
         ORDER BY lt DESC LIMIT 100`,
        ...[network, account, payee, currency, since],
      ),
    /** @returns false once nothing is left; call again until then */
    forgetSome: (network: string): boolean =>
      sql.run(
        `DELETE FROM outgoing_transfers WHERE (network, account, payee, lt, place) IN
           (SELECT network, account, payee, lt, place FROM outgoing_transfers WHERE network = ?
            LIMIT ${stepRows})`,
        network,
      ) > 0,
  }
}
