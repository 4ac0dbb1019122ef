import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import type { CaptureKind } from '../../../../src-preload/domain/capture-values.ts'
import type { Database } from '../../../database/database.ts'
import { createSql, flag } from '../../../database/sql.ts'

export type Facts = Pick<
  CaptureRow,
  'id' | 'account' | 'lt' | 'txHash' | 'summary' | 'duplicateOf' | 'outOfOrder'
> & { readonly kind: CaptureKind }

export const unclassifiedFacts = {
  kind: null,
  account: null,
  lt: null,
  txHash: null,
  summary: '',
  duplicateOf: null,
  outOfOrder: false,
}

export type FactsReader = ReturnType<typeof createFactsReader>

export function createFactsReader(database: Database) {
  const sql = createSql(database, { outOfOrder: flag })
  const select = `SELECT id, kind, account, CAST(lt AS TEXT) AS lt, tx_hash, summary, duplicate_of,
    out_of_order FROM facts`
  const byId = (facts: readonly Facts[]) => new Map(facts.map((each) => [each.id, each]))
  return {
    indexedTo: () => sql.value<number>('SELECT indexed_to FROM progress') ?? 0,
    between: (from: number, to: number) =>
      byId(sql.all<Facts>(`${select} WHERE id BETWEEN ? AND ?`, from, to)),
    byIds: (ids: readonly number[]) =>
      byId(ids.flatMap((id) => sql.get<Facts>(`${select} WHERE id = ?`, id) ?? [])),
  }
}
