/**
 * Keeps the programs that alerts may start; the user confirmed each of them outside the window.
 *
 * Threat model: a script in the window can call every route. It must not be able to start a program
 * of its choice.
 */
import { z } from 'zod'
import { AppError, alertCodes } from '../../src-preload/domain/app-error.ts'
import type { BaseContext } from '../app/context.ts'
import type { AlertTarget } from './senders.ts'
import type { Destination } from './store/alerts.ts'

type Program = AlertTarget & { kind: 'command' }

/** A restore deletes this value, because someone may have edited the backup. */
const key = 'alerts.programs'
const commandLines = z.array(z.string()).nullable()

const commandOf = ({ program, args }: Program) => JSON.stringify([program, ...args])

/** Without `config.confirmProgram`, no program can be confirmed. */
export function createPrograms(
  { config, values }: Pick<BaseContext, 'config' | 'values'>,
  destinations: readonly Destination[],
) {
  const confirm = config.confirmProgram
  let confirmed = values.get(key, commandLines, null)
  if (confirmed === null) {
    // Earlier versions required no confirmation, so programs that the user turned on count as
    // confirmed. A restore turns all of them off.
    confirmed = destinations.flatMap(({ enabled, target }) =>
      enabled && target.kind === 'command' ? [commandOf(target)] : [],
    )
    values.set(key, confirmed)
  }
  const known = new Set(confirmed)
  const has = (program: Program) => known.has(commandOf(program))
  return {
    has,
    /** Asks the user to confirm a program. @throws AppError ALERT_PROGRAM_UNCONFIRMED */
    async demand(program: Program): Promise<void> {
      if (has(program)) return
      const problem =
        confirm === undefined
          ? 'Add the program in the window of Tondesk.'
          : await confirm(program.program, program.args)
      if (problem !== null) throw new AppError(alertCodes.programUnconfirmed, problem)
      known.add(commandOf(program))
      values.set(key, [...known])
    },
  }
}
