import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export type Matter = 'failing' | 'offline' | 'suspended' | 'lagging'

/** A problem that the user was notified of. Times are milliseconds. */
export type Told = {
  readonly toldAt: number
  readonly wellAt: number | null
  /** The problem returned soon after its end. */
  readonly isFlapping: boolean
  readonly hasNews: boolean
}

/** Reported failing accounts, with the time since when each is well again. */
export type ToldAccounts = ReadonlyMap<string, number | null>

export type AccountChanges = {
  readonly began: readonly string[]
  readonly back: readonly string[]
  readonly mended: readonly string[]
  readonly settled: readonly string[]
}

export function createToldRecords(database: Database) {
  const sql = createSql(database)
  const key = '(SELECT key FROM webhooks WHERE network = $network AND id = $webhook)'

  return {
    get: (network: NetworkId, webhook: string, matter: Matter) =>
      sql.get<Told>(
        `SELECT told_at, well_at, is_flapping, has_news FROM told_matters
         WHERE webhook_key = ${key} AND matter = $matter`,
        { network, webhook, matter },
      ),
    set: (network: NetworkId, webhook: string, matter: Matter, told: Told | null) =>
      void sql.run(
        told === null
          ? `DELETE FROM told_matters WHERE webhook_key = ${key} AND matter = $matter`
          : `INSERT OR REPLACE INTO told_matters
               (webhook_key, matter, told_at, well_at, is_flapping, has_news)
             SELECT key, $matter, $toldAt, $wellAt, $isFlapping, $hasNews FROM webhooks
             WHERE network = $network AND id = $webhook`,
        { ...told, network, webhook, matter },
      ),
    accounts(network: NetworkId, webhook: string, after: string, limit: number): ToldAccounts {
      const rows = sql.all<{ account: string; wellAt: number | null }>(
        `SELECT account, well_at FROM told_accounts
         WHERE webhook_key = ${key} AND account > $after ORDER BY account LIMIT $limit`,
        { network, webhook, after, limit },
      )
      return new Map(rows.map(({ account, wellAt }) => [account, wellAt]))
    },
    change(network: NetworkId, webhook: string, changes: AccountChanges, at: number): void {
      const { began, back, mended, settled } = changes
      if (began.length + back.length + mended.length + settled.length === 0) return
      const put = (account: string, wellAt: number | null) =>
        sql.run(
          `INSERT OR REPLACE INTO told_accounts (webhook_key, account, well_at)
           SELECT key, $account, $wellAt FROM webhooks WHERE network = $network AND id = $webhook`,
          { network, webhook, account, wellAt },
        )
      sql.transaction(() => {
        for (const account of [...began, ...back]) put(account, null)
        for (const account of mended) put(account, at)
        for (const account of settled) {
          sql.run(`DELETE FROM told_accounts WHERE webhook_key = ${key} AND account = $account`, {
            ...{ network, webhook, account },
          })
        }
      })
    },
  }
}
