import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defaultSettings } from '../../../src-preload/contract/settings.ts'
import { createAppEvents } from '../../../src-main/app/app-events.ts'
import type { BaseContext, UpdateHost } from '../../../src-main/app/context.ts'
import { createUpdates } from '../../../src-main/app/updates.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const release = { version: '2.0.0', notes: 'Faster.' }

function startUpdates(host: Partial<UpdateHost> | undefined, automatic = true) {
  const check = vi.fn(host?.check ?? (() => Promise.resolve(null)))
  const download = vi.fn(host?.download ?? (() => Promise.resolve()))
  const resources = new AsyncDisposableStack()
  const context = {
    config: host === undefined ? {} : { updates: { check, download } },
    events: createAppEvents(),
    log: { failure: () => undefined },
    now: () => 5,
    resources,
    settings: { get: () => ({ ...defaultSettings, updates: { automatic } }) },
  }
  const updates = createUpdates(context as unknown as BaseContext)
  updates.start()
  return { ...updates.handlers, check, download, resources }
}

test('the update feed is checked one minute after the start and then daily, until the app ends', async () => {
  const { check, resources } = startUpdates({})
  await vi.advanceTimersByTimeAsync(59_000)
  expect(check).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(check).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(24 * 60 * 60_000)
  expect(check).toHaveBeenCalledTimes(2)
  await resources.disposeAsync()
  await vi.advanceTimersByTimeAsync(7 * 24 * 60 * 60_000)
  expect(check).toHaveBeenCalledTimes(2)
})

test('without the setting the update feed is checked on request only', async () => {
  const updates = startUpdates({ check: () => Promise.resolve(release) }, false)
  await vi.advanceTimersByTimeAsync(7 * 24 * 60 * 60_000)
  expect(updates.check).toHaveBeenCalledTimes(0)
  expect(await updates['update.check'](undefined)).toMatchObject({
    status: 'available',
    version: '2.0.0',
    notes: 'Faster.',
    checkedAt: 5,
  })
  expect(updates.download).toHaveBeenCalledTimes(0)
})

test('a host without updates checks nothing and reports updates as off', async () => {
  const updates = startUpdates(undefined)
  expect(await updates['update.check'](undefined)).toMatchObject({ status: 'off', problem: null })
  expect(await updates['update.download'](undefined)).toMatchObject({ status: 'off' })
})

test('no download starts before a version is found, and no version is downloaded twice', async () => {
  const gate = Promise.withResolvers<undefined>()
  const updates = startUpdates({
    check: () => Promise.resolve(release),
    download: () => gate.promise,
  })
  expect(await updates['update.download'](undefined)).toMatchObject({ status: 'idle' })
  await updates['update.check'](undefined)
  expect(await updates['update.download'](undefined)).toMatchObject({ status: 'downloading' })
  await updates['update.download'](undefined)
  await updates['update.check'](undefined)
  expect([updates.check, updates.download].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  gate.resolve(undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(await updates['update.state'](undefined)).toMatchObject({ status: 'ready' })
  // The version waits for the app to end, so another check would discard it.
  expect(await updates['update.check'](undefined)).toMatchObject({ status: 'ready' })
})

test('a failed check or download is reported and can be repeated', async () => {
  let isWell = false
  const updates = startUpdates({
    check: () => (isWell ? Promise.resolve(release) : Promise.reject(new Error('No feed.'))),
    download: () => Promise.reject(new Error('Another hash.')),
  })
  expect(await updates['update.check'](undefined)).toMatchObject({
    status: 'idle',
    problem: 'No feed.',
    checkedAt: null,
  })
  isWell = true
  expect(await updates['update.check'](undefined)).toMatchObject({
    status: 'available',
    problem: null,
  })
  await updates['update.download'](undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(await updates['update.state'](undefined)).toMatchObject({
    status: 'available',
    problem: 'Another hash.',
  })
})
