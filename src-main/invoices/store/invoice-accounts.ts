import type { Database } from '../../database/database.ts'

/** An address that invoices name, and how far its history was read. Moments are milliseconds. */
export type InvoiceAccount = {
  readonly network: string
  /** Raw. */
  readonly account: string
  /** Key of the invoice that named it first. */
  readonly firstInvoice: number
  /** Others name it too, or it was in use before: what comes to it may be of any of them. */
  readonly isShared: boolean
  /** From when on its history counts. */
  readonly since: number
  readonly usdtMaster: string | null
  /** Its genuine USDT wallet, once that was asked for. */
  readonly usdtWallet: string | null
  /** Logical times of what was read; null before anything was. */
  readonly topLt: bigint | null
  readonly bottomLt: bigint | null
  /** Block times of what was read; `readFrom` is null until `since` was reached. */
  readonly readFrom: number | null
  readonly readTo: number | null
}

export type InvoiceAccounts = {
  get(network: string, account: string): InvoiceAccount | null
  /** An invoice names it. @returns false when that was known */
  note(named: {
    readonly network: string
    readonly account: string
    readonly invoice: number
    readonly since: number
    readonly activeUntil: number
    readonly usdtMaster: string | null
  }): boolean
  setShared(network: string, account: string): void
  setUsdtWallet(network: string, account: string, wallet: string): void
  /** The master that any invoice of the network names; null for none. */
  usdtMaster(network: string): string | null
  setRead(
    network: string,
    account: string,
    read: Pick<InvoiceAccount, 'topLt' | 'bottomLt' | 'readFrom' | 'readTo'>,
  ): void
  /** Those followed at a moment: the ones read longest ago first, at most ten thousand. */
  followed(network: string, now: number): string[]
  /** How many are followed, and up to when all of them were read; null where one was not yet. */
  reach(network: string, now: number): { readonly accounts: number; readonly readTo: number | null }
  forget(network: string): void
}

const isFollowed = '(is_shared = 1 OR active_until >= $now)'

export function createInvoiceAccounts(database: Database): InvoiceAccounts {
  const get = database.prepare('SELECT * FROM invoice_accounts WHERE network = ? AND account = ?')
  get.setReadBigInts(true)
  const note = database.prepare(
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
  )
  const setShared = database.prepare(
    'UPDATE invoice_accounts SET is_shared = 1 WHERE network = ? AND account = ?',
  )
  const setUsdtWallet = database.prepare(
    'UPDATE invoice_accounts SET usdt_wallet = ? WHERE network = ? AND account = ?',
  )
  const usdtMaster = database.prepare(
    `SELECT usdt_master FROM invoice_accounts
     WHERE network = ? AND usdt_master IS NOT NULL LIMIT 1`,
  )
  const setRead = database.prepare(
    `UPDATE invoice_accounts SET top_lt = ?, bottom_lt = ?, read_from = ?, read_to = ?
     WHERE network = ? AND account = ?`,
  )
  const followed = database.prepare(
    `SELECT account FROM invoice_accounts WHERE network = $network AND ${isFollowed}
     ORDER BY read_to IS NOT NULL, is_shared DESC, read_to LIMIT 10000`,
  )
  const reach = database.prepare(
    `SELECT count(*) AS accounts, min(read_to) AS read_to,
       coalesce(sum(read_to IS NULL OR read_from IS NULL), 0) AS unread
     FROM invoice_accounts WHERE network = $network AND ${isFollowed}`,
  )
  const forget = database.prepare('DELETE FROM invoice_accounts WHERE network = ?')

  return {
    get(network, account) {
      const row = get.get(network, account)
      return row === undefined ? null : toAccount(row)
    },
    note: ({ network, account, invoice, since, activeUntil, usdtMaster: master }) =>
      Number(
        note.run({
          $network: network,
          $account: account,
          $invoice: invoice,
          $since: since,
          $activeUntil: activeUntil,
          $usdtMaster: master,
        }).changes,
      ) > 0,
    setShared: (network, account) => void setShared.run(network, account),
    setUsdtWallet: (network, account, wallet) => void setUsdtWallet.run(wallet, network, account),
    usdtMaster: (network) => (usdtMaster.get(network)?.['usdt_master'] ?? null) as string | null,
    setRead: (network, account, { topLt, bottomLt, readFrom, readTo }) =>
      void setRead.run(topLt, bottomLt, readFrom, readTo, network, account),
    followed: (network, now) =>
      followed.all({ $network: network, $now: now }).map((row) => row['account'] as string),
    reach(network, now) {
      const row = reach.get({ $network: network, $now: now })
      return {
        accounts: Number(row?.['accounts']),
        readTo: row?.['unread'] === 0 ? (row['read_to'] as number | null) : null,
      }
    },
    forget: (network) => void forget.run(network),
  }
}

function toAccount(row: Readonly<Record<string, unknown>>): InvoiceAccount {
  const moment = (name: string) => (row[name] === null ? null : Number(row[name]))
  return {
    network: row['network'] as string,
    account: row['account'] as string,
    firstInvoice: Number(row['first_invoice']),
    isShared: row['is_shared'] === 1n,
    since: Number(row['since']),
    usdtMaster: row['usdt_master'] as string | null,
    usdtWallet: row['usdt_wallet'] as string | null,
    topLt: row['top_lt'] as bigint | null,
    bottomLt: row['bottom_lt'] as bigint | null,
    readFrom: moment('read_from'),
    readTo: moment('read_to'),
  }
}
