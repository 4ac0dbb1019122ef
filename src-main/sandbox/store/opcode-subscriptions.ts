import type { OpcodeSubscription } from '../webhooks/webhook.ts'
import type { Database } from './database.ts'

/** Which webhooks hear of messages with which opcodes. Callers give the transaction. */
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
    /** One that was disabled is active again. */
    add(webhookId: number, opcode: number): void {
      insert.run(webhookId, opcode)
    },
    /** @returns false when there is none */
    disable(webhookId: number, opcode: number, reason: string, at: number): boolean {
      return disable.run(at, reason, opcode, webhookId).changes === 1
    },
    remove(webhookId: number, opcode: number): boolean {
      return remove.run(opcode, webhookId).changes === 1
    },
    /** In the order they were subscribed. */
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
