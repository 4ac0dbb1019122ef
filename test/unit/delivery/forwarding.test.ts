import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { forwardConflicts } from '../../../src-main/delivery/conflicts.ts'
import { subpathOf } from '../../../src-main/captures/hook-path.ts'
import {
  retryPause,
  createAttempter,
  deliveryId,
  readDeliveryId,
} from '../../../src-main/delivery/forwarding/attempt.ts'
import { createTargetConditions } from '../../../src-main/delivery/forwarding/conditions.ts'
import { createGroupCommit } from '../../../src-main/delivery/forwarding/group-commit.ts'
import { startTargetLoop } from '../../../src-main/delivery/forwarding/target-loop.ts'
import { endToEnd } from '../../../src-main/delivery/sender/request-headers.ts'
import type { TargetResponse } from '../../../src-main/delivery/sender/sender.ts'
import { resultOf } from '../../../src-main/delivery/targets/http.ts'
import {
  type ForwardQueue,
  createForwardQueue,
} from '../../../src-main/delivery/store/forward-queue.ts'
import { createForwardRows } from '../../../src-main/delivery/store/forward-rows.ts'
import type { ForwardedRequest } from '../../../src-main/delivery/store/forward-log.ts'
import {
  type StoredRule,
  type StoredTarget,
  createForwardRules,
} from '../../../src-main/delivery/store/forward-rules.ts'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

let database: Database
let queue: ForwardQueue
const target = 1

beforeEach(() => {
  database = openDatabase(':memory:')
  migrate(database, () => undefined)
  queue = createForwardQueue(database)
  const fields = {
    name: '',
    filter: '',
    targets: ['http://localhost/'],
    mode: 'after' as const,
    enabled: true,
    keepHost: false,
    appendPath: false,
    timeoutSeconds: 1,
    fullAnswer: false,
    giveUpHours: null,
  }
  createForwardRules(database).save(null, fields, 0)
})
afterEach(() => database.close())

const [rule, longAgo, now] = [1, 1, 1_000_000_000]
function add(capture: number, lane: string, lt = 1n): void {
  queue.add([{ capture, target, rule, lane, lt, receivedAt: capture }], new Map(), longAgo)
}
const up = { at: 1, isAttempt: true, isDown: false, lastStatus: 200, lastProblem: null }
/** @param nextAt the time of the next attempt, if this one failed */
function finish(id: number, state: 'failed' | 'delivered' | 'dropped', nextAt = 0): void {
  const status = state === 'delivered' ? 200 : 500
  queue.finish({ id, target }, { state, nextAt }, resultOf(answer(status)).detail, up, now)
}
const dueOptions = {
  wallNow: 1,
  now,
  isProbe: false,
  arrivedBy: Infinity,
  heldSince: 0,
  limit: 64,
}
const dueAt = (wallNow: number, isProbe = false) =>
  queue.due(target, { ...dueOptions, wallNow, isProbe })
const counts = () => {
  const [{ waiting, delivered, dropped } = { waiting: -1, delivered: -1, dropped: -1 }] =
    createForwardRules(database).list()[0]?.targets ?? []
  return { waiting, delivered, dropped }
}

/** Queues random deliveries, lets some of them fail, drops some, and queues some of the dropped ones again. */
function runQueue(seed: number) {
  const random = seededRandom(seed)
  const model = new Map<number, { lane: string; lt: bigint }>()
  const isBefore = (one: number, other: number) => {
    const [a, b] = [model.get(one)?.lt ?? 0n, model.get(other)?.lt ?? 0n]
    return a === b ? one < other : a < b
  }
  const wrong: string[] = []
  const delivered = new Map<number, number>()
  const dropped = new Map<number, { lane: string; lt: bigint }>()
  let clock = 1
  let last = 0
  const ids = new Map<number, number>()
  const step = (isQueueing: boolean) => {
    clock += 1
    if (isQueueing && random() < 0.7) {
      last += 1
      const lane = random() < 0.5 ? 'busy' : `lane ${Math.floor(random() * 12)}`
      const lt = BigInt(last + Math.floor(random() * 5))
      add(last, lane, lt)
      model.set(last, { lane, lt })
    }
    const rows = dueAt(clock)
    const lanes = new Set(rows.map(({ lane }) => lane))
    if (lanes.size < rows.length) wrong.push('two of a lane')
    for (const { id, capture, lane } of rows) {
      ids.set(capture, id)
      const others = [...model].filter(([, each]) => each.lane === lane).map(([other]) => other)
      if (others.some((other) => isBefore(other, capture))) wrong.push(`${capture} is not first`)
    }
    const row = rows[Math.floor(random() * rows.length)]
    if (row === undefined) return
    const { id, capture, lane } = row
    const chance = random()
    if (chance < 0.1) {
      queue.drop(id, now)
      dropped.set(capture, model.get(capture) ?? { lane, lt: 0n })
      model.delete(capture)
    } else if (chance < 0.3) {
      finish(id, 'failed', clock + Math.floor(random() * 50))
    } else {
      finish(id, 'delivered')
      delivered.set(capture, (delivered.get(capture) ?? 0) + 1)
      model.delete(capture)
    }
    const [again] = dropped
    if (again === undefined || random() < 0.7) return
    queue.requeue(ids.get(again[0]) ?? 0, longAgo)
    dropped.delete(again[0])
    model.set(...again)
  }
  for (let count = 0; count < 800; count += 1) step(true)
  for (let count = 0; count < 5_000 && model.size > 0; count += 1) step(false)
  const twice = [...delivered.values()].filter((times) => times > 1).length
  return {
    wrong,
    left: model.size,
    twice,
    queued: last,
    isCounted:
      JSON.stringify(counts()) ===
      JSON.stringify({ waiting: 0, delivered: delivered.size, dropped: dropped.size }),
  }
}

test.each([1, 2, 3])(
  'the queue loses no delivery and sends one delivery of an account at a time, the oldest first (seed %i)',
  (seed) => {
    const { queued, ...rest } = runQueue(seed)
    expect(queued).toBeGreaterThan(400)
    expect(rest).toEqual({ wrong: [], left: 0, twice: 0, isCounted: true })
  },
)

const answer = (status: number | null, more: Partial<TargetResponse> = {}): TargetResponse => ({
  at: 0,
  status,
  durationUs: 1,
  headers: [],
  body: new Uint8Array(0),
  bodyBytes: 0,
  isCut: false,
  failure: null,
  problem: null,
  ...more,
})

test.each([
  ['delivered', [200, 201, 204, 206, 299]],
  ['failed', [300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 408, 409, 411, 422, 428, 430, 499]],
  ['failed', [500, 501, 505, 511, 599]],
  ['refused', [410]],
  ['down', [429, 502, 503, 504]],
] as const)('a delivery is %s with each of these statuses: %j', (outcome, statuses) => {
  for (const status of statuses) {
    const problem = outcome === 'delivered' ? null : `The target responded ${status}.`
    const expected = { outcome, problem, cause: null, hasResponded: true, retryAfterMs: 0 }
    expect(resultOf(answer(status))).toMatchObject({
      ...expected,
      detail: { status, problem: null },
    })
  }
})

test.each([
  ['unreachable', 'down', null],
  ['unresolved', 'down', null],
  ['broken', 'down', null],
  ['excess', 'down', null],
  ['timeout', 'down', 'timeout'],
  ['aborted', 'down', 'aborted'],
  ['refused', 'down', 'blocked'],
  ['unconfirmed', 'down', 'blocked'],
  ['invalid', 'refused', null],
] as const)(
  'a delivery without a response that ended as %s is %s, with the cause %s',
  (failure, outcome, cause) => {
    const result = resultOf(answer(null, { failure, problem: 'Why.' }))
    expect(result).toMatchObject({ outcome, cause, hasResponded: false, problem: 'Why.' })
  },
)

test('an accepted delivery is not sent again if its response broke off, but a cut response of a failed delivery shows why', () => {
  const cut = { failure: 'timeout', isCut: true, problem: 'The response did not end.' } as const
  expect(resultOf(answer(299, cut))).toMatchObject({
    outcome: 'delivered',
    problem: null,
    detail: { isCut: true, problem: 'The response did not end.' },
  })
  expect(resultOf(answer(500, cut))).toMatchObject({
    outcome: 'failed',
    cause: 'timeout',
    problem: 'The response did not end.',
  })
})

test('an attempt of an older version counts as delivered if its status is 2xx, a new one by its result', () => {
  add(1, 'one')
  const store = (status: number | null, state: 'failed' | 'delivered') =>
    queue.finish({ id: 1, target }, { state, nextAt: 0 }, resultOf(answer(status)).detail, up, now)
  for (const status of [199, 200, 299, 300, null]) store(status, 'failed')
  database.exec('UPDATE forward_attempts SET is_delivered = NULL')
  store(200, 'failed')
  store(null, 'delivered')
  const attempts = createForwardRows(database).attempts(1)
  expect(attempts.map(({ status, isDelivered }) => [status, isDelivered]).reverse()).toEqual([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
    [null, false],
    [200, false],
    [null, true],
  ])
})

test('delays between attempts grow from one second to five minutes, and a target may set the delay with Retry-After', () => {
  expect([1, 2, 3, 9, 10, 500].map((failures) => retryPause(failures, 0.5))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
  expect(retryPause(1, 0)).toBe(750)
  const retryAfter = (status: number, seconds: string) =>
    resultOf(answer(status, { headers: [['Retry-After', seconds]] })).retryAfterMs
  expect(resultOf(answer(503, { headers: [['retry-after', '7']] })).retryAfterMs).toBe(7_000)
  expect([429, 503, 502, 200].map((status) => retryAfter(status, '7'))).toEqual([
    7_000, 7_000, 0, 0,
  ])
  expect(retryAfter(503, '299')).toBe(299_000)
  expect(retryAfter(503, '999999')).toBe(300_000)
  expect(['-1', '1.5', '9999999', 'soon', ''].map((text) => retryAfter(503, text))).toEqual([
    0, 0, 0, 0, 0,
  ])
})

test('a delivery id encodes the capture and the target, and differs for a reused capture id', () => {
  const one = deliveryId('ab12cd34', {
    target: 3,
    capture: 4711,
    receivedAt: 1_795_302_226_598_662,
  })
  expect(readDeliveryId(one)).toEqual({ target: 3, capture: 4711 })
  expect(deliveryId('ab12cd34', { target: 3, capture: 4711, receivedAt: 1 })).not.toBe(one)
  for (const text of ['', 'x', '3-4711', `${one}-`, `${one}\n`])
    expect(readDeliveryId(text)).toBeNull()
})

test('headers of a single connection are not forwarded, in any spelling', () => {
  const headers = [
    ['Connection', 'close, X-One'],
    ['connection', 'x-two'],
    ['X-ONE', '1'],
    ['x-Two', '2'],
    ['TE', 'trailers'],
    ['Keep', 'this'],
    ['keep', 'this too'],
    ['Content-Length', '5'],
  ] as const
  expect(endToEnd(headers)).toEqual([
    ['Keep', 'this'],
    ['keep', 'this too'],
  ])
})

test('rules that cannot match the same deliveries do not conflict', () => {
  const ruleOf = (id: number, filter: string, url = 'http://localhost:1/') => ({
    id,
    name: '',
    filter,
    mode: 'after' as const,
    enabled: true,
    targets: [{ url }],
  })
  const never = () => false
  const one = ruleOf(1, 'event:invoice')
  expect(forwardConflicts(one, [one, ruleOf(2, 'event:account_tx')], never)).toEqual([])
  expect(forwardConflicts(one, [one, ruleOf(2, '', 'http://localhost:2/')], never)).toEqual([])
  expect(forwardConflicts(one, [one, ruleOf(2, ' event:invoice ')], never)).toHaveLength(1)
  expect(forwardConflicts(one, [one, ruleOf(2, 'event:account_tx')], () => true)).toHaveLength(1)
})

test('a failing account with many queued deliveries does not delay another account', () => {
  for (let capture = 1; capture <= 200; capture += 1) add(capture, 'failing', BigInt(capture))
  add(1_000, 'fine')
  const [first] = dueAt(1)
  finish(first?.id ?? 0, 'failed', 500_000)
  expect(dueAt(2).map(({ capture }) => capture)).toEqual([1_000])
  expect(dueAt(500_000).map(({ capture }) => capture)).toEqual([1, 1_000])
  // If the target is offline, a failed delivery may serve as the probe, even after the clock was set back.
  expect(dueAt(2, true)).toHaveLength(2)
  finish(first?.id ?? 0, 'failed', 1e15)
  expect(dueAt(2)).toHaveLength(2)
})

test('deliveries that failed three times are sent after all others, however old they are', () => {
  for (let capture = 1; capture <= 40; capture += 1) add(capture, `failing ${capture}`)
  const dueNow = () => queue.due(target, { ...dueOptions, limit: 4 }).map(({ capture }) => capture)
  for (const failures of [1, 2, 3]) {
    for (const { id } of dueAt(1)) finish(id, 'failed')
    add(100 + failures, `new ${failures}`)
    if (failures < 3) expect(dueNow()).toEqual([1, 2, 3, 4])
    for (const { id, capture } of dueAt(1))
      if (capture > 100 && failures < 3) finish(id, 'delivered')
  }
  add(104, '')
  expect(dueNow()).toEqual([103, 104, 1, 2])
})

test('an event waits for a limited time for earlier events of its account', () => {
  const dueOf = (arrivedBy: number, heldSince = 0, at = now) =>
    queue
      .due(target, { wallNow: 1, now: at, isProbe: false, arrivedBy, heldSince, limit: 9 })
      .map(({ capture }) => capture)
  add(500_000, 'account')
  add(500_001, '')
  expect(dueOf(550_000)).toEqual([500_001])
  expect(dueOf(550_000, longAgo)).toEqual([500_001])
  expect(dueOf(550_000, longAgo + 1)).toEqual([500_000, 500_001])
  expect(dueOf(600_000)).toEqual([500_000, 500_001])
  expect(dueOf(Infinity, 0, longAgo + 99_999)).toEqual([500_001])
  expect(dueOf(Infinity, 0, longAgo + 100_000)).toEqual([500_000, 500_001])
  expect(dueOf(Infinity, 0, longAgo - 1)).toEqual([500_000, 500_001])
})

test('deliveries that arrived in the same microsecond are sent in the order of their captures', () => {
  for (const capture of [2, 3, 1]) {
    const delivery = { capture, target, rule, lane: `account ${capture}`, lt: 1n, receivedAt: 7 }
    queue.add([delivery], new Map(), longAgo)
  }
  expect(dueAt(1).map(({ capture }) => capture)).toEqual([1, 2, 3])
})

test('an attempt that was planned more than five minutes ahead was planned before the clock was set back', () => {
  const fiveMinutes = 300_000_000
  add(1, 'one')
  finish(1, 'failed', fiveMinutes + 1)
  expect(dueAt(1)).toEqual([])
  expect(dueAt(0)).toHaveLength(1)
})

test('the newest twenty attempts of a delivery stay stored', () => {
  add(1, 'one')
  const keptStatuses = () =>
    database
      .prepare('SELECT status FROM forward_attempts WHERE delivery = 1 ORDER BY id')
      .all()
      .map(({ status }) => status)
  for (let attempt = 1; attempt <= 23; attempt += 1) {
    const { detail } = resultOf(answer(400 + attempt))
    queue.finish({ id: 1, target }, { state: 'failed', nextAt: 0 }, detail, up, now)
  }
  expect(keptStatuses()).toEqual(Array.from({ length: 20 }, (_, index) => 404 + index))
})

test('deliveries that were queued before the limit are dropped, one that was queued at the limit is not', () => {
  add(1, 'one')
  expect(queue.dropOlder(rule, target, longAgo, now)).toBe(0)
  expect(queue.dropOlder(rule, target, longAgo + 1, now)).toBe(1)
  expect(counts()).toEqual({ waiting: 0, delivered: 0, dropped: 1 })
})

test('a target that is down keeps the time since when it is down, and the time of its last attempt', () => {
  const targetNow = () => createForwardRules(database).list()[0]?.targets[0]
  const down = { ...up, isDown: true, lastStatus: null, lastProblem: 'refused' }
  queue.setTarget(target, { ...down, at: 5 })
  queue.setTarget(target, { ...down, at: 6 })
  expect(targetNow()).toMatchObject({ downSince: 5, lastTriedAt: 6 })
  // A request that the guard refused does not count as an attempt.
  queue.setTarget(target, { ...down, at: 7, isAttempt: false })
  expect(targetNow()).toMatchObject({ downSince: 5, lastTriedAt: 6 })
  queue.setTarget(target, { ...up, at: 8 })
  expect(targetNow()).toMatchObject({ downSince: null, lastTriedAt: 8 })
})

/**
 * Starts a loop over the queue. `answers` has the responses by capture, 200 by default; 'none'
 * waits until the request is aborted.
 */
function startLoop(
  answers: { get(capture: number): TargetResponse | Promise<TargetResponse> | 'none' | undefined },
  gone: ReadonlySet<number> = new Set(),
  /** The system's clock is in milliseconds; the queue's clock and the horizon are in microseconds. */
  clock = { wall: 1_000_000, queue: now, horizon: Infinity },
) {
  const tries: number[] = []
  const failed: number[] = []
  const [stored] = createForwardRules(database).list()
  const [first] = stored?.targets ?? []
  if (first === undefined) throw new Error('There is one.')
  let underWay = 0
  const commits = createGroupCommit(queue.transaction, (problem) => {
    throw problem
  })
  const loop = startTargetLoop(first, () => stored, {
    queue,
    async commit(write) {
      underWay += 1
      await commits.commit(write)
      underWay -= 1
    },
    async attempt({ capture }, _request, _rule, _target, { signal }) {
      tries.push(capture)
      const given = answers.get(capture) ?? answer(200)
      if (given !== 'none') return resultOf(await given)
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      return resultOf(answer(null, { failure: 'aborted', problem: 'The app was closed.' }))
    },
    request: (capture) =>
      gone.has(capture)
        ? null
        : {
            method: 'POST',
            target: '/',
            headers: [],
            body: new Uint8Array(),
            change: null,
            missing: null,
          },
    horizon: () => clock.horizon,
    now: () => clock.queue,
    wallNow: () => clock.wall,
    random: () => 0.5,
    onFailed: (_rule, id) => failed.push(id),
    onTrouble(problem) {
      throw problem
    },
    onChanged: () => undefined,
  })
  /** Waits until this number of attempts were made and their results are stored. */
  const settle = async (count: number) => {
    await expect.poll(() => tries, { interval: 1 }).toHaveLength(count)
    await expect.poll(() => underWay, { interval: 1 }).toBe(0)
    for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  }
  return { loop, settle, tries, failed }
}

test('a host that requires confirmation uses up no attempts, and the oldest delivery is sent first after the confirmation', async () => {
  const barred = answer(null, { failure: 'unconfirmed', problem: 'Confirm it.' })
  const answers = new Map([1, 2, 3].map((id) => [id, barred]))
  const { loop, settle, tries } = startLoop(answers)
  for (const id of [3, 1, 2]) add(id, `account ${id}`)
  loop.wake()
  await settle(3)
  expect(dueAt(1).map(({ attempts }) => attempts)).toEqual([0, 0, 0])
  expect(loop.health()).toMatchObject({
    isDown: true,
    nextTryAt: null,
    medianUs: null,
    lastProblem: 'Confirm it.',
  })
  answers.clear()
  tries.length = 0
  loop.guardChanged()
  await settle(3)
  expect(tries).toEqual([1, 2, 3])
  expect(loop.health().isDown).toBe(false)
  await loop.stop()
})

test.each([429, 503])(
  'a target that responds %i with Retry-After gets neither the delivery nor a probe before that time',
  async (status) => {
    const headers: [string, string][] = [['Retry-After', '60']]
    const { loop, settle } = startLoop(new Map([[1, answer(status, { headers })]]))
    add(1, 'one')
    loop.wake()
    await settle(1)
    const sixtySecondsLater = (1_000_000 + 60_000) * 1000
    expect(queue.nextAt(target, [])).toBe(sixtySecondsLater)
    // A delivery without an attempt waits for the next probe.
    add(2, 'two')
    expect(queue.nextAt(target, [])).toBe(0)
    expect(loop.health().nextTryAt).toBe(sixtySecondsLater)
    await loop.stop()
  },
)

test('a request that the end of the app aborts is no failed attempt and is sent after the next start', async () => {
  const { loop, settle, tries, failed } = startLoop(new Map([[1, 'none']]))
  add(1, 'one')
  loop.wake()
  await settle(1)
  await loop.stop()
  expect({ tries, failed }).toEqual({ tries: [1], failed: [] })
  expect(dueAt(1)).toMatchObject([{ capture: 1, attempts: 0 }])
  expect(loop.health()).toMatchObject({ isDown: false, lastProblem: null })
})

// A target that has accepted nothing has no median duration.
test('the median duration includes accepted deliveries only', async () => {
  const answers = new Map([[1, answer(500, { durationUs: 48_000 })]])
  const { loop, settle } = startLoop(answers)
  add(1, 'one')
  loop.wake()
  await settle(1)
  expect(loop.health().medianUs).toBeNull()
  answers.set(2, answer(200, { durationUs: 7000 }))
  add(2, 'two')
  loop.wake()
  await settle(2)
  expect(loop.health().medianUs).toBe(7000)
  await loop.stop()
})

test('a target that is down is probed again although the capture for the probe was deleted', async () => {
  const refused = answer(null, { failure: 'unreachable' })
  const answers = new Map([[1, refused]])
  const { loop, settle, tries } = startLoop(answers, new Set([2]))
  add(1, 'one')
  loop.wake()
  await settle(1)
  expect(loop.health().isDown).toBe(true)
  answers.clear()
  add(2, 'two')
  finish(1, 'failed', 1_000_500_000_000)
  finish(1, 'failed', 1_000_500_000_000)
  loop.hurry()
  await settle(2)
  expect(tries).toEqual([1, 1])
  await expect.poll(counts).toEqual({ waiting: 0, delivered: 1, dropped: 1 })
  expect(loop.health().isDown).toBe(false)
  await loop.stop()
})

const refusal = answer(400)
const unreachable = answer(null, { failure: 'unreachable' })

/** Starts a loop whose target gives these responses in order, and repeats the last one. */
function startDeliveries() {
  const clock = { wall: 1_000_000, queue: now, horizon: Infinity }
  let answers: TargetResponse[] = []
  const next = () => (answers.length > 1 ? answers.shift() : answers[0])
  const { loop, settle, tries } = startLoop({ get: next }, new Set(), clock)
  const isIdle = async (count: number) => {
    await expect.poll(() => tries.length, { interval: 1 }).toBeGreaterThanOrEqual(count)
    for (let before = -1; before < tries.length;) {
      before = tries.length
      await settle(before)
    }
  }
  let capture = 0
  return {
    loop,
    tries,
    clock,
    isDown: () => loop.health().isDown,
    /** Sends a delivery with its own account for each response, in sequence. */
    send: async (...given: readonly TargetResponse[]): Promise<void> => {
      for (const each of given) {
        answers = [each]
        add((capture += 1), `account ${capture}`)
        loop.wake()
        await isIdle(tries.length + 1)
      }
    },
    /** Responds to the next probe, and to the deliveries after it. */
    probe: async (...given: TargetResponse[]): Promise<void> => {
      answers = given
      clock.wall = Math.max(clock.wall, (loop.health().nextTryAt ?? 0) / 1000)
      const count = tries.length + 1
      loop.wake()
      await isIdle(count)
    },
  }
}

test('a target is down after five refusals in a row, and remains so until a delivery is accepted', async () => {
  const { loop, send, probe, isDown } = startDeliveries()
  await send(refusal, refusal, refusal, refusal, answer(200), refusal, refusal, refusal, refusal)
  expect(isDown()).toBe(false)
  await send(refusal)
  expect(isDown()).toBe(true)
  // The target refuses this delivery for good, which says nothing about other deliveries.
  await probe(answer(410))
  expect(isDown()).toBe(true)
  await loop.stop()
})

test('a target that was unreachable and refuses a probe may refuse that delivery only', async () => {
  const { loop, send, probe, isDown } = startDeliveries()
  await send(refusal, refusal, refusal, refusal, unreachable)
  expect(isDown()).toBe(true)
  await probe(refusal, answer(200))
  expect(isDown()).toBe(false)
  await loop.stop()
})

test('a target that refuses probes counts as reachable, so that one probe after the other is sent', async () => {
  const { loop, send, probe, tries, isDown } = startDeliveries()
  await send(refusal, refusal, refusal, refusal, unreachable)
  await probe(refusal)
  // These are the refused probe and the four other deliveries, which were refused too.
  expect(tries).toHaveLength(10)
  expect(isDown()).toBe(true)
  await probe(refusal)
  expect(tries).toHaveLength(11)
  await loop.stop()
})

test('requests that began before a target was known to be down do not postpone its probe', async () => {
  const { loop, settle } = startLoop(new Map([1, 2, 3].map((capture) => [capture, unreachable])))
  for (const capture of [1, 2, 3]) add(capture, `account ${capture}`)
  loop.wake()
  await settle(3)
  expect(loop.health().nextTryAt).toBe((1_000_000 + 1000) * 1000)
  await loop.stop()
})

test('a target that times out for one delivery while it responds to others is not down', async () => {
  const clock = { wall: 1_000_000, queue: now, horizon: Infinity }
  const slow = Promise.withResolvers<TargetResponse>()
  const { loop, settle } = startLoop(new Map([[1, slow.promise]]), new Set(), clock)
  add(1, 'slow')
  loop.wake()
  await settle(1)
  clock.wall += 1
  add(2, 'fast')
  loop.wake()
  await settle(2)
  slow.resolve(answer(null, { failure: 'timeout' }))
  await expect.poll(() => loop.isSending(1), { interval: 1 }).toBe(false)
  expect(loop.health().isDown).toBe(false)
  await loop.stop()
})

test('a target without a response since the request began is down when the request times out', async () => {
  const { loop, send, isDown } = startDeliveries()
  await send(answer(200), answer(null, { failure: 'timeout' }))
  expect(isDown()).toBe(true)
  await loop.stop()
})

test('a failed delivery holds up the later ones of its account, and without an account it holds up none', async () => {
  const refused = new Map([1, 3].map((capture) => [capture, refusal]))
  const { loop, settle, tries } = startLoop(refused)
  add(1, 'one', 1n)
  add(2, 'one', 2n)
  add(3, '')
  add(4, '')
  loop.wake()
  await settle(3)
  expect(tries).toEqual([1, 3, 4])
  await loop.stop()
})

test('when a target is up again, failed deliveries are sent without waiting for their next attempt', async () => {
  const { loop, send, probe, tries, clock } = startDeliveries()
  await send(refusal, unreachable)
  finish(2, 'failed', (clock.wall + 200_000) * 1000)
  await probe(answer(200))
  expect(tries).toEqual([1, 2, 1, 2])
  await loop.stop()
})

test('the median is that of the last 51 accepted deliveries', async () => {
  const { loop, send } = startDeliveries()
  const lasting = (durationUs: number, count: number) =>
    Array.from({ length: count }, () => answer(200, { durationUs }))
  await send(...lasting(1000, 51), ...lasting(9000, 25))
  expect(loop.health().medianUs).toBe(1000)
  await send(...lasting(9000, 1))
  expect(loop.health().medianUs).toBe(9000)
  await loop.stop()
})

test('a probe that was planned before the clock was set back is sent at once', async () => {
  const clock = { wall: 1_000_000, queue: now, horizon: Infinity }
  const { loop, settle, tries } = startLoop(new Map([[1, unreachable]]), new Set(), clock)
  add(1, 'one')
  loop.wake()
  await settle(1)
  // No probe is planned more than five minutes ahead; this one is planned for a second after the request.
  clock.wall += 1000 - 300_000
  loop.wake()
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  expect(tries).toEqual([1])
  clock.wall -= 1
  loop.wake()
  await settle(2)
  await loop.stop()
})

test.each([
  ['refuses', refusal, 5, 30_000],
  ['is unreachable', unreachable, 1, 300_000],
] as const)(
  'the delay between probes of a target that %s grows to its limit',
  async (_name, given, failures, maxMs) => {
    const { loop, send, probe, clock } = startDeliveries()
    await send(...Array.from({ length: failures }, () => given))
    const delays: number[] = []
    for (let count = 0; count < 12; count += 1) {
      const before = clock.wall
      await probe(given)
      delays.push(clock.wall - before)
    }
    expect(delays.slice(0, 4)).toEqual([1000, 2000, 4000, 8000])
    expect(delays.slice(-2)).toEqual([maxMs, maxMs])
    await loop.stop()
  },
)

test('deliveries of an account wait for the index for a minute after the start', async () => {
  const clock = { wall: 1_000_000, queue: now, horizon: 0 }
  const { loop, settle, tries } = startLoop(new Map(), new Set(), clock)
  add(1, 'one')
  for (const passedUs of [0, 60_000_000]) {
    clock.queue = now + passedUs
    loop.wake()
    for (let turn = 0; turn < 5; turn += 1) await nextTurn()
    expect(tries).toEqual([])
  }
  clock.queue += 1
  loop.wake()
  await settle(1)
  await loop.stop()
})

test('the next attempt of a delivery that may be sent is now, not in the past', async () => {
  const { loop } = startLoop(new Map())
  add(1, 'one')
  expect(loop.health().nextTryAt).toBe(1_000_000 * 1000)
  await loop.stop()
})

test('a delivery dropped while its request runs is not retried, but counts as delivered if the request succeeds', () => {
  add(1, 'a', 1n)
  add(2, 'a', 2n)
  const [first] = dueAt(1)
  queue.drop(first?.id ?? 0, now)
  finish(first?.id ?? 0, 'failed')
  expect(dueAt(1).map(({ capture }) => capture)).toEqual([2])
  expect(counts()).toEqual({ waiting: 1, delivered: 0, dropped: 1 })
  finish(first?.id ?? 0, 'delivered')
  expect(counts()).toEqual({ waiting: 1, delivered: 1, dropped: 0 })
})

test('a target that is down is reported once per attempt, without its path, until its rule is disabled', () => {
  const reported: unknown[] = []
  const kept: unknown[] = []
  const report = createTargetConditions({
    report: (_network, subject, { condition, failures }) =>
      reported.push([subject, condition?.title ?? null, failures]),
    keepOnly: (_network, _group, subjects) => kept.push(subjects),
  })
  const ruleOf = (
    state: 'unknown' | 'up' | 'down',
    lastTriedAt: number | null,
    enabled = true,
  ): ForwardRule => {
    const health = { url: 'https://shop.example/hook/my-secret', state, lastTriedAt, waiting: 2 }
    const rest = { delivered: 0, dropped: 0, lastStatus: null, downSince: null, nextTryAt: null }
    return {
      id: 7,
      name: 'shop',
      filter: '',
      targets: [health.url],
      mode: 'after',
      enabled,
      keepHost: false,
      appendPath: false,
      timeoutSeconds: 15,
      fullAnswer: false,
      giveUpHours: null,
      createdAt: 0,
      problem: null,
      conflicts: [],
      health: [{ ...health, ...rest, lastProblem: 'Connection refused.', medianUs: null }],
    }
  }
  // Without any attempt the target counts as neither working nor offline.
  report([ruleOf('unknown', null)])
  report([ruleOf('down', 1)])
  report([ruleOf('down', 1)])
  report([ruleOf('down', 2)])
  report([ruleOf('up', 3)])
  const title = 'Forwarding to shop.example fails'
  expect(reported).toEqual([
    ['target:7', title, 1],
    ['target:7', title, 0],
    ['target:7', title, 1],
    ['target:7', null, 0],
  ])
  expect(JSON.stringify(reported)).not.toContain('my-secret')
  report([ruleOf('down', 4, false)])
  expect([kept.at(-2), kept.at(-1)]).toEqual([['target:7'], []])
})

const rowOf = (capture: number) =>
  database
    .prepare(
      `SELECT id, state, mode, attempts, next_at, queued_at, finished_at, lt, sort_lt
       FROM forward_deliveries WHERE capture_id = ?`,
    )
    .get(capture)
const idOf = (capture: number) => Number(rowOf(capture)?.['id'])
const attemptsOf = (capture: number) =>
  database
    .prepare('SELECT is_delivered FROM forward_attempts WHERE delivery = ? ORDER BY id')
    .all(idOf(capture))
    .map((row) => row['is_delivered'])

test('a capture that is queued again counts once, and the progress of each rule is stored', () => {
  add(1, 'a')
  add(1, 'a')
  expect(counts()).toEqual({ waiting: 1, delivered: 0, dropped: 0 })
  queue.add([], new Map([[rule, 7]]), now)
  const reached = () => database.prepare('SELECT id, reached FROM forward_rules').all()
  expect(reached()).toEqual([{ id: rule, reached: 7 }])
  queue.add([], new Map([[rule + 1, 9]]), now)
  expect(reached()).toEqual([{ id: rule, reached: 7 }])
})

test('a delivery that is under way does not decide when the next one is due', () => {
  add(1, 'a')
  add(2, 'b')
  finish(idOf(1), 'failed', 5)
  finish(idOf(2), 'failed', 9)
  expect(queue.nextAt(target, [])).toBe(5)
  expect(queue.nextAt(target, [idOf(1)])).toBe(9)
  expect(queue.nextAt(target, [idOf(1), idOf(2)])).toBeNull()
})

test('an attempt sets the state and the end of its delivery, and the counts of its target', () => {
  for (const capture of [1, 2, 3]) add(capture, `lane ${capture}`)
  finish(idOf(1), 'failed', 5)
  finish(idOf(2), 'delivered')
  finish(idOf(3), 'dropped')
  expect(rowOf(1)).toMatchObject({ state: 1, attempts: 1, next_at: 5, finished_at: null })
  expect(rowOf(2)).toMatchObject({ state: 2, attempts: 1, finished_at: now })
  expect(rowOf(3)).toMatchObject({ state: 3, attempts: 1, finished_at: now })
  expect([1, 2, 3].map(attemptsOf)).toEqual([[0], [1], [0]])
  expect(counts()).toEqual({ waiting: 1, delivered: 1, dropped: 1 })
})

test('an attempt of a deleted delivery changes no counts and stores nothing', () => {
  add(1, 'a')
  const id = idOf(1)
  queue.remove(id, now)
  expect(counts()).toEqual({ waiting: 0, delivered: 0, dropped: 1 })
  for (const state of ['delivered', 'failed'] as const) finish(id, state)
  expect(counts()).toEqual({ waiting: 0, delivered: 0, dropped: 1 })
  expect(database.prepare('SELECT count(*) AS rows FROM forward_attempts').get()).toEqual({
    rows: 0,
  })
})

test('the latest 20 attempts of a delivery are stored', () => {
  add(1, 'a')
  const attemptIds = () =>
    database
      .prepare('SELECT id FROM forward_attempts ORDER BY id')
      .all()
      .map((row) => row['id'])
  for (let attempt = 0; attempt < 20; attempt += 1) finish(idOf(1), 'failed')
  expect(attemptIds()).toHaveLength(20)
  const [first] = attemptIds()
  finish(idOf(1), 'failed')
  expect(attemptIds()).toHaveLength(20)
  expect(attemptIds()).not.toContain(first)
})

test('a request that was passed through is stored with its attempt, and again with its best state', () => {
  const detail = resultOf(answer(200)).detail
  const passed = { capture: 1, target, rule, lane: 'a', lt: 3n, receivedAt: 1 }
  queue.addPassed(passed, 'dropped', detail, up, 5)
  expect(rowOf(1)).toMatchObject({ state: 3, mode: 'through', attempts: 1, lt: 3, sort_lt: 3 })
  expect(rowOf(1)).toMatchObject({ queued_at: 5, finished_at: 5 })
  expect(counts()).toEqual({ waiting: 0, delivered: 0, dropped: 1 })
  queue.addPassed(passed, 'delivered', detail, up, 6)
  expect(rowOf(1)).toMatchObject({ attempts: 2, queued_at: 5, finished_at: 6 })
  expect(attemptsOf(1)).toEqual([0, 1])
  queue.addPassed({ ...passed, capture: 2, lt: null }, 'delivered', detail, up, 7)
  expect(rowOf(2)).toMatchObject({ state: 2, lt: null, sort_lt: 0 })
})

test('deliveries of a target that no rule uses are dropped in steps', () => {
  for (const capture of [1, 2, 3]) add(capture, 'a')
  expect(queue.dropAbandoned(target, 10, now)).toBe(0)
  database.exec('UPDATE forward_targets SET is_used = 0')
  expect(queue.dropAbandoned(target, 2, now)).toBe(2)
  expect(queue.dropAbandoned(target, 2, now)).toBe(1)
  expect(queue.dropAbandoned(target, 2, now)).toBe(0)
  expect(database.prepare('SELECT waiting, dropped FROM forward_targets').all()).toEqual([
    { waiting: 0, dropped: 3 },
  ])
})

test('dropping a delivery that has ended changes nothing, and a dropped one can be queued again', () => {
  for (const capture of [1, 2, 3]) add(capture, `lane ${capture}`)
  finish(idOf(1), 'delivered')
  expect(queue.drop(idOf(1), now)).toBe(0)
  expect(queue.drop(idOf(2), now)).toBe(1)
  expect(counts()).toEqual({ waiting: 1, delivered: 1, dropped: 1 })
  queue.requeue(idOf(2), 11)
  expect(rowOf(2)).toMatchObject({ state: 0, mode: 'after', next_at: 0, queued_at: 11 })
  expect(rowOf(2)).toMatchObject({ finished_at: null })
  expect(counts()).toEqual({ waiting: 2, delivered: 1, dropped: 0 })
  queue.requeue(idOf(1), 12)
  expect(counts()).toEqual({ waiting: 3, delivered: 0, dropped: 0 })
  // A delivery that is still waiting is not queued again.
  queue.requeue(idOf(3), 13)
  expect(rowOf(3)).toMatchObject({ queued_at: longAgo })
  expect(counts()).toEqual({ waiting: 3, delivered: 0, dropped: 0 })
})

test('deliveries of deleted captures leave the queue in steps', () => {
  for (const capture of [1, 2, 3, 4]) add(capture, 'a')
  const note = database.prepare('INSERT INTO forward_deletions (from_id, to_id) VALUES (?, ?)')
  const steps = () => database.prepare('SELECT from_id, to_id FROM forward_deletions').all()
  const left = () => database.prepare('SELECT capture_id FROM forward_deliveries').all()
  expect(queue.followDeletions(2, now)).toBe(false)
  note.run(1, 3)
  note.run(9, 9)
  expect(queue.followDeletions(2, now)).toBe(true)
  expect(left()).toEqual([{ capture_id: 3 }, { capture_id: 4 }])
  // The step removed as many rows as it may, so the next step checks again.
  expect(steps()).toHaveLength(2)
  expect(queue.followDeletions(2, now)).toBe(true)
  expect(left()).toEqual([{ capture_id: 4 }])
  expect(steps()).toEqual([{ from_id: 9, to_id: 9 }])
  expect(queue.followDeletions(2, now)).toBe(true)
  expect(queue.followDeletions(2, now)).toBe(false)
  expect(counts()).toEqual({ waiting: 1, delivered: 0, dropped: 3 })
})

test('an attempt sends the request with the id, the limits and the path of its rule', async () => {
  const sent: unknown[] = []
  const attempt = createAttempter('ab', (...args) => {
    sent.push(args)
    return Promise.resolve(resultOf(answer(200)))
  })
  const [stored] = createForwardRules(database).list()
  if (stored === undefined) throw new Error('The rule is missing.')
  const base = { ...stored, timeoutSeconds: 3, keepHost: true } as never as StoredRule
  const [to] = stored.targets as never as StoredTarget[]
  if (to === undefined) throw new Error('The target is missing.')
  const request = { target: '/hook/0123456789abcdef0123456789abcdef/a?b' } as ForwardedRequest
  const options = { keepBytes: 7, signal: AbortSignal.abort() }
  const key = { capture: 5, receivedAt: 37 }
  for (const appendPath of [true, false]) {
    await attempt(key, request, { ...base, appendPath }, to, options)
  }
  const expected = {
    timeoutMs: 3000,
    keepHost: true,
    extraHeaders: [['X-Tondesk-Delivery', `ab-${to.id}-5-11`]],
    ...options,
  }
  expect(sent).toEqual([
    [request, to.url, { ...expected, subpath: subpathOf(request.target) }],
    [request, to.url, { ...expected, subpath: null }],
  ])
  expect(subpathOf(request.target)).not.toBeNull()
})

test.each([
  ['ab-12-345-z', { target: 12, capture: 345 }],
  ['xab-12-345-z', null],
  ['ab-1234567890123456-5-z', null],
  ['ab--5-z', null],
  ['ab-12-z', null],
  ['', null],
])('the delivery id %j is read as %j', (id, expected) => {
  expect(readDeliveryId(id)).toEqual(expected)
})
