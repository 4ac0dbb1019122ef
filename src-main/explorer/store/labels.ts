import type { Label } from '../../../src-preload/contract/label.ts'
import { type Database, transaction } from '../../database/database.ts'
import type { AccountRange } from '../../database/list-text.ts'

/** What `list` looks for: a part of a name, note or raw address, or addresses of a range. */
type LabelSearch = { readonly part: string; readonly range?: AccountRange | null }

/** A person's own names for addresses, each on one network. Addresses are raw. */
export type Labels = {
  /** In the order of their names. */
  list(
    network: string,
    search: LabelSearch,
    page: { readonly offset: number; readonly limit: number },
  ): { total: number; labels: Label[] }
  /** All of a network in the order of their addresses, page by page: those behind the one given. */
  after(network: string, address: string, limit: number): Label[]
  get(network: string, address: string): Label | null
  /** All of them or, should one fail, none. Those that were there are replaced. */
  put(labels: readonly Label[]): void
  /** False when there was none. */
  remove(network: string, address: string): boolean
  /** Names by address, of those that have one. */
  namesOf(network: string, addresses: readonly string[]): ReadonlyMap<string, string>
}

/** Places for addresses in one statement, which is prepared once. */
const chunkSize = 200

export function createLabels(database: Database): Labels {
  const columns = 'network, address, name, note, changed_at'
  const matching = `FROM labels WHERE network = $network
    AND (instr(folded, $part) > 0 OR instr(address, $part) > 0
      OR (address BETWEEN $from AND $to AND address LIKE '%' || $ending))`
  const count = database.prepare(`SELECT count(*) AS total ${matching}`)
  const select = database.prepare(
    `SELECT ${columns} ${matching} ORDER BY folded, address LIMIT $limit OFFSET $offset`,
  )
  const one = database.prepare(`SELECT ${columns} FROM labels WHERE network = ? AND address = ?`)
  const following = database.prepare(
    `SELECT ${columns} FROM labels WHERE network = ? AND address > ? ORDER BY address LIMIT ?`,
  )
  const upsert = database.prepare(
    `INSERT OR REPLACE INTO labels (${columns}, folded) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const remove = database.prepare('DELETE FROM labels WHERE network = ? AND address = ?')
  const names = database.prepare(
    `SELECT address, name FROM labels
     WHERE network = ? AND address IN (${Array(chunkSize).fill('?').join(', ')})`,
  )

  return {
    list(network, search, { offset, limit }) {
      const sought = {
        $network: network,
        $part: foldText(search.part),
        $from: search.range?.from ?? null,
        $to: search.range?.to ?? null,
        $ending: search.range?.ending ?? null,
      }
      return {
        total: Number(count.get(sought)?.['total']),
        labels: select.all({ ...sought, $limit: limit, $offset: offset }).map(toLabel),
      }
    },
    after: (network, address, limit) => following.all(network, address, limit).map(toLabel),
    get(network, address) {
      const row = one.get(network, address)
      return row === undefined ? null : toLabel(row)
    },
    put(labels) {
      transaction(database, () => {
        for (const { network, address, name, note, changedAt } of labels) {
          upsert.run(network, address, name, note, changedAt, foldText(`${name}\n${note}`))
        }
      })
    },
    remove: (network, address) => Number(remove.run(network, address).changes) > 0,
    namesOf(network, addresses) {
      const found = new Map<string, string>()
      const unique = [...new Set(addresses)]
      for (let start = 0; start < unique.length; start += chunkSize) {
        const chunk = unique.slice(start, start + chunkSize)
        const places = [...chunk, ...Array<null>(chunkSize - chunk.length).fill(null)]
        for (const row of names.iterate(network, ...places)) {
          found.set(row['address'] as string, row['name'] as string)
        }
      }
      return found
    },
  }
}

/** As names are compared: whatever the case of their letters. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

function toLabel(row: Record<string, unknown>): Label {
  return {
    network: row['network'] as string,
    address: row['address'] as string,
    name: row['name'] as string,
    note: row['note'] as string,
    changedAt: row['changed_at'] as number,
  }
}
