import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { webhookCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Database } from '../../database/database.ts'
import { createSql, flag } from '../../database/sql.ts'

/** What the gateway's list says of a webhook. */
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
  /** What other tables hang on: never used twice, and unique over all networks. */
  readonly key: number
  readonly network: NetworkId
  /** Under which its token is kept; null where it is not. */
  readonly tokenId: string | null
  readonly failing: number
  readonly subscriptionsReadAt: number | null
  /** Since when the gateway does not list it. */
  readonly goneAt: number | null
}

export type Webhooks = ReturnType<typeof createWebhooks>

export function createWebhooks(database: Database) {
  const sql = createSql(database, { mempool: flag, newContracts: flag })

  /** Those of the last list, newest first. */
  const list = (network: NetworkId) =>
    // By number: ids are decimal digits of any length.
    sql.all<WebhookRecord>(
      `SELECT * FROM webhooks WHERE network = ? AND gone_at IS NULL
       ORDER BY length(id) DESC, id DESC`,
      network,
    )

  /** One that was just created, before the list is read again. */
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

  /** One that was just deleted, before the list is read again. */
  const markGone = (network: NetworkId, id: string, at: number) =>
    void sql.run(
      'UPDATE webhooks SET gone_at = ? WHERE network = ? AND id = ? AND gone_at IS NULL',
      ...[at, network, id],
    )

  return {
    list,
    put,
    markGone,
    /** Also those that are gone. */
    all: (network: NetworkId) =>
      sql.all<WebhookRecord>('SELECT * FROM webhooks WHERE network = ?', network),
    /** Also one that is gone. */
    get: (network: NetworkId, id: string) =>
      sql.get<WebhookRecord>('SELECT * FROM webhooks WHERE network = ? AND id = ?', network, id),
    /** Also one that is gone. */
    byKey: (key: number) => sql.get<WebhookRecord>('SELECT * FROM webhooks WHERE key = ?', key),
    /** When the network's list was last read; null when never. */
    readAt: (network: NetworkId) =>
      sql.value<number>('SELECT read_at FROM webhook_lists WHERE network = ?', network),
    /** The list as just read: those missing in it are gone. */
    replace: (network: NetworkId, listed: readonly ListedWebhook[], at: number) =>
      sql.transaction(() => {
        const present = new Set(listed.map(({ id }) => id))
        for (const { id } of list(network)) if (!present.has(id)) markGone(network, id, at)
        for (const each of listed) put(network, each)
        sql.insert('webhook_lists', { network, readAt: at }, 'INSERT OR REPLACE')
      }),
    /**
     * Whether a token kept under this id is another webhook's. False where nobody's is known to be; one
     * token is of two webhooks where two networks lead to the same gateway.
     */
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
    /** Of its account subscriptions: how many fail, and when all had last been read. */
    setSubscriptionsRead: (
      key: number,
      { failing, readAt }: { readonly failing: number; readonly readAt: number | null },
    ) => void sql.update('webhooks', { failing, subscriptionsReadAt: readAt }, { key }),
    /** With all that hangs on them: those who hang on many rows remove them first, in steps. */
    forget: (network: NetworkId) =>
      sql.transaction(() => {
        sql.remove('webhooks', { network })
        sql.remove('webhook_lists', { network })
      }),
  }
}

/** Where a webhook of the last list delivers to. */
type WebhookHook = {
  readonly network: NetworkId
  /** The gateway's. */
  readonly id: string
  readonly endpoint: string
  /** Under which its token is kept; null where it is not. */
  readonly tokenId: string | null
}

/** Webhooks of all networks, as their lists were last read; any connection to the file will do. */
export function createWebhookHooks(database: Database): { list(): WebhookHook[] } {
  const sql = createSql(database)
  return {
    list: () =>
      sql.all<WebhookHook>(
        'SELECT network, id, endpoint, token_id FROM webhooks WHERE gone_at IS NULL ORDER BY key',
      ),
  }
}

/** What is known of a webhook's token here; the token itself is in the keychain under the id. */
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
    /** Adds it, or puts it in the place of the one of this id. */
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
