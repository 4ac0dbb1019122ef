import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'

/** Rows a step: deliveries are written between two of them. */
const stepRows = 500

/**
 * Lets go of all that was seen of a network's chain: it is another chain from now on, and two must
 * not be mixed. What a person wrote or looked up in bulk stays.
 */
export async function forgetChain(database: Database, network: string): Promise<void> {
  for (const [table, key] of [
    ['chain_transactions', 'id'],
    ['chain_traces', 'root'],
    ['chain_accounts', 'address'],
    ['account_names', 'address'],
  ] as const) {
    const step = database.prepare(
      `DELETE FROM ${table} WHERE network = ? AND ${key} IN
         (SELECT ${key} FROM ${table} WHERE network = ? LIMIT ${stepRows})`,
    )
    while (Number(step.run(network, network).changes) > 0) await setImmediate()
  }
}
