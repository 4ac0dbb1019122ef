import { expect, test } from 'vitest'
import { conflictsOf } from '../../src-main/delivery/forwarding/conflicts.ts'
import { deliveryId, readDeliveryId } from '../../src-main/delivery/forwarding/delivery-id.ts'
import { backoff, judge, retryAfter } from '../../src-main/delivery/forwarding/judge.ts'
import { createLanes } from '../../src-main/delivery/forwarding/ordered-queues.ts'
import { createLine } from '../../src-main/delivery/forwarding/target-sender.ts'
import { endToEnd } from '../../src-main/delivery/sender/request-headers.ts'
import type { SentAnswer } from '../../src-main/delivery/sender/sender.ts'
import type { Waiting } from '../../src-main/delivery/store/forward-queue.ts'
import { seeded } from '../fixtures/seeded.ts'

/** Queues at random and lets a target refuse some, with room for few lanes and long ones. */
function runLanes(seed: number) {
  const random = seeded(seed)
  const store = new Map<number, Waiting>()
  const inOrder = (a: Waiting, b: Waiting) => Number(a.sortLt - b.sortLt) || a.capture - b.capture
  const waitingIn = (lane: string) =>
    [...store.values()].filter((row) => row.lane === lane).sort(inOrder)
  const lanes = createLanes({
    head: (lane, limit) => waitingIn(lane).slice(0, limit),
    lanesAfter: (after, limit) =>
      [...new Set([...store.values()].map((row) => row.lane))]
        .sort()
        .filter((lane) => after === null || lane > after)
        .slice(0, limit),
    notBefore: () => 0,
    isHeld: () => false,
    maxLanes: 4,
  })
  let id = 0
  let now = 0
  const wrong: string[] = []
  const sent = new Map<number, number>()
  const busy = new Set<string>()
  const under: Waiting[] = []
  const queue = () => {
    id += 1
    const lane = random() < 0.5 ? 'busy' : `lane ${Math.floor(random() * 12)}`
    const sortLt = BigInt(id + Math.floor(random() * 5))
    const times = { receivedAt: 0, nextAt: 0, queuedAt: 0, attempts: 0 }
    const row = { id, capture: id, lane, sortLt, ...times }
    store.set(id, row)
    lanes.add(row)
  }
  const settle = () => {
    const row = under.splice(Math.floor(random() * under.length), 1)[0]
    if (row === undefined) return
    busy.delete(row.lane)
    if (random() < 0.2) lanes.again(row, now + random() * 50, random() < 0.5)
    else {
      sent.set(row.id, (sent.get(row.id) ?? 0) + 1)
      store.delete(row.id)
      lanes.done(row, now)
    }
  }
  for (let step = 0; step < 6_000; step += 1) {
    now += 1
    if (step < 3_000 && random() < 0.6) queue()
    const row = lanes.take(now)
    if (row !== null) {
      if (busy.has(row.lane)) wrong.push(`two of ${row.lane} at a time`)
      if (waitingIn(row.lane)[0]?.id !== row.id) wrong.push(`${row.id} is not first`)
      busy.add(row.lane)
      under.push(row)
    }
    if (under.length > 2 || random() < 0.5) settle()
  }
  for (now += 1_000; under.length > 0 || lanes.nextTurn(false) !== null; now += 100) {
    const row = lanes.take(now)
    if (row !== null) under.push(row)
    settle()
  }
  return {
    wrong,
    left: store.size,
    sentTwice: [...sent.values()].filter((times) => times > 1).length,
    queued: id,
  }
}

test.each([1, 2, 3])(
  'lanes lose nothing, send one of an account at a time and always its lowest, seed %i',
  (seed) => {
    const { queued, ...rest } = runLanes(seed)
    expect(queued).toBeGreaterThan(1_000)
    expect(rest).toEqual({ wrong: [], left: 0, sentTwice: 0 })
  },
)

const answer = (status: number | null, more: Partial<SentAnswer> = {}): SentAnswer => ({
  ...{ at: 0, status, durationUs: 1, headers: [], body: new Uint8Array(0), bodyBytes: 0 },
  ...{ isCut: false, failure: null, problem: null, ...more },
})

test.each([
  [answer(200), 'delivered', false],
  [answer(299, { failure: 'timeout' }), 'delivered', false],
  [answer(302), 'failed', false],
  [answer(400), 'failed', false],
  [answer(410), 'dropped', false],
  [answer(503), 'failed', true],
  [answer(null, { failure: 'unreachable' }), 'failed', true],
  [answer(null, { failure: 'unconfirmed' }), 'failed', true],
  [answer(null, { failure: 'invalid' }), 'dropped', false],
] as const)(
  'an answer is judged by its status, or by why there is none: %#',
  (given, kind, isDown) => {
    expect(judge(given)).toEqual({ kind, isDown })
  },
)

test('waits grow from a second to five minutes, and a target may ask for its own', () => {
  expect([1, 2, 3, 9, 10, 500].map((failures) => backoff(failures, 0.5))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
  expect(backoff(1, 0)).toBe(750)
  expect(retryAfter(answer(503, { headers: [['retry-after', '7']] }))).toBe(7_000)
  expect(retryAfter(answer(503, { headers: [['Retry-After', '999999']] }))).toBe(300_000)
  expect(retryAfter(answer(200, { headers: [['Retry-After', '7']] }))).toBe(0)
})

test('an id tells its capture and target, and is another for a capture that got a used number', () => {
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

test('what is about one connection does not go on, whatever it is spelled like', () => {
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

test('rules that cannot take the same deliveries do not conflict', () => {
  const rule = (id: number, filter: string, url = 'http://localhost:1/') => ({
    ...{ id, name: '', filter, mode: 'after' as const, enabled: true, targets: [{ url }] },
  })
  const never = () => false
  const one = rule(1, 'event:invoice')
  expect(conflictsOf(one, [one, rule(2, 'event:account_tx')], never)).toEqual([])
  expect(conflictsOf(one, [one, rule(2, '', 'http://localhost:2/')], never)).toEqual([])
  expect(conflictsOf(one, [one, rule(2, ' event:invoice ')], never)).toHaveLength(1)
  expect(conflictsOf(one, [one, rule(2, 'event:account_tx')], () => true)).toHaveLength(1)
})

/** A line over lanes that the store has nothing more of; `answers` by capture, else 200. */
function startLine(answers: Map<number, SentAnswer>, gone: ReadonlySet<number> = new Set()) {
  const times = { attempts: 0, nextAt: 0, queuedAt: 0, sortLt: 1n }
  const tries: number[] = []
  const failed: number[] = []
  const lanes = createLanes({
    head: () => [],
    lanesAfter: () => [],
    notBefore: () => 0,
    isHeld: () => false,
  })
  let underWay = Promise.resolve()
  const line = createLine({
    target: {
      ...{ id: 1, url: 'http://localhost/', waiting: 0, delivered: 0, dropped: 0 },
      ...{ lastStatus: null, lastProblem: null, lastTriedAt: null, downSince: null },
    },
    rule: () => ({
      ...{ enabled: true, keepHost: false, appendPath: false, timeoutSeconds: 1 },
      giveUpHours: null,
    }),
    lanes,
    install: 'ab',
    send: (request) => {
      tries.push(Number(request.method))
      return Promise.resolve(answers.get(Number(request.method)) ?? answer(200))
    },
    request: (capture) =>
      gone.has(capture)
        ? null
        : { method: String(capture), target: '/', headers: [], body: new Uint8Array(0) },
    subpathOf: () => '',
    journal: {
      add({ outcome, onWritten }) {
        if (outcome?.state === 'failed') failed.push(outcome.delivery)
        underWay = underWay.then(onWritten)
      },
      close: () => undefined,
    },
    now: () => 1_000_000,
    random: () => 0.5,
    onFailed: () => undefined,
    onTrouble: () => undefined,
    onChanged: () => undefined,
  })
  const add = (id: number, lane: string) => {
    lanes.add({ id, capture: id, lane, receivedAt: id, ...times })
  }
  const settle = async () => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  }
  return { line, lanes, add, settle, tries, failed, stop: () => line.stop() }
}

test('a host that may not be sent to costs no tries; when it may, the oldest goes first', async () => {
  const barred = answer(null, { failure: 'unconfirmed', problem: 'Confirm it.' })
  const answers = new Map([1, 2, 3].map((id) => [id, barred]))
  const { line, add, settle, tries, failed, stop } = startLine(answers)
  for (const id of [3, 1, 2]) add(id, `account ${id}`)
  line.pump()
  await settle()
  expect(failed).toEqual([])
  expect(line.health()).toMatchObject({
    ...{ isDown: true, nextTryAt: null, medianUs: null, lastProblem: 'Confirm it.' },
  })
  answers.clear()
  tries.length = 0
  line.guardChanged()
  await settle()
  expect(tries).toEqual([1, 2, 3])
  expect(line.health().isDown).toBe(false)
  await stop()
})

// U16: a target that had accepted nothing had a median of the times of its refusals.
test('the median is of accepted deliveries only', async () => {
  const answers = new Map([[1, answer(500, { durationUs: 48_000 })]])
  const { line, add, settle, stop } = startLine(answers)
  add(1, 'one')
  line.pump()
  await settle()
  expect(line.health().medianUs).toBeNull()
  answers.set(2, answer(200, { durationUs: 7000 }))
  add(2, 'two')
  line.pump()
  await settle()
  expect(line.health().medianUs).toBe(7000)
  await stop()
})

test('a target that is down is found again, though what it was to be asked with was deleted', async () => {
  const refused = answer(null, { failure: 'unreachable' })
  const answers = new Map([[1, refused]])
  const { line, add, settle, tries, stop } = startLine(answers, new Set([2]))
  add(1, 'one')
  line.pump()
  await settle()
  answers.clear()
  add(2, 'two')
  line.hurry()
  await settle()
  line.hurry()
  await settle()
  expect(tries).toEqual([1, 1])
  expect(line.health().isDown).toBe(false)
  await stop()
})

test('what is dropped while it is under way is not tried again', () => {
  const [first, second] = [1, 2].map((id) => ({
    ...{ id, capture: id, lane: 'a', sortLt: BigInt(id), receivedAt: 0, nextAt: 0, queuedAt: 0 },
    attempts: 0,
  }))
  if (first === undefined || second === undefined) throw new Error('There are two.')
  const lanes = createLanes({
    head: () => [],
    lanesAfter: () => [],
    notBefore: () => 0,
    isHeld: () => false,
  })
  lanes.add(first)
  lanes.add(second)
  expect(lanes.take(1)).toBe(first)
  lanes.remove(first.id, 'a')
  lanes.again(first, 5, true)
  expect(lanes.take(1)).toBe(second)
})
