import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { InvoiceJobItem } from '../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'

type ItemState = InvoiceJobItem['state']

/** What is to be issued or cancelled. Amounts are minimal units, moments milliseconds. */
export type StoredItem = {
  readonly index: number
  readonly state: ItemState
  /** Of one to be issued: null until it is. */
  readonly invoice: string | null
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  /** Null of one to be cancelled. */
  readonly lifeTimeSeconds: number | null
  readonly description: string
  readonly paymentLink: string | null
  readonly message: string | null
  /** Null before the first request. */
  readonly asked: Asked | null
}

/** What was known when a request went out. */
export type Asked = {
  /** By this computer's clock. */
  readonly at: number
  /** Creation of the newest invoice there was, by the gateway's clock; 0 for none, null where it does not list. */
  readonly mark: number | null
  /** Ids that were there about that time already. */
  readonly known: readonly string[]
}

export type InvoiceJobItems = {
  get(job: number, index: number): StoredItem | null
  /** The first in this state. */
  first(job: number, state: ItemState): StoredItem | null
  page(
    job: number,
    state: ItemState | null,
    offset: number,
    limit: number,
  ): { total: number; items: StoredItem[] }
  /** Its request is about to go out. */
  ask(job: number, index: number, asked: Asked): void
  done(
    job: number,
    index: number,
    invoice: { readonly id: string; readonly paymentLink: string; readonly message: string | null },
  ): void
  set(job: number, index: number, state: ItemState, message: string | null): void
  /** All in one state get another, but those with this message. */
  move(job: number, from: ItemState, to: ItemState, message: string | null, except?: string): void
  /** Whether a job of this network has issued it. */
  isIssued(network: NetworkId, invoice: string): boolean
}

export function createInvoiceJobItems(database: Database): InvoiceJobItems {
  const reading = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const one = reading('SELECT * FROM invoice_job_items WHERE job_id = ? AND idx = ?')
  const first = reading(
    'SELECT * FROM invoice_job_items WHERE job_id = ? AND state = ? ORDER BY idx LIMIT 1',
  )
  const count = (where: string) =>
    database.prepare(`SELECT count(*) AS total FROM invoice_job_items WHERE job_id = ?${where}`)
  const page = (where: string) =>
    reading(
      `SELECT * FROM invoice_job_items WHERE job_id = ?${where} ORDER BY idx LIMIT ? OFFSET ?`,
    )
  const [ofState, any] = [' AND state = ?', '']
  const [countAll, countState] = [count(any), count(ofState)]
  const [pageAll, pageState] = [page(any), page(ofState)]
  const ask = database.prepare(
    `UPDATE invoice_job_items SET state = 'asked', message = NULL, asked_at = ?, mark = ?, known = ?
     WHERE job_id = ? AND idx = ?`,
  )
  const done = database.prepare(
    `UPDATE invoice_job_items SET state = 'done', invoice = ?, payment_link = ?, message = ?,
       known = NULL
     WHERE job_id = ? AND idx = ?`,
  )
  const set = database.prepare(
    'UPDATE invoice_job_items SET state = ?, message = ? WHERE job_id = ? AND idx = ?',
  )
  const move = database.prepare(
    `UPDATE invoice_job_items SET state = ?, message = ?
     WHERE job_id = ? AND state = ? AND message IS NOT ?`,
  )
  const issued = database.prepare(
    `SELECT 1 FROM invoice_job_items AS item JOIN invoice_jobs AS job ON job.id = item.job_id
     WHERE item.invoice = ? AND job.network = ? AND job.kind = 'issue' LIMIT 1`,
  )
  const toOne = (row: Record<string, unknown> | undefined) =>
    row === undefined ? null : toItem(row)

  return {
    get: (job, index) => toOne(one.get(job, index)),
    first: (job, state) => toOne(first.get(job, state)),
    page: (job, state, offset, limit) =>
      state === null
        ? {
            total: Number(countAll.get(job)?.['total']),
            items: pageAll.all(job, limit, offset).map(toItem),
          }
        : {
            total: Number(countState.get(job, state)?.['total']),
            items: pageState.all(job, state, limit, offset).map(toItem),
          },
    ask: (job, index, { at, mark, known }) =>
      void ask.run(at, mark, JSON.stringify(known), job, index),
    done: (job, index, { id, paymentLink, message }) =>
      void done.run(id, paymentLink, message, job, index),
    set: (job, index, state, message) => void set.run(state, message, job, index),
    move: (job, from, to, message, except = '') => void move.run(to, message, job, from, except),
    isIssued: (network, invoice) => issued.get(invoice, network) !== undefined,
  }
}

/** @param row read with big integers */
function toItem(row: Record<string, unknown>): StoredItem {
  const number = (name: string) => (row[name] === null ? null : Number(row[name]))
  const at = number('asked_at')
  const known = JSON.parse((row['known'] as string | null) ?? '[]') as string[]
  return {
    index: Number(row['idx']),
    state: row['state'] as ItemState,
    invoice: row['invoice'] as string | null,
    currency: row['currency'] as InvoiceCurrency,
    amount: row['amount'] as bigint,
    lifeTimeSeconds: number('life_time'),
    description: row['description'] as string,
    paymentLink: row['payment_link'] as string | null,
    message: row['message'] as string | null,
    asked: at === null ? null : { at, mark: number('mark'), known },
  }
}
