/** What is done about a damage that a query met. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAppEvents } from '../../src-main/app/app-events.ts'
import type { BaseContext } from '../../src-main/app/context.ts'
import { watchDamage } from '../../src-main/app/damage.ts'
import { createNotices } from '../../src-main/app/notices.ts'
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
