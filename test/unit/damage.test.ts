/** What is done about a damage that a query met. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createAppEvents } from '../../src-main/app/app-events.ts'
import type { BaseContext } from '../../src-main/app/context.ts'
import { watchDamage } from '../../src-main/app/damage.ts'
import { createNotices } from '../../src-main/app/notices.ts'
import { createForwardNotifier } from '../../src-main/delivery/forwarding/forward-calls.ts'
import { createChanges } from '../../src-main/invoices/changes.ts'
import type { InvoicesContext } from '../../src-main/invoices/context.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'

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

test('a damaged index is named, and damage met after its thread ended sets no sound database aside', async () => {
  expect(await suspect(yes, endedThread)).toEqual({
    isRescued: false,
    notices: ['store.indexDamaged'],
  })
})

test('damage that the index does not explain is the database’s, also when nobody can say', async () => {
  const damaged = { isRescued: true, notices: ['store.damaged'] }
  expect(await suspect(no)).toEqual(damaged)
  expect(await suspect(endedThread)).toEqual(damaged)
})

// An error of a timer's callback has no caller: it ended the app, and the receiver with it.
describe('damage met by a timer is reported and ends nothing', () => {
  const malformed = new Error('database disk image is malformed')
  const damaged = () => {
    throw malformed
  }

  test('that counts open discrepancies of invoices', async () => {
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

  test('that lists forwarding rules', async () => {
    const { promise, resolve: onTrouble } = Promise.withResolvers<unknown>()
    const notifier = createForwardNotifier(damaged, damaged, () => undefined, onTrouble)
    notifier.changed(1)
    expect(await promise).toBe(malformed)
  })
})
