import { type Codec, createSql, flag, int64 } from '../../database/sql.ts'
import type { Database } from './database.ts'

type WebhookStatus = 'online' | 'offline' | 'suspended'

/** A webhook in the form of the API, except that its names are not in snake case. */
export type Webhook = Fields & {
  readonly id: number
  readonly endpoint: string
  readonly status: WebhookStatus
  readonly statusFailedAttempts: number
}

type WebhookChange =
  | { readonly status: WebhookStatus; readonly statusUpdatedAt: number }
  | { readonly token: string }
  | { readonly mempool: boolean }
  | { readonly newContracts: boolean }

type Fields = Readonly<Record<string, unknown>>

type Page = { readonly limit: number; readonly offset: number }

/** Stored as milliseconds and read as an ISO date-time. */
const dateTime: Codec<number> = {
  decode: (stored) => new Date(Number(stored)).toISOString(),
  encode: (at) => at,
}

/** Maximum number of log entries per webhook; the newest are kept. */
const maxLogs = 10_000

export type WebhookStore = ReturnType<typeof createWebhookStore>

/** The caller must open the transaction. */
export function createWebhookStore(database: Database, startedAt: number) {
  const sql = createSql(database, {
    subscribedToMempool: flag,
    subscribedToNewContracts: flag,
    lastDeliveredLt: int64,
    failedLt: int64,
    statusUpdatedAt: dateTime,
    lastOnlineAt: dateTime,
    failedAt: dateTime,
    disabledAt: dateTime,
    timestamp: dateTime,
    periodStartedAt: dateTime,
  })
  const store = { ...webhookRows(sql), ...accountRows(sql), ...opcodeRows(sql), ...usageRows(sql) }
  store.beginUsage(startedAt)
  return store
}

type Sql = ReturnType<typeof createSql>

function webhookRows(sql: Sql) {
  return {
    list: () =>
      sql.all<Webhook>(
        `SELECT id, endpoint, token,
           (SELECT count(*) FROM account_tx_subscriptions s WHERE s.webhook_id = w.id)
             AS subscribed_accounts,
           (SELECT count(*) FROM msg_opcode_subscriptions s WHERE s.webhook_id = w.id)
             AS subscribed_msg_opcodes,
           mempool AS subscribed_to_mempool, new_contracts AS subscribed_to_new_contracts,
           status, status_updated_at, last_online_at, status_failed_attempts
         FROM webhooks w ORDER BY id`,
      ),
    add: (endpoint: string, token: string, at: number) =>
      sql.insert('webhooks', {
        endpoint,
        token,
        status: 'online',
        statusUpdatedAt: at,
        lastOnlineAt: at,
      }),
    address: (id: number) =>
      sql.get<{ readonly endpoint: string; readonly token: string }>(
        'SELECT endpoint, token FROM webhooks WHERE id = ?',
        id,
      ),
    status: (id: number) =>
      sql.value<WebhookStatus>('SELECT status FROM webhooks WHERE id = ?', id),
    remove: (id: number) => sql.remove('webhooks', { id }),
    set: (id: number, fields: WebhookChange) => sql.update('webhooks', fields, { id }),
    setOnline: (id: number, at: number) =>
      sql.update('webhooks', { lastOnlineAt: at, statusFailedAttempts: 0 }, { id }),
    addFailure: (id: number) =>
      sql.run(
        'UPDATE webhooks SET status_failed_attempts = status_failed_attempts + 1 WHERE id = ?',
        id,
      ),
    withEvent: (event: 'mempool' | 'new_contracts') =>
      sql.column<number>(`SELECT id FROM webhooks WHERE ${event} = 1 ORDER BY id`),
  }
}

function accountRows(sql: Sql) {
  const { all, column, remove, run } = sql
  return {
    subscribeAccount: (webhookId: number, accountId: string) =>
      sql.insertNew('account_tx_subscriptions', { webhookId, accountId }),
    /** @returns false if there is no such subscription */
    unsubscribeAccount: (webhookId: number, accountId: string) =>
      remove('account_tx_subscriptions', { accountId, webhookId }) === 1,
    accountSubscriptions: (webhookId: number, page: Page) =>
      all<Fields>(
        `SELECT account_id, last_delivered_lt, failed_at, failed_lt, failed_attempts
         FROM account_tx_subscriptions WHERE webhook_id = $webhookId
         ORDER BY id LIMIT $limit OFFSET $offset`,
        { webhookId, ...page },
      ),
    forAccount: (account: string) =>
      column<number>(
        'SELECT webhook_id FROM account_tx_subscriptions WHERE account_id = ? ORDER BY webhook_id',
        account,
      ),
    accountDelivered: (webhookId: number, account: string, lt: bigint) =>
      run(
        `UPDATE account_tx_subscriptions SET last_delivered_lt = max(last_delivered_lt, $lt)
         WHERE account_id = $account AND webhook_id = $webhookId`,
        { lt, account, webhookId },
      ),
    accountFailed: (webhookId: number, account: string, lt: bigint, at: number) =>
      run(
        `UPDATE account_tx_subscriptions
         SET failed_at = $at, failed_lt = $lt, failed_attempts = failed_attempts + 1
         WHERE account_id = $account AND webhook_id = $webhookId`,
        { at, lt, account, webhookId },
      ),
  }
}

function opcodeRows(sql: Sql) {
  const { all, column, remove, run } = sql
  return {
    subscribeOpcode: (webhookId: number, opcode: number) =>
      run(
        `INSERT INTO msg_opcode_subscriptions (webhook_id, opcode) VALUES ($webhookId, $opcode)
         ON CONFLICT DO UPDATE SET status = 'active', disabled_at = NULL, disabled_reason = NULL`,
        { webhookId, opcode },
      ),
    /** @returns false if there is no such subscription */
    unsubscribeOpcode: (webhookId: number, opcode: number) =>
      remove('msg_opcode_subscriptions', { opcode, webhookId }) === 1,
    /** @returns false if there is no such subscription */
    disableOpcode: (webhookId: number, opcode: number, reason: string, at: number) =>
      sql.update(
        'msg_opcode_subscriptions',
        { status: 'disabled', disabledAt: at, disabledReason: reason },
        { opcode, webhookId },
      ) === 1,
    opcodeSubscriptions: (webhookId: number, page: Page) =>
      all<Fields & { readonly opcode: number }>(
        `SELECT opcode, status, disabled_at, disabled_reason FROM msg_opcode_subscriptions
         WHERE webhook_id = $webhookId ORDER BY id LIMIT $limit OFFSET $offset`,
        { webhookId, ...page },
      ),
    forOpcode: (opcode: number) =>
      column<number>(
        `SELECT webhook_id FROM msg_opcode_subscriptions
         WHERE opcode = ? AND status = 'active' ORDER BY webhook_id`,
        opcode,
      ),
  }
}

function usageRows(sql: Sql) {
  return {
    /** Restarts the period if the tables were replaced by empty ones. */
    beginUsage: (at: number) => sql.insertNew('webhook_usage', { id: 1, periodStartedAt: at }),
    countDelivered: () => sql.run('UPDATE webhook_usage SET delivered = delivered + 1'),
    countFailed: () => sql.run('UPDATE webhook_usage SET failed = failed + 1'),
    usage: () =>
      sql.get<Fields>(
        `SELECT period_started_at,
           (SELECT count(*) FROM account_tx_subscriptions) AS account_subscriptions,
           delivered AS webhooks_delivered, failed AS webhooks_failed FROM webhook_usage`,
      ),
    addLog(webhookId: number, log: { at: number; eventType: string; message: string }): void {
      const number = sql.value<number>(
        'UPDATE webhooks SET log_count = log_count + 1 WHERE id = ? RETURNING log_count',
        webhookId,
      )
      if (number === null) return
      sql.insert('webhook_logs', { webhookId, number, ...log })
      const last = number - maxLogs
      sql.run('DELETE FROM webhook_logs WHERE webhook_id = ? AND number <= ?', webhookId, last)
    },
    /** Returns log entries, the newest first. */
    logs: (webhookId: number, page: Page) =>
      sql.all<Fields>(
        `SELECT at AS timestamp, message, event_type FROM webhook_logs
         WHERE webhook_id = $webhookId ORDER BY number DESC LIMIT $limit OFFSET $offset`,
        { webhookId, ...page },
      ),
  }
}
