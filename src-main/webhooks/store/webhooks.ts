import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookStatus } from '../../../src-preload/contract/webhook.ts'
import { type Database, transaction } from '../../database/database.ts'

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

export type Webhooks = {
  /** Those of the last list, newest first. */
  list(network: NetworkId): WebhookRecord[]
  /** Also those that are gone. */
  all(network: NetworkId): WebhookRecord[]
  /** Also one that is gone. */
  get(network: NetworkId, id: string): WebhookRecord | null
  /** Also one that is gone. */
  byKey(key: number): WebhookRecord | null
  /** When the network's list was last read; null when never. */
  readAt(network: NetworkId): number | null
  /** The list as just read: those missing in it are gone. */
  replace(network: NetworkId, listed: readonly ListedWebhook[], at: number): void
  /** One that was just created, before the list is read again. */
  put(network: NetworkId, listed: ListedWebhook): void
  /** One that was just deleted, before the list is read again. */
  markGone(network: NetworkId, id: string, at: number): void
  setTokenId(key: number, tokenId: string | null): void
  /**
   * Whether a token kept under this id is another webhook's. False where nobody's is known to be; one
   * token is of two webhooks where two networks lead to the same gateway.
   */
  readonly isTokenOfAnother: (tokenId: string, network: NetworkId, id: string) => boolean
  /** Of its account subscriptions: how many fail, and when all had last been read. */
  setSubscriptionsRead(
    key: number,
    known: { readonly failing: number; readonly readAt: number | null },
  ): void
  /** With all that hangs on them: those who hang on many rows remove them first, in steps. */
  forget(network: NetworkId): void
}

export function createWebhooks(database: Database): Webhooks {
  // By number: ids are decimal digits of any length.
  const list = database.prepare(
    `SELECT * FROM webhooks WHERE network = ? AND gone_at IS NULL
     ORDER BY length(id) DESC, id DESC`,
  )
  const all = database.prepare('SELECT * FROM webhooks WHERE network = ?')
  const one = database.prepare('SELECT * FROM webhooks WHERE network = ? AND id = ?')
  const byKey = database.prepare('SELECT * FROM webhooks WHERE key = ?')
  const upsert = database.prepare(
    `INSERT INTO webhooks (network, id, endpoint, token_hint, status, status_since, last_online_at,
       failed_attempts, accounts, opcodes, mempool, new_contracts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (network, id) DO UPDATE SET
       endpoint = excluded.endpoint, token_hint = excluded.token_hint, status = excluded.status,
       status_since = excluded.status_since, last_online_at = excluded.last_online_at,
       failed_attempts = excluded.failed_attempts, accounts = excluded.accounts,
       opcodes = excluded.opcodes, mempool = excluded.mempool,
       new_contracts = excluded.new_contracts, gone_at = NULL`,
  )
  const markGone = database.prepare(
    'UPDATE webhooks SET gone_at = ? WHERE network = ? AND id = ? AND gone_at IS NULL',
  )
  const readAt = database.prepare('SELECT read_at FROM webhook_lists WHERE network = ?')
  const setReadAt = database.prepare(
    'INSERT OR REPLACE INTO webhook_lists (network, read_at) VALUES (?, ?)',
  )
  const tokenOwners = database.prepare('SELECT network, id FROM webhooks WHERE token_id = ?')
  const setTokenId = database.prepare('UPDATE webhooks SET token_id = ? WHERE key = ?')
  const setSubscriptionsRead = database.prepare(
    'UPDATE webhooks SET failing = ?, subscriptions_read_at = ? WHERE key = ?',
  )
  const forget = database.prepare('DELETE FROM webhooks WHERE network = ?')
  const forgetList = database.prepare('DELETE FROM webhook_lists WHERE network = ?')

  function put(network: NetworkId, listed: ListedWebhook): void {
    upsert.run(
      network,
      listed.id,
      listed.endpoint,
      listed.tokenHint,
      listed.status,
      listed.statusSince,
      listed.lastOnlineAt,
      listed.failedAttempts,
      listed.accounts,
      listed.opcodes,
      fromFlag(listed.mempool),
      fromFlag(listed.newContracts),
    )
  }

  return {
    list: (network) => list.all(network).map(toRecord),
    all: (network) => all.all(network).map(toRecord),
    get: (network, id) => toRecordOrNull(one.get(network, id)),
    byKey: (key) => toRecordOrNull(byKey.get(key)),
    readAt: (network) => (readAt.get(network)?.['read_at'] as number | undefined) ?? null,
    replace(network, listed, at) {
      transaction(database, () => {
        const present = new Set(listed.map(({ id }) => id))
        for (const row of list.all(network)) {
          const id = row['id'] as string
          if (!present.has(id)) markGone.run(at, network, id)
        }
        for (const each of listed) put(network, each)
        setReadAt.run(network, at)
      })
    },
    put,
    markGone: (network, id, at) => void markGone.run(at, network, id),
    isTokenOfAnother(tokenId, network, id) {
      const owners = tokenOwners.all(tokenId)
      const isOwn = owners.some((row) => row['network'] === network && row['id'] === id)
      return owners.length > 0 && !isOwn
    },
    setTokenId: (key, tokenId) => void setTokenId.run(tokenId, key),
    setSubscriptionsRead: (key, known) =>
      void setSubscriptionsRead.run(known.failing, known.readAt, key),
    forget(network) {
      transaction(database, () => {
        forget.run(network)
        forgetList.run(network)
      })
    },
  }
}

function toRecordOrNull(row: Record<string, unknown> | undefined): WebhookRecord | null {
  return row === undefined ? null : toRecord(row)
}

function toRecord(row: Record<string, unknown>): WebhookRecord {
  return {
    key: row['key'] as number,
    network: row['network'] as string,
    id: row['id'] as string,
    endpoint: row['endpoint'] as string,
    tokenHint: row['token_hint'] as string | null,
    tokenId: row['token_id'] as string | null,
    status: row['status'] as WebhookStatus | null,
    statusSince: row['status_since'] as number | null,
    lastOnlineAt: row['last_online_at'] as number | null,
    failedAttempts: row['failed_attempts'] as number | null,
    accounts: row['accounts'] as number | null,
    opcodes: row['opcodes'] as number | null,
    mempool: toFlag(row['mempool']),
    newContracts: toFlag(row['new_contracts']),
    failing: row['failing'] as number,
    subscriptionsReadAt: row['subscriptions_read_at'] as number | null,
    goneAt: row['gone_at'] as number | null,
  }
}

function fromFlag(flag: boolean | null): number | null {
  return flag === null ? null : Number(flag)
}

function toFlag(value: unknown): boolean | null {
  return value === null ? null : value === 1
}
