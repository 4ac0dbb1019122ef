import { writeFileSync } from 'node:fs'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import type { RouteName } from '../../src-preload/contract/routes.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import type { CaptureIndex } from '../captures/capture-index.ts'
import { isDamage, isDiskError, isDiskFull } from '../database/database.ts'
import type { BaseContext } from './context.ts'
import { notifyOfDamage, notifyOfIndexDamage } from './start-notices.ts'

export function watchDamage({ events, log, notices, paths }: BaseContext): {
  /** Call this when the index exists; without an index, damage counts as damage of the database. */
  askIndex(index: CaptureIndex): void
} {
  let index: CaptureIndex | null = null
  let isLookedAt = false
  let isIndexDamaged = false

  function found(message: string): void {
    log.write('error', 'database damaged', { message })
    writeFileSync(paths.pendingRescue, '{}', { mode: 0o600 })
    notifyOfDamage(notices, message)
  }

  async function suspected(message: string): Promise<void> {
    if (isLookedAt) return
    isLookedAt = true
    try {
      if ((await index?.ask('isIndexDamaged')) === true) {
        isIndexDamaged = true
        log.write('error', 'index damaged', { message })
        notifyOfIndexDamage(notices)
      } else found(message)
    } catch {
      // The index thread has ended, possibly because the app is closing. If the index is damaged,
      // that explains the message, and the database must not be rescued.
      if (!isIndexDamaged) found(message)
    } finally {
      isLookedAt = false
    }
  }

  events.on('database.damaged', ({ message }) => found(message))
  events.on('database.damageSuspected', ({ message }) => void suspected(message))
  return {
    askIndex(opened) {
      index = opened
    },
  }
}

/** These routes free space themselves, so their errors must not advise the user to call them. */
const freeingRoutes: readonly RouteName[] = ['capture.delete', 'capture.clear']

/** @returns null for a bug */
export function explainStorageError(
  error: unknown,
  directory: string,
  route: RouteName,
): AppError | null {
  if (isDiskFull(error, [directory])) {
    const advice = freeingRoutes.includes(route)
      ? 'Delete or move other files on this disk, for example old files in its folder backups'
      : 'Free some space, or delete captures'
    return new AppError(
      appCodes.diskFull,
      `The change was not saved, because the disk with ${directory} is full. ${advice}, and try again.`,
    )
  }
  if (isDamage(error)) {
    return new AppError(
      appCodes.dataDamaged,
      'Some data cannot be read, because a file is damaged. Restart Tondesk to repair it.',
    )
  }
  if (isDiskError(error)) {
    return new AppError(
      appCodes.databaseUnwritable,
      `The disk with ${directory} reported an error (${messageOf(error)}), so the change was not saved. Check the disk and your quota on it, and try again.`,
    )
  }
  return null
}
