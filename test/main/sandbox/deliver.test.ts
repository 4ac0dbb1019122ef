import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Scheduler } from '../../../src-main/sandbox/clock.ts'
import { openDatabase, transaction } from '../../../src-main/sandbox/store/database.ts'
import { advanceClock, startTime, openQueue } from '../../fixtures/deliveries.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { respondWith, startEndpoint } from '../../fixtures/endpoint.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

function bodies(list: readonly { readonly body: string }[]): string[] {
  return list.map(({ body }) => body)
}

test('a delivery is a POST of exactly the stored bytes, with the token of its target', async () => {
  await using endpoint = await startEndpoint()
  await using test = openQueue()
  test.targets.set('webhook:1', { url: `${endpoint.url}/hook?x=1`, bearer: 'secret' })
  const body = '{ "lt":36028797018963969,\n "text":"ünï\\u0000 😀" }'
  await test.send({ body })
  const [received] = endpoint.received
  expect(received).toMatchObject({ method: 'POST', path: '/hook?x=1', body })
  expect(received?.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Bearer secret',
    'content-length': String(Buffer.byteLength(body)),
  })
  expect(received?.headers['user-agent']).toBeTruthy()
  expect(test.delivered).toMatchObject([{ body }])
  expect(test.queue.count()).toEqual({ waiting: 0, failing: 0 })
})

test('a target without a token gets none', async () => {
  await using endpoint = await startEndpoint()
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send({})
  expect(endpoint.received[0]?.headers.authorization).toBeUndefined()
})

test('no delivery is sent before the commit of its cause, or after a rollback', async () => {
  await using endpoint = await startEndpoint()
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  const added = { target: 'webhook:1', lane: 'a', eventType: 'e', accountId: null, lt: null }
  expect(() =>
    transaction(test.database, () => {
      test.queue.add([{ ...added, body: 'rolled back' }])
      throw new Error('the block was not stored')
    }),
  ).toThrow()
  await test.send({ body: 'committed' })
  expect(bodies(endpoint.received)).toEqual(['committed'])
})

test('deliveries of an account stay in order over failures, and another account is not delayed', async () => {
  await using endpoint = await startEndpoint()
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  let down = true
  endpoint.answer = (request, response) =>
    respondWith(down && request.body.startsWith('a') ? 500 : 200)(request, response)
  await test.send(
    ...['a1', 'b1', 'a2', 'b2', 'a3'].map((body) => ({ body, lane: body.slice(0, 1) })),
  )
  expect(bodies(test.delivered)).toEqual(['b1', 'b2'])
  expect(test.queue.retrying()).toBe(1)
  await advanceClock(test.queue, test.clock, 30 * second)
  expect(bodies(endpoint.received).filter((body) => body.startsWith('a'))).toEqual([
    'a1',
    'a1',
    'a1',
  ])
  down = false
  await advanceClock(test.queue, test.clock, 2 * minute)
  expect(bodies(test.delivered).slice(2)).toEqual(['a1', 'a2', 'a3'])
  expect(test.queue.count()).toEqual({ waiting: 0, failing: 0 })
})

test('retries come after 5 s, 15 s, 1 min, 5 min, 15 min, 1 h and hourly, and end after a day', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send({ body: 'first' }, { body: 'second' })
  await advanceClock(test.queue, test.clock, 3 * 24 * hour)
  const moments = test.failures.map(({ at }) => at - startTime)
  const steps = [5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour, hour]
  expect(moments.slice(0, 8)).toEqual(
    steps.reduce((list, step) => [...list, (list.at(-1) ?? 0) + step], [0]),
  )
  expect(moments.at(-1)).toBe(24 * hour)
  expect(test.failures.map(({ attempts }) => attempts)).toEqual(moments.map((_, i) => i + 1))
  expect(new Set(bodies(endpoint.received))).toEqual(new Set(['first']))
  expect(test.queue.nextDue()).toBeNull()
  // An offline endpoint gets no delivery automatically.
  expect(test.queue.retrying()).toBe(0)
  expect(test.queue.list({ limit: 10, offset: 0 })).toMatchObject([
    {
      body: 'first',
      nextAttemptAt: null,
      lastError: `POST ${endpoint.url}: 500 Internal Server Error`,
    },
    { body: 'second', nextAttemptAt: null, attempts: 0 },
  ])
})

test('deliveries added while a target is offline wait with the others, and all resume in order', async () => {
  await using endpoint = await startEndpoint(respondWith(503))
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send({ body: '1' }, { body: '2' })
  await advanceClock(test.queue, test.clock, 24 * hour)
  const before = endpoint.received.length
  await test.send({ body: '3' }, { body: 'other', lane: 'new lane' })
  await advanceClock(test.queue, test.clock, 24 * hour)
  expect(endpoint.received).toHaveLength(before)
  endpoint.answer = respondWith(200)
  test.queue.resume('webhook:1')
  await test.queue.settled()
  expect(bodies(test.delivered).filter((body) => body !== 'other')).toEqual(['1', '2', '3'])
  expect(bodies(test.delivered)).toContain('other')
})

test('after a resume the retry schedule starts again', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send({})
  await advanceClock(test.queue, test.clock, 25 * hour)
  test.failures.length = 0
  test.queue.resume('webhook:1')
  await test.queue.settled()
  await advanceClock(test.queue, test.clock, 5 * second)
  const at = startTime + 25 * hour
  expect(test.failures.map((failure) => failure.at)).toEqual([at, at + 5 * second])
  expect(test.queue.nextDue()).toBe(at + 20 * second)
})

test('a target with one success a day stays online although another account fails', async () => {
  await using endpoint = await startEndpoint()
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  endpoint.answer = (request, response) =>
    respondWith(request.body === 'bad' ? 500 : 200)(request, response)
  await test.send({ body: 'bad', lane: 'bad' })
  for (let day = 0; day < 4; day += 1) {
    await advanceClock(test.queue, test.clock, 20 * hour)
    await test.send({ body: 'good', lane: 'good' })
  }
  expect(test.queue.nextDue()).not.toBeNull()
  expect(test.delivered).toHaveLength(4)
})

test('an endpoint that hangs delays no other target, and gets no more deliveries than its limit of connections', async () => {
  await using hanging = await startEndpoint(() => undefined)
  await using endpoint = await startEndpoint()
  await using test = openQueue()
  test.policy.timeoutMs = 60_000
  test.policy.concurrency = 3
  test.targets.set('webhook:1', { url: hanging.url, bearer: null })
  test.targets.set('webhook:2', { url: endpoint.url, bearer: null })
  test.add(Array.from({ length: 20 }, (_, i) => ({ lane: String(i) })))
  await hanging.arrived(3)
  test.add(Array.from({ length: 200 }, (_, i) => ({ target: 'webhook:2', body: String(i) })))
  await endpoint.arrived(200)
  expect(bodies(endpoint.received)).toEqual(Array.from({ length: 200 }, (_, i) => String(i)))
  expect(hanging.received).toHaveLength(3)
})

test('on a virtual clock a delivery is due until it has got a response or failed', async () => {
  await using endpoint = await startEndpoint(() => undefined)
  await using test = openQueue()
  test.policy.timeoutMs = 2000
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  test.add([{}])
  await endpoint.arrived(1)
  expect(test.queue.nextDue()).toBe(startTime)
  await test.queue.runDue()
  expect(test.failures).toMatchObject([{ message: `POST ${endpoint.url}: timed out after 2 s` }])
  expect(test.queue.nextDue()).toBe(startTime + 5 * second)
})

test('on a real clock deliveries are retried automatically', async () => {
  await using endpoint = await startEndpoint()
  const clock = { mode: 'real', at: 0, now: () => Date.now(), moveTo: () => undefined } as const
  await using test = openQueue({ clock, onPlanned: () => scheduler.poke() })
  const scheduler = new Scheduler({ clock, sources: [test.queue] })
  test.policy.retryDelaysMs = [10]
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  endpoint.answer = (request, response) =>
    respondWith(endpoint.received.length < 4 ? 500 : 200)(request, response)
  scheduler.start()
  test.add([{ body: 'x' }])
  await endpoint.arrived(4)
  await test.queue.settled()
  await scheduler.stop()
  expect(test.delivered).toHaveLength(1)
})

test('dropped deliveries are not sent, and later ones are', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send(
    { body: 'tx', eventType: 'account_tx' },
    { body: 'op 1', eventType: 'opcode_msg', topic: '0x00000001' },
    { body: 'op 2', eventType: 'opcode_msg', topic: '0x00000002' },
    { body: 'tx of another', eventType: 'account_tx', lane: 'two' },
  )
  test.queue.drop('webhook:1', { eventType: 'account_tx', lane: 'one' })
  test.queue.drop('webhook:1', { eventType: 'opcode_msg', topic: '0x00000001' })
  endpoint.answer = respondWith(200)
  await advanceClock(test.queue, test.clock, minute)
  expect(bodies(test.delivered).sort()).toEqual(['op 2', 'tx of another'])
})

test('a delivery that is dropped while it runs is neither delivered nor failed, and the next one is sent', async () => {
  await using endpoint = await startEndpoint(() => undefined)
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  test.add([{ body: 'held', eventType: 'mempool_msg' }, { body: 'next' }])
  await endpoint.arrived(1)
  endpoint.answer = respondWith(200)
  test.queue.drop('webhook:1', { eventType: 'mempool_msg' })
  await test.queue.settled()
  expect(test.failures).toEqual([])
  expect(bodies(test.delivered)).toEqual(['next'])
})

test('deliveries to a deleted target are dropped', async () => {
  await using test = openQueue()
  await test.send({ target: 'webhook:7' }, { target: 'webhook:7', lane: 'two' })
  expect(test.queue.count()).toEqual({ waiting: 0, failing: 0 })
  expect(test.errors).toEqual([])
})

test('after a restart the queue has the same order, attempts, times and offline targets', async () => {
  using directory = temporaryDirectory()
  await using endpoint = await startEndpoint(respondWith(500))
  const targets = [
    ['webhook:1', { url: endpoint.url, bearer: null }],
    ['webhook:2', { url: endpoint.url, bearer: null }],
  ] as const
  const clock = { at: 0 }
  {
    await using test = openQueue({ directory })
    for (const [name, target] of targets) test.targets.set(name, target)
    await test.send({ body: 'a', target: 'webhook:2' })
    await advanceClock(test.queue, test.clock, 24 * hour)
    await test.send({ body: '1' }, { body: '2' }, { body: '3' })
    await advanceClock(test.queue, test.clock, 6 * second)
    clock.at = test.clock.at
  }
  endpoint.received.length = 0
  endpoint.answer = respondWith(200)
  await using test = openQueue({ directory })
  for (const [name, target] of targets) test.targets.set(name, target)
  test.clock.at = clock.at
  test.queue.wake()
  await test.queue.settled()
  expect(endpoint.received).toEqual([])
  expect(test.queue.nextDue()).toBe(startTime + 24 * hour + 20 * second)
  const [first] = test.queue
    .list({ limit: 9, offset: 0 })
    .filter(({ target }) => target === 'webhook:1')
  expect([first]).toMatchObject([
    { body: '1', attempts: 2, nextAttemptAt: startTime + 24 * hour + 20 * second },
  ])
  await advanceClock(test.queue, test.clock, hour)
  expect(bodies(endpoint.received)).toEqual(['1', '2', '3'])
  test.queue.resume('webhook:2')
  await test.queue.settled()
  expect(bodies(endpoint.received)).toEqual(['1', '2', '3', 'a'])
})

test('a delivery that was running when the sandbox ended is sent again', async () => {
  using directory = temporaryDirectory()
  await using endpoint = await startEndpoint(() => undefined)
  {
    await using test = openQueue({ directory })
    test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
    test.add([{ body: 'x' }])
    await endpoint.arrived(1)
  }
  endpoint.answer = respondWith(200)
  await using test = openQueue({ directory })
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  test.queue.wake()
  await test.queue.settled()
  expect(test.delivered).toMatchObject([{ body: 'x', attempts: 0 }])
})

test('after a reload the replaced tables apply, and responses to earlier deliveries are ignored', async () => {
  await using endpoint = await startEndpoint(() => undefined)
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  test.add([{ body: 'before' }])
  await endpoint.arrived(1)
  const other = openDatabase(join(test.directory.path, 'mainnet.db'))
  other.exec("UPDATE deliveries SET body = 'after', id = 40")
  other.close()
  endpoint.answer = respondWith(200)
  test.queue.reload()
  await test.queue.settled()
  expect(bodies(test.delivered)).toEqual(['after'])
  expect(test.failures).toEqual([])
})

test('a target whose deliveries cannot be deleted is paused, and other targets are served', async () => {
  await using endpoint = await startEndpoint()
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  test.targets.set('webhook:2', { url: endpoint.url, bearer: null })
  test.database.exec(
    `CREATE TRIGGER broken BEFORE DELETE ON deliveries WHEN old.target = 'webhook:1'
     BEGIN SELECT raise(ABORT, 'disk full'); END`,
  )
  await test.send({ body: '1' }, { body: '2', target: 'webhook:2' })
  expect(bodies(test.delivered)).toEqual(['2'])
  expect(test.errors).toHaveLength(1)
  expect(test.queue.count().waiting).toBe(1)
})

test('a queue of 100,000 deliveries is paged, and only the first delivery of an account is tried', async () => {
  await using endpoint = await startEndpoint(respondWith(500))
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send(...Array.from({ length: 100_000 }, (_, i) => ({ body: String(i) })))
  expect(endpoint.received).toHaveLength(1)
  expect(test.queue.count()).toEqual({ waiting: 100_000, failing: 1 })
  const page = test.queue.list({ limit: 2, offset: 99_998 })
  expect(page).toMatchObject([{ body: '99998' }, { body: '99999', attempts: 0 }])
  expect(page[0]?.nextAttemptAt).toBe(startTime + 5 * second)
  expect(bodies(test.queue.list({ limit: 2, offset: 10 }))).toEqual(['10', '11'])
  test.queue.drop('webhook:1')
  expect(test.queue.nextDue()).toBeNull()
  expect(test.queue.count().waiting).toBe(0)
})
