/** Tests which database is reported as damaged after a query found damage. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createAppEvents } from '../../../src-main/app/app-events.ts'
import type { BaseContext } from '../../../src-main/app/context.ts'
import { explainStorageError, watchDamage } from '../../../src-main/app/damage.ts'
import { DamageError } from '../../../src-main/database/database.ts'
import { createNotices } from '../../../src-main/app/notices.ts'
import { createForwardNotifier } from '../../../src-main/delivery/forwarding/forward-calls.ts'
import { createChanges } from '../../../src-main/invoices/changes.ts'
import type { InvoicesContext } from '../../../src-main/invoices/context.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const endedThread = () => Promise.reject(new Error('its thread has ended'))

async function suspect(...answers: (() => Promise<boolean>)[]) {
  using directory = temporaryDirectory()
  const pendingRescue = join(directory.path, 'rescue')
  const events = createAppEvents()
  const notices = createNotices(() => undefined, Date.now)
  const context = { events, notices, log: { write: () => undefined }, paths: { pendingRescue } }
  const asked: (() => Promise<boolean>)[] = []
  watchDamage(context as unknown as BaseContext).askIndex({
    ask: () => asked.shift()?.() ?? endedThread(),
  } as never)
  for (const answer of answers) {
    asked.push(answer)
    events.emit('database.damageSuspected', { message: 'malformed' })
    await new Promise(setImmediate)
  }
  return { isRescued: existsSync(pendingRescue), notices: notices.list().map(({ id }) => id) }
}

const yes = () => Promise.resolve(true)
const no = () => Promise.resolve(false)

test('a damaged index is reported, and damage met after the index thread ended leaves the database in place', async () => {
  expect(await suspect(yes, endedThread)).toEqual({
    isRescued: false,
    notices: ['store.indexDamaged'],
  })
})

test('damage outside the index sets the database aside, also when the index cannot be checked', async () => {
  const damaged = { isRescued: true, notices: ['store.damaged'] }
  expect(await suspect(no)).toEqual(damaged)
  expect(await suspect(endedThread)).toEqual(damaged)
})

const sqlite = (errcode: number) => Object.assign(new Error('sqlite'), { errcode })
const system = (code: string) => Object.assign(new Error(code), { code })

const caused = (code: string | null, errors: readonly Error[]) =>
  errors.map((error) => ({ error, code }))

test.each([
  // The codes are SQLITE_CORRUPT, _CORRUPT_VTAB, _NOTADB, _IOERR_READ, _IOERR_SHORT_READ and _IOERR_CORRUPTFS.
  ...caused('DATA_DAMAGED', [11, 267, 26, 266, 522, 8458].map(sqlite)),
  ...caused('DATA_DAMAGED', [
    new DamageError('a flag is 2'),
    Object.assign(new RangeError('no JavaScript number'), { code: 'ERR_OUT_OF_RANGE' }),
  ]),
  // The code is SQLITE_FULL.
  ...caused('DISK_FULL', [sqlite(13)]),
  ...caused('DISK_FULL', ['ENOSPC', 'EDQUOT', 'EFBIG'].map(system)),
  // The codes are SQLITE_IOERR_FSYNC, _WRITE, _SHMSIZE and _SHMMAP without a lack of space;
  // test/long/failing-writes.test.ts tests both.
  ...caused('DATABASE_UNWRITABLE', [1034, 778, 4874, 5386].map(sqlite)),
  // SQLITE_CONSTRAINT and SQLITE_ERROR are bugs.
  ...caused(null, [sqlite(19), sqlite(1), new TypeError('a bug')]),
])('a disk or file error has its error code, and a bug has none: %#', ({ error, code }) => {
  expect(explainStorageError(error, '/data', 'capture.list')?.code ?? null).toBe(code)
})

test('the message of each disk error names a solution', () => {
  const messageOf = (error: Error, route: 'capture.list' | 'capture.delete' | 'capture.clear') =>
    explainStorageError(error, '/data', route)?.message
  expect(messageOf(sqlite(11), 'capture.list')).toMatch(/Restart Tondesk to repair it\.$/)
  expect(messageOf(sqlite(13), 'capture.list')).toMatch(
    /\/data is full\. Free some space, or delete/,
  )
  for (const route of ['capture.delete', 'capture.clear'] as const) {
    expect(messageOf(sqlite(13), route)).toMatch(/Delete or move other files on this disk/)
  }
})

// An error in a timer's callback has no caller, so it would end the app and the receiver.
describe('damage met by a timer is reported and does not end the app', () => {
  const malformed = new Error('database disk image is malformed')
  const damaged = () => {
    throw malformed
  }

  test('damage met while open discrepancies are counted is reported', async () => {
    const { promise, resolve: onBug } = Promise.withResolvers<unknown>()
    const { signal } = new AbortController()
    const context = { events: createAppEvents(), onBug, store: { matters: { open: damaged } } }
    const changes = createChanges({
      ...context,
      wait: (ms: number) => sleep(ms, undefined, { signal }),
    } as unknown as InvoicesContext)
    changes.matters('mainnet')
    expect(await promise).toBe(malformed)
    changes.stop()
  })

  test('damage met while forwarding rules are listed is reported', async () => {
    const { promise, resolve: onTrouble } = Promise.withResolvers<unknown>()
    const notifier = createForwardNotifier(damaged, damaged, () => undefined, onTrouble)
    notifier.changed(1)
    expect(await promise).toBe(malformed)
  })
})
