import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { InvoiceJob } from '../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** A job as it is kept; its pace is known only while it runs. */
export type InvoiceJobRecord = Omit<InvoiceJob, 'rate' | 'secondsLeft'>

/** An invoice that is to be cancelled. */
export type ToCancel = {
  readonly invoice: string
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly description: string
  readonly paymentLink: string
}

export type InvoiceJobs = ReturnType<typeof createInvoiceJobs>

export function createInvoiceJobs(database: Database) {
  const sql = createSql(database)
  const select =
    'SELECT id, network, kind, state, problem, created_at, finished_at FROM invoice_jobs'

  function toJob(row: JobRow): InvoiceJobRecord {
    const counts = sql.all<{ state: string; count: number }>(
      'SELECT state, count(*) AS count FROM invoice_job_items WHERE job_id = ? GROUP BY state',
      row.id,
    )
    const countOf = (wanted: string) => counts.find(({ state }) => state === wanted)?.count ?? 0
    return {
      ...row,
      total: counts.reduce((sum, { count }) => sum + count, 0),
      done: countOf('done'),
      failed: countOf('failed'),
      unclear: countOf('unclear'),
    }
  }

  const add = (network: NetworkId, kind: InvoiceJob['kind'], createdAt: number) =>
    sql.insert('invoice_jobs', { network, kind, createdAt, state: 'running' })

  return {
    /**
     * Makes a job of the lines of a draft that can be issued, and marks the draft as issued.
     * @returns its id
     */
    issue: (draft: string, network: NetworkId, createdAt: number): number =>
      sql.transaction(() => {
        const id = add(network, 'issue', createdAt)
        sql.run(
          `INSERT INTO invoice_job_items
             (job_id, idx, state, currency, amount, life_time, description)
           SELECT ?, row_number() OVER (ORDER BY idx) - 1, 'waiting', currency, amount, life_time,
             description
           FROM invoice_draft_lines WHERE draft = ? AND problem IS NULL`,
          ...[id, draft],
        )
        sql.update('invoice_drafts', { job: id }, { id: draft })
        return id
      }),
    /** @returns its id */
    cancel: (network: NetworkId, invoices: readonly ToCancel[], createdAt: number): number =>
      sql.transaction(() => {
        const jobId = add(network, 'cancel', createdAt)
        for (const [idx, each] of invoices.entries()) {
          const { invoice, currency, amount, description, paymentLink } = each
          const item = { invoice, currency, amount, description, paymentLink }
          sql.insert('invoice_job_items', { jobId, idx, state: 'waiting', ...item })
        }
        return jobId
      }),
    /** Newest first; without a network: of all. */
    list: (network: NetworkId | null) =>
      sql
        .all<JobRow>(`${select} WHERE ?1 IS NULL OR network = ?1 ORDER BY id DESC`, network)
        .map(toJob),
    get(id: number): InvoiceJobRecord | null {
      const row = sql.get<JobRow>(`${select} WHERE id = ?`, id)
      return row && toJob(row)
    },
    setState(id: number, change: Pick<InvoiceJobRecord, 'state' | 'problem' | 'finishedAt'>): void {
      const { state, problem, finishedAt } = change
      sql.update('invoice_jobs', { state, problem, finishedAt }, { id })
    },
    /** With its items. */
    remove: (id: number) =>
      sql.transaction(() => {
        sql.remove('invoice_job_items', { jobId: id })
        sql.remove('invoice_jobs', { id })
      }),
  }
}

type JobRow = Omit<InvoiceJobRecord, 'total' | 'done' | 'failed' | 'unclear'>
