import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'

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

type OutgoingTransfers = {
  /** @returns false for one that is known */
  add(network: string, account: string, transfer: OutgoingTransfer): boolean
  /** Newest first, at most a hundred. */
  to(
    network: string,
    account: string,
    payee: string,
    currency: InvoiceCurrency,
    since: number,
  ): OutgoingTransfer[]
  /** @returns false once nothing is left; call again until then */
  forgetSome(network: string): boolean
}

const stepRows = 500

export function createOutgoingTransfers(database: Database): OutgoingTransfers {
  const insert = database.prepare(
    `INSERT INTO outgoing_transfers (network, account, payee, lt, place, hash, at, currency, amount,
       comment)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const to = database.prepare(
    `SELECT payee, lt, place, hash, at, currency, amount, comment FROM outgoing_transfers
     WHERE network = ? AND account = ? AND payee = ? AND currency = ? AND at >= ?
     ORDER BY lt DESC LIMIT 100`,
  )
  to.setReadBigInts(true)
  const forget = database.prepare(
    `DELETE FROM outgoing_transfers WHERE (network, account, payee, lt, place) IN
       (SELECT network, account, payee, lt, place FROM outgoing_transfers WHERE network = ?
        LIMIT ${stepRows})`,
  )
  return {
    add: (network, account, { payee, lt, place, hash, at, currency, amount, comment }) =>
      insert.run(network, account, payee, lt, place, hash, at, currency, amount, comment).changes >
      0,
    to: (network, account, payee, currency, since) =>
      to.all(network, account, payee, currency, since).map((row) => ({
        payee: row['payee'] as string,
        lt: row['lt'] as bigint,
        place: Number(row['place']),
        hash: row['hash'] as string,
        at: Number(row['at']),
        currency: row['currency'] as InvoiceCurrency,
        amount: row['amount'] as bigint,
        comment: row['comment'] as string | null,
      })),
    forgetSome: (network) => Number(forget.run(network).changes) > 0,
  }
}
