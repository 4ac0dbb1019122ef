import type { Label } from '../../../src-preload/contract/label.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import type { AccountRange } from '../../database/list-text.ts'

type LabelSearch = { readonly part: string; readonly range?: AccountRange | null }

type Named = Pick<Label, 'address' | 'name'>

export type Labels = ReturnType<typeof createLabels>

export function createLabels(database: Database) {
  const sql = createSql(database)
  const select = 'SELECT network, address, name, note, changed_at FROM labels WHERE'
  const matching = `network = $network
    AND (instr(folded, $part) > 0 OR instr(address, $part) > 0
      OR (address BETWEEN $from AND $to AND address LIKE '%' || $ending))`

  function addressesByName(network: string, others: readonly Named[]) {
    const known = new Map<string, string | null>()
    const labelled = sql.iterate<Named>(
      'SELECT address, name FROM labels WHERE network = ?',
      network,
    )
    for (const { address, name } of [...labelled, ...others]) {
      const folded = foldText(name)
      const isOther = known.has(folded) && known.get(folded) !== address
      known.set(folded, isOther ? null : address)
    }
    return known
  }

  return {
    list(
      network: string,
      { part, range }: LabelSearch,
      page: { readonly offset: number; readonly limit: number },
    ) {
      const anywhere = { from: null, to: null, ending: null }
      const sought = { network, part: foldText(part), ...anywhere, ...range, ...page }
      return {
        total: sql.count(`labels WHERE ${matching}`, sought),
        labels: sql.all<Label>(
          `${select} ${matching} ORDER BY folded, address LIMIT $limit OFFSET $offset`,
          sought,
        ),
      }
    },
    after: (network: string, address: string, limit: number) =>
      sql.all<Label>(
        `${select} network = ? AND address > ? ORDER BY address LIMIT ?`,
        ...[network, address, limit],
      ),
    /** The result includes the accounts in `others`. */
    accountsByName(network: string, others: readonly Named[]) {
      // Loaded when the first name occurs, because most lists contain only addresses.
      let known: ReadonlyMap<string, string | null> | null = null
      return (name: string) => (known ??= addressesByName(network, others)).get(foldText(name))
    },
    get: (network: string, address: string) =>
      sql.get<Label>(`${select} network = ? AND address = ?`, network, address),
    put: (labels: readonly Label[]) =>
      sql.transaction(() => {
        const rows = labels.map(({ network, address, name, note, changedAt }) => {
          const folded = foldText(`${name}\n${note}`)
          return { network, address, name, note, changedAt, folded }
        })
        sql.insertAll('labels', rows, 'INSERT OR REPLACE')
      }),
    remove: (network: string, address: string) => sql.remove('labels', { network, address }) > 0,
    namesOf(network: string, addresses: readonly string[]): ReadonlyMap<string, string> {
      const rows = sql.all<Named>(
        `SELECT address, name FROM labels
         WHERE network = ? AND address IN (SELECT value FROM json_each(?))`,
        ...[network, JSON.stringify(addresses)],
      )
      return new Map(rows.map(({ address, name }) => [address, name]))
    },
  }
}

export const foldText = (text: string): string => text.normalize('NFC').toLowerCase()
