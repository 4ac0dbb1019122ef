import { z } from 'zod'
import type {
  CustomNetwork,
  NetworkId,
  SecretSlot,
  NetworkUrls,
} from '../../../src-preload/contract/network.ts'
import { type Database, createSql, flag } from '../../database/sql.ts'
import { createValues } from '../../app/store/settings.ts'

type CustomNetworkRecord = CustomNetwork & { readonly id: NetworkId }

export type CustomNetworks = ReturnType<typeof createCustomNetworks>

export function createCustomNetworks(database: Database) {
  const sql = createSql(database, { testOnly: flag })
  const fieldsOf = ({ name, urls, testOnly }: CustomNetwork) => ({
    name,
    testOnly,
    queryUrl: urls.query,
    webhooksUrl: urls.webhooks,
    testnetWebhooksUrl: urls.testnetWebhooks,
    consoleUrl: urls.console,
  })
  return {
    list: (): CustomNetworkRecord[] =>
      sql
        .all<Omit<CustomNetworkRecord, 'urls'> & CustomNetwork['urls']>(
          `SELECT id, name, query_url AS query, webhooks_url AS webhooks,
             testnet_webhooks_url AS testnet_webhooks, console_url AS console, test_only
           FROM custom_networks ORDER BY added_at, id`,
        )
        .map(({ id, name, testOnly, ...urls }) => ({ id, name, urls, testOnly })),
    add: (network: CustomNetworkRecord, addedAt: number) =>
      void sql.insert('custom_networks', { id: network.id, ...fieldsOf(network), addedAt }),
    change: (network: CustomNetworkRecord) =>
      void sql.update('custom_networks', fieldsOf(network), { id: network.id }),
    remove: (id: NetworkId) => void sql.remove('custom_networks', { id }),
  }
}

/** The record describes a secret; the secret itself is in the keychain. */
export type NetworkSecretRecord = {
  readonly network: NetworkId
  readonly slot: SecretSlot
  readonly hint: string
  readonly addedAt: number
}

export type NetworkSecretRecords = ReturnType<typeof createNetworkSecretRecords>

export function createNetworkSecretRecords(database: Database) {
  const sql = createSql(database)
  return {
    list: () =>
      sql.all<NetworkSecretRecord>('SELECT network, slot, hint, added_at FROM network_secrets'),
    set: ({ network, slot, hint, addedAt }: NetworkSecretRecord) =>
      void sql.insert('network_secrets', { network, slot, hint, addedAt }, 'INSERT OR REPLACE'),
    remove: (network: NetworkId, slot: SecretSlot) =>
      void sql.remove('network_secrets', { network, slot }),
  }
}

/** Keys, as `network/slot`, that must not be bound to the URLs of their network (store/restore.ts). */
export function createWithheldKeys(database: Database) {
  const values = createValues(database)
  const key = 'secrets.withheld'
  return {
    list: () => values.get(key, z.array(z.string()), []),
    set: (entries: readonly string[]) => values.set(key, entries),
  }
}

/** The service's networks (gateway-facts 1 to 3). Only Mainnet has invoices. */
export const apiPresets = [
  preset('testnet', 'Testnet', 'testnet.', {
    query: 'https://testnet.tonapi.io',
    webhooks: 'https://rt-testnet.tonapi.io',
    testnetWebhooks: null,
    console: null,
  }),
  preset('mainnet', 'Mainnet', '', {
    query: 'https://tonapi.io',
    webhooks: 'https://rt.tonapi.io',
    testnetWebhooks: 'https://rt-testnet.tonapi.io',
    console: 'https://tonconsole.com',
  }),
]

function preset(id: 'mainnet' | 'testnet', name: string, subdomain: string, urls: NetworkUrls) {
  const explorer = `https://${subdomain}tonviewer.com`
  return {
    id,
    name,
    urls,
    testOnly: id === 'testnet',
    explorer: { transaction: `${explorer}/transaction/{hash}`, address: `${explorer}/{address}` },
  }
}
