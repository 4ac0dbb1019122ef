import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** Where a webhook of the last list delivers to. */
type WebhookHook = {
  readonly network: NetworkId
  /** The gateway's. */
  readonly id: string
  readonly endpoint: string
  /** Under which its token is kept; null where it is not. */
  readonly tokenId: string | null
}

/** Webhooks of all networks, as their lists were last read; any connection to the file will do. */
export function createWebhookHooks(database: Database): { list(): WebhookHook[] } {
  const sql = createSql(database)
  return {
    list: () =>
      sql.all<WebhookHook>(
        'SELECT network, id, endpoint, token_id FROM webhooks WHERE gone_at IS NULL ORDER BY key',
      ),
  }
}
