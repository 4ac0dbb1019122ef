import type { AccessState, AppWebhook, InvoiceApp, MatchingRule } from '../invoices/invoice.ts'
import type { Database } from './database.ts'

export type InvoiceAccessRecord = {
  readonly state: AccessState
  readonly token: string
  readonly rule: MatchingRule
}

export type InvoiceAppStore = {
  access(): InvoiceAccessRecord | null
  setAccess(record: InvoiceAccessRecord): void
  app(): InvoiceApp | null
  addApp(app: Omit<InvoiceApp, 'id' | 'webhooks'>): void
  updateApp(app: Pick<InvoiceApp, 'id' | 'name' | 'description' | 'recipient'>): void
  /** Removes its webhooks; its invoices stay. */
  removeApp(id: number): void
  addWebhook(appId: number, url: string): void
  updateWebhook(id: number, url: string): void
  removeWebhook(id: number): void
  webhook(id: number): AppWebhook | null
  webhookDelivered(id: number): void
  webhookFailed(id: number, message: string, at: number): void
}

export function createInvoiceAppStore(database: Database): InvoiceAppStore {
  const access = database.prepare('SELECT state, token, rule FROM invoice_access')
  const setAccess = database.prepare(
    'INSERT OR REPLACE INTO invoice_access (id, state, token, rule) VALUES (1, ?, ?, ?)',
  )
  const app = database.prepare('SELECT * FROM invoice_apps ORDER BY id DESC LIMIT 1')
  const addApp = database.prepare(
    `INSERT INTO invoice_apps (project_id, name, description, recipient, date_create)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const updateApp = database.prepare(
    'UPDATE invoice_apps SET name = ?, description = ?, recipient = ? WHERE id = ?',
  )
  const removeApp = database.prepare('DELETE FROM invoice_apps WHERE id = ?')
  const webhooks = database.prepare('SELECT * FROM invoice_webhooks WHERE app_id = ? ORDER BY id')
  const webhook = database.prepare('SELECT * FROM invoice_webhooks WHERE id = ?')
  const addWebhook = database.prepare('INSERT INTO invoice_webhooks (app_id, url) VALUES (?, ?)')
  const updateWebhook = database.prepare('UPDATE invoice_webhooks SET url = ? WHERE id = ?')
  const removeWebhook = database.prepare('DELETE FROM invoice_webhooks WHERE id = ?')
  const removeWebhooks = database.prepare('DELETE FROM invoice_webhooks WHERE app_id = ?')
  const delivered = database.prepare(
    `UPDATE invoice_webhooks SET failed_attempts = 0, failed_at = NULL, last_error = NULL
     WHERE id = ? AND failed_attempts > 0`,
  )
  const failed = database.prepare(
    `UPDATE invoice_webhooks
     SET failed_attempts = failed_attempts + 1, last_error = ?, failed_at = ? WHERE id = ?`,
  )
  return {
    access() {
      const row = access.get()
      return row === undefined
        ? null
        : {
            state: row['state'] as AccessState,
            token: row['token'] as string,
            rule: row['rule'] as MatchingRule,
          }
    },
    setAccess({ state, token, rule }) {
      setAccess.run(state, token, rule)
    },
    app() {
      const row = app.get()
      if (row === undefined) return null
      const id = row['id'] as number
      return {
        id,
        projectId: row['project_id'] as number,
        name: row['name'] as string,
        description: row['description'] as string,
        recipient: row['recipient'] as string,
        dateCreate: row['date_create'] as number,
        webhooks: webhooks.all(id).map(readWebhook),
      }
    },
    addApp({ projectId, name, description, recipient, dateCreate }) {
      addApp.run(projectId, name, description, recipient, dateCreate)
    },
    updateApp({ id, name, description, recipient }) {
      updateApp.run(name, description, recipient, id)
    },
    removeApp(id) {
      removeWebhooks.run(id)
      removeApp.run(id)
    },
    addWebhook(appId, url) {
      addWebhook.run(appId, url)
    },
    updateWebhook(id, url) {
      updateWebhook.run(url, id)
    },
    removeWebhook(id) {
      removeWebhook.run(id)
    },
    webhook(id) {
      const row = webhook.get(id)
      return row === undefined ? null : readWebhook(row)
    },
    webhookDelivered(id) {
      delivered.run(id)
    },
    webhookFailed(id, message, at) {
      failed.run(message, at, id)
    },
  }
}

function readWebhook(row: Record<string, unknown>): AppWebhook {
  return {
    id: row['id'] as number,
    url: row['url'] as string,
    failedAttempts: row['failed_attempts'] as number,
    failedAt: row['failed_at'] as number | null,
    lastError: row['last_error'] as string | null,
  }
}
