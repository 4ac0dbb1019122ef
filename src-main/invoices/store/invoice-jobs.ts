import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { InvoiceJob, InvoiceJobItem } from '../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'
import { createSql, int64, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

export type InvoiceJobRecord = Omit<InvoiceJob, 'rate' | 'secondsLeft'>

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
  const select = `SELECT id, network, kind, state, problem, created_at, finished_at FROM invoice_jobs
    WHERE true`

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
    ...createJobTable(database, 'invoice_jobs', select, toJob),
    /** Marks the draft as issued; its invalid lines are left out. Returns the job's id. */
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
    remove: (id: number) =>
      sql.transaction(() => {
        sql.remove('invoice_job_items', { jobId: id })
        sql.remove('invoice_jobs', { id })
      }),
  }
}

type JobRow = Omit<InvoiceJobRecord, 'total' | 'done' | 'failed' | 'unclear'>

type ItemState = InvoiceJobItem['state']

export type StoredItem = {
  readonly index: number
  readonly state: ItemState
  readonly invoice: string | null
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly lifeTimeSeconds: number | null
  readonly description: string
  readonly paymentLink: string | null
  readonly message: string | null
  readonly asked: Asked | null
}

export type Asked = {
  readonly at: number
  /** Creation of the newest invoice, by the gateway's clock; 0 for none, null without a list. */
  readonly mark: number | null
  readonly known: readonly string[]
}

export type InvoiceJobItems = ReturnType<typeof createInvoiceJobItems>

export function createInvoiceJobItems(database: Database) {
  const sql = createSql(database, { amount: int64, known: json })
  const table = 'invoice_job_items'
  const select = `SELECT idx AS "index", state, invoice, currency, amount,
    life_time AS life_time_seconds, description, payment_link, message, asked_at, mark, known
    FROM ${table} WHERE job_id = $job`

  return {
    get(job: number, index: number): StoredItem | null {
      const row = sql.get<ItemRow>(`${select} AND idx = $index`, { job, index })
      return row && toItem(row)
    },
    first(job: number, state: ItemState): StoredItem | null {
      const first = `${select} AND state = $state ORDER BY idx LIMIT 1`
      const row = sql.get<ItemRow>(first, { job, state })
      return row && toItem(row)
    },
    page(job: number, state: ItemState | null, offset: number, limit: number) {
      const which = state === null ? '' : ' AND state = $state'
      const values = { job, state, offset, limit }
      const count = `SELECT count(*) FROM ${table} WHERE job_id = $job${which}`
      return {
        total: sql.value<number>(count, values) ?? 0,
        items: sql
          .all<ItemRow>(`${select}${which} ORDER BY idx LIMIT $limit OFFSET $offset`, values)
          .map(toItem),
      }
    },
    ask(jobId: number, idx: number, { at: askedAt, mark, known }: Asked): void {
      const fields = { state: 'asked', message: null, askedAt, mark, known }
      sql.update(table, fields, { jobId, idx })
    },
    done(
      jobId: number,
      idx: number,
      invoice: {
        readonly id: string
        readonly paymentLink: string
        readonly message: string | null
      },
    ): void {
      const { id, paymentLink, message } = invoice
      const fields = { state: 'done', invoice: id, paymentLink, message, known: null }
      sql.update(table, fields, { jobId, idx })
    },
    set: (jobId: number, idx: number, state: ItemState, message: string | null) =>
      void sql.update(table, { state, message }, { jobId, idx }),
    /** @param except items with this message keep their state */
    move: (job: number, from: ItemState, to: ItemState, message: string | null, except = '') =>
      void sql.run(
        `UPDATE ${table} SET state = $to, message = $message
         WHERE job_id = $job AND state = $from AND message IS NOT $except`,
        { job, from, to, message, except },
      ),
    isIssued: (network: NetworkId, invoice: string): boolean =>
      sql.get(
        `SELECT 1 FROM ${table} AS item JOIN invoice_jobs AS job ON job.id = item.job_id
         WHERE item.invoice = ? AND job.network = ? AND job.kind = 'issue' LIMIT 1`,
        ...[invoice, network],
      ) !== null,
  }
}

type ItemRow = Omit<StoredItem, 'asked'> &
  Readonly<{ askedAt: number | null; mark: number | null; known: readonly string[] | null }>

function toItem({ askedAt: at, mark, known, ...item }: ItemRow): StoredItem {
  return { ...item, asked: at === null ? null : { at, mark, known: known ?? [] } }
}
