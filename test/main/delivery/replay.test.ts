/** Tests replays of captures to real servers, with the routes alone and in the whole app. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createReplay } from '../../../src-main/delivery/replay/replay.ts'
import type { ReplayContext } from '../../../src-main/delivery/replay/run.ts'
import { createGuard } from '../../../src-main/delivery/sender/guard.ts'
import { createSender } from '../../../src-main/delivery/targets/targets.ts'
import { createAppender } from '../../../src-main/captures/store/capture-appender.ts'
import { createCaptureWriter } from '../../../src-main/captures/store/capture-writer.ts'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { createReplayCaptures } from '../../../src-main/delivery/store/replay-captures.ts'
import {
  createReplayJobs,
  createReplayPlans,
} from '../../../src-main/delivery/store/replay-jobs.ts'
import { createReplaySendings } from '../../../src-main/delivery/store/replay-sendings.ts'
import { writerThread } from '../../../src-main/threads/threads.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { type ReplayJob, replayOrder } from '../../../src-preload/contract/replay.ts'
import { startApp } from '../../fixtures/app.ts'
import { bearerHeader, transactionEvent } from '../../fixtures/bodies.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

type Arrived = {
  readonly head: string
  readonly headers: [string, string][]
  readonly body: Buffer
}

/** Opens a target that stores its requests byte by byte and responds as the test sets it. */
async function openTarget() {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { rawHeaders: raw } = request
      const headers = raw.flatMap((name, index): [string, string][] =>
        index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
      )
      const head = `${request.method} ${request.url}`
      target.arrived.push({ head, headers, body: Buffer.concat(chunks) })
      target.onArrival()
      void target
        .answer()
        .then((status) =>
          response
            .writeHead(status, { 'Set-Cookie': 's=abcdefghijklmnop' })
            .end(`{"n":${target.arrived.length}}`),
        )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?a=1`,
    arrived: [] as Arrived[],
    answer: (): Promise<number> => Promise.resolve(200),
    onArrival: (): void => undefined,
    marks: () =>
      target.arrived.map(
        ({ headers }) => headers.find(([name]) => name === 'X-Tondesk-Replay')?.[1],
      ),
    bodies: () => target.arrived.map(({ body }) => body.toString()),
    reset() {
      target.arrived.length = 0
      target.answer = () => Promise.resolve(200)
      target.onArrival = () => undefined
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return target
}

const directory = temporaryDirectory()
const paths = {
  database: join(directory.path, 'tondesk.db'),
  index: join(directory.path, 'index.db'),
}
const captures = 60
let database: Database
let target: Awaited<ReturnType<typeof openTarget>>
const resources = new AsyncDisposableStack()
afterAll(() => resources.disposeAsync())

/** There are sixty captures of six accounts, an hour apart, in lt order; the last one arrived a day later. */
beforeAll(async () => {
  resources.use(directory)
  target = resources.use(await openTarget())
  database = openDatabase(paths.database)
  resources.defer(() => database.close())
  migrate(database, () => undefined)
  const writer = await createCaptureWriter(paths, writerThread, {
    onAppended: () => undefined,
    onTrouble: () => undefined,
    onDamage: () => undefined,
  })
  const written = Promise.withResolvers<unknown>()
  const records = Array.from({ length: captures }, (_, index) => {
    const body = Buffer.from(`{"n":${index + 1}}`)
    return {
      receivedAt: (index === captures - 1 ? index + 24 : index) * 3_600_000_000,
      method: 'POST',
      target: `/hook/${'0'.repeat(32)}/sub?x=${index}`,
      httpVersion: '1.1',
      remoteAddress: '127.0.0.1',
      rawHeaders: ['Host', 'hook.example', 'x-Dup', '1', 'X-DUP', '2', 'Connection', 'close'],
      completeness: 'complete' as const,
      incident: null,
      token: 'unchecked' as const,
      tokenId: null,
      status: 200,
      bodyBytes: body.length,
      body,
    }
  })
  createAppender(writer.connect())(
    records,
    records.map((_, index) => () => index === captures - 1 && written.resolve(null)),
  )
  await written.promise
  await writer.close()
})

type Room = {
  readonly replay: ReturnType<typeof createReplay>
  readonly waits: number[]
  readonly seen: ReplayJob[]
  isDead: boolean
}

/** Opens the routes on `database`, as the send thread has them. */
function openRoom(changes: Partial<ReplayContext> = {}): Room {
  const guard = createGuard({
    resolve: () => Promise.resolve([]),
    own: () => ({ ports: [{ port: 4801, whose: 'the receiver' }], publicUrls: [] }),
    isConfirmed: () => false,
  })
  const sender = createSender(guard)
  const own = createReplayCaptures(database)
  const room: Room = {
    waits: [],
    seen: [],
    isDead: false,
    replay: createReplay({
      jobs: createReplayJobs(database),
      plans: createReplayPlans(database),
      sendings: createReplaySendings(database),
      captures: own,
      factsOf: (ids) =>
        new Map(
          ids.map((id) => [id, { account: id === 1 ? null : `${id % 6}`, lt: `${1000 - id}` }]),
        ),
      finder: {
        ids: (text, after) =>
          Promise.resolve({
            ids: text === 'early' ? [1, 2, 3].filter((id) => id > after) : [],
            next: null,
          }),
        count: (text) =>
          Promise.resolve({
            count: text === 'early' ? 3 : text === 'huge' ? 10_000_001 : 0,
            isExact: true,
          }),
      },
      classified: () => Promise.resolve(),
      forwardAnswer: () => null,
      guard,
      // A killed process sends no more reports.
      send: async (...request) => {
        const answer = await sender.send(...request)
        return room.isDead ? new Promise(() => undefined) : answer
      },
      now: () => performance.now(),
      unix: () => Date.now() * 1000,
      wait: (ms, signal) => {
        room.waits.push(ms)
        return sleep(ms, undefined, { signal })
      },
      events: {
        emit(_name, payload) {
          if ('jobs' in payload) room.seen.push(...(payload.jobs as ReplayJob[]))
        },
      },
      onBug: (error) => expect.unreachable(String(error)),
      ...changes,
    }),
  }
  resources.defer(() => sender.close())
  resources.defer(async () => {
    const ended = room.replay.stop()
    // The running requests of a killed room never end.
    if (!room.isDead) await ended
  })
  return room
}

const order = (changes: Partial<Input<'replay.start'>> = {}) =>
  replayOrder.parse({ subject: { kind: 'query', text: '' }, target: target.url, ...changes })

async function ended({ replay }: Room, { id }: { id: number }): Promise<ReplayJob> {
  const get = () => replay.jobs.of('replay').get(id)
  await expect.poll(() => get().state, { interval: 1 }).not.toBe('running')
  return get()
}

const run = async (room: Room, changes: Partial<Input<'replay.start'>> = {}) =>
  ended(room, await room.replay.handlers['replay.start'](order(changes)))

test('captures are replayed as received, with a mark, in order, and their responses are stored', async () => {
  target.reset()
  const room = openRoom()
  target.answer = () => Promise.resolve(target.arrived.length === 2 ? 503 : 200)
  const job = await run(room, {
    appendPath: true,
    subject: { kind: 'captures', ids: [9, 7, 8, 7] },
  })
  expect(job).toMatchObject({
    state: 'done',
    total: 3,
    sent: 3,
    delivered: 2,
    failed: 1,
    subject: '3 captures',
  })
  expect(target.bodies()).toEqual(['{"n":7}', '{"n":8}', '{"n":9}'])
  expect(target.arrived[0]?.head).toBe('POST /in/sub?a=1&x=6')
  // Case, order and duplicates of headers are preserved; headers of the connection are replaced.
  expect(target.arrived[0]?.headers.filter(([name]) => /dup/i.test(name))).toEqual([
    ['x-Dup', '1'],
    ['X-DUP', '2'],
  ])
  expect(target.marks()).toEqual([0, 1, 2].map((index) => `${job.id}-${index}`))
  const { handlers } = room.replay
  const failed = handlers['replay.sendings']({
    id: job.id,
    onlyFailed: true,
    after: -1,
    limit: 9,
  })
  expect(failed.sendings).toMatchObject([
    {
      replayId: `${job.id}-1`,
      capture: 8,
      again: false,
      answer: { status: 503, problem: null, isCut: false },
    },
  ])
  expect(Buffer.from(failed.sendings[0]?.answer.body ?? '', 'base64').toString()).toBe('{"n":2}')
  expect(JSON.stringify(failed)).not.toContain('abcdefghij')
  const page = handlers['replay.sendings']({
    id: job.id,
    onlyFailed: false,
    after: 0,
    limit: 1,
  })
  expect([page.sendings.map(({ index }) => index), page.nextAfter]).toEqual([[1], 1])
  const one = { kind: 'replay', replayId: `${job.id}-0` } as const
  const compared = await handlers['replay.compare']({
    left: one,
    right: { ...one, replayId: `${job.id}-1` },
  })
  expect(compared).toMatchObject({
    isSame: false,
    left: { title: `Response to replay ${job.id}-0 of capture 7` },
  })
  expect(compared.head[0]).toMatchObject({
    left: 'HTTP 200 OK',
    right: 'HTTP 503 Service Unavailable',
  })
  await expect(
    handlers['replay.compare']({ left: one, right: { kind: 'capture', id: 7 } }),
  ).rejects.toMatchObject({ code: 'REPLAY_UNLIKE' })
  await room.replay.jobs.of('replay').remove(job.id)
  const unknown = expect.objectContaining({ code: 'REPLAY_UNKNOWN' }) as Error
  expect(() => room.replay.jobs.of('replay').get(job.id)).toThrow(unknown)
})

test.each<[string, Partial<Input<'replay.start'>>, (ids: number[], job: ReplayJob) => void]>([
  [
    'a query',
    { subject: { kind: 'query', text: 'early' } },
    (ids) => expect(ids).toEqual([1, 2, 3]),
  ],
  [
    'all captures since a time, three times, four at once',
    { subject: { kind: 'since', at: 57 * 3_600_000_000 }, times: 3, parallel: 4 },
    (ids) => expect(ids.toSorted((a, b) => a - b)).toEqual([58, 58, 58, 59, 59, 59, 60, 60, 60]),
  ],
  [
    'captures in lt order',
    { subject: { kind: 'captures', ids: [4, 5, 6] }, order: 'lt' },
    (ids) => expect(ids).toEqual([6, 5, 4]),
  ],
])('a replay of %s sends the selected captures', async (_what, changes, check) => {
  target.reset()
  const room = openRoom()
  const job = await run(room, changes)
  expect(job).toMatchObject({
    state: 'done',
    delivered: target.arrived.length,
    sent: job.total,
    failed: 0,
  })
  check(
    target.bodies().map((body) => Number(/\d+/.exec(body)?.[0])),
    job,
  )
})

test('a replay at the original pace keeps the intervals of the arrivals, also of days', async () => {
  target.reset()
  let now = 0
  const room = openRoom({
    now: () => now,
    async wait(ms, signal) {
      await nextTurn()
      signal.throwIfAborted()
      // Events of changes wait too.
      if (ms > 1000) now += ms
    },
  })
  const job = await run(room, {
    subject: { kind: 'captures', ids: [58, 59, 60] },
    pace: { kind: 'original', factor: 2 },
  })
  expect(job).toMatchObject({ state: 'done', delivered: 3 })
  // The replay takes thirteen hours: twenty-six hours at double pace, in parts that a timer can wait for.
  expect(Math.round(now / 3_600_000)).toBe(13)
})

test('a killed replay continues, repeats only requests that were running, under the same id, and marks them', async () => {
  target.reset()
  // Slow requests are stored one by one, fast ones in advance.
  let now = 0
  const killed = openRoom({ now: () => (now += 1000) })
  const halfway = Promise.withResolvers<unknown>()
  // Two requests have stored responses, the third and the fourth hang.
  target.answer = () =>
    target.arrived.length > 2 ? new Promise(() => undefined) : Promise.resolve(200)
  target.onArrival = () => target.arrived.length === 4 && halfway.resolve(null)
  const { id } = await killed.replay.handlers['replay.start'](
    order({ subject: { kind: 'captures', ids: [1, 2, 3, 4, 5, 6] }, parallel: 2 }),
  )
  await halfway.promise
  await expect.poll(() => createReplayJobs(database).get(id)?.delivered, { interval: 1 }).toBe(2)
  killed.isDead = true
  const first = target.marks()
  target.reset()
  const room = openRoom()
  room.replay.jobs.resumeAll()
  const job = await ended(room, { id })
  expect(job).toMatchObject({
    state: 'done',
    sent: 6,
    delivered: 6,
    remarks: [expect.stringContaining('2 requests')],
  })
  expect(target.marks().toSorted()).toEqual([2, 3, 4, 5].map((index) => `${id}-${index}`))
  expect(first.toSorted()).toEqual([0, 1, 2, 3].map((index) => `${id}-${index}`))
  const { sendings } = room.replay.handlers['replay.sendings']({
    id,
    onlyFailed: false,
    after: -1,
    limit: 9,
  })
  expect(sendings.map(({ again }) => again)).toEqual([false, false, true, true, false, false])
})

test('a cancelled replay sends no more, and after resume it sends the rest, each capture once', async () => {
  target.reset()
  const room = openRoom()
  const { handlers } = room.replay
  const tenth = Promise.withResolvers<unknown>()
  target.onArrival = () => target.arrived.length === 10 && tenth.resolve(null)
  const { id } = await handlers['replay.start'](
    order({ pace: { kind: 'rate', perSecond: 2000 }, parallel: 3 }),
  )
  await tenth.promise
  const job = await room.replay.jobs.of('replay').cancel(id)
  const sent = target.arrived.length
  expect(job).toMatchObject({ state: 'cancelled', sent, failed: 0, total: captures })
  expect(sent).toBeLessThan(captures)
  await room.replay.jobs.of('replay').resume(id)
  expect(await ended(room, { id })).toMatchObject({
    state: 'done',
    sent: captures,
    failed: 0,
    remarks: [],
  })
  expect(new Set(target.marks()).size).toBe(captures)
  expect(target.arrived).toHaveLength(captures)
})

test('a replay stops at the first failure if requested, pauses on a silent target and refuses a forbidden target', async () => {
  target.reset()
  const room = openRoom()
  target.answer = () => Promise.resolve(target.arrived.length === 5 ? 500 : 200)
  const stopped = await run(room, { stopAtFailure: true })
  expect(stopped).toMatchObject({
    state: 'failed',
    sent: 5,
    failed: 1,
    problem: expect.stringMatching(/-4: .*500/) as string,
  })
  const silent = await run(room, { target: 'http://127.0.0.1:9/' })
  expect(silent).toMatchObject({
    state: 'paused',
    sent: 50,
    failed: 50,
    problem: expect.stringContaining('Nothing listens') as string,
  })
  const { handlers } = room.replay
  const cases: [Partial<Input<'replay.start'>>, string][] = [
    [{ target: 'http://127.0.0.1:4801/hook' }, 'TARGET_REFUSED'],
    [{ target: 'http://169.254.169.254/' }, 'TARGET_REFUSED'],
    [{ target: 'http://1.1.1.1/' }, 'TARGET_UNCONFIRMED'],
    [{ subject: { kind: 'query', text: 'huge' } }, 'REPLAY_TOO_MANY'],
    [{ subject: { kind: 'query', text: 'huge' }, order: 'lt' }, 'REPLAY_TOO_MANY'],
    [{ subject: { kind: 'captures', ids: [999] } }, 'REPLAY_NOTHING'],
    [{ subject: { kind: 'query', text: 'none' } }, 'REPLAY_NOTHING'],
  ]
  for (const [changes, code] of cases) {
    await expect(handlers['replay.start'](order(changes)), code).rejects.toMatchObject({ code })
  }
})

test('stored replay responses are pruned from the oldest', () => {
  const sendings = createReplaySendings(database, { sendings: 20, bytes: 1e9 })
  const count = () =>
    Number(database.prepare('SELECT count(*) AS n FROM replay_sendings').get()?.['n'])
  expect(count()).toBeGreaterThan(20)
  const newest = database.prepare('SELECT max(id) AS id FROM replay_sendings').get()
  while (sendings.prune()) continue
  expect(count()).toBeLessThanOrEqual(20)
  if (count() > 0)
    expect(database.prepare('SELECT max(id) AS id FROM replay_sendings').get()).toEqual(newest)
})

test('a replay is edited without showing its secrets, listed at its capture and continued after a restart', async () => {
  target.reset()
  using home = temporaryDirectory()
  const options = { dataDirectory: home.path, host: 'browser', startSandbox: false } as const
  let held = Promise.withResolvers<number>()
  const id = await (async () => {
    await using app = await startApp(options)
    const headers = { ...bearerHeader('0123456789abcdef'), 'content-encoding': 'gzip' }
    await app.post(gzipSync(transactionEvent()), { headers, path: '/x' })
    const [capture] = await app.classified()
    const captureId = capture?.id ?? 0
    const draft = await app.request('replay.draft', { id: captureId })
    expect(JSON.stringify(draft)).not.toContain('0123456789')
    const edit = { ...draft, body: Buffer.from('{"edited":true}').toString('base64') }
    const asked = {
      subject: { kind: 'captures' as const, ids: [captureId] },
      target: target.url,
      edit,
    }
    const preview = await app.request('replay.preview', asked)
    expect(preview).toMatchObject({
      total: 1,
      warnings: [expect.stringContaining('gzip'), expect.stringContaining('path')],
    })
    expect(await app.request('replay.diff', { id: captureId, edit })).toMatchObject({
      isSame: false,
    })
    const job = await app.request('replay.start', asked)
    await app.until(async () => (await app.job('replay', job.id)).state === 'done', 'the replay')
    expect(target.arrived).toMatchObject([{ head: 'POST /in?a=1' }])
    expect(target.bodies()).toEqual(['{"edited":true}'])
    expect(target.arrived[0]?.headers.map(([name]) => name.toLowerCase())).not.toContain(
      'content-encoding',
    )
    expect(target.arrived[0]?.headers.map(([, value]) => value)).toContain(
      'Bearer 0123456789abcdef',
    )
    expect(await app.request('replay.ofCapture', { id: captureId })).toMatchObject([
      { replayId: `${job.id}-0`, edited: true, target: target.url },
    ])
    const query = { kind: 'query' as const, text: 'event:account_tx' }
    const found = await app.request('replay.start', {
      subject: query,
      target: target.url,
      order: 'lt',
    })
    await app.until(
      async () => (await app.job('replay', found.id)).delivered === 1,
      'what the query found',
    )
    expect(await app.refusal('replay.start', { ...asked, subject: query })).toBe('REPLAY_BAD_EDIT')
    // Nothing is replayed to Tondesk itself, by any of its names.
    const hook = new URL(await app.hook())
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      const own = `http://${host}:${hook.port}${hook.pathname}`
      expect(await app.refusal('replay.start', { ...asked, target: own }), host).toBe(
        'TARGET_REFUSED',
      )
    }
    expect(await app.refusal('replay.start', { ...asked, edit: { ...edit, body: '%' } })).toBe(
      'REPLAY_BAD_EDIT',
    )
    target.answer = () => held.promise
    const arrived = Promise.withResolvers<unknown>()
    target.onArrival = () => arrived.resolve(null)
    const next = await app.request('replay.start', { ...asked, edit: null, times: 2 })
    await arrived.promise
    return next.id
  })()
  held.resolve(200)
  held = Promise.withResolvers()
  held.resolve(200)
  target.reset()
  await using app = await startApp(options)
  await app.until(async () => (await app.job('replay', id)).state === 'done', 'the rest')
  expect(target.marks()).toEqual([`${id}-0`, `${id}-1`])
  const { sendings } = await app.request('replay.sendings', { id })
  expect(sendings.map(({ again }) => again)).toEqual([true, false])
})
