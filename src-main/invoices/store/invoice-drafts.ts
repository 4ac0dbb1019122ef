import type { IssueDraft, IssueLine } from '../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, createSql, int64Text, json } from '../../database/sql.ts'

export type DraftLine = Omit<IssueLine, 'index' | 'amount'> & { readonly amount: bigint | null }

export type NewDraft = Pick<IssueDraft, 'id' | 'network' | 'createdAt' | 'beyond' | 'remarks'> & {
  readonly lines: readonly DraftLine[]
}

export function createInvoiceDrafts(database: Database) {
  const sql = createSql(database, { remarks: json, amount: int64Text })

  function toDraft(row: DraftRow): IssueDraft {
    const counts = sql.get(
      `SELECT count(*) AS lines, count(*) - count(problem) AS valid, count(problem) AS invalid
       FROM invoice_draft_lines WHERE draft = ?`,
      row.id,
    ) as Pick<IssueDraft, 'lines' | 'valid' | 'invalid'>
    // At most 1,000 lines within the amount limits: the sum is far from 64 bits.
    const totals = sql.all<IssueDraft['totals'][number]>(
      `SELECT currency, count(*) AS count, sum(amount) AS amount FROM invoice_draft_lines
       WHERE draft = ? AND problem IS NULL GROUP BY currency ORDER BY currency`,
      row.id,
    )
    return { ...row, ...counts, totals }
  }

  const list = (network: NetworkId) =>
    sql
      .all<DraftRow>(
        `SELECT * FROM invoice_drafts WHERE network = ? AND job IS NULL
         ORDER BY created_at DESC, id`,
        network,
      )
      .map(toDraft)

  return {
    list,
    get(id: string): IssueDraft | null {
      const row = sql.get<DraftRow>('SELECT * FROM invoice_drafts WHERE id = ?', id)
      return row && toDraft(row)
    },
    /** Replaces the draft with this id, if it exists. Deletes the network's oldest drafts beyond `max`. */
    put: ({ id, network, createdAt, beyond, remarks, lines }: NewDraft, max: number) =>
      sql.transaction(() => {
        sql.remove('invoice_drafts', { id })
        sql.insert('invoice_drafts', { id, network, createdAt, beyond, remarks })
        sql.insertAll(
          'invoice_draft_lines',
          lines.map(({ lifeTimeSeconds: lifeTime, ...line }, idx) => {
            return { draft: id, idx, lifeTime, ...line }
          }),
        )
        for (const { id } of list(network).slice(max)) sql.remove('invoice_drafts', { id })
      }),
    lines(id: string, onlyInvalid: boolean, offset: number, limit: number) {
      const from = 'invoice_draft_lines WHERE draft = ? AND (? = 0 OR problem IS NOT NULL)'
      return {
        total: sql.count(from, id, onlyInvalid),
        lines: sql.all<IssueLine>(
          `SELECT idx AS "index", line, text, currency, amount, life_time AS life_time_seconds,
             description, order_reference, rest_of, problem, warning FROM ${from} ORDER BY idx LIMIT ? OFFSET ?`,
          ...[id, onlyInvalid, limit, offset],
        ),
      }
    },
    remove: (id: string) => void sql.remove('invoice_drafts', { id }),
    forget: (network: NetworkId) => void sql.remove('invoice_drafts', { network }),
  }
}

type DraftRow = Omit<IssueDraft, 'lines' | 'valid' | 'invalid' | 'totals'>
