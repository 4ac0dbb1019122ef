import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { IssueDraft, IssueLine } from '../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, transaction } from '../../database/database.ts'

/** A line as it is kept; `index` is its place among them. */
export type DraftLine = Omit<IssueLine, 'index' | 'amount'> & { readonly amount: bigint | null }

export type NewDraft = Pick<IssueDraft, 'id' | 'network' | 'createdAt' | 'beyond' | 'remarks'> & {
  readonly lines: readonly DraftLine[]
}

/** Invoices that are to be issued, until they are. Every call is one short transaction. */
export type InvoiceDrafts = {
  get(id: string): IssueDraft | null
  /** In the place of the one of this id, if there is one. The oldest beyond `most` of the network go. */
  put(draft: NewDraft, max: number): void
  /** Those that were not issued, newest first. */
  list(network: NetworkId): IssueDraft[]
  lines(
    id: string,
    onlyInvalid: boolean,
    offset: number,
    limit: number,
  ): { total: number; lines: IssueLine[] }
  remove(id: string): void
  /** All of a network, those that were issued too. */
  forget(network: NetworkId): void
}

export function createInvoiceDrafts(database: Database): InvoiceDrafts {
  const insert = database.prepare(
    `INSERT INTO invoice_drafts (id, network, created_at, beyond, remarks) VALUES (?, ?, ?, ?, ?)`,
  )
  const insertLine = database.prepare(
    `INSERT INTO invoice_draft_lines
       (draft, idx, line, text, currency, amount, life_time, description, problem, warning)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.prepare('SELECT * FROM invoice_drafts WHERE id = ?')
  const list = database.prepare(
    `SELECT * FROM invoice_drafts WHERE network = ? AND job IS NULL ORDER BY created_at DESC, id`,
  )
  const counts = database.prepare(
    `SELECT count(*) AS lines, count(problem) AS invalid FROM invoice_draft_lines WHERE draft = ?`,
  )
  // At most 1,000 lines, each within the limits of an amount: far from 64 bits.
  const totals = database.prepare(
    `SELECT currency, count(*) AS count, sum(amount) AS amount FROM invoice_draft_lines
     WHERE draft = ? AND problem IS NULL GROUP BY currency ORDER BY currency`,
  )
  totals.setReadBigInts(true)
  const count = database.prepare(
    `SELECT count(*) AS total FROM invoice_draft_lines
     WHERE draft = ? AND (? = 0 OR problem IS NOT NULL)`,
  )
  const page = database.prepare(
    `SELECT * FROM invoice_draft_lines WHERE draft = ? AND (? = 0 OR problem IS NOT NULL)
     ORDER BY idx LIMIT ? OFFSET ?`,
  )
  page.setReadBigInts(true)
  const remove = database.prepare('DELETE FROM invoice_drafts WHERE id = ?')
  const removeLines = database.prepare('DELETE FROM invoice_draft_lines WHERE draft = ?')
  const forget = database.prepare('DELETE FROM invoice_drafts WHERE network = ?')
  const forgetLines = database.prepare(
    'DELETE FROM invoice_draft_lines WHERE draft IN (SELECT id FROM invoice_drafts WHERE network = ?)',
  )

  function toDraft(row: Record<string, unknown>): IssueDraft {
    const id = row['id'] as string
    const { lines, invalid } = counts.get(id) as { lines: number; invalid: number }
    return {
      id,
      network: row['network'] as string,
      createdAt: row['created_at'] as number,
      lines,
      valid: lines - invalid,
      invalid,
      beyond: row['beyond'] as number,
      totals: totals.all(id).map((total) => ({
        currency: total['currency'] as InvoiceCurrency,
        count: Number(total['count']),
        amount: String(total['amount']),
      })),
      remarks: JSON.parse(row['remarks'] as string) as string[],
      job: row['job'] as number | null,
    }
  }

  function removeOne(id: string): void {
    removeLines.run(id)
    remove.run(id)
  }

  return {
    get(id) {
      const row = one.get(id)
      return row === undefined ? null : toDraft(row)
    },
    put({ id, network, createdAt, beyond, remarks, lines }, max) {
      transaction(database, () => {
        removeOne(id)
        insert.run(id, network, createdAt, beyond, JSON.stringify(remarks))
        for (const [index, line] of lines.entries()) {
          const { currency, amount, lifeTimeSeconds, description, problem, warning } = line
          insertLine.run(
            ...[id, index, line.line, line.text, currency, amount, lifeTimeSeconds],
            ...[description, problem, warning],
          )
        }
        for (const row of list.all(network).slice(max)) removeOne(row['id'] as string)
      })
    },
    list: (network) => list.all(network).map(toDraft),
    lines(id, onlyInvalid, offset, limit) {
      const only = onlyInvalid ? 1 : 0
      return {
        total: Number(count.get(id, only)?.['total']),
        lines: page.all(id, only, limit, offset).map(toLine),
      }
    },
    remove: (id) => transaction(database, () => removeOne(id)),
    forget(network) {
      transaction(database, () => {
        forgetLines.run(network)
        forget.run(network)
      })
    },
  }
}

/** @param row read with big integers */
function toLine(row: Record<string, unknown>): IssueLine {
  const amount = row['amount'] as bigint | null
  const lifeTime = row['life_time'] as bigint | null
  return {
    index: Number(row['idx']),
    line: Number(row['line']),
    text: row['text'] as string,
    currency: row['currency'] as InvoiceCurrency | null,
    amount: amount === null ? null : amount.toString(),
    lifeTimeSeconds: lifeTime === null ? null : Number(lifeTime),
    description: row['description'] as string,
    problem: row['problem'] as string | null,
    warning: row['warning'] as string | null,
  }
}
