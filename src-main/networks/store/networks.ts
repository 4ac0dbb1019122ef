import { z } from 'zod'
import type { CustomNetwork, NetworkId, SecretSlot } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'
import { createValues } from '../../app/store/settings.ts'

export type CustomNetworkRecord = CustomNetwork & { readonly id: NetworkId }

export type CustomNetworks = {
  /** In the order they were added. */
  list(): CustomNetworkRecord[]
  add(network: CustomNetworkRecord, addedAt: number): void
  change(network: CustomNetworkRecord): void
  remove(id: NetworkId): void
}

export function createCustomNetworks(database: Database): CustomNetworks {
  const list = database.prepare('SELECT * FROM custom_networks ORDER BY added_at, id')
  const insert = database.prepare(
    `INSERT INTO custom_networks
       (id, name, query_url, webhooks_url, testnet_webhooks_url, console_url, test_only, added_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = database.prepare(
    `UPDATE custom_networks SET name = ?, query_url = ?, webhooks_url = ?,
       testnet_webhooks_url = ?, console_url = ?, test_only = ? WHERE id = ?`,
  )
  const remove = database.prepare('DELETE FROM custom_networks WHERE id = ?')
  const columns = ({ name, urls, testOnly }: CustomNetwork) =>
    [name, urls.query, urls.webhooks, urls.testnetWebhooks, urls.console, testOnly ? 1 : 0] as const
  return {
    list: () =>
      list.all().map((row) => ({
        id: row['id'] as string,
        name: row['name'] as string,
        urls: {
          query: row['query_url'] as string,
          webhooks: row['webhooks_url'] as string,
          testnetWebhooks: row['testnet_webhooks_url'] as string | null,
          console: row['console_url'] as string | null,
        },
        testOnly: row['test_only'] === 1,
      })),
    add(network, addedAt) {
      insert.run(network.id, ...columns(network), addedAt)
    },
    change(network) {
      update.run(...columns(network), network.id)
    },
    remove(id) {
      remove.run(id)
    },
  }
}

/** What is known here of a secret; the secret itself is in the keychain. */
export type NetworkSecretRecord = {
  readonly network: NetworkId
  readonly slot: SecretSlot
  readonly hint: string
  readonly addedAt: number
}

export type NetworkSecretRecords = {
  list(): NetworkSecretRecord[]
  /** In the place of the one before. */
  set(record: NetworkSecretRecord): void
  remove(network: NetworkId, slot: SecretSlot): void
}

export function createNetworkSecretRecords(database: Database): NetworkSecretRecords {
  const list = database.prepare('SELECT network, slot, hint, added_at FROM network_secrets')
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO network_secrets (network, slot, hint, added_at) VALUES (?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM network_secrets WHERE network = ? AND slot = ?')
  return {
    list: () =>
      list.all().map((row) => ({
        network: row['network'] as string,
        slot: row['slot'] as SecretSlot,
        hint: row['hint'] as string,
        addedAt: row['added_at'] as number,
      })),
    set({ network, slot, hint, addedAt }) {
      upsert.run(network, slot, hint, addedAt)
    },
    remove(network, slot) {
      remove.run(network, slot)
    },
  }
}

/** Keys, as `network/slot`, that are not to be bound to the URLs of their network (store/restore.ts). */
export function createWithheldKeys(database: Database) {
  const values = createValues(database)
  const key = 'secrets.withheld'
  return {
    list: () => values.get(key, z.array(z.string()), []),
    set: (entries: readonly string[]) => values.set(key, entries),
  }
}
