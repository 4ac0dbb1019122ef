import type { AccountSubscription } from '../webhooks/webhook.ts'
import type { Database } from './database.ts'

export type AccountSubscriptionStore = ReturnType<typeof createAccountSubscriptionStore>

/** Which webhooks hear of which accounts' transactions. Callers give the transaction. */
export function createAccountSubscriptionStore(database: Database) {
  const insert = database.prepare(
    `INSERT INTO account_tx_subscriptions (webhook_id, account_id) VALUES (?, ?)
     ON CONFLICT DO NOTHING`,
  )
  const remove = database.prepare(
    'DELETE FROM account_tx_subscriptions WHERE account_id = ? AND webhook_id = ?',
  )
  const page = database.prepare(
    `SELECT account_id, last_delivered_lt, failed_at, failed_lt, failed_attempts
     FROM account_tx_subscriptions WHERE webhook_id = ? ORDER BY id LIMIT ? OFFSET ?`,
  )
  page.setReadBigInts(true)
  const webhooksOf = database.prepare(
    'SELECT webhook_id FROM account_tx_subscriptions WHERE account_id = ? ORDER BY webhook_id',
  )
  const count = database.prepare('SELECT count(*) AS n FROM account_tx_subscriptions')
  const deliver = database.prepare(
    `UPDATE account_tx_subscriptions SET last_delivered_lt = max(last_delivered_lt, ?)
     WHERE account_id = ? AND webhook_id = ?`,
  )
  const fail = database.prepare(
    `UPDATE account_tx_subscriptions
     SET failed_at = ?, failed_lt = ?, failed_attempts = failed_attempts + 1
     WHERE account_id = ? AND webhook_id = ?`,
  )

  return {
    /** One that is there already stays as it is. */
    add(webhookId: number, account: string): void {
      insert.run(webhookId, account)
    },
    /** @returns false when there was none */
    remove(webhookId: number, account: string): boolean {
      return remove.run(account, webhookId).changes === 1
    },
    /** In the order they were subscribed. */
    page(webhookId: number, offset: number, limit: number): AccountSubscription[] {
      return page.all(webhookId, limit, offset).map((row) => ({
        accountId: String(row['account_id']),
        lastDeliveredLt: BigInt(String(row['last_delivered_lt'])),
        failedAt: row['failed_at'] === null ? null : Number(row['failed_at']),
        failedLt: row['failed_lt'] === null ? null : BigInt(String(row['failed_lt'])),
        failedAttempts: Number(row['failed_attempts']),
      }))
    },
    webhooksOf(account: string): number[] {
      return webhooksOf.all(account).map((row) => Number(row['webhook_id']))
    },
    count: (): number => Number(count.get()?.['n'] ?? 0),
    delivered(webhookId: number, account: string, lt: bigint): void {
      deliver.run(lt, account, webhookId)
    },
    failed(webhookId: number, account: string, lt: bigint, at: number): void {
      fail.run(at, lt, account, webhookId)
    },
  }
}
