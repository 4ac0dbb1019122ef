import type { Webhook, WebhookStatus, WebhookUsage } from '../webhooks/webhook.ts'
import type { Database } from './database.ts'

export type WebhookStore = ReturnType<typeof createWebhookStore>

type Row = Record<string, unknown>

const columns = `w.*,
  (SELECT count(*) FROM account_tx_subscriptions s WHERE s.webhook_id = w.id) AS accounts,
  (SELECT count(*) FROM msg_opcode_subscriptions s WHERE s.webhook_id = w.id) AS opcodes`

/** One network's webhooks. Callers give the transaction. Moments in milliseconds. */
export function createWebhookStore(database: Database, startedAt: number) {
  const all = database.prepare(`SELECT ${columns} FROM webhooks w ORDER BY id`)
  const insert = database.prepare(
    `INSERT INTO webhooks (endpoint, token, status, status_updated_at, last_online_at)
     VALUES (?, ?, 'online', ?, ?) RETURNING id`,
  )
  const exists = database.prepare('SELECT 1 FROM webhooks WHERE id = ?')
  const address = database.prepare('SELECT endpoint, token FROM webhooks WHERE id = ?')
  const statusOf = database.prepare('SELECT status FROM webhooks WHERE id = ?')
  const remove = database.prepare('DELETE FROM webhooks WHERE id = ?')
  const setToken = database.prepare('UPDATE webhooks SET token = ? WHERE id = ?')
  const setStatus = database.prepare(
    'UPDATE webhooks SET status = ?, status_updated_at = ? WHERE id = ?',
  )
  const setOnline = database.prepare(
    'UPDATE webhooks SET last_online_at = ?, status_failed_attempts = 0 WHERE id = ?',
  )
  const addFailure = database.prepare(
    'UPDATE webhooks SET status_failed_attempts = status_failed_attempts + 1 WHERE id = ?',
  )
  const setMempool = database.prepare('UPDATE webhooks SET mempool = ? WHERE id = ?')
  const setNewContracts = database.prepare('UPDATE webhooks SET new_contracts = ? WHERE id = ?')
  const forMempool = database.prepare('SELECT id FROM webhooks WHERE mempool = 1 ORDER BY id')
  const forNewContracts = database.prepare(
    'SELECT id FROM webhooks WHERE new_contracts = 1 ORDER BY id',
  )
  const beginUsage = database.prepare(
    'INSERT INTO webhook_usage (id, period_started_at) VALUES (1, ?) ON CONFLICT DO NOTHING',
  )
  const countDelivered = database.prepare('UPDATE webhook_usage SET delivered = delivered + 1')
  const countFailed = database.prepare('UPDATE webhook_usage SET failed = failed + 1')
  const usage = database.prepare('SELECT * FROM webhook_usage')
  beginUsage.run(startedAt)

  return {
    list: (): Webhook[] => all.all().map(toWebhook),
    add(endpoint: string, token: string, at: number): number {
      return Number(insert.get(endpoint, token, at, at)?.['id'])
    },
    has: (id: number): boolean => exists.get(id) !== undefined,
    /** Where to deliver to, and with what token. */
    address(id: number): { endpoint: string; token: string } | null {
      const row = address.get(id)
      if (row === undefined) return null
      return { endpoint: String(row['endpoint']), token: String(row['token']) }
    },
    status(id: number): WebhookStatus | null {
      const row = statusOf.get(id)
      return row === undefined ? null : toStatus(row['status'])
    },
    /** With its subscriptions and its log. */
    remove(id: number): void {
      remove.run(id)
    },
    setToken(id: number, token: string): void {
      setToken.run(token, id)
    },
    setStatus(id: number, status: WebhookStatus, at: number): void {
      setStatus.run(status, at, id)
    },
    /** It answers. */
    setOnline(id: number, at: number): void {
      setOnline.run(at, id)
    },
    addFailure(id: number): void {
      addFailure.run(id)
    },
    setMempool(id: number, isSubscribed: boolean): void {
      setMempool.run(isSubscribed ? 1 : 0, id)
    },
    setNewContracts(id: number, isSubscribed: boolean): void {
      setNewContracts.run(isSubscribed ? 1 : 0, id)
    },
    forMempool: (): number[] => forMempool.all().map(({ id }) => Number(id)),
    forNewContracts: (): number[] => forNewContracts.all().map(({ id }) => Number(id)),
    countDelivered(): void {
      countDelivered.run()
    },
    countFailed(): void {
      countFailed.run()
    },
    usage(): WebhookUsage {
      const row = usage.get()
      return {
        periodStartedAt: Number(row?.['period_started_at'] ?? startedAt),
        delivered: Number(row?.['delivered'] ?? 0),
        failed: Number(row?.['failed'] ?? 0),
      }
    },
    /** Counts from now on where the tables were replaced by empty ones. */
    beginUsage(at: number): void {
      beginUsage.run(at)
    },
  }
}

function toStatus(value: unknown): WebhookStatus {
  return value === 'offline' || value === 'suspended' ? value : 'online'
}

function toWebhook(row: Row): Webhook {
  return {
    id: Number(row['id']),
    endpoint: String(row['endpoint']),
    token: String(row['token']),
    status: toStatus(row['status']),
    statusUpdatedAt: Number(row['status_updated_at']),
    lastOnlineAt: Number(row['last_online_at']),
    statusFailedAttempts: Number(row['status_failed_attempts']),
    subscribedToMempool: row['mempool'] === 1,
    subscribedToNewContracts: row['new_contracts'] === 1,
    subscribedAccounts: Number(row['accounts']),
    subscribedMsgOpcodes: Number(row['opcodes']),
  }
}
