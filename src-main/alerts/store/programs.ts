import { z } from 'zod'
import { createValues } from '../../app/store/settings.ts'
import type { Database } from '../../database/database.ts'

const key = 'alerts.programs'
const commands = z.array(z.string()).nullable()

/** The confirmed command lines. A restore deletes the list, because someone may have edited the backup. */
export function createConfirmedPrograms(database: Database) {
  const values = createValues(database)
  return {
    /** Null after a restore, and if an earlier version of Tondesk wrote the database. */
    list: () => values.get(key, commands, null),
    set: (all: readonly string[]) => values.set(key, all),
  }
}
