import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { webhookCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Database } from '../../database/database.ts'
import { createSql, flag } from '../../database/sql.ts'

type ListedWebhook = Pick<
  Webhook,
  | 'id'
  | 'endpoint'
  | 'tokenHint'
  | 'status'
  | 'statusSince'
  | 'lastOnlineAt'
  | 'failedAttempts'
  | 'accounts'
  | 'opcodes'
  | 'mempool'
  | 'newContracts'
>

export type WebhookRecord = ListedWebhook & {
  /** Row id that other tables refer to; never reused, and unique over all networks. */
  readonly key: number
  readonly network: NetworkId
  /** Id of the stored token; null when there is none. */
  readonly tokenId: string | null
  readonly failing: number
  readonly subscriptionsReadAt: number | null
  readonly goneAt: number | null
}

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

  function put(network: NetworkId, listed: ListedWebhook): void {
    const { id, endpoint, tokenHint, status, statusSince, lastOnlineAt, failedAttempts } = listed
    const { accounts, opcodes, mempool, newContracts } = listed
    sql.upsert(
      'webhooks',
      { network, id },
      {
        ...{ endpoint, tokenHint, status, statusSince, lastOnlineAt, failedAttempts },
        ...{ accounts, opcodes, mempool, newContracts, goneAt: null },
      },
    )
  }

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
    /** Includes deleted webhooks. */
    get: (network: NetworkId, id: string) =>
      sql.get<WebhookRecord>('SELECT * FROM webhooks WHERE network = ? AND id = ?', network, id),
    byKey: (key: number) => sql.get<WebhookRecord>('SELECT * FROM webhooks WHERE key = ?', key),
    readAt: (network: NetworkId) =>
      sql.value<number>('SELECT read_at FROM webhook_lists WHERE network = ?', network),
    /** Stores a list as read; webhooks missing from it count as deleted. */
    replace: (network: NetworkId, listed: readonly ListedWebhook[], at: number) =>
      sql.transaction(() => {
        const present = new Set(listed.map(({ id }) => id))
        for (const { id } of list(network)) if (!present.has(id)) markGone(network, id, at)
        for (const each of listed) put(network, each)
        sql.insert('webhook_lists', { network, readAt: at }, 'INSERT OR REPLACE')
      }),
    /** Two networks may lead to one gateway, so a token can belong to two webhooks. */
    isTokenOfAnother: (tokenId: string, network: NetworkId, id: string): boolean => {
      const owners = sql.all<Pick<WebhookRecord, 'network' | 'id'>>(
        'SELECT network, id FROM webhooks WHERE token_id = ?',
        tokenId,
      )
      const isOwn = owners.some((owner) => owner.network === network && owner.id === id)
      return owners.length > 0 && !isOwn
    },
    setTokenId: (key: number, tokenId: string | null) =>
      void sql.update('webhooks', { tokenId }, { key }),
    setSubscriptionsRead: (
      key: number,
      { failing, readAt }: { readonly failing: number; readonly readAt: number | null },
    ) => void sql.update('webhooks', { failing, subscriptionsReadAt: readAt }, { key }),
    /** Deletes with cascades; large tables are emptied first, in steps. */
    forget: (network: NetworkId) =>
      sql.transaction(() => {
        sql.remove('webhooks', { network })
        sql.remove('webhook_lists', { network })
      }),
  }
}

type WebhookHook = {
  readonly network: NetworkId
  readonly id: string
  readonly endpoint: string
  /** Id of the stored token; null when there is none. */
  readonly tokenId: string | null
}

/** Webhooks of all networks, as last read. Works on any connection to the file. */
export function createWebhookHooks(database: Database): { list(): WebhookHook[] } {
  const sql = createSql(database)
  return {
    list: () =>
      sql.all<WebhookHook>(
        'SELECT network, id, endpoint, token_id FROM webhooks WHERE gone_at IS NULL ORDER BY key',
      ),
  }
}

type WebhookTokenRecord = {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly createdAt: number
}

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

export function unknownWebhook(id: string): AppError {
  return new AppError(
    webhookCodes.unknown,
    `The gateway knows no webhook ${id} any more. It may have been deleted elsewhere.`,
  )
}
