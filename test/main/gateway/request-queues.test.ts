/** Tests request queues with a real server, on a clock that runs as fast as the work is done. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type Http, createHttp } from '../../../src-main/gateway/http.ts'
import { gatewayTraffic } from '../../../src-preload/contract/traffic.ts'
import {
  type ScriptedServer,
  jsonResponse,
  openScriptedServer,
  errorOf,
} from '../../fixtures/scripted-server.ts'

const key = 'c4nary-k3y-that-nobody-may-see'
const began = Date.UTC(2030, 0, 1)

let server: ScriptedServer
let http: Http
let clock: ReturnType<typeof createHurriedClock>
let told = 0
beforeEach(async () => {
  server = await openScriptedServer()
  clock = createHurriedClock()
  told = 0
  http = createHttp({ clock, random: () => 1, wait: clock.wait, onTraffic: () => (told += 1) })
})
afterEach(async () => {
  await http[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** The clock stops while a request runs; otherwise the timers end at once, in their order. */
function createHurriedClock() {
  let now = 0
  let timers: { at: number; run: () => void }[] = []
  let isFrozen = false
  function next(): void {
    const first = timers.toSorted((a, b) => a.at - b.at)[0]
    if (isFrozen || first === undefined) return
    if (http.traffic().roots.some(({ underWay }) => underWay > 0)) return void setImmediate(next)
    timers = timers.filter((other) => other !== first)
    now = Math.max(now, first.at)
    first.run()
  }
  function after(ms: number, run: () => void) {
    const timer = { at: now + ms, run }
    timers.push(timer)
    setImmediate(next)
    return () => void (timers = timers.filter((other) => other !== timer))
  }
  return {
    now: () => now,
    unix: () => began + now,
    after,
    wait: (ms: number) => new Promise<void>((resolve) => void after(ms, resolve)),
    freeze: () => void (isFrozen = true),
  }
}

const anything = z.unknown()
type Options = { perSecond?: number | null; root?: 'query' | 'webhooks' | 'invoices'; key?: string }
const client = ({ perSecond = null, root = 'query', key: given = key }: Options = {}) =>
  http.client({
    name: 'The gateway',
    baseUrl: server.origin,
    key: given,
    queue: { network: 'testnet', root, perSecond },
  })

test.each([null, 1, 50])(
  'during a minute of 429 and after it, each job request gets one response (at %s requests per second)',
  async (perSecond) => {
    const answered: string[] = []
    let refusals = 0
    server.answer = (request, response) => {
      if (clock.now() < 60_000) {
        refusals += 1
        jsonResponse('{"Error":"rate limit"}', 429)(request, response)
      } else {
        answered.push(request.body)
        jsonResponse('{}')(request, response)
      }
    }
    const gateway = client({ perSecond })
    const bodies = Array.from({ length: 40 }, (_, index) => String(index))
    await Promise.all(
      bodies.map((body) =>
        gateway.call({
          method: 'POST',
          path: '/v2/accounts/_bulk',
          body: Number(body),
          isIdempotent: true,
          priority: 'job',
          answer: anything,
        }),
      ),
    )
    expect(answered.toSorted()).toEqual(bodies.toSorted())
    // The client must not respond to 429 with a burst of retries.
    expect(refusals).toBeLessThan(20)
  },
)

test.each([
  ['seconds', '7'],
  ['a date', new Date(began + 3_600_000 + 7000).toUTCString()],
])('a Retry-After with %s pauses the whole queue until then', async (_form, retryAfter) => {
  // The server’s clock is an hour ahead.
  const date = new Date(began + 3_600_000).toUTCString()
  const moments: number[] = []
  server.answer = (request, response) => {
    moments.push(clock.now())
    const isFirst = moments.length === 1
    jsonResponse(
      '{}',
      isFirst ? 429 : 200,
      isFirst ? { 'retry-after': retryAfter, date } : {},
    )(request, response)
  }
  const gateway = client({ perSecond: 1 })
  const first = gateway.call({ path: '/a', answer: anything })
  const second = gateway.call({ path: '/b', answer: anything, priority: 'job' })
  await Promise.all([first, second])
  expect(moments.slice(1).every((moment) => moment >= 7000)).toBe(true)
  expect(server.seen.map(({ url }) => url)).toEqual(['/a', '/a', '/b'])
})

test('a pause that exceeds the limit of interactive requests is reported at once', async () => {
  server.answer = jsonResponse('{}', 429, { 'retry-after': '90' })
  const gateway = client()
  const error = await errorOf(gateway.call({ path: '/a', answer: anything }))
  expect(error.code).toBe('GATEWAY_RATE_LIMITED')
  expect(error.message).toMatch(/requires a pause\. Try again in 90 s\.$/)
  const asked = server.seen.length
  clock.freeze()
  expect((await errorOf(gateway.call({ path: '/b', answer: anything }))).data).toMatchObject({
    retryAfterMs: 90_000,
  })
  expect(server.seen).toHaveLength(asked)
})

test('query and webhooks pause together, because they share a key; invoices have their own queue', async () => {
  server.answer = jsonResponse('{}', 429, { 'retry-after': '30' })
  client({ root: 'webhooks' })
  client({ root: 'invoices', key: 'another-key' })
  await errorOf(client().call({ method: 'POST', path: '/a', answer: anything }))
  clock.freeze()
  const paused = http.traffic().roots.map(({ root, limit }) => [root, limit.pausedUntil])
  expect(paused).toEqual([
    ['webhooks', began + 30_000],
    ['invoices', null],
    ['query', began + 30_000],
  ])
})

test('a request that is not idempotent is sent once, also after a 429', async () => {
  server.answer = jsonResponse('{}', 429)
  const gateway = client()
  await errorOf(gateway.call({ method: 'POST', path: '/send', answer: anything, priority: 'job' }))
  expect(server.seen).toHaveLength(1)
})

test('interactive requests come before jobs, and jobs of different owners alternate', async () => {
  const gateway = client({ perSecond: 1 })
  const ask = (path: string, priority: 'job' | 'interactive', owner = '') =>
    gateway.call({ path, priority, owner, answer: anything })
  await Promise.all([
    ...['/a1', '/a2', '/a3'].map((path) => ask(path, 'job', 'a')),
    ...['/b1', '/b2'].map((path) => ask(path, 'job', 'b')),
    ask('/person', 'interactive'),
  ])
  expect(server.seen.map(({ url }) => url)).toEqual(['/a1', '/person', '/a2', '/b1', '/a3', '/b2'])
})

test('a request that is aborted in the queue leaves the queue and is never sent', async () => {
  clock.freeze()
  const gateway = client({ perSecond: 1 })
  await gateway.call({ path: '/first', answer: anything })
  const leaver = new AbortController()
  const waiting = gateway.call({ path: '/second', answer: anything, signal: leaver.signal })
  expect(http.traffic().roots[0]?.waiting).toEqual({ interactive: 1, job: 0 })
  leaver.abort(new Error('another network was chosen'))
  await expect(waiting).rejects.toThrow('another network was chosen')
  expect(http.traffic().roots[0]).toMatchObject({ waiting: { interactive: 0 }, underWay: 0 })
  expect(server.seen).toHaveLength(1)
})

test('a request that is aborted while it runs frees its slot and counts as no error', async () => {
  const gateway = client()
  const leaver = new AbortController()
  server.answer = () => leaver.abort(new Error('enough'))
  await expect(
    gateway.call({ path: '/slow', answer: anything, signal: leaver.signal }),
  ).rejects.toThrow('enough')
  expect(http.traffic().roots[0]).toMatchObject({ underWay: 0, requests: 1, errors: 0 })
  server.answer = jsonResponse('{"well":true}')
  expect(await gateway.call({ path: '/x', answer: anything })).toEqual({ well: true })
})

test('jobs leave slots free, so that interactive requests are sent at once', async () => {
  const held: (() => void)[] = []
  const full = Promise.withResolvers<undefined>()
  server.answer = (request, response) => {
    held.push(() => jsonResponse('{}')(request, response))
    if (held.length === 7) full.resolve(undefined)
  }
  const gateway = client()
  const asked = Array.from({ length: 12 }, () =>
    gateway.call({ path: '/x', priority: 'job', answer: anything }),
  )
  asked.push(gateway.call({ path: '/person', answer: anything }))
  await full.promise
  expect(http.traffic().roots[0]).toMatchObject({ underWay: 7, waiting: { job: 6 } })
  expect(server.seen.some(({ url }) => url === '/person')).toBe(true)
  server.answer = jsonResponse('{}')
  for (const release of held) release()
  await Promise.all(asked)
})

test('traffic is counted by root and reported at intervals, without the key, bodies and query values', async () => {
  const gateway = client()
  await gateway.call({
    method: 'POST',
    path: '/v2/x',
    query: { secret: 'query-value' },
    body: { text: 'body-text' },
    answer: anything,
  })
  server.answer = ({ headers }, response) =>
    response
      .writeHead(401, { location: headers.authorization })
      .end(`{"error":"no such key: ${headers.authorization ?? ''}"}`)
  await errorOf(gateway.call({ path: '/v2/y', answer: anything }))
  const traffic = gatewayTraffic.parse(http.traffic())
  expect(traffic.roots).toHaveLength(1)
  expect(traffic.roots[0]).toMatchObject({
    network: 'testnet',
    root: 'query',
    origin: server.origin,
    requests: 2,
    errors: 1,
    lastError: { status: 401 },
  })
  expect(traffic.recent.map(({ path, status }) => [path, status])).toEqual([
    ['/v2/y', 401],
    ['/v2/x', 200],
  ])
  expect(JSON.stringify(traffic)).not.toMatch(/c4nary|query-value|body-text/)
  await clock.wait(2000)
  expect(told).toBe(1)
})

test('another key is not paused by the limits of the key before', async () => {
  server.answer = jsonResponse('{}', 429, { 'retry-after': '600' })
  await errorOf(client({ perSecond: 1 }).call({ method: 'POST', path: '/a', answer: anything }))
  server.answer = jsonResponse('{"well":true}')
  const next = client({ perSecond: 1, key: 'a-better-key' })
  expect(await next.call({ path: '/a', answer: anything })).toEqual({ well: true })
})
