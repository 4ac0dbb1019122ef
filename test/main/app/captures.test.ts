import { expect, test } from 'vitest'
import type { Events } from '../../../src-preload/contract/routes.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { beginRequest } from '../../fixtures/slow-request.ts'

async function postMany(app: TestApp, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) await app.post(`capture ${index}`)
}

function payloads<N extends keyof Events>(app: TestApp, name: N): Events[N][] {
  return app.events
    .filter((message) => message.name === name)
    .map((message) => message.payload as Events[N])
}

/** Waits for the event with this payload, among past and future events. */
function told(app: TestApp, name: keyof Events, payload: unknown): Promise<void> {
  const wanted = JSON.stringify(payload)
  return app.until(
    () => payloads(app, name).some((sent) => JSON.stringify(sent) === wanted),
    `${name} ${wanted}`,
  )
}

test('a capture is unread until it is marked as read, and marking an older capture changes nothing', async () => {
  await using app = await startApp()
  await postMany(app, 3)
  expect(await app.request('capture.counts')).toEqual({
    total: 3,
    others: 0,
    unread: 3,
    readTo: 0,
    pinned: 0,
    newestId: 3,
  })
  expect(await app.request('capture.markRead', { upTo: 2 })).toMatchObject({ unread: 1, readTo: 2 })
  expect(await app.request('capture.markRead', { upTo: 1 })).toMatchObject({ unread: 1 })
  await app.post('one more')
  expect(await app.request('capture.counts')).toMatchObject({ total: 4, unread: 2 })
})

test('captures that were read are still read after a restart', async () => {
  using home = temporaryDirectory()
  {
    await using app = await startApp({ dataDirectory: home.path })
    await postMany(app, 3)
    await app.request('capture.markRead', { upTo: 2 })
  }
  await using app = await startApp({ dataDirectory: home.path })
  expect(await app.request('capture.counts')).toMatchObject({ total: 3, unread: 1 })
})

test('ids of deleted captures are never used again, also after a restart', async () => {
  using home = temporaryDirectory()
  {
    await using app = await startApp({ dataDirectory: home.path })
    await postMany(app, 5)
    expect(await app.request('capture.delete', { ids: [4, 5] })).toEqual({ deleted: 2 })
  }
  {
    await using app = await startApp({ dataDirectory: home.path })
    await app.post('after the restart')
    expect(await app.request('capture.counts')).toMatchObject({ total: 4, newestId: 6 })
    await app.request('capture.clear', { keepPinned: false })
  }
  await using app = await startApp({ dataDirectory: home.path })
  expect(await app.request('capture.counts')).toMatchObject({ total: 0, newestId: null })
  await app.post('after the clearing')
  expect(await app.request('capture.counts')).toMatchObject({ total: 1, newestId: 7 })
})

test('ids left out by a deletion are not counted as unread captures after a restart', async () => {
  using home = temporaryDirectory()
  {
    await using app = await startApp({ dataDirectory: home.path })
    await postMany(app, 5)
    await app.request('capture.clear', { keepPinned: false })
  }
  await using app = await startApp({ dataDirectory: home.path })
  await app.post('the only one')
  expect(await app.request('capture.counts')).toMatchObject({ total: 1, unread: 1 })
})

test('a capture that began before the last one read, and ended after, is unread', async () => {
  await using app = await startApp()
  await using slow = await beginRequest(await app.hook())
  await postMany(app, 2)
  await app.request('capture.markRead', { upTo: 2 })
  await slow.finish()
  expect(await app.request('capture.counts')).toMatchObject({ total: 3, unread: 1 })
  // After a deletion the app counts again.
  await app.request('capture.delete', { ids: [1] })
  expect(await app.request('capture.counts')).toMatchObject({ total: 2, unread: 1 })
})

test('each new capture emits an event with the new counts', async () => {
  await using app = await startApp()
  await app.post('first')
  await told(app, 'capture.added', {
    counts: { total: 1, others: 0, newestId: 1, unread: 1, readTo: 0, pinned: 0 },
  })
  await app.until(() => payloads(app, 'capture.classified').some(({ upTo }) => upTo === 1))
})

test('pins and notes of captures are stored, emit events and do not depend on each other', async () => {
  using home = temporaryDirectory()
  {
    await using app = await startApp({ dataDirectory: home.path })
    await postMany(app, 3)
    await app.request('capture.pin', { ids: [1, 2, 99], pinned: true })
    await app.request('capture.note', { id: 2, note: 'why "this"?\n\u0000 ü' })
    await app.request('capture.pin', { ids: [1], pinned: false })
    const counts = { total: 3, others: 0, newestId: 3, unread: 3, readTo: 0, pinned: 1 }
    await told(app, 'capture.changed', { ids: [1], counts })
  }
  await using app = await startApp({ dataDirectory: home.path })
  const { rows } = await app.request('capture.list', {})
  expect(rows.map(({ id, pinned, note }) => ({ id, pinned, note }))).toEqual([
    { id: 3, pinned: false, note: '' },
    { id: 2, pinned: true, note: 'why "this"?\n\u0000 ü' },
    { id: 1, pinned: false, note: '' },
  ])
  await app.request('capture.pin', { ids: [2], pinned: false })
  expect(await app.request('capture.get', { id: 2 })).toMatchObject({
    pinned: false,
    note: 'why "this"?\n\u0000 ü',
  })
})

test('a deletion removes exactly the requested captures, counts the existing ones and emits an event', async () => {
  await using app = await startApp()
  await postMany(app, 4)
  await app.request('capture.pin', { ids: [2], pinned: true })
  expect(await app.request('capture.delete', { ids: [2, 2, 3, 99] })).toEqual({ deleted: 2 })
  await told(app, 'capture.changed', {
    ids: [2, 2, 3, 99],
    counts: { total: 2, others: 0, newestId: 4, unread: 2, readTo: 0, pinned: 0 },
  })
  const { rows } = await app.request('capture.list', {})
  expect(rows.map(({ id }) => id)).toEqual([4, 1])
  expect(await app.refusal('capture.get', { id: 3 })).toBe('CAPTURE_NOT_FOUND')
})

test('the note of a deleted capture is deleted, too', async () => {
  await using app = await startApp()
  await postMany(app, 2)
  await app.request('capture.pin', { ids: [1, 2], pinned: true })
  await app.request('capture.note', { id: 1, note: 'private' })
  await app.request('capture.delete', { ids: [1] })
  await app.request('capture.clear', { keepPinned: false })
  expect(await app.request('capture.counts')).toMatchObject({ total: 0, pinned: 0 })
})

test('clearing excludes pinned captures if requested, and deliveries are received meanwhile', async () => {
  await using app = await startApp()
  const url = await app.hook()
  const send = (body: string) => fetch(url, { method: 'POST', body })
  await Promise.all(Array.from({ length: 600 }, (_, index) => send(`before ${index}`)))
  await app.request('capture.pin', { ids: [3, 450], pinned: true })
  const clearing = app.request('capture.clear', { keepPinned: true })
  const meanwhile = await Promise.all(
    Array.from({ length: 50 }, (_, index) => send(`during ${index}`)),
  )
  expect(meanwhile.every(({ status }) => status === 200)).toBe(true)
  const { deleted } = await clearing
  const { rows } = await app.request('capture.list', { limit: 500 })
  // The clearing may have included some captures that arrived while it ran.
  expect(deleted + rows.length).toBe(650)
  expect(rows.filter(({ pinned }) => pinned).map(({ id }) => id)).toEqual([450, 3])
  expect(rows.every(({ id, pinned }) => pinned || id > 600)).toBe(true)
  expect(await app.request('capture.counts')).toMatchObject({ total: rows.length, pinned: 2 })
})

test('paging through the list returns each capture once, while new captures arrive', async () => {
  await using app = await startApp()
  await postMany(app, 25)
  const seen: number[] = []
  let before: number | undefined
  for (;;) {
    const page = await app.request('capture.list', { limit: 7, ...(before && { before }) })
    seen.push(...page.rows.map(({ id }) => id))
    if (page.nextBefore === null) break
    before = page.nextBefore
    await app.post('meanwhile')
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index))
})

test('a list after an id has newer captures only, and a list of pinned captures has no others', async () => {
  await using app = await startApp()
  await postMany(app, 5)
  await app.request('capture.pin', { ids: [1, 4], pinned: true })
  const newer = await app.request('capture.list', { after: 3 })
  expect(newer.rows.map(({ id }) => id)).toEqual([5, 4])
  const pinned = await app.request('capture.list', { query: { text: 'pinned:yes' } })
  expect(pinned.rows.map(({ id }) => id)).toEqual([4, 1])
  const page = await app.request('capture.list', { query: { text: 'pinned:yes' }, limit: 1 })
  expect(page).toMatchObject({ rows: [{ id: 4 }], nextBefore: 4 })
})

test('each capture is in exactly one bucket of the histogram, at any width', async () => {
  await using app = await startApp()
  await app.request('settings.change', { receiver: { bodyLimitBytes: 1024 } })
  await postMany(app, 5)
  expect(await app.post('x'.repeat(2000))).toBe(413)
  const { rows } = await app.request('capture.list', {})
  const times = rows.map(({ receivedAt }) => receivedAt)
  const span = { from: Math.min(...times), to: Math.max(...times) + 1 }
  for (const buckets of [1, 3, 7, 400]) {
    const { buckets: histogram } = await app.request('captureQuery.histogram', { ...span, buckets })
    expect(histogram).toHaveLength(buckets)
    expect(histogram.reduce((sum, { total }) => sum + total, 0)).toBe(6)
    expect(histogram.reduce((sum, { refused }) => sum + refused, 0)).toBe(1)
    for (const [index, { startsAt, total }] of histogram.entries()) {
      const endsAt = histogram[index + 1]?.startsAt ?? span.to
      // A boundary is rounded to a microsecond, so a capture on a boundary may be counted on either
      // side.
      const inside = times.filter((time) => time > startsAt && time < endsAt - 1).length
      expect(total).toBeGreaterThanOrEqual(inside)
    }
  }
  const whole = { from: 0, to: span.to, buckets: 400 }
  const wide = await app.request('captureQuery.histogram', whole)
  expect(wide.buckets.at(-1)).toMatchObject({ total: 6, refused: 1 })
})

test('a histogram over an empty period is empty and no error', async () => {
  await using app = await startApp({ receive: false })
  expect(await app.request('captureQuery.histogram', { from: 5, to: 5, buckets: 3 })).toMatchObject(
    {
      buckets: [],
    },
  )
  expect(await app.request('captureQuery.histogram', { from: 9, to: 5, buckets: 3 })).toMatchObject(
    {
      buckets: [],
    },
  )
})
