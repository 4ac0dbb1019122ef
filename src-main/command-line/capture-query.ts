import { AppError } from '../../src-preload/domain/app-error.ts'
import { captureQueryCodes } from '../../src-preload/domain/error-codes.ts'
import { usageError } from './command.ts'
import type { Session } from './session.ts'

/** Before anything is begun: a query that cannot be meant is the command line's fault. @throws AppError USAGE */
export async function checkQuery(session: Session, text: string, option: string): Promise<void> {
  if (text.trim() === '') return
  await readingQuery(option, () => session.call('capture.list', { query: { text }, limit: 1 }))
}

/** What is wrong with a query is said of the option it was given by. @throws AppError USAGE */
export async function readingQuery<T>(option: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isQuery = error instanceof AppError && error.code === captureQueryCodes.invalid
    throw isQuery ? usageError(`${option}: ${error.message}`) : error
  }
}
