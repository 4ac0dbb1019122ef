import type { InvoiceJob, InvoiceJobItem } from '../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, createSql, int64, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'
import type { StoredInvoice } from './invoice-rows.ts'

export type InvoiceJobRecord = Omit<InvoiceJob, 'rate' | 'secondsLeft'>

export type ToCancel = Pick<
  StoredInvoice,
  'currency' | 'amount' | 'description' | 'paymentLink'
> & { readonly invoice: string }

export function createInvoiceJobs(database: Database) {
  const sql = createSql(database)
  const countOf = (state: ItemState) =>
    `(SELECT count(*) FROM invoice_job_items WHERE job_id = id AND state = '${state}') AS ${state}`
  const select = `SELECT id, network, kind, state, problem, created_at, finished_at,
    (SELECT count(*) FROM invoice_job_items WHERE job_id = id) AS total,
    ${countOf('done')}, ${countOf('failed')}, ${countOf('unclear')} FROM invoice_jobs WHERE true`

  const add = (network: NetworkId, kind: InvoiceJob['kind'], createdAt: number) =>
    sql.insert('invoice_jobs', { network, kind, createdAt, state: 'running' })

  return {
    ...createJobTable(database, 'invoice_jobs', select, (job: InvoiceJobRecord) => job),
    /** Marks the draft as issued and omits its invalid lines. Returns the job's id. */
    issue: (draft: string, network: NetworkId, createdAt: number): number =>
      sql.transaction(() => {
        const id = add(network, 'issue', createdAt)
        sql.run(
          `INSERT INTO invoice_job_items
             (job_id, idx, state, currency, amount, life_time, description, order_reference, rest_of)
           SELECT ?, row_number() OVER (ORDER BY idx) - 1, 'waiting', currency, amount, life_time,
             description, order_reference, rest_of
           FROM invoice_draft_lines WHERE draft = ? AND problem IS NULL`,
          ...[id, draft],
        )
        sql.update('invoice_drafts', { job: id }, { id: draft })
        return id
      }),
    cancel: (network: NetworkId, invoices: readonly ToCancel[], createdAt: number): number =>
      sql.transaction(() => {
        const jobId = add(network, 'cancel', createdAt)
        const items = invoices.map((item, idx) => ({ jobId, idx, state: 'waiting', ...item }))
        sql.insertAll('invoice_job_items', items)
        return jobId
      }),
  }
}

type ItemState = InvoiceJobItem['state']

export type StoredItem = Omit<InvoiceJobItem, 'amount'> & {
  readonly amount: bigint
  readonly lifeTimeSeconds: number | null
  readonly askedAt: number | null
  /** Creation time of the newest invoice, by the gateway's clock; 0 if there is none, null without a list. */
  readonly mark: number | null
  readonly known: readonly string[] | null
}

export function createInvoiceJobItems(database: Database) {
  const sql = createSql(database, { amount: int64, known: json })
  const table = 'invoice_job_items'
  const select = `SELECT idx AS "index", state, invoice, currency, amount,
    life_time AS life_time_seconds, description, order_reference, rest_of, payment_link, message, asked_at, mark, known
    FROM ${table} WHERE job_id = $job`

  return {
    get: (job: number, index: number) =>
      sql.get<StoredItem>(`${select} AND idx = $index`, { job, index }),
    first: (job: number, state: ItemState) =>
      sql.get<StoredItem>(`${select} AND state = $state ORDER BY idx LIMIT 1`, { job, state }),
    page(job: number, state: ItemState | null, offset: number, limit: number) {
      const which = state === null ? '' : ' AND state = $state'
      const values = { job, state, offset, limit }
      return {
        total: sql.count(`${table} WHERE job_id = $job${which}`, values),
        items: sql.all<StoredItem>(
          `${select}${which} ORDER BY idx LIMIT $limit OFFSET $offset`,
          values,
        ),
      }
    },
    ask: (jobId: number, idx: number, requested: Pick<StoredItem, 'askedAt' | 'mark' | 'known'>) =>
      void sql.update(table, { state: 'asked', message: null, ...requested }, { jobId, idx }),
    done(
      jobId: number,
      idx: number,
      item: Pick<StoredItem, 'invoice' | 'paymentLink' | 'message'>,
    ): void {
      sql.update(table, { state: 'done', known: null, ...item }, { jobId, idx })
    },
    set: (jobId: number, idx: number, state: ItemState, message: string | null) =>
      void sql.update(table, { state, message }, { jobId, idx }),
    /** @param except items with this message stay in their state */
    move: (job: number, from: ItemState, to: ItemState, message: string | null, except = '') =>
      void sql.run(
        `UPDATE ${table} SET state = $to, message = $message
         WHERE job_id = $job AND state = $from AND message IS NOT $except`,
        { job, from, to, message, except },
      ),
    isIssued: (network: NetworkId, invoice: string) =>
      sql.exists(
        `${table} AS item JOIN invoice_jobs AS job ON job.id = item.job_id
         WHERE item.invoice = ? AND job.network = ? AND job.kind = 'issue'`,
        ...[invoice, network],
      ),
  }
}
