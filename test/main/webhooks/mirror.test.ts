/**
 * Tests the local copy of subscriptions, and the rounds that record its history, with a changing
 * gateway.
 */
import { afterEach, expect, test } from 'vitest'
import { type QueryOptions, createQueryClient } from '../../../src-main/gateway/query.ts'
import { createHttp } from '../../../src-main/gateway/http.ts'
import { createWebhooksClient } from '../../../src-main/gateway/webhooks.ts'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import {
  createHistoryRetention,
  createSubscriptionStore,
} from '../../../src-main/webhooks/store/subscription-store.ts'
import { createFailureRoutes } from '../../../src-main/webhooks/history/failure-routes.ts'
import { createMirror } from '../../../src-main/webhooks/sync/mirror.ts'
import { createSubscriptionRoutes } from '../../../src-main/webhooks/subscriptions.ts'
import type { WebhookRoom } from '../../../src-main/webhooks/room.ts'
import { createSampler } from '../../../src-main/webhooks/sampler/sampler.ts'
import { createWebhookBook } from '../../../src-main/webhooks/book.ts'
import type { Subscription } from '../../../src-preload/contract/subscription.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { defaultSettings } from '../../../src-preload/contract/settings.ts'
import { networkCodes } from '../../../src-preload/domain/error-codes.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import { shorten } from '../../../src-renderer/ui/format.ts'
import {
  type GatewayAccount,
  gatewayWebhook,
  rawAddress,
  startWebhookGateway,
} from '../../fixtures/webhook-gateway.ts'

const network = 'custom-00000000'
/** The id is above 2^53, as an int64 may be. */
const id = 1_152_921_504_606_846_977n
const webhook = String(id)
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

const account = (number: number, change: Partial<GatewayAccount> = {}): GatewayAccount => ({
  account_id: rawAddress(number),
  last_delivered_lt: 0n,
  ...change,
})
const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(index + 1))

async function makeDesk(listed: GatewayAccount[]) {
  const gateway = await startWebhookGateway()
  const http = createHttp({ wait: () => Promise.resolve() })
  const database: Database = openDatabase(':memory:')
  migrate(database, () => undefined)
  const store = createSubscriptionStore(database)
  const clock = { now: Date.UTC(2026, 0, 10) }
  const now = () => clock.now
  const bugs: unknown[] = []
  const observed: string[] = []
  const client = http.client({ name: 'The gateway', baseUrl: gateway.url, key: null })
  const info = { id: network, kind: 'custom', name: 'Ours', testOnly: false } as const
  const reach = { isOut: false }
  const access = {
    webhooks() {
      if (reach.isOut) throw new AppError(networkCodes.unavailable, 'It is not running.')
      return createWebhooksClient(client)
    },
    query: () => createQueryClient(client),
    interest: () => new AbortController().signal,
    info: () => info,
    current: () => network,
  }
  const tokens = {
    idOf: () => 'token',
    get: () => null,
    keep: () => Promise.resolve('token'),
    remove: () => Promise.resolve(),
  }
  const monitoring = { ...defaultSettings.monitoring, everySeconds: 10 }
  const host = {
    access,
    store,
    now,
    events: { emit: () => undefined },
    receiver: { url: () => 'http://127.0.0.1:1' } as WebhookRoom['receiver'],
    settings: { get: () => ({ ...defaultSettings, monitoring }) },
  }
  const book = createWebhookBook(host, tokens)
  const rest = {
    ...host,
    book,
    labelsOf: () => new Map<string, string>(),
    nameAccount: (_: string, { address }: { readonly address: string }) => address,
    wait: (_: number, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
    onBug: (error: unknown) => bugs.push(error),
  }
  const mirror = createMirror(rest)
  const sampler = createSampler({ ...rest, mirror }, (of) =>
    Promise.resolve(void observed.push(of)),
  )
  const routes = createSubscriptionRoutes({ ...rest, mirror })
  const captures = { among: () => [], slices: () => [] }
  const failures = createFailureRoutes({ ...rest, captures, everySeconds: () => 30 })
  gateway.webhooks = [gatewayWebhook(id, listed)]
  await book.read(network)
  gateway.asked.length = 0
  resources.push({
    async [Symbol.asyncDispose]() {
      await sampler.stop()
      mirror.stop()
      await http[Symbol.asyncDispose]()
      await gateway[Symbol.asyncDispose]()
      database.close()
      expect(bugs).toEqual([])
    },
  })
  const span = { from: clock.now - 400 * day, to: clock.now + 400 * day }
  const hook = () => {
    const [first] = gateway.webhooks
    if (first === undefined) throw new Error('It has no webhook.')
    return first
  }
  return {
    gateway,
    reach,
    hook,
    store,
    database,
    clock,
    book,
    mirror,
    sampler,
    observed,
    read: () => mirror.read(network, webhook, new AbortController().signal),
    held: () => mirror.accounts(network, webhook, '', 10_000),
    /** Returns the gateway’s accounts in the order of the copy. */
    there: () =>
      hook()
        .accounts.map((each) => each.account_id)
        .sort(),
    list(text = ''): Subscription[] {
      const answer = routes['subscription.list']({
        network,
        webhook,
        filter: { text, only: null },
        sort: { by: 'account', descending: false },
        offset: 0,
        limit: 500,
      })
      return answer.rows
    },
    round: () => sampler.handlers['sampler.run']({ network }),
    streaks: (sort: 'newest' | 'longest' = 'newest') =>
      failures['failure.streaks']({
        network,
        webhook,
        account: null,
        ...span,
        sort,
        offset: 0,
        limit: 50,
      }),
    history: async (from: number, to: number, of: string | null = null) =>
      failures['failure.history']({ network, webhook, account: of, from, to, steps: 400 }),
    summary: () => failures['failure.summary']({ network, webhook }),
    forget: () =>
      sampler.forget(network, async () => {
        await mirror.forget(network)
        await book.forget(network)
      }),
  }
}

type Desk = Awaited<ReturnType<typeof makeDesk>>

const sum = (steps: readonly { failedAttempts: number | null }[]) =>
  steps.reduce((total, { failedAttempts }) => total + (failedAttempts ?? 0), 0)

/** Calls `change` once, before the response with the page at this offset. */
function beforePage({ gateway }: Pick<Desk, 'gateway'>, offset: number, act: () => void): void {
  gateway.meddle = ({ path }) => {
    if (path.includes(`offset=${offset}&`)) {
      gateway.meddle = () => false
      act()
    }
    return false
  }
}

// A full last page must not cost another request, and large or unusual values must not lose a row.
test('full pages take as many requests as pages, and every value is stored exactly', async () => {
  const odd = account(1, {
    account_id: rawAddress(1).toUpperCase(),
    last_delivered_lt: 2n ** 63n + 1n,
    failed_lt: 2n ** 64n - 1n,
    failed_at: '2026-01-09 23:59:30.123456789+02',
    failed_attempts: 3,
  })
  const never = account(2, { failed_at: '0001-01-01T00:00:00Z', failed_lt: 0n, failed_attempts: 0 })
  const desk = await makeDesk([odd, never, ...accounts(3000).slice(2)])
  await desk.read()
  expect(desk.gateway.pagesAsked()).toBe(3)
  expect(desk.held()).toHaveLength(3000)
  const [first, second] = desk.list()
  expect(first).toMatchObject({
    account: rawAddress(1),
    lastDeliveredLt: '9223372036854775809',
    failedLt: '18446744073709551615',
    failedAt: Date.UTC(2026, 0, 9, 21, 59, 30, 123),
    isFailing: true,
  })
  expect(second).toMatchObject({ failedAt: null, failedLt: null, isFailing: false })
  expect(desk.mirror.state(network, webhook)).toMatchObject({ reading: null, problem: null })
})

// Thousands of accounts without a delivery must not hide the few active ones.
test('sorted by failed attempts, accounts without any delivery come last', async () => {
  const failed = { failed_attempts: 2, failed_lt: 9n, failed_at: '2026-01-10T00:00:00Z' }
  const live = { last_delivered_lt: 2n ** 63n + 1n }
  const desk = await makeDesk([account(1), account(2, live), account(3, failed), account(4)])
  await desk.read()
  const { webhooks, subscriptionRows } = desk.store
  const asked = { key: webhooks.get(network, webhook)?.key ?? 0, network, text: null, only: null }
  const page = { offset: 0, limit: 10 }
  const sorted = (descending: boolean) =>
    subscriptionRows
      .page(asked, { by: 'failedAttempts', descending }, page)
      .rows.map((row) => row.account)
  expect(sorted(true)).toEqual([3, 2, 4, 1].map(rawAddress))
  expect(sorted(false)).toEqual([1, 4, 2, 3].map(rawAddress))
})

test('a search finds an account by any form that lists show', async () => {
  const desk = await makeDesk(Array.from({ length: 60 }, (_none, index) => account(index + 1)))
  await desk.read()
  for (const raw of desk.there()) {
    const friendly = formatFriendly(raw, { bounceable: true, testOnly: false })
    for (const text of [raw, friendly, shorten(friendly), shorten(raw)]) {
      const found = desk.list(text).map((row) => row.account)
      expect([text, found.includes(raw), found.length < 60]).toEqual([text, true, true])
    }
  }
})

// Pages shift while they are read: a skipped row must not count as unsubscribed, and a removed row
// must not stay.
test.each<[string, (desk: Desk) => void]>([
  ['an account of the first page is removed', ({ hook }) => void hook().accounts.shift()],
  [
    'an account is removed and another added',
    ({ hook }) => {
      hook().accounts.shift()
      hook().accounts.push(account(9000))
    },
  ],
  ['an account is added in front', ({ hook }) => void hook().accounts.unshift(account(9000))],
  ['most accounts are removed', ({ hook }) => void hook().accounts.splice(3)],
])('a reading is exact although its pages shift: %s', async (_name, change) => {
  const desk = await makeDesk(accounts(2500))
  await desk.read()
  beforePage(desk, 1000, () => change(desk))
  await desk.read()
  expect(desk.held()).toEqual(desk.there())
})

test('a gateway with wrong counts is read by its pages', async () => {
  const desk = await makeDesk(accounts(1500))
  desk.hook().count = 7
  await desk.read()
  expect(desk.held()).toEqual(desk.there())
  desk.hook().accounts.splice(100, 50)
  await desk.read()
  expect(desk.held()).toEqual(desk.there())
})

test('an interrupted reading keeps its pages, states the reason, and continues at the next page', async () => {
  const desk = await makeDesk(accounts(2500))
  desk.gateway.meddle = ({ path }, response) => {
    if (!path.includes('offset=2000')) return false
    response.writeHead(500).end('{"error":"database is locked"}')
    return true
  }
  const failure = await desk.read().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(AppError)
  expect(desk.held()).toHaveLength(2000)
  expect(await desk.round()).toMatchObject({
    status: 'paused',
    problem: expect.any(String) as string,
  })
  const asked = desk.gateway.pagesAsked()
  desk.gateway.meddle = () => false
  const state = await desk.round()
  expect(state).toMatchObject({ status: 'waiting', problem: null })
  expect(desk.held()).toHaveLength(2500)
  // The reading continues where it stopped.
  expect(desk.gateway.pagesAsked() - asked).toBe(1)
})

test('changes made by the app show at once, even while an older page arrives', async () => {
  const desk = await makeDesk(accounts(1200))
  await desk.read()
  desk.gateway.meddle = ({ path }) => {
    if (path.includes('offset=0&')) {
      desk.gateway.meddle = () => false
      // The response still contains the removed account, but not the added one.
      desk.mirror.unsubscribed(network, webhook, [rawAddress(5)])
      desk.mirror.subscribed(network, webhook, [rawAddress(7000)])
    }
    return false
  }
  const reading = desk.mirror.slice(desk.store.webhooks.get(network, webhook)?.key ?? 0)
  const queryOptions: QueryOptions = { priority: 'job' }
  await reading?.step(queryOptions)
  const gone = desk.mirror.among(network, webhook, [rawAddress(5), rawAddress(6), rawAddress(7000)])
  expect([...gone].sort()).toEqual([rawAddress(6), rawAddress(7000)])
  expect(desk.mirror.since(network, webhook, rawAddress(7000))).toBe(desk.clock.now)
  expect(desk.mirror.since(network, webhook, rawAddress(6))).toBeNull()
})

test('concurrent readings of a webhook are one, and end when all callers have aborted', async () => {
  const desk = await makeDesk(accounts(2500))
  const impatient = new AbortController()
  const both = [desk.mirror.read(network, webhook, impatient.signal), desk.read()]
  impatient.abort(new Error('enough'))
  const [first, second] = await Promise.allSettled(both)
  expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled'])
  expect(desk.gateway.pagesAsked()).toBe(3)
})

test('counters become a history with growth and streaks of failures', async () => {
  const desk = await makeDesk(accounts(3))
  const { clock, hook, round } = desk
  const began = clock.now
  await round()
  const fail = (attempts: number, lt: bigint) => {
    const change = { failed_attempts: attempts, failed_lt: lt, failed_at: '2026-01-10T00:00:00Z' }
    Object.assign(hook().accounts[0] ?? {}, change)
    hook().status_failed_attempts = attempts
  }
  clock.now += minute
  fail(2, 100n)
  await round()
  clock.now += minute
  fail(5, 100n)
  await round()
  expect(desk.summary()).toMatchObject({
    failing: 1,
    began: began + minute,
  })
  // An event is delivered and a later one fails, so one streak has ended and another begins.
  clock.now += minute
  Object.assign(hook().accounts[0] ?? {}, { last_delivered_lt: 100n })
  fail(6, 200n)
  await round()
  // A lower counter means that a delivery succeeded, although no other field shows this.
  clock.now += minute
  fail(1, 300n)
  await round()
  clock.now += minute
  Object.assign(hook().accounts[0] ?? {}, { last_delivered_lt: 300n })
  hook().status_failed_attempts = 0
  await round()

  const { streaks } = desk.streaks()
  const ofAccount = streaks.filter((each) => each.account !== null)
  expect(ofAccount.map(({ from, to, failedAttempts }) => [from, to, failedAttempts])).toEqual([
    [began + 4 * minute, began + 5 * minute, 1],
    [began + 3 * minute, began + 4 * minute, 1],
    [began + minute, began + 3 * minute, 5],
  ])
  const { steps } = await desk.history(began, clock.now + minute, rawAddress(1))
  expect(steps.map((each) => each.failedAttempts)).toEqual([0, 2, 3, 1, 1, 0])
  expect(steps.map((each) => each.failing)).toEqual([0, 1, 1, 1, 1, 1])
  // Steps that are longer than the recorded ones have the sum of all recorded steps that they contain.
  const long = await desk.history(clock.now - day, clock.now)
  expect(long.milliseconds).toBeGreaterThan(minute)
  expect([sum(long.steps), long.steps.at(-1)]).toMatchObject([7, { failing: 1, status: 'online' }])
  const [row] = desk.list()
  expect(row).toMatchObject({ isFailing: false, failingSince: null })
  expect(row?.spark.at(-1)).toBe(7)
  expect(desk.observed).toHaveLength(6)
})

test('usage counters that were reset grow by their new value', async () => {
  const desk = await makeDesk([])
  const { gateway, clock, round } = desk
  const began = clock.now
  const set = (delivered: bigint, period: string) => {
    gateway.usage = {
      period_started_at: period,
      webhooks_delivered: delivered,
      webhooks_failed: delivered / 2n,
    }
  }
  for (const [delivered, period] of [
    [1000n, '2026-01-01T00:00:00Z'],
    [1010n, '2026-01-01T00:00:00Z'],
    // The counter belongs to another period and is higher than the last one.
    [1500n, '2026-02-01T00:00:00Z'],
    // The counter belongs to the same period, as after a reset.
    [4n, '2026-02-01T00:00:00Z'],
    [2n ** 64n, '2026-02-01T00:00:00Z'],
  ] as const) {
    set(delivered, period)
    await round()
    clock.now += minute
  }
  const { steps } = await desk.history(began, clock.now)
  const delivered = steps.map((each) => each.delivered)
  expect(delivered.slice(0, 4)).toEqual([null, 10, 1500, 4])
  expect(delivered[4]).toBeGreaterThan(0)
})

test('a clock that jumps makes no negative period and no streak of a year', async () => {
  const desk = await makeDesk([account(1, { failed_attempts: 1, failed_lt: 5n })])
  const { clock, hook, round } = desk
  const began = clock.now
  await round()
  clock.now = began + 365 * day
  await round()
  clock.now = began + 2 * minute
  Object.assign(hook().accounts[0] ?? {}, { last_delivered_lt: 5n })
  await round()
  clock.now = began - day
  Object.assign(hook().accounts[0] ?? {}, { failed_lt: 6n, failed_attempts: 2 })
  await round()
  const { streaks } = desk.streaks()
  for (const { from, to } of streaks) {
    expect(from).toBeLessThanOrEqual(clock.now)
    if (to !== null) expect(to - from).toBeLessThan(day)
    if (to !== null) expect(to).toBeGreaterThanOrEqual(from)
  }
  expect(streaks.filter(({ to }) => to === null)).toHaveLength(1)
  const { steps } = await desk.history(began + minute, began + 366 * day)
  expect(sum(steps)).toBe(0)
})

test('large sets are read in slices, each page once, and other webhooks are read meanwhile', async () => {
  const desk = await makeDesk(accounts(15_000))
  const small = gatewayWebhook(7n, accounts(10))
  desk.gateway.webhooks.push(small)
  const left = []
  for (let round = 0; round < 3; round += 1) left.push((await desk.round()).rowsLeft)
  expect(left).toEqual([9000, 3000, 0])
  expect(desk.mirror.state(network, webhook).readAt).not.toBeNull()
  expect(desk.mirror.state(network, '7').readAt).not.toBeNull()
  const pages = desk.gateway.asked.filter((path) => path.startsWith(`/webhooks/${webhook}/account`))
  expect(new Set(pages).size).toBe(15)
})

test('a webhook that is deleted during a reading fails no round, and its streaks end', async () => {
  const desk = await makeDesk([account(1, { failed_attempts: 1, failed_lt: 5n })])
  await desk.round()
  desk.gateway.webhooks.push(gatewayWebhook(7n, accounts(3)))
  beforePage(desk, 0, () => {
    desk.gateway.webhooks.shift()
  })
  expect(await desk.round()).toMatchObject({ problem: null })
  expect(await desk.round()).toMatchObject({ problem: null })
  expect(desk.mirror.state(network, '7').readAt).not.toBeNull()
  const { streaks } = desk.streaks()
  expect(streaks.map(({ to }) => to)).toEqual([desk.clock.now])
  // The rows of the webhook are deleted together with its history.
  expect(desk.held()).toHaveLength(1)
  desk.clock.now += 91 * day
  // Two rounds, because one round deletes a limited number of rows.
  await desk.round()
  await desk.round()
  expect(desk.held()).toEqual([])
  expect(desk.store.webhooks.all(network)).toMatchObject([{ id: '7' }])
})

test('no data of a former gateway remains if the network changes during a reading', async () => {
  const desk = await makeDesk(accounts(2500))
  await desk.read()
  const forgotten: Promise<void>[] = []
  beforePage(desk, 1000, () => {
    forgotten.push(desk.forget())
    desk.gateway.webhooks = [gatewayWebhook(id, [account(77)])]
  })
  await desk.round()
  await Promise.all(forgotten)
  expect(desk.held()).toEqual([])
  await desk.round()
  expect(desk.held()).toEqual([rawAddress(77)])
  for (const table of ['webhook_history', 'account_history', 'streaks']) {
    const [row] = desk.database
      .prepare(
        `SELECT count(*) AS n FROM ${table} t LEFT JOIN webhooks w ON w.key = t.webhook_key
        WHERE w.key IS NULL`,
      )
      .all()
    expect(row?.['n']).toBe(0)
  }
})

test('the history gets coarser with age, and its sums stay', async () => {
  const desk = await makeDesk(accounts(2))
  const { clock, hook, round, store } = desk
  const began = clock.now
  await round()
  // There are three attempts an hour for two hours, then none.
  for (let each = 1; each <= 6; each += 1) {
    clock.now += 20 * minute
    Object.assign(hook().accounts[0] ?? {}, { failed_attempts: each, failed_lt: 5n })
    await round()
  }
  const rows = (table: string) =>
    desk.database
      .prepare(`SELECT attempts FROM account_${table} ORDER BY at`)
      .all()
      .map((row) => row['attempts'])
  const removeOld = () => {
    while (store.historyRetention.step(clock.now));
  }
  expect([rows('minutes'), rows('history')]).toEqual([
    [1, 1, 1, 1, 1, 1],
    [2, 3, 1],
  ])
  const first = await desk.history(began, began + 2 * hour)
  expect([first.milliseconds, sum(first.steps)]).toEqual([minute, 5])
  clock.now = began + 3 * day
  removeOld()
  expect([rows('minutes'), rows('history')]).toEqual([[], [2, 3, 1]])
  const later = await desk.history(began, began + 2 * hour + minute)
  expect(later.milliseconds).toBe(hour)
  expect(later.steps.map((each) => each.failedAttempts)).toEqual([2, 3, 1])
  clock.now = began + 92 * day
  removeOld()
  expect(rows('history')).toEqual([])
})

test('a history with too many rows loses its minutes first, and hours are shown instead', async () => {
  const desk = await makeDesk(accounts(2))
  const { clock, hook, round } = desk
  const began = clock.now
  await round()
  for (let each = 1; each <= 9; each += 1) {
    clock.now += 20 * minute
    Object.assign(hook().accounts[0] ?? {}, { failed_attempts: each, failed_lt: 5n })
    await round()
  }
  const retention = createHistoryRetention(desk.database, 4)
  while (retention.step(clock.now));
  const { steps, milliseconds } = await desk.history(began, clock.now + minute)
  expect(milliseconds).toBe(hour)
  expect(steps.map((each) => each.failedAttempts)).toEqual([2, 3, 3, 1])
  const lastHour = await desk.history(clock.now - 40 * minute, clock.now + minute)
  expect([lastHour.milliseconds, sum(lastHour.steps)]).toEqual([minute, 3])
})

test('a reading that begins while another is being aborted is not aborted', async () => {
  const desk = await makeDesk(accounts(3))
  const first = new AbortController()
  const calledOff = desk.mirror.read(network, webhook, first.signal)
  first.abort()
  await expect(calledOff).rejects.toThrow()
  // The aborted request has not ended yet.
  await desk.read()
  expect(desk.held()).toEqual(desk.there())
})

test('a network that was unreachable is read as soon as it can be reached', async () => {
  const desk = await makeDesk(accounts(1))
  desk.reach.isOut = true
  expect(await desk.round()).toMatchObject({ status: 'paused', problem: 'It is not running.' })
  expect(desk.gateway.asked).toEqual([])
  desk.reach.isOut = false
  desk.sampler.start()
  expect(await desk.round()).toMatchObject({ status: 'waiting', problem: null })
  const lists = desk.gateway.asked.filter((path) => path === '/webhooks')
  expect(lists).toHaveLength(2)
})
