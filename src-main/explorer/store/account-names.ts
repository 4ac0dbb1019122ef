import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { foldText } from './labels.ts'

/** What a network's gateway calls an account. The address is raw. */
export type AccountName = { readonly address: string; readonly name: string }

export type AccountNames = ReturnType<typeof createAccountNames>

/** Names that came with answers of the gateways, so that accounts are found by them offline. */
export function createAccountNames(database: Database) {
  const sql = createSql(database)
  return {
    /** Adds or replaces. */
    put(network: string, names: readonly AccountName[]): void {
      for (const each of names) {
        sql.run(
          `INSERT INTO account_names (network, address, name, folded)
           VALUES ($network, $address, $name, $folded)
           ON CONFLICT (network, address) DO UPDATE
           SET name = excluded.name, folded = excluded.folded WHERE name <> excluded.name`,
          { ...each, network, folded: foldText(each.name) },
        )
      }
    },
    /** On any network, with this text in their names. */
    like: (text: string, limit: number) =>
      sql.all<AccountName>(
        'SELECT address, name FROM account_names WHERE instr(folded, ?) > 0 LIMIT ?',
        ...[foldText(text), limit],
      ),
  }
}
