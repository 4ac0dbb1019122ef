import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'

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
  const list = database.prepare(
    'SELECT network, id, endpoint, token_id FROM webhooks WHERE gone_at IS NULL ORDER BY key',
  )
  return {
    list: () =>
      list.all().map((row) => ({
        network: row['network'] as string,
        id: row['id'] as string,
        endpoint: row['endpoint'] as string,
        tokenId: row['token_id'] as string | null,
      })),
  }
}
