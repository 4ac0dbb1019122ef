/** Tests that the receiver has its own thread: work or failures of the main thread delay no delivery. */
import { channel } from 'node:diagnostics_channel'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { type Hook, hookOf } from '../../fixtures/hook.ts'

const started: Worker[] = []
const onStart = (message: unknown) => started.push((message as { worker: Worker }).worker)

let app: TestApp
let hook: Hook
beforeAll(async () => {
  channel('worker_threads').subscribe(onStart)
  app = await startApp()
  hook = await hookOf(app)
})
afterAll(async () => {
  channel('worker_threads').unsubscribe(onStart)
  await app[Symbol.asyncDispose]()
})

/** Posts in sequence, writes the statuses to shared memory, then wakes the waiting thread. */
const sender = `
  const { request } = require('node:http')
  const { workerData: { shared, port, deliveries } } = require('node:worker_threads')
  const statuses = new Int32Array(shared)
  const post = ({ path, headers, body }) => new Promise((resolve) => {
    const sent = request({ port, path, headers, method: 'POST' }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', () => resolve(-1))
    sent.end(body)
  })
  void (async () => {
    for (const [index, delivery] of deliveries.entries()) statuses[index + 1] = await post(delivery)
    Atomics.store(statuses, 0, 1)
    Atomics.notify(statuses, 0)
  })()`

type Sent = {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** Blocks this thread, which is the app’s main thread, until all responses have arrived. */
function statusesWhileBlocked(deliveries: readonly Sent[]): number[] {
  const shared = new SharedArrayBuffer(4 * (deliveries.length + 1))
  const statuses = new Int32Array(shared)
  const workerData = { shared, port: hook.port, deliveries }
  const worker = new Worker(sender, { eval: true, workerData })
  try {
    // This outer limit only ends a failing test.
    expect(Atomics.wait(statuses, 0, 0, 60_000)).toBe('ok')
    return [...statuses.subarray(1)]
  } finally {
    void worker.terminate()
  }
}

test('deliveries get their responses after their commits while the main thread is blocked', async () => {
  const before = (await app.request('capture.counts')).total
  const deliveries = Array.from({ length: 20 }, (_, index) => ({
    path: hook.path,
    body: `${index} ${'x'.repeat(index * 50_000)}`,
  }))
  const others = [{ path: `/hook/${'0'.repeat(32)}`, body: '' }]
  expect(statusesWhileBlocked([...deliveries, ...others])).toEqual([
    ...deliveries.map(() => 200),
    404,
  ])
  await app.until(
    async () => (await app.request('capture.counts')).total === before + 20,
    'the captures to be counted',
  )
  expect((await app.request('receiver.state')).captured).toBe(before + 20)
  expect((await app.request('receiver.refusals')).latest[0]).toMatchObject({ status: 404 })
})

test('response rules, token checks and limits work while the main thread is blocked', async () => {
  const answer = (status: number) => ({ kind: 'answer', status, headers: [], body: '', delayMs: 0 })
  const action = answer(429) as never
  const rule = await app.request('responseRule.save', { filter: 'body:limited', action, next: 2 })
  const { receiver } = await app.request('settings.get')
  await app.request('settings.change', { receiver: { bodyLimitBytes: 64 * 1024 } })
  await app.request('settings.change', { receiver: { rejectWrongToken: true } })
  await app.request('secrets.useSessionOnly')
  const { id } = await app.request('webhookToken.add', { label: 'mine', token: 'the-right-token' })
  const post = (body: string, token?: string) => ({
    path: hook.path,
    body,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  const sent = [
    post('limited', 'the-right-token'),
    post('other', 'the-right-token'),
    post('limited', 'the-right-token'),
    post('limited', 'the-right-token'),
    post('other', 'another-token'),
    post('other'),
    post('x'.repeat(64 * 1024 + 1), 'the-right-token'),
  ]
  expect(statusesWhileBlocked(sent)).toEqual([429, 200, 429, 200, 401, 401, 413])
  await app.until(async () => {
    const found = (await app.request('responseRule.list')).find((each) => each.id === rule.id)
    return found?.used === 2 && found.left === 0 && !found.enabled
  }, 'the rule to be used up')
  await app.request('responseRule.remove', { id: rule.id })
  await app.request('webhookToken.remove', { id })
  await app.request('settings.change', { receiver })
})

test('a rotated token applies to the next delivery', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { url } = await app.request('receiver.rotateToken')
    const [old, next] = [hook.path, new URL(url ?? '').pathname]
    hook = { ...hook, path: next }
    expect(statusesWhileBlocked([old, next].map((path) => ({ path, body: '' })))).toEqual([
      404, 200,
    ])
  }
})

test('a receiver thread that ends is restarted at the same URL, and the failure is reported', async () => {
  const [thread] = started.filter(({ threadName }) => threadName === 'tondesk-receiver')
  const { url } = await app.request('receiver.state')
  const failures = () =>
    app.events.flatMap((message) =>
      message.name === 'receiver.changed' && message.payload.status === 'failed'
        ? [message.payload]
        : [],
    )
  await thread?.terminate()
  await app.until(() => failures().length > 0, 'the receiver to fail')
  expect(failures()).toMatchObject([
    { url: null, problem: expect.stringContaining('thread ended') as string },
  ])
  const state = async () => app.request('receiver.state')
  await app.until(async () => (await state()).status === 'listening', 'the receiver to start again')
  expect(await state()).toMatchObject({ url })
  expect(await app.post('again')).toBe(200)
})
