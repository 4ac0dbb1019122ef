import type { WebhookLog } from '../webhooks/webhook.ts'
import type { Database } from './database.ts'

export type WebhookLogStore = ReturnType<typeof createWebhookLogStore>

/** Failed attempts of each webhook, the last ones of it. Callers give the transaction. */
export function createWebhookLogStore(database: Database, kept = 10_000) {
  const number = database.prepare(
    'UPDATE webhooks SET log_count = log_count + 1 WHERE id = ? RETURNING log_count',
  )
  const insert = database.prepare(
    `INSERT INTO webhook_logs (webhook_id, number, at, event_type, message)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const forget = database.prepare('DELETE FROM webhook_logs WHERE webhook_id = ? AND number <= ?')
  const page = database.prepare(
    `SELECT at, event_type, message FROM webhook_logs
     WHERE webhook_id = ? ORDER BY number DESC LIMIT ? OFFSET ?`,
  )

  return {
    add(webhookId: number, { at, eventType, message }: WebhookLog): void {
      const row = number.get(webhookId)
      if (row === undefined) return
      const count = Number(row['log_count'])
      insert.run(webhookId, count, at, eventType, message)
      forget.run(webhookId, count - kept)
    },
    /** Newest first. */
    page(webhookId: number, offset: number, limit: number): WebhookLog[] {
      return page.all(webhookId, limit, offset).map((row) => ({
        at: Number(row['at']),
        eventType: String(row['event_type']),
        message: String(row['message']),
      }))
    },
  }
}
