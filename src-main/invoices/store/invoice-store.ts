import { type Database, transaction } from '../../database/database.ts'
import { createInvoiceAccounts, createOutgoingTransfers } from './invoice-accounts.ts'
import { createInvoiceDrafts } from './invoice-drafts.ts'
import { createInvoiceEvents, createInvoiceReports } from './invoice-reports.ts'
import { createInvoiceJobItems, createInvoiceJobs } from './invoice-jobs.ts'
import { createInvoiceFigures, createInvoiceRows } from './invoice-rows.ts'
import { createInvoiceTotals } from './invoice-tallies.ts'
import { createDiscrepancies } from './discrepancies.ts'
import { createPayments } from './payments.ts'
import { createSql } from '../../database/sql.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'

/** All that is kept of invoices, a part a file. */
export type InvoiceStore = ReturnType<typeof createInvoiceStore>

export function createInvoiceStore(database: Database) {
  return {
    /** All of it or none; within another one it is a part of that. */
    transaction: <T>(work: () => T): T =>
      database.isTransaction ? work() : transaction(database, work),
    accessNotes: createInvoiceAccessNotes(database),
    accounts: createInvoiceAccounts(database),
    drafts: createInvoiceDrafts(database),
    events: createInvoiceEvents(database),
    figures: createInvoiceFigures(database),
    jobItems: createInvoiceJobItems(database),
    jobs: createInvoiceJobs(database),
    ledgers: createInvoiceLedgers(database),
    matters: createDiscrepancies(database),
    outgoing: createOutgoingTransfers(database),
    payments: createPayments(database),
    reports: createInvoiceReports(database),
    rows: createInvoiceRows(database),
    /** By state, kept by triggers; `invoice.counts` is read from it. */
    totals: createInvoiceTotals(database),
    views: createInvoiceViews(database),
  }
}

/** How far a network's gateway was read. Moments are milliseconds. */
type LedgerRecord = {
  /** When a listing was last read to where it was known. */
  readonly listedAt: number | null
  /** When all had last been read. */
  readonly fullAt: number | null
  /** JSON of whoever reads it. */
  readonly state: string
}

function createInvoiceLedgers(database: Database) {
  const sql = createSql(database)
  return {
    get: (network: string) =>
      sql.get<LedgerRecord>(
        'SELECT listed_at, full_at, state FROM invoice_ledgers WHERE network = ?',
        network,
      ),
    put(network: string, { listedAt, fullAt, state }: LedgerRecord): void {
      const fields = { network, listedAt, fullAt, state }
      sql.insert('invoice_ledgers', fields, 'INSERT OR REPLACE')
    },
    forget: (network: string) => void sql.remove('invoice_ledgers', { network }),
  }
}

/** A filter with a name of the person's own; filter and sort as JSON. */
export type StoredView = {
  readonly id: number
  readonly name: string
  readonly filter: string
  readonly sort: string
}

export type InvoiceViews = ReturnType<typeof createInvoiceViews>

function createInvoiceViews(database: Database) {
  const sql = createSql(database)
  return {
    /** In the order they were made. */
    all: () => sql.all<StoredView>('SELECT id, name, filter, sort FROM invoice_views ORDER BY id'),
    add: ({ name, filter, sort }: Omit<StoredView, 'id'>) =>
      sql.insert('invoice_views', { name, filter, sort }),
    /** @returns false when there is none of this id */
    replace: ({ id, name, filter, sort }: StoredView) =>
      sql.update('invoice_views', { name, filter, sort }, { id }) > 0,
    /** @returns false when there was none */
    remove: (id: number) => sql.remove('invoice_views', { id }) > 0,
  }
}

/** What is remembered of the access to a network's invoices. No secret. */
export type AccessNotes = {
  /** Ticked by the person, each with those before it. */
  readonly account: boolean
  readonly project: boolean
  readonly granted: boolean
  readonly appId: string | null
  /** The gateway has told it; a person's word goes before. */
  readonly appIdIsRead: boolean
  readonly projectId: string | null
}

export type InvoiceAccessNotes = {
  get(network: NetworkId): AccessNotes
  set(network: NetworkId, notes: AccessNotes, at: number): void
  forget(network: NetworkId): void
}

function createInvoiceAccessNotes(database: Database): InvoiceAccessNotes {
  const one = database.prepare('SELECT * FROM invoice_access WHERE network = ?')
  const set = database.prepare(
    `INSERT INTO invoice_access
       (network, account_at, project_at, granted_at, app_id, app_id_is_read, project_id)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (network) DO UPDATE SET
       account_at = iif(excluded.account_at IS NULL, NULL,
         coalesce(account_at, excluded.account_at)),
       project_at = iif(excluded.project_at IS NULL, NULL,
         coalesce(project_at, excluded.project_at)),
       granted_at = iif(excluded.granted_at IS NULL, NULL,
         coalesce(granted_at, excluded.granted_at)),
       app_id = excluded.app_id, app_id_is_read = excluded.app_id_is_read,
       project_id = excluded.project_id`,
  )
  const forget = database.prepare('DELETE FROM invoice_access WHERE network = ?')
  return {
    get(network) {
      const row = one.get(network) ?? {}
      const isSet = (name: string) => typeof row[name] === 'number'
      return {
        account: isSet('account_at'),
        project: isSet('project_at'),
        granted: isSet('granted_at'),
        appId: (row['app_id'] as string | null | undefined) ?? null,
        appIdIsRead: row['app_id_is_read'] === 1,
        projectId: (row['project_id'] as string | null | undefined) ?? null,
      }
    },
    set(network, { account, project, granted, appId, appIdIsRead, projectId }, at) {
      const when = (isTicked: boolean) => (isTicked ? at : null)
      set.run(
        ...[network, when(account), when(project), when(granted)],
        ...[appId, appIdIsRead ? 1 : 0, projectId],
      )
    },
    forget: (network) => void forget.run(network),
  }
}
