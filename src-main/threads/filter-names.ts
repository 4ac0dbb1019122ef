import { createNames } from '../captures/query/completion.ts'
import type { Database } from '../database/database.ts'
import { createAccountNames } from '../chain/store/chain.ts'
import { createLabels } from '../chain/store/labels.ts'
import { createCustomNetworks, apiPresets } from '../networks/store/networks.ts'
import { createWebhookTokens } from '../secrets/store/webhook-tokens.ts'
import { createWebhookHooks } from '../webhooks/store/webhooks.ts'

/**
 * Finds the names that filters of rules contain, for use in threads. The names are read from the
 * database for each filter.
 */
export function createFilterNames(database: Database) {
  const customNetworks = createCustomNetworks(database)
  const tokens = createWebhookTokens(database)
  const hooks = createWebhookHooks(database)
  return createNames({
    labels: createLabels(database),
    accountNames: createAccountNames(database),
    networks: () => [...apiPresets, { id: 'sandbox', name: 'Sandbox' }, ...customNetworks.list()],
    // Rules cannot filter by operations, because the operation is known only later.
    operations: () => [],
    webhookTokens: () => [
      ...tokens.list(),
      ...hooks
        .list()
        .flatMap(({ id, tokenId }) => (tokenId === null ? [] : [{ id: tokenId, label: id }])),
    ],
  }).names
}
