import type { Database } from '../../database/database.ts'

/** What is known of a webhook's token here; the token itself is in the keychain under the id. */
type WebhookTokenRecord = {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly createdAt: number
}

export type WebhookTokens = {
  list(): WebhookTokenRecord[]
  /** Adds it, or puts it in the place of the one of this id. */
  put(record: WebhookTokenRecord): void
  remove(id: string): void
}

export function createWebhookTokens(database: Database): WebhookTokens {
  const list = database.prepare(
    'SELECT id, label, hint, created_at FROM webhook_tokens ORDER BY created_at, id',
  )
  const insert = database.prepare(
    'INSERT OR REPLACE INTO webhook_tokens (id, label, hint, created_at) VALUES (?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM webhook_tokens WHERE id = ?')
  return {
    list: () =>
      list.all().map((row) => ({
        id: row['id'] as string,
        label: row['label'] as string,
        hint: row['hint'] as string,
        createdAt: row['created_at'] as number,
      })),
    put({ id, label, hint, createdAt }) {
      insert.run(id, label, hint, createdAt)
    },
    remove(id) {
      remove.run(id)
    },
  }
}
