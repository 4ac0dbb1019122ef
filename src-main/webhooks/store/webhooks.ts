import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError, webhookCodes } from '../../../src-preload/domain/app-error.ts'
import type { WebhookEntry } from '../../gateway/webhooks.ts'
import { type Database, createSql, flag } from '../../database/sql.ts'

export type WebhookRecord = Omit<Webhook, 'tokenKnown' | 'isHere'> & {
  /** Row id that other tables refer to; never reused, and unique over all networks. */
  readonly key: number
  /** Id of the stored token; null if there is none. */
  readonly tokenId: string | null
  readonly goneAt: number | null
}

type ListedWebhook = Omit<WebhookEntry, 'token'> & Pick<Webhook, 'tokenHint'>

/** The gateway's other values are unknown until the next list. */
type NewWebhook = Pick<ListedWebhook, 'id' | 'endpoint' | 'tokenHint'> & Partial<ListedWebhook>

export type Webhooks = ReturnType<typeof createWebhooks>

export function createWebhooks(database: Database) {
  const sql = createSql(database, { mempool: flag, newContracts: flag })

  const list = (network: NetworkId) =>
    // Ids are decimal numbers of any length, so longer ones sort higher.
    sql.all<WebhookRecord>(
      `SELECT * FROM webhooks WHERE network = ? AND gone_at IS NULL
       ORDER BY length(id) DESC, id DESC`,
      network,
    )

  const put = (network: NetworkId, { id, ...listed }: NewWebhook) =>
    sql.upsert('webhooks', { network, id }, { ...listed, goneAt: null })

  const markGone = (network: NetworkId, id: string, at: number) =>
    void sql.run(
      'UPDATE webhooks SET gone_at = ? WHERE network = ? AND id = ? AND gone_at IS NULL',
      ...[at, network, id],
    )

  return {
    list,
    put,
    markGone,
    all: (network: NetworkId) =>
      sql.all<WebhookRecord>('SELECT * FROM webhooks WHERE network = ?', network),
    /** Returns deleted webhooks too. */
    get: (network: NetworkId, id: string) =>
      sql.get<WebhookRecord>('SELECT * FROM webhooks WHERE network = ? AND id = ?', network, id),
    byKey: (key: number) => sql.get<WebhookRecord>('SELECT * FROM webhooks WHERE key = ?', key),
    readAt: (network: NetworkId) =>
      sql.value<number>('SELECT read_at FROM webhook_lists WHERE network = ?', network),
    /** Stores a list as it was read; webhooks that are missing in it count as deleted. */
    replace: (network: NetworkId, listed: readonly ListedWebhook[], at: number) =>
      sql.transaction(() => {
        const present = new Set(listed.map(({ id }) => id))
        for (const { id } of list(network)) if (!present.has(id)) markGone(network, id, at)
        for (const each of listed) put(network, each)
        sql.insert('webhook_lists', { network, readAt: at }, 'INSERT OR REPLACE')
      }),
    /** Two networks may lead to one gateway, so a token can belong to two webhooks. */
    isTokenOfAnother: (tokenId: string | null, network: NetworkId, id: string): boolean =>
      tokenId !== null &&
      sql.value<number>(
        'SELECT min(network <> ? OR id <> ?) FROM webhooks WHERE token_id = ?',
        ...[network, id, tokenId],
      ) === 1,
    setTokenId: (key: number, tokenId: string | null) =>
      void sql.update('webhooks', { tokenId }, { key }),
    /** @param readAt null leaves the time of the last complete reading */
    setSubscriptionsRead: (key: number, readAt: number | null) =>
      void sql.run(
        `UPDATE webhooks SET subscriptions_read_at = coalesce($readAt, subscriptions_read_at),
           failing = (SELECT count(*) FROM subscriptions WHERE webhook_key = $key AND is_failing = 1)
         WHERE key = $key`,
        { key, readAt },
      ),
    /** Deletes with cascades; large tables are emptied in steps before. */
    forget: (network: NetworkId) =>
      sql.transaction(() => {
        sql.remove('webhooks', { network })
        sql.remove('webhook_lists', { network })
      }),
  }
}

/** Reads the webhooks of all networks, as last read. Works on any connection to the file. */
export function createWebhookHooks(database: Database) {
  const sql = createSql(database)
  return {
    list: () =>
      sql.all<Pick<WebhookRecord, 'network' | 'id' | 'endpoint' | 'tokenId'>>(
        'SELECT network, id, endpoint, token_id FROM webhooks WHERE gone_at IS NULL ORDER BY key',
      ),
  }
}

export function unknownWebhook(id: string): AppError {
  return new AppError(
    webhookCodes.unknown,
    `The gateway has no webhook ${id}. The webhook may have been deleted outside this app.`,
  )
}
