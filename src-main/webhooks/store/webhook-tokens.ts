import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** What is known of a webhook's token here; the token itself is in the keychain under the id. */
type WebhookTokenRecord = {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly createdAt: number
}

export function createWebhookTokens(database: Database) {
  const sql = createSql(database)
  return {
    list: () =>
      sql.all<WebhookTokenRecord>(
        'SELECT id, label, hint, created_at FROM webhook_tokens ORDER BY created_at, id',
      ),
    /** Adds it, or puts it in the place of the one of this id. */
    put: ({ id, label, hint, createdAt }: WebhookTokenRecord) =>
      void sql.insert('webhook_tokens', { id, label, hint, createdAt }, 'INSERT OR REPLACE'),
    remove: (id: string) => void sql.remove('webhook_tokens', { id }),
  }
}
