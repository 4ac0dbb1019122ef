import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { InvoiceJob } from '../../../src-preload/contract/invoice-job.ts'
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, transaction } from '../../database/database.ts'

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

export type InvoiceJobs = {
  /**
   * Makes a job of the lines of a draft that can be issued, and marks the draft as issued.
   * @returns its id
   */
  issue(draft: string, network: NetworkId, createdAt: number): number
  /** @returns its id */
  cancel(network: NetworkId, invoices: readonly ToCancel[], createdAt: number): number
  /** Newest first; without a network: of all. */
  list(network: NetworkId | null): InvoiceJobRecord[]
  get(id: number): InvoiceJobRecord | null
  setState(
    id: number,
    change: {
      readonly state: JobState
      readonly problem: string | null
      readonly finishedAt: number | null
    },
  ): void
  /** With its items. */
  remove(id: number): void
}

export function createInvoiceJobs(database: Database): InvoiceJobs {
  const insert = database.prepare(
    `INSERT INTO invoice_jobs (network, kind, state, created_at) VALUES (?, ?, 'running', ?)`,
  )
  const issueItems = database.prepare(
    `INSERT INTO invoice_job_items
       (job_id, idx, state, currency, amount, life_time, description)
     SELECT ?, row_number() OVER (ORDER BY idx) - 1, 'waiting', currency, amount, life_time,
       description
     FROM invoice_draft_lines WHERE draft = ? AND problem IS NULL`,
  )
  const markDraft = database.prepare('UPDATE invoice_drafts SET job = ? WHERE id = ?')
  const insertItem = database.prepare(
    `INSERT INTO invoice_job_items
       (job_id, idx, state, invoice, currency, amount, description, payment_link)
     VALUES (?, ?, 'waiting', ?, ?, ?, ?, ?)`,
  )
  const list = database.prepare(
    'SELECT * FROM invoice_jobs WHERE $network IS NULL OR network = $network ORDER BY id DESC',
  )
  const one = database.prepare('SELECT * FROM invoice_jobs WHERE id = ?')
  const counts = database.prepare(
    'SELECT state, count(*) AS count FROM invoice_job_items WHERE job_id = ? GROUP BY state',
  )
  const setState = database.prepare(
    'UPDATE invoice_jobs SET state = ?, problem = ?, finished_at = ? WHERE id = ?',
  )
  const removeItems = database.prepare('DELETE FROM invoice_job_items WHERE job_id = ?')
  const remove = database.prepare('DELETE FROM invoice_jobs WHERE id = ?')

  function toJob(row: Record<string, unknown>): InvoiceJobRecord {
    const id = row['id'] as number
    const byState = new Map(
      counts.all(id).map((each) => [each['state'] as string, each['count'] as number]),
    )
    return {
      id,
      network: row['network'] as string,
      kind: row['kind'] as InvoiceJob['kind'],
      state: row['state'] as JobState,
      problem: row['problem'] as string | null,
      createdAt: row['created_at'] as number,
      finishedAt: row['finished_at'] as number | null,
      total: [...byState.values()].reduce((sum, count) => sum + count, 0),
      done: byState.get('done') ?? 0,
      failed: byState.get('failed') ?? 0,
      unclear: byState.get('unclear') ?? 0,
    }
  }

  const add = (network: NetworkId, kind: InvoiceJob['kind'], createdAt: number) =>
    Number(insert.run(network, kind, createdAt).lastInsertRowid)

  return {
    issue: (draft, network, createdAt) =>
      transaction(database, () => {
        const id = add(network, 'issue', createdAt)
        issueItems.run(id, draft)
        markDraft.run(id, draft)
        return id
      }),
    cancel: (network, invoices, createdAt) =>
      transaction(database, () => {
        const id = add(network, 'cancel', createdAt)
        for (const [index, each] of invoices.entries()) {
          const { invoice, currency, amount, description, paymentLink } = each
          insertItem.run(id, index, invoice, currency, amount, description, paymentLink)
        }
        return id
      }),
    list: (network) => list.all({ $network: network }).map(toJob),
    get(id) {
      const row = one.get(id)
      return row === undefined ? null : toJob(row)
    },
    setState: (id, { state, problem, finishedAt }) =>
      void setState.run(state, problem, finishedAt, id),
    remove(id) {
      transaction(database, () => {
        removeItems.run(id)
        remove.run(id)
      })
    },
  }
}
