import type { WebhookToken } from '../../../src-preload/contract/secret.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

type WebhookTokenRecord = Omit<WebhookToken, 'present'>

export function createWebhookTokens(database: Database) {
  const sql = createSql(database)
  return {
    list: () =>
      sql.all<WebhookTokenRecord>(
        'SELECT id, label, hint, created_at FROM webhook_tokens ORDER BY created_at, id',
      ),
    put: ({ id, label, hint, createdAt }: WebhookTokenRecord) =>
      void sql.insert('webhook_tokens', { id, label, hint, createdAt }, 'INSERT OR REPLACE'),
    remove: (id: string) => void sql.remove('webhook_tokens', { id }),
  }
}
