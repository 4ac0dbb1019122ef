import { type Database, transaction } from '../../database/database.ts'
import { createInvoiceAccounts, createOutgoingTransfers } from './invoice-accounts.ts'
import { createInvoiceDrafts } from './invoice-drafts.ts'
import { createInvoiceEvents, createInvoiceReports } from './invoice-reports.ts'
import { createInvoiceJobItems, createInvoiceJobs } from './invoice-jobs.ts'
import { createReconciledRows, createInvoiceRows, createWaitingInvoices } from './invoice-rows.ts'
import { createInvoiceTotals } from './invoice-tallies.ts'
import { createFiatRates } from './fiat-rates.ts'
import { createDiscrepancies } from './discrepancies.ts'
import { createPayments } from './payments.ts'
import { createSql, flag } from '../../database/sql.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'

export type InvoiceStore = ReturnType<typeof createInvoiceStore>

export function createInvoiceStore(database: Database) {
  return {
    /** Runs in one transaction; a nested call joins the outer transaction. */
    transaction: <T>(work: () => T): T =>
      database.isTransaction ? work() : transaction(database, work),
    accessNotes: createInvoiceAccessNotes(database),
    accounts: createInvoiceAccounts(database),
    drafts: createInvoiceDrafts(database),
    events: createInvoiceEvents(database),
    fiatRates: createFiatRates(database),
    figures: createReconciledRows(database),
    jobItems: createInvoiceJobItems(database),
    jobs: createInvoiceJobs(database),
    ledgers: createInvoiceLedgers(database),
    matters: createDiscrepancies(database),
    outgoing: createOutgoingTransfers(database),
    payments: createPayments(database),
    reports: createInvoiceReports(database),
    rows: createInvoiceRows(database),
    /** Counts by state, which triggers update; `invoice.counts` reads them. */
    totals: createInvoiceTotals(database),
    waiting: createWaitingInvoices(database),
  }
}

type LedgerRecord = {
  readonly listedAt: number | null
  readonly fullAt: number | null
  /** A JSON text that sync/read-list.ts parses. */
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
    put(network: string, ledger: LedgerRecord): void {
      sql.upsert('invoice_ledgers', { network }, ledger)
    },
    forget: (network: string) => void sql.remove('invoice_ledgers', { network }),
  }
}

/** Stored notes about the access to a network's invoices, without secrets. */
type AccessNotes = {
  readonly account: boolean
  readonly project: boolean
  readonly granted: boolean
  readonly appId: string | null
  /** True if the gateway reported the id; an id that the user entered takes precedence. */
  readonly appIdIsRead: boolean
  readonly projectId: string | null
}

function createInvoiceAccessNotes(database: Database) {
  const ticks = { account: flag, project: flag, granted: flag }
  const sql = createSql(database, { ...ticks, appIdIsRead: flag })
  const none: AccessNotes = {
    account: false,
    project: false,
    granted: false,
    appId: null,
    appIdIsRead: false,
    projectId: null,
  }
  const ticked = (column: string) =>
    `${column} = iif(excluded.${column} IS NULL, NULL, coalesce(${column}, excluded.${column}))`

  return {
    get: (network: NetworkId) =>
      sql.get<AccessNotes>(
        `SELECT account_at IS NOT NULL AS account, project_at IS NOT NULL AS project,
           granted_at IS NOT NULL AS granted, app_id, app_id_is_read, project_id
         FROM invoice_access WHERE network = ?`,
        network,
      ) ?? none,
    set(network: NetworkId, notes: AccessNotes, at: number): void {
      const { account, project, granted, ...application } = notes
      const when = (isTicked: boolean) => (isTicked ? at : null)
      sql.run(
        `INSERT INTO invoice_access
           (network, account_at, project_at, granted_at, app_id, app_id_is_read, project_id)
         VALUES ($network, $accountAt, $projectAt, $grantedAt, $appId, $appIdIsRead, $projectId)
         ON CONFLICT (network) DO UPDATE SET
           ${ticked('account_at')}, ${ticked('project_at')}, ${ticked('granted_at')},
           app_id = excluded.app_id, app_id_is_read = excluded.app_id_is_read,
           project_id = excluded.project_id`,
        {
          network,
          ...application,
          accountAt: when(account),
          projectAt: when(project),
          grantedAt: when(granted),
        },
      )
    },
    forget: (network: NetworkId) => void sql.remove('invoice_access', { network }),
  }
}
