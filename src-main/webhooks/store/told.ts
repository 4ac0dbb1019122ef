import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, transaction } from '../../database/database.ts'

/** What may be wrong with a webhook. */
export type Matter = 'failing' | 'offline' | 'suspended' | 'lagging'

/** Something that a person was told of. Moments are milliseconds. */
export type Told = {
  readonly toldAt: number
  /** Since when it is well again; null while it is not. */
  readonly wellAt: number | null
  /** It came back before it had been well for long. */
  readonly isFlapping: boolean
  /** There is more to tell, but not yet. */
  readonly hasNews: boolean
}

/** Failing accounts that were told of, with since when they are well again. */
export type ToldAccounts = ReadonlyMap<string, number | null>

export type AccountChanges = {
  readonly began: readonly string[]
  readonly back: readonly string[]
  readonly mended: readonly string[]
  readonly settled: readonly string[]
}

/** What was told of the webhooks. Goes with a webhook's own row. */
export type ToldRecords = {
  get(network: NetworkId, webhook: string, matter: Matter): Told | null
  /** Null forgets it. */
  set(network: NetworkId, webhook: string, matter: Matter, told: Told | null): void
  /** In the order of their raw addresses, those after `after`. */
  accounts(network: NetworkId, webhook: string, after: string, limit: number): ToldAccounts
  /** In one transaction. */
  change(network: NetworkId, webhook: string, changes: AccountChanges, at: number): void
}

export function createToldRecords(database: Database): ToldRecords {
  const key = '(SELECT key FROM webhooks WHERE network = ? AND id = ?)'
  const get = database.prepare(
    `SELECT told_at, well_at, is_flapping, has_news FROM told_matters
     WHERE webhook_key = ${key} AND matter = ?`,
  )
  const put = database.prepare(
    `INSERT OR REPLACE INTO told_matters
       (webhook_key, matter, told_at, well_at, is_flapping, has_news)
     SELECT key, ?, ?, ?, ?, ? FROM webhooks WHERE network = ? AND id = ?`,
  )
  const remove = database.prepare(
    `DELETE FROM told_matters WHERE webhook_key = ${key} AND matter = ?`,
  )
  const accounts = database.prepare(
    `SELECT account, well_at FROM told_accounts
     WHERE webhook_key = ${key} AND account > ? ORDER BY account LIMIT ?`,
  )
  const putAccount = database.prepare(
    `INSERT OR REPLACE INTO told_accounts (webhook_key, account, well_at)
     SELECT key, ?, ? FROM webhooks WHERE network = ? AND id = ?`,
  )
  const removeAccount = database.prepare(
    `DELETE FROM told_accounts WHERE webhook_key = ${key} AND account = ?`,
  )

  return {
    get(network, webhook, matter) {
      const row = get.get(network, webhook, matter)
      if (row === undefined) return null
      return {
        toldAt: row['told_at'] as number,
        wellAt: row['well_at'] as number | null,
        isFlapping: row['is_flapping'] === 1,
        hasNews: row['has_news'] === 1,
      }
    },
    set(network, webhook, matter, told) {
      if (told === null) {
        remove.run(network, webhook, matter)
        return
      }
      const { toldAt, wellAt, isFlapping, hasNews } = told
      put.run(matter, toldAt, wellAt, Number(isFlapping), Number(hasNews), network, webhook)
    },
    accounts(network, webhook, after, limit) {
      const rows = accounts.all(network, webhook, after, limit)
      return new Map(rows.map((row) => [row['account'] as string, row['well_at'] as number | null]))
    },
    change(network, webhook, { began, back, mended, settled }, at) {
      if (began.length + back.length + mended.length + settled.length === 0) return
      transaction(database, () => {
        for (const account of began) putAccount.run(account, null, network, webhook)
        for (const account of back) putAccount.run(account, null, network, webhook)
        for (const account of mended) putAccount.run(account, at, network, webhook)
        for (const account of settled) removeAccount.run(network, webhook, account)
      })
    },
  }
}
