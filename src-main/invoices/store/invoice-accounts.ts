import { type Database, createSql, int64 } from '../../database/sql.ts'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { NewPayment } from './payments.ts'

/** An address that invoices name, and how far its history was read. Times are milliseconds. */
export type InvoiceAccount = {
  readonly network: string
  readonly account: string
  readonly firstInvoice: number
  /**
   * True if several invoices name the address, or if it was in use before, so that a payment may be
   * for any of them.
   */
  readonly isShared: boolean
  readonly since: number
  readonly usdtMaster: string | null
  readonly usdtWallet: string | null
  /** Logical times of the read history; null before the first reading. */
  readonly topLt: bigint | null
  readonly bottomLt: bigint | null
  /** Block times of the read history; `readFrom` is null until `since` was reached. */
  readonly readFrom: number | null
  readonly readTo: number | null
  /** A sentence about transactions that the gateway left out; payments among them are unknown. */
  readonly gap: string | null
}

export type InvoiceAccounts = ReturnType<typeof createInvoiceAccounts>

export function createInvoiceAccounts(database: Database) {
  const sql = createSql(database, { topLt: int64, bottomLt: int64 })
  const ofFollowed =
    'FROM invoice_accounts WHERE network = $network AND (is_shared = 1 OR active_until >= $now)'

  return {
    get: (network: string, account: string) =>
      sql.get<InvoiceAccount>(
        `SELECT network, account, first_invoice, is_shared, since, usdt_master, usdt_wallet, top_lt,
           bottom_lt, read_from, read_to, gap
         FROM invoice_accounts WHERE network = ? AND account = ?`,
        ...[network, account],
      ),
    note: (
      named: Pick<InvoiceAccount, 'network' | 'account' | 'since' | 'usdtMaster'> &
        Readonly<{ invoice: number; activeUntil: number }>,
    ): boolean =>
      sql.run(
        `INSERT INTO invoice_accounts (network, account, first_invoice, since, active_until, usdt_master)
         VALUES ($network, $account, $invoice, $since, $activeUntil, $usdtMaster)
         ON CONFLICT DO UPDATE SET
           is_shared = max(is_shared, first_invoice <> excluded.first_invoice),
           since = min(since, excluded.since),
           active_until = max(active_until, excluded.active_until),
           usdt_master = coalesce(excluded.usdt_master, usdt_master)
         WHERE (is_shared = 0 AND first_invoice <> excluded.first_invoice)
           OR excluded.since < since OR excluded.active_until > active_until
           OR (excluded.usdt_master IS NOT NULL AND usdt_master IS NOT excluded.usdt_master)`,
        named,
      ) > 0,
    setShared: (network: string, account: string) =>
      void sql.update('invoice_accounts', { isShared: true }, { network, account }),
    setUsdtWallet: (network: string, account: string, usdtWallet: string) =>
      void sql.update('invoice_accounts', { usdtWallet }, { network, account }),
    usdtMaster: (network: string) =>
      sql.value<string>(
        `SELECT usdt_master FROM invoice_accounts
         WHERE network = ? AND usdt_master IS NOT NULL LIMIT 1`,
        network,
      ),
    setRead(
      network: string,
      account: string,
      read: Pick<InvoiceAccount, 'topLt' | 'bottomLt' | 'readFrom' | 'readTo' | 'gap'>,
    ): void {
      const { topLt, bottomLt, readFrom, readTo, gap } = read
      const fields = { topLt, bottomLt, readFrom, readTo, gap }
      sql.update('invoice_accounts', fields, { network, account })
    },
    /** Returns the accounts to watch: at most ten thousand, those that were read longest ago first. */
    followed: (network: string, now: number) =>
      sql.column<string>(
        `SELECT account ${ofFollowed}
         ORDER BY read_to IS NOT NULL, is_shared DESC, read_to LIMIT 10000`,
        { network, now },
      ),
    reach: (network: string, now: number) =>
      sql.get(
        `SELECT count(*) AS accounts,
           iif(sum(read_to IS NULL OR read_from IS NULL) > 0, NULL, min(read_to)) AS read_to
         ${ofFollowed}`,
        { network, now },
      ) as { readonly accounts: number; readonly readTo: number | null },
    /** Returns the first account whose transactions the gateway left out in part. */
    gap: (network: string) =>
      sql.get<Pick<InvoiceAccount, 'account' | 'gap'>>(
        'SELECT account, gap FROM invoice_accounts WHERE network = ? AND gap IS NOT NULL LIMIT 1',
        network,
      ),
    forget: (network: string) => void sql.remove('invoice_accounts', { network }),
  }
}

/** A transfer from an invoice's address. Times are milliseconds, amounts are minimal units. */
export type OutgoingTransfer = Omit<NewPayment, 'account' | 'payer' | 'commentKey'> & {
  /** The raw address; for USDT that of the receiving wallet's owner. */
  readonly payee: string
  readonly place: number
}

export function createOutgoingTransfers(database: Database) {
  const sql = createSql(database, { lt: int64, amount: int64 })
  return {
    add: (network: string, account: string, transfer: OutgoingTransfer): boolean =>
      sql.insertNew('outgoing_transfers', { network, account, ...transfer }) !== null,
    /** Returns the newest transfers first, at most a hundred. */
    to: (
      network: string,
      account: string,
      payee: string,
      currency: InvoiceCurrency,
      since: number,
    ) =>
      sql.all<OutgoingTransfer & { readonly invoiceKey: number | null }>(
        `SELECT payee, lt, place, hash, at, currency, amount, comment, invoice_key
         FROM outgoing_transfers
         WHERE network = ? AND account = ? AND payee = ? AND currency = ? AND at >= ?
         ORDER BY lt DESC LIMIT 100`,
        ...[network, account, payee, currency, since],
      ),
    /** Marks a transfer as a refund, unless it already refunds another invoice. */
    assign(
      network: string,
      account: string,
      { payee, lt, place }: Pick<OutgoingTransfer, 'payee' | 'lt' | 'place'>,
      invoiceKey: number,
    ): void {
      sql.run(
        `UPDATE outgoing_transfers SET invoice_key = $invoiceKey
         WHERE network = $network AND account = $account AND payee = $payee AND lt = $lt
           AND place = $place AND invoice_key IS NULL`,
        { network, account, payee, lt, place, invoiceKey },
      )
    },
    refunds: (invoiceKey: number) =>
      sql.all<Pick<OutgoingTransfer, 'amount' | 'hash' | 'at'>>(
        'SELECT amount, hash, at FROM outgoing_transfers WHERE invoice_key = ? ORDER BY at, lt',
        invoiceKey,
      ),
    forgetSome: (network: string) =>
      sql.removeSome('outgoing_transfers', 'network, account, payee, lt, place', { network }),
  }
}
