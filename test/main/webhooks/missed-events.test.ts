/** Tests checks with a faulty gateway: real HTTP, a real database, and a fast clock. */
import { afterEach, expect, test } from 'vitest'
import type { MissedCheck } from '../../../src-preload/contract/missed-events.ts'
import type { Notice } from '../../../src-preload/contract/app.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { createHttp } from '../../../src-main/gateway/http.ts'
import { createQueryClient } from '../../../src-main/gateway/query.ts'
import { type Jobs, createJobs } from '../../../src-main/jobs/jobs.ts'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import type { Arrivals, StoredArrival } from '../../../src-main/captures/store/arrivals.ts'
import { createSubscriptionStore } from '../../../src-main/webhooks/store/subscription-store.ts'
import {
  type MissedEvents,
  createMissedEvents,
} from '../../../src-main/webhooks/missed-events/missed-events.ts'
import type { WebhookRoom } from '../../../src-main/webhooks/room.ts'
import type { SubscribedAccount } from '../../../src-main/webhooks/store/subscriptions.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import { shorten } from '../../../src-renderer/ui/format.ts'
import {
  type Respond,
  type ScriptedServer,
  type Seen,
  jsonResponse,
  openScriptedServer,
} from '../../fixtures/scripted-server.ts'
import { type FastClock, createFastClock } from '../../fixtures/fast-clock.ts'

const network = 'custom-00000000'
const webhook = '9007199254740993'
const beginning = Date.UTC(2026, 10, 1)
const hour = 3_600_000
const address = (number: number) => `0:${number.toString(16).padStart(64, '0')}`
const hashOf = (account: string, lt: bigint) =>
  `${account.slice(-8)}${lt.toString(16)}`.padStart(64, '0')
const ltOf = (event: number) => 2n ** 53n + BigInt(event) * 1000n + 1n
/** There is one event per minute, at the same times for each account. */
const utimeOf = (event: number) => Math.floor(beginning / 1000) + event * 60

const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

type Chain = { eventsEach: number }

function accountOf({ url }: Pick<Seen, 'url'>): string {
  return decodeURIComponent(url.split('?')[0]?.split('/')[4] ?? '')
}

/** Returns accounts whose period has been read completely. */
function doneIn({ database }: Desk): Set<string> {
  const rows = database.prepare(`SELECT account FROM ledger_accounts WHERE state = 'done'`).all()
  return new Set(rows.map(({ account }) => String(account)))
}

/** Returns a page of an account’s history, as the service serializes it. */
function history(
  { url }: Seen,
  { eventsEach }: Chain,
  isLost: (event: number) => boolean = () => false,
): Respond {
  const { searchParams } = new URL(url, 'http://gateway')
  const account = accountOf({ url })
  const before = BigInt(searchParams.get('before_lt') ?? 2n ** 63n)
  const transactions = Array.from({ length: eventsEach }, (_, index) => eventsEach - 1 - index)
    .filter((event) => ltOf(event) < before && !isLost(event))
    .slice(0, Number(searchParams.get('limit')))
    .map(
      (event) =>
        `{"hash":"${hashOf(account, ltOf(event))}","lt":${ltOf(event)},"utime":${utimeOf(event)},
          "account":{"address":"${account}","is_scam":false,"is_wallet":true},"success":true,
          "orig_status":"active","end_status":"active","total_fees":1,"end_balance":1,
          "transaction_type":"TransOrd","aborted":false,"out_msgs":[],"block":"(0,8000000000000000,1)",
          "prev_trans_lt":${event === 0 ? 0 : ltOf(event - 1)}}`,
    )
  return jsonResponse(`{"transactions":[${transactions.join(',')}]}`)
}

type Desk = AsyncDisposable & {
  readonly ledger: MissedEvents
  readonly jobs: Jobs
  /** Ends all runs, as when the app ends. */
  stop(): Promise<void>
  readonly gateway: ScriptedServer
  readonly chain: Chain
  readonly database: Database
  readonly changed: MissedCheck[]
  readonly bugs: unknown[]
  readonly notices: Map<string, Omit<Notice, 'raisedAt'>>
  readonly clock: FastClock
  /** Deliveries that have arrived. */
  readonly arrived: (Omit<StoredArrival, 'id'> & { account: string })[]
  /** Accounts of the webhook, in the order of their addresses. */
  readonly subscribed: string[]
  readonly counters: Map<string, Partial<SubscribedAccount>>
  start(accounts: number, over?: { from?: number; to?: number }): Promise<MissedCheck>
  ended(id: number): Promise<MissedCheck>
}

/** @param before a desk whose database is used again, as after a kill */
async function openDesk(before?: Desk): Promise<Desk> {
  const gateway = before?.gateway ?? (await openScriptedServer())
  if (before === undefined) resources.push(gateway)
  const database = before?.database ?? openDatabase(':memory:')
  if (before === undefined) migrate(database, () => undefined)
  const chain = before?.chain ?? { eventsEach: 60 }
  if (before === undefined)
    gateway.answer = (seen, response) => history(seen, chain)(seen, response)
  const clock = createFastClock(beginning + 2 * hour)
  resources.push(clock)
  const http = createHttp({ clock, wait: clock.wait })
  const lane = { network, root: 'query', perSecond: null } as const
  const client = createQueryClient(
    http.client({ name: 'The gateway', baseUrl: gateway.origin, key: null, queue: lane }),
  )
  const bugs: unknown[] = []
  const changed: MissedCheck[] = []
  let happened = Promise.withResolvers<undefined>()
  const notices: Desk['notices'] = new Map()
  const arrived: Desk['arrived'] = before?.arrived ?? []
  const counters: Desk['counters'] =
    before?.counters ?? new Map<string, Partial<SubscribedAccount>>()
  const subscribed: string[] = []
  const arrivals: Arrivals = {
    largestLt: 2n ** 63n - 1n,
    accountsBetween: () => [],
    of: (account, lts) =>
      arrived.flatMap((one, index) =>
        one.account === account && lts.includes(one.lt) ? [{ ...one, id: index + 1 }] : [],
      ),
    latest: () => [],
    sample: () => null,
    keptFrom: () => null,
  }
  const known = { id: webhook, network, endpoint: 'http://127.0.0.1/hook/x', isHere: true }
  const listed = { ...known, status: 'online' } as Webhook
  const running = new AsyncDisposableStack()
  const common = {
    now: clock.now,
    wait: clock.wait,
    onBug: (error: unknown) => bugs.push(error),
  }
  const jobs = createJobs({
    ...common,
    resources: running,
    events: {
      emit(_name, payload) {
        if ('jobs' in payload) changed.push(...(payload.jobs as MissedCheck[]))
        happened.resolve(undefined)
      },
    },
  })
  const store = createSubscriptionStore(database)
  const isTokenOfAnother = (tokenId: string | null) => tokenId === 'other'
  const access: Partial<WebhookRoom['access']> = {
    query: () => client,
    info: (id) => ({ id, kind: 'custom', name: 'Ours', testOnly: false }),
  }
  const book: Partial<WebhookRoom['book']> = {
    read: () => Promise.resolve([listed]),
    find: () => listed,
  }
  const mirror: Partial<WebhookRoom['mirror']> = {
    read: () => Promise.resolve(),
    accounts: (_network, _webhook, after) => subscribed.filter((each) => each > after),
    since: () => null,
    page: () => [],
    find: (_network, _webhook, account) => ({
      account,
      lastDeliveredLt: 2n ** 62n,
      failedAt: null,
      failedLt: null,
      failedAttempts: 0,
      isFailing: false,
      isWatched: false,
      lag: null,
      ...counters.get(account),
    }),
  }
  const missedEvents = createMissedEvents({
    ...common,
    ...({ access, book, mirror } as Pick<WebhookRoom, 'access' | 'book' | 'mirror'>),
    jobs,
    store: { ...store, webhooks: { ...store.webhooks, isTokenOfAnother } },
    arrivals,
    indexed: () => Promise.resolve(),
    put: () => Promise.resolve(0),
    receiver: { url: () => 'http://127.0.0.1:1/hook/x' } as WebhookRoom['receiver'],
    chainNow: () => Promise.resolve(clock.now()),
    takeDraft: () => Promise.resolve({ network: 'another', addresses: [address(1)] }),
    labelsOf: () => new Map(),
    nameAccount: (_, { address }) => address,
    notices: {
      list: () => [...notices.values()].map((notice) => ({ ...notice, raisedAt: 0 })),
      raise: (notice) => void notices.set(notice.id, notice),
      clear: (id) => void notices.delete(id),
    },
    events: { emit: () => happened.resolve(undefined) },
  })
  const list = (count: number) => Array.from({ length: count }, (_, index) => address(index + 1))
  const desk: Desk = {
    ledger: missedEvents,
    jobs,
    async stop() {
      missedEvents.stop()
      await running.disposeAsync()
    },
    gateway,
    chain,
    database,
    changed,
    bugs,
    notices,
    clock,
    arrived,
    subscribed,
    counters,
    start: async (accounts, { from = beginning, to = beginning + hour } = {}) =>
      missedEvents.handlers['missedEvents.start']({
        network,
        webhook,
        accounts: { list: list(accounts) },
        from,
        to,
        lateAfterMs: 60_000,
      }),
    async ended(id) {
      for (;;) {
        happened = Promise.withResolvers()
        const check = jobs.of('missedEvents').get(id)
        if (check.state !== 'running') return check
        await happened.promise
      }
    },
    async [Symbol.asyncDispose]() {
      await desk.stop()
      await http[Symbol.asyncDispose]()
    },
  }
  resources.push(desk)
  return desk
}

const arrival = (account: string, event: number, over: Partial<StoredArrival> = {}) => ({
  account,
  lt: ltOf(event),
  receivedAt: (utimeOf(event) * 1000 + 2000) * 1000,
  status: 200,
  token: 'right' as const,
  tokenId: 'ours',
  isOutOfOrder: false,
  ...over,
})

const events = async (desk: Desk, id: number, account: string | null = null, text = '') =>
  (
    await desk.ledger.handlers['missedEvents.events']({
      id,
      filter: { verdict: null, text, account },
      offset: 0,
      limit: 500,
    })
  ).events

test('deliveries to another webhook or with a wrong token do not count as deliveries of an event', async () => {
  const desk = await openDesk()
  desk.chain.eventsEach = 4
  const [one] = [address(1)]
  desk.arrived.push(
    arrival(one, 0),
    arrival(one, 1, { tokenId: 'other' }),
    arrival(one, 2, { token: 'wrong', tokenId: null }),
    // The token is unchecked, so the delivery may belong to this webhook.
    arrival(one, 3, { token: 'unchecked', tokenId: null }),
  )
  const { id } = await desk.start(1)
  expect(await desk.ended(id)).toMatchObject({ state: 'done', events: 4, checked: 1 })
  expect((await events(desk, id)).map(({ verdict }) => verdict)).toEqual([
    'delivered',
    'missing',
    'unauthenticated',
    'delivered',
  ])
})

test('a check of a period in a long history reads no older page, and finds events out of order', async () => {
  const desk = await openDesk()
  desk.chain.eventsEach = 900
  desk.clock.advance(20 * hour)
  const one = address(1)
  // The last event of the period arrived first.
  for (const event of [799, 700]) desk.arrived.push(arrival(one, event))
  const { id } = await desk.start(1, {
    from: beginning + 700 * 60_000,
    to: beginning + 800 * 60_000,
  })
  const check = await desk.ended(id)
  expect(check).toMatchObject({
    events: 100,
    counts: { delivered: 1, 'out-of-order': 1, missing: 98 },
  })
  const [first] = await events(desk, id)
  expect(first).toMatchObject({ verdict: 'out-of-order', lt: ltOf(700).toString() })
  // The pages have 25, 100 and 250 rows: the newest 200 and the 100 of the period.
  expect(desk.gateway.seen.length).toBe(3)
  expect(desk.bugs).toEqual([])
})

test('a check survives failures, broken connections and limits of the gateway, and names an unreadable account', async () => {
  const desk = await openDesk()
  const bad = address(3)
  let asked = 0
  desk.gateway.answer = (seen, response) => {
    asked += 1
    if (accountOf(seen) === bad) {
      jsonResponse('{"error":"cannot load its history"}', 500)(seen, response)
    } else if (asked % 7 === 1) response.destroy()
    else if (asked % 7 === 3) jsonResponse('{"error":"busy"}', 503)(seen, response)
    else if (asked % 7 === 5) {
      jsonResponse('{"error":"too many"}', 429, { 'retry-after': '1' })(seen, response)
    } else history(seen, desk.chain)(seen, response)
  }
  const { id } = await desk.start(6)
  expect(await desk.ended(id)).toMatchObject({
    state: 'done',
    accounts: 6,
    checked: 6,
    unread: 1,
    events: 5 * 60,
    counts: { missing: 5 * 60 },
  })
  const page = { id, only: 'unread', offset: 0, limit: 10 } as const
  const unread = await desk.ledger.handlers['missedEvents.accounts'](page)
  expect(unread.accounts).toMatchObject([{ account: bad, events: 0 }])
  expect(unread.accounts[0]?.problem).toContain('cannot load its history')

  // After the gateway works again, only this account is read again.
  desk.gateway.answer = (seen, response) => history(seen, desk.chain)(seen, response)
  const before = desk.gateway.seen.length
  await desk.jobs.of('missedEvents').resume(id)
  expect(await desk.ended(id)).toMatchObject({ unread: 0, checked: 6, events: 6 * 60 })
  expect(desk.gateway.seen.length - before).toBe(2)
  expect(desk.bugs).toEqual([])
})

test('an account whose history has gaps, repeated pages or no beginning is named as unread', async () => {
  const desk = await openDesk()
  const [lossy, repeating, pruned] = [address(1), address(2), address(3)]
  desk.gateway.answer = (seen, response) => {
    const account = accountOf(seen)
    const isLater = new URL(seen.url, 'http://gateway').searchParams.has('before_lt')
    const isLost = (event: number) =>
      (account === lossy && event === 40) || (account === pruned && event < 20)
    const first = {
      ...seen,
      url: seen.url.replace(/before_lt=\d+/, '').replace(/limit=\d+/, 'limit=25'),
    }
    const answer = account === repeating && isLater ? first : seen
    history(answer, desk.chain, isLost)(seen, response)
  }
  const { id } = await desk.start(4)
  expect(await desk.ended(id)).toMatchObject({ state: 'done', checked: 4, unread: 3 })
  const page = { id, only: 'unread', offset: 0, limit: 10 } as const
  const { accounts } = await desk.ledger.handlers['missedEvents.accounts'](page)
  const problems = new Map(accounts.map(({ account, problem }) => [account, problem]))
  expect(problems.get(lossy)).toMatch(/did not return the transactions between/)
  expect(problems.get(repeating)).toMatch(/it returned newer ones again/)
  expect(problems.get(pruned)).toMatch(/has no transactions before logical time/)
})

test('a killed check continues with the same result and reads no finished account again', async () => {
  const whole = await openDesk()
  const { id: first } = await whole.start(12)
  await whole.ended(first)
  // An event is found by its account and hash in the forms that lists show.
  const all = await events(whole, first)
  const [event] = all
  if (event === undefined) throw new Error('nothing was found')
  const friendly = formatFriendly(event.account, { bounceable: true, testOnly: false })
  for (const text of [friendly, shorten(friendly), shorten(event.account), shorten(event.txHash)]) {
    const found = (await events(whole, first, null, text)).map(({ txHash }) => txHash)
    expect([text, found.includes(event.txHash), found.length < all.length]).toEqual([
      text,
      true,
      true,
    ])
  }
  const expected = (
    await whole.ledger.handlers['missedEvents.events']({
      id: first,
      filter: { verdict: null, text: '', account: null },
      offset: 0,
      limit: 500,
    })
  ).events.map(({ account, lt, verdict }) => [account, lt, verdict])

  let desk = await openDesk()
  const stops = [1, 4, 9, 15]
  let asked = 0
  let stopped = Promise.withResolvers<undefined>()
  let readBefore = new Set<string>()
  const again: string[] = []
  desk.gateway.answer = (seen, response) => {
    asked += 1
    if (readBefore.has(accountOf(seen))) again.push(accountOf(seen))
    if (asked === stops[0]) {
      stops.shift()
      // This request never gets a response, as when its process dies.
      stopped.resolve(undefined)
      return
    }
    history(seen, desk.chain)(seen, response)
  }
  const { id } = await desk.start(12)
  while (stops.length > 0) {
    await stopped.promise
    stopped = Promise.withResolvers()
    await desk.stop()
    readBefore = doneIn(desk)
    desk = await openDesk(desk)
    desk.jobs.resumeAll()
    desk.ledger.start()
  }
  expect(await desk.ended(id)).toMatchObject({ state: 'done', checked: 12, events: 12 * 60 })
  const found = await events(desk, id)
  expect(found.map(({ account, lt, verdict }) => [account, lt, verdict])).toEqual(expected)
  expect(again).toEqual([])
  expect(readBefore.size).toBeGreaterThan(0)
  expect(desk.bugs).toEqual([])
})

test('an account whose next page is empty after a restart counts as unread', async () => {
  let desk = await openDesk()
  let isDown = false
  const later = (url: string) => new URL(url, 'http://gateway').searchParams.has('before_lt')
  const waiting = Promise.withResolvers<undefined>()
  desk.gateway.answer = (seen, response) => {
    // The second page does not arrive before the stop, and is empty afterwards.
    if (!later(seen.url)) history(seen, desk.chain)(seen, response)
    else if (isDown) history(seen, desk.chain, () => true)(seen, response)
    else waiting.resolve(undefined)
  }
  const { id } = await desk.start(1)
  await waiting.promise
  await desk.stop()
  isDown = true
  desk = await openDesk(desk)
  desk.jobs.resumeAll()
  expect(await desk.ended(id)).toMatchObject({ state: 'done', checked: 1, unread: 1 })
  desk.gateway.answer = (seen, response) => history(seen, desk.chain)(seen, response)
  await desk.jobs.of('missedEvents').resume(id)
  expect(await desk.ended(id)).toMatchObject({ unread: 0, events: 60 })
  expect(desk.bugs).toEqual([])
})

test('a scheduled check covers the time since the last one, raises a notice, and moves with its webhook', async () => {
  const desk = await openDesk()
  const { handlers } = desk.ledger
  const schedule = { network, webhook, everyHours: 2, lateAfterMs: 60_000 }
  desk.subscribed.push(address(1), address(2))
  desk.chain.eventsEach = 300
  const set = await handlers['missedEvents.setSchedule'](schedule)
  expect(set.nextAt).toBeGreaterThan(beginning + 4 * hour - 1)
  await desk.ledger.runDue()
  expect(desk.jobs.of('missedEvents').list({ network })).toEqual([])

  desk.clock.advance(2 * hour + 1000)
  await desk.ledger.runDue()
  const [check] = desk.jobs.of('missedEvents').list({ network })
  expect(check).toMatchObject({ isScheduled: true })
  // The check covers the hours before, and the events that were too recent at the start of the schedule.
  expect((check?.to ?? 0) - (check?.from ?? 0)).toBeGreaterThanOrEqual(2 * hour + 60_000)
  const done = await desk.ended(check?.id ?? 0)
  expect(done).toMatchObject({ state: 'done', accounts: 2, checked: 2 })
  expect(done.counts.missing).toBeGreaterThan(2 * 110)
  expect([...desk.notices.values()]).toMatchObject([{ level: 'warning', dismissible: true }])
  // The path of an endpoint may be a secret.
  expect(JSON.stringify([...desk.notices.values()])).not.toContain('/hook/x')
  const [after] = await handlers['missedEvents.schedules']({ network })
  // The next check covers the events that were too recent at the end of this one.
  expect(done.counts.waiting).toBeGreaterThan(0)
  expect(after?.checkedTo).toBeLessThan(done.to)
  expect(after?.checkedTo).toBeGreaterThan(done.to - 3 * 60_000)
  expect(after?.nextAt).toBeGreaterThan(set.nextAt ?? 0)

  desk.ledger.moved(network, webhook, '77')
  expect(await handlers['missedEvents.schedules']({ network })).toMatchObject([{ webhook: '77' }])
  expect(desk.jobs.of('missedEvents').list({ network })).toMatchObject([{ webhook: '77' }])
  expect([...desk.notices.keys()]).toEqual([`webhook.${network}.77.missed`])
  await desk.ledger.forget(network)
  expect(await handlers['missedEvents.schedules']({ network })).toEqual([])
  expect(desk.notices.size).toBe(0)
  expect(desk.jobs.of('missedEvents').list({ network })).toEqual([])
})

test('a check can be cancelled at once and removed with its results, and invalid checks are refused', async () => {
  const desk = await openDesk()
  const { handlers } = desk.ledger
  const { id } = await desk.start(40)
  await desk.ended(id)
  expect(desk.changed.at(-1)).toMatchObject({ id, state: 'done', checked: 40 })
  const rows = () =>
    desk.database
      .prepare(
        `SELECT (SELECT count(*) FROM ledger_events) + (SELECT count(*) FROM ledger_accounts) AS n`,
      )
      .get()?.['n']
  expect(rows()).toBe(40 * 60 + 40)

  desk.gateway.answer = () => undefined
  const { id: other } = await desk.start(5)
  expect(await desk.jobs.of('missedEvents').cancel(other)).toMatchObject({ state: 'cancelled' })
  await desk.jobs.of('missedEvents').remove(other)
  await desk.jobs.of('missedEvents').remove(id)
  await expect.poll(rows).toBe(0)
  const unknown = expect.objectContaining({ code: 'LEDGER_CHECK_UNKNOWN' }) as Error
  expect(() => desk.jobs.of('missedEvents').get(id)).toThrow(unknown)
  // A list of another network is refused before the check is created.
  const started = handlers['missedEvents.start']({
    network,
    webhook,
    accounts: { draft: 'any' },
    from: beginning,
    to: null,
    lateAfterMs: 60_000,
  })
  await expect(started).rejects.toMatchObject({ code: 'LEDGER_NO_ACCOUNTS' })
})
