import { writeFileSync } from 'node:fs'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { CaptureIndex } from '../captures/capture-index.ts'
import { isDamage, isDiskFull } from '../database/database.ts'
import type { BaseContext } from './context.ts'
import { notifyOfDamage, notifyOfIndexDamage } from './start-notices.ts'

/** Raises notices of damage met while running, and has the next start rescue what can be read. */
export function watchDamage({ events, log, notices, paths }: BaseContext): {
  /** Until there is an index, damage is taken for the database's. */
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

  /** Damage of the database or of the search index, whichever it is. */
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
      // The index thread has ended, also when the app is being closed. Damage that the index is known to
      // have explains the message; a rescue would set a sound database aside.
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

/** What the user can be told of an error of the storage that is no bug; null for all others. */
export function explainStorageError(error: unknown, directory: string): AppError | null {
  if (isDiskFull(error)) {
    return new AppError(
      appCodes.diskFull,
      `Nothing was changed: the disk with ${directory} is full. Free some space on it, or delete captures, and try again.`,
    )
  }
  if (isDamage(error)) {
    return new AppError(
      appCodes.dataDamaged,
      'Part of the data cannot be read, since a file is damaged. Restart Tondesk: it repairs what it can.',
    )
  }
  return null
}
