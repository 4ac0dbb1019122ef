import type { AlertDestination } from '../../../src-preload/contract/alert.ts'
import { type Database, createSql, json } from '../../database/sql.ts'
import type { AlertPayload } from '../message.ts'
import type { AlertTarget } from '../senders.ts'

export type Destination = Pick<AlertDestination, 'id' | 'enabled' | 'events' | 'networks'> & {
  readonly target: AlertTarget
  /** The last four characters of the secret; null if none was entered. */
  readonly hint: string | null
}

/** The report of one incident to one destination. */
export type Alert = {
  readonly messageId: string
  readonly destination: string
  /** The key of the reported incident; a destination gets each incident once. */
  readonly subject: string
  readonly payload: AlertPayload
  readonly createdAt: number
  readonly attempts: number
}

export type AlertStore = ReturnType<typeof createAlertStore>

/** The number of settled alerts kept for each destination, so that a repeated event is recognized. */
const keptAlerts = 500

export function createAlertStore(database: Database) {
  const sql = createSql(database, { target: json, events: json, networks: json, payload: json })
  return {
    destinations: () =>
      sql
        .all<Omit<Destination, 'enabled'> & { isEnabled: boolean }>(
          `SELECT id, target, is_enabled, events, networks, hint FROM alert_destinations
           ORDER BY added_at, id`,
        )
        .map(({ isEnabled, ...rest }): Destination => ({ ...rest, enabled: isEnabled })),
    save({ id, enabled, target, events, networks, hint }: Destination, at: number): void {
      sql.run(
        `INSERT INTO alert_destinations (id, target, is_enabled, events, networks, hint, added_at)
         VALUES ($id, $target, $enabled, $events, $networks, $hint, $at)
         ON CONFLICT (id) DO UPDATE SET target = excluded.target, is_enabled = excluded.is_enabled,
           events = excluded.events, networks = excluded.networks, hint = excluded.hint`,
        { id, target, enabled, events, networks, hint, at },
      )
    },
    remove: (id: string): void =>
      sql.transaction(() => {
        sql.remove('alert_destinations', { id })
        sql.remove('alerts', { destination: id })
      }),
    has: (destination: string, subject: string) =>
      sql.exists('alerts WHERE destination = ? AND subject = ?', destination, subject),
    waiting: () =>
      sql.all<Alert>(
        `SELECT message_id, destination, subject, payload, created_at, attempts FROM alerts
         WHERE state = 'waiting' ORDER BY id`,
      ),
    add: (alert: Alert): void =>
      sql.transaction(() => {
        sql.insertNew('alerts', { ...alert, state: 'waiting' })
        sql.run(
          `DELETE FROM alerts WHERE destination = $destination AND state <> 'waiting' AND id <=
             (SELECT id FROM alerts WHERE destination = $destination AND state <> 'waiting'
              ORDER BY id DESC LIMIT 1 OFFSET ${keptAlerts})`,
          { destination: alert.destination },
        )
      }),
    settle(
      { messageId, attempts }: Alert,
      state: 'waiting' | 'sent' | 'failed',
      problem: string | null,
      triedAt: number,
    ): void {
      sql.update('alerts', { state, attempts, problem, triedAt }, { messageId })
    },
    retry: (destination: string): void => {
      sql.update('alerts', { state: 'waiting', attempts: 0 }, { destination, state: 'failed' })
    },
    dropWaiting: (destination: string): void => {
      sql.remove('alerts', { destination, state: 'waiting' })
    },
    stateOf(destination: string) {
      const counts = sql.get<{ waiting: number; givenUp: number; lastSentAt: number | null }>(
        `SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting,
           count(*) FILTER (WHERE state = 'failed') AS given_up,
           max(tried_at) FILTER (WHERE state = 'sent') AS last_sent_at
         FROM alerts WHERE destination = ?`,
        destination,
      )
      const problem = sql.value<string>(
        `SELECT problem FROM alerts WHERE destination = ? AND tried_at IS NOT NULL
         ORDER BY tried_at DESC, id DESC LIMIT 1`,
        destination,
      )
      return { waiting: 0, givenUp: 0, lastSentAt: null, ...counts, problem }
    },
  }
}
