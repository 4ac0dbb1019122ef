import type {
  AccountSubscription,
  OpcodeSubscription,
  Webhook,
  WebhookLog,
  WebhookStatus,
  WebhookUsage,
} from '../webhooks/webhook.ts'
import type { Database } from './database.ts'

export type WebhookStore = ReturnType<typeof createWebhookStore>

type Row = Record<string, unknown>

const columns = `w.*,
  (SELECT count(*) FROM account_tx_subscriptions s WHERE s.webhook_id = w.id) AS accounts,
  (SELECT count(*) FROM msg_opcode_subscriptions s WHERE s.webhook_id = w.id) AS opcodes`

/** Callers provide the transaction. Moments are milliseconds. */
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
    address(id: number): { endpoint: string; token: string } | null {
      const row = address.get(id)
      if (row === undefined) return null
      return { endpoint: String(row['endpoint']), token: String(row['token']) }
    },
    status(id: number): WebhookStatus | null {
      const row = statusOf.get(id)
      return row === undefined ? null : toStatus(row['status'])
    },
    /** With its subscriptions and log. */
    remove(id: number): void {
      remove.run(id)
    },
    setToken(id: number, token: string): void {
      setToken.run(token, id)
    },
    setStatus(id: number, status: WebhookStatus, at: number): void {
      setStatus.run(status, at, id)
    },
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
    /** Restarts the period when the tables were replaced by empty ones. */
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

export type AccountSubscriptionStore = ReturnType<typeof createAccountSubscriptionStore>

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
    add(webhookId: number, account: string): void {
      insert.run(webhookId, account)
    },
    remove(webhookId: number, account: string): boolean {
      return remove.run(account, webhookId).changes === 1
    },
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

export function createOpcodeSubscriptionStore(database: Database) {
  const insert = database.prepare(
    `INSERT INTO msg_opcode_subscriptions (webhook_id, opcode) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET status = 'active', disabled_at = NULL, disabled_reason = NULL`,
  )
  const disable = database.prepare(
    `UPDATE msg_opcode_subscriptions SET status = 'disabled', disabled_at = ?, disabled_reason = ?
     WHERE opcode = ? AND webhook_id = ?`,
  )
  const remove = database.prepare(
    'DELETE FROM msg_opcode_subscriptions WHERE opcode = ? AND webhook_id = ?',
  )
  const page = database.prepare(
    `SELECT opcode, status, disabled_at, disabled_reason FROM msg_opcode_subscriptions
     WHERE webhook_id = ? ORDER BY id LIMIT ? OFFSET ?`,
  )
  const webhooksOf = database.prepare(
    `SELECT webhook_id FROM msg_opcode_subscriptions
     WHERE opcode = ? AND status = 'active' ORDER BY webhook_id`,
  )

  return {
    /** Reactivates a disabled one. */
    add(webhookId: number, opcode: number): void {
      insert.run(webhookId, opcode)
    },
    disable(webhookId: number, opcode: number, reason: string, at: number): boolean {
      return disable.run(at, reason, opcode, webhookId).changes === 1
    },
    remove(webhookId: number, opcode: number): boolean {
      return remove.run(opcode, webhookId).changes === 1
    },
    page(webhookId: number, offset: number, limit: number): OpcodeSubscription[] {
      return page.all(webhookId, limit, offset).map((row) => ({
        opcode: Number(row['opcode']),
        status: row['status'] === 'disabled' ? 'disabled' : 'active',
        disabledAt: row['disabled_at'] === null ? null : Number(row['disabled_at']),
        disabledReason: row['disabled_reason'] === null ? null : String(row['disabled_reason']),
      }))
    },
    webhooksOf(opcode: number): number[] {
      return webhooksOf.all(opcode).map((row) => Number(row['webhook_id']))
    },
  }
}

export type WebhookLogStore = ReturnType<typeof createWebhookLogStore>

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
