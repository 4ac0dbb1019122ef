import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Database } from '../../database/database.ts'

/** What is remembered of the access to a network's invoices. No secret. */
export type AccessNotes = {
  /** Ticked by the person, each with those before it. */
  readonly account: boolean
  readonly project: boolean
  readonly granted: boolean
  readonly appId: string | null
  /** The gateway has told it; a person's word goes before. */
  readonly appIdIsRead: boolean
  readonly projectId: string | null
}

export type InvoiceAccessNotes = {
  get(network: NetworkId): AccessNotes
  set(network: NetworkId, notes: AccessNotes, at: number): void
  forget(network: NetworkId): void
}

export function createInvoiceAccessNotes(database: Database): InvoiceAccessNotes {
  const one = database.prepare('SELECT * FROM invoice_access WHERE network = ?')
  const set = database.prepare(
    `INSERT INTO invoice_access
       (network, account_at, project_at, granted_at, app_id, app_id_is_read, project_id)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (network) DO UPDATE SET
       account_at = iif(excluded.account_at IS NULL, NULL,
         coalesce(account_at, excluded.account_at)),
       project_at = iif(excluded.project_at IS NULL, NULL,
         coalesce(project_at, excluded.project_at)),
       granted_at = iif(excluded.granted_at IS NULL, NULL,
         coalesce(granted_at, excluded.granted_at)),
       app_id = excluded.app_id, app_id_is_read = excluded.app_id_is_read,
       project_id = excluded.project_id`,
  )
  const forget = database.prepare('DELETE FROM invoice_access WHERE network = ?')
  return {
    get(network) {
      const row = one.get(network) ?? {}
      const isSet = (name: string) => typeof row[name] === 'number'
      return {
        account: isSet('account_at'),
        project: isSet('project_at'),
        granted: isSet('granted_at'),
        appId: (row['app_id'] as string | null | undefined) ?? null,
        appIdIsRead: row['app_id_is_read'] === 1,
        projectId: (row['project_id'] as string | null | undefined) ?? null,
      }
    },
    set(network, { account, project, granted, appId, appIdIsRead, projectId }, at) {
      const when = (isTicked: boolean) => (isTicked ? at : null)
      set.run(
        ...[network, when(account), when(project), when(granted)],
        ...[appId, appIdIsRead ? 1 : 0, projectId],
      )
    },
    forget: (network) => void forget.run(network),
  }
}
