/**
 * The programs that alerts may start: each was confirmed by the user, outside of the window.
 *
 * Threat model: a script in the window can call every route. It must not be able to start a program of its choice.
 */
import { AppError } from '../../src-preload/domain/app-error.ts'
import { alertCodes } from '../../src-preload/domain/error-codes.ts'
import type { AppConfig } from '../app/context.ts'
import type { Database } from '../database/database.ts'
import type { AlertTarget } from './senders.ts'
import { createConfirmedPrograms } from './store/programs.ts'
import type { Destination } from './store/alerts.ts'

type Program = AlertTarget & { kind: 'command' }

const commandOf = ({ program, args }: Program) => JSON.stringify([program, ...args])

export type Programs = ReturnType<typeof createPrograms>

/** @param confirm without it, no program can be confirmed */
export function createPrograms(
  database: Database,
  destinations: readonly Destination[],
  confirm: AppConfig['confirmProgram'],
) {
  const records = createConfirmedPrograms(database)
  let confirmed = records.list()
  if (confirmed === null) {
    // Earlier versions did not ask: the programs that the user turned on continue. A restore turns all off.
    confirmed = destinations.flatMap(({ enabled, target }) =>
      enabled && target.kind === 'command' ? [commandOf(target)] : [],
    )
    records.set(confirmed)
  }
  const known = new Set(confirmed)
  const has = (program: Program) => known.has(commandOf(program))
  return {
    has,
    /** Asks the user about a program that is not confirmed. @throws AppError ALERT_PROGRAM_UNCONFIRMED */
    async demand(program: Program): Promise<void> {
      if (has(program)) return
      const problem =
        confirm === undefined
          ? 'Add the program in the window of Tondesk.'
          : await confirm(program.program, program.args)
      if (problem !== null) throw new AppError(alertCodes.programUnconfirmed, problem)
      known.add(commandOf(program))
      records.set([...known])
    },
  }
}
