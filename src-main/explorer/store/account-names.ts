import type { Database } from '../../database/database.ts'
import { foldText } from './labels.ts'

/** What a network's gateway calls an account. The address is raw. */
export type AccountName = { readonly address: string; readonly name: string }

/** Names that came with answers of the gateways, so that accounts are found by them offline. */
export type AccountNames = {
  /** Adds or replaces. */
  put(network: string, names: readonly AccountName[]): void
  /** On any network, with this text in their names. */
  like(text: string, limit: number): AccountName[]
}

export function createAccountNames(database: Database): AccountNames {
  const put = database.prepare(
    `INSERT INTO account_names (network, address, name, folded) VALUES (?, ?, ?, ?)
     ON CONFLICT (network, address) DO UPDATE SET name = excluded.name, folded = excluded.folded
     WHERE name <> excluded.name`,
  )
  const like = database.prepare(
    'SELECT address, name FROM account_names WHERE instr(folded, ?) > 0 LIMIT ?',
  )
  return {
    put(network, names) {
      for (const { address, name } of names) put.run(network, address, name, foldText(name))
    },
    like: (text, limit) =>
      like.all(foldText(text), limit).map((row) => ({
        address: row['address'] as string,
        name: row['name'] as string,
      })),
  }
}
