/**
 * Tests jobs with a faulty gateway: real HTTP, a real database, and a clock that runs two hundred
 * times as fast.
 */
import { afterEach, expect, test } from 'vitest'
import { createAppEvents } from '../../../src-main/app/app-events.ts'
import type { AppContext } from '../../../src-main/app/context.ts'
import { createValues } from '../../../src-main/app/store/settings.ts'
import { registerLookups } from '../../../src-main/lookups/register.ts'
import { type ExportFiles, createExportFiles } from '../../../src-main/exports/export-files.ts'
import { type Jobs, createJobs } from '../../../src-main/jobs/jobs.ts'
import { createHttp } from '../../../src-main/gateway/http.ts'
import { createQueryClient } from '../../../src-main/gateway/query.ts'
import { type Database, openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import type { LookupJob, RowFilter, RowSort } from '../../../src-preload/contract/lookup.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import { shorten } from '../../../src-renderer/ui/format.ts'
import {
  type BulkGateway,
  respondJson,
  accountJson,
  startBulkGateway,
} from '../../fixtures/bulk-gateway.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type FastClock, createFastClock } from '../../fixtures/fast-clock.ts'
import { checkOutput } from '../../fixtures/published-output.ts'

const network = 'custom-00000000'
const address = (number: number) => `0:${number.toString(16).padStart(64, '0')}`
const addresses = (count: number) => Array.from({ length: count }, (_, index) => address(index + 1))

const resources: (AsyncDisposable | Disposable)[] = []
afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) {
    if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]()
    else resource[Symbol.dispose]()
  }
})

type Desk = {
  readonly lookup: ReturnType<typeof registerLookups>
  readonly jobs: Jobs
  /** Disposing this ends all runs, as when the app ends. */
  readonly running: AsyncDisposableStack
  readonly files: ExportFiles
  readonly gateway: BulkGateway
  readonly database: Database
  readonly events: LookupJob[]
  readonly bugs: unknown[]
  /** The addresses of names; each request is recorded. */
  readonly names: Map<string, string>
  readonly asked: string[]
  readonly clock: FastClock
  start(list: readonly string[], options?: { currency?: string }): Promise<LookupJob>
  /** Resolves with the job when the condition holds. */
  until(id: number, condition: (job: LookupJob) => boolean): Promise<LookupJob>
  ended(id: number): Promise<LookupJob>
}

/** @param before a desk whose database is used again, as after a kill */
async function makeDesk(before?: Desk): Promise<Desk> {
  const gateway = before?.gateway ?? (await startBulkGateway())
  if (before === undefined) resources.push(gateway)
  const database = before?.database ?? openDatabase(':memory:')
  if (before === undefined) migrate(database, () => undefined)
  const directory = temporaryDirectory()
  const clock = createFastClock()
  const http = createHttp({ clock, wait: clock.wait })
  const lane = { network, root: 'query', perSecond: null } as const
  const client = http.client({ name: 'The gateway', baseUrl: gateway.url, key: null, queue: lane })
  const query = createQueryClient(client)
  const events: LookupJob[] = []
  const bugs: unknown[] = []
  const names = before?.names ?? new Map<string, string>()
  const asked: string[] = []
  let look: () => unknown = () => undefined
  const files = createExportFiles(`${directory.path}/exports`)
  const running = new AsyncDisposableStack()
  const onBug = (error: unknown) => bugs.push(error)
  const bus = createAppEvents()
  const jobs = createJobs({ ...clock, events: bus, resources: running, onBug })
  bus.on('job.changed', ({ jobs: changed }) => {
    events.push(...(changed as LookupJob[]))
    look()
  })
  const access = {
    info: () => ({ testOnly: false }),
    query: () => ({
      ...query,
      dnsResolve(name: string) {
        asked.push(name)
        const found = names.get(name)
        return Promise.resolve({ wallet: found === undefined ? undefined : { address: found } })
      },
    }),
  }
  const labelsOf = () => new Map([[address(7), 'lucky']])
  const context = {
    database,
    resources: running,
    jobs,
    now: clock.now,
    labelsOf,
    accountsNamed: () => Promise.resolve(() => undefined),
    files,
    access,
    events: bus,
  }
  const lookup = registerLookups(
    { ...context, values: createValues(database) } as unknown as AppContext,
    () => http.traffic(),
  )
  resources.push(directory, clock, http, running)

  const until: Desk['until'] = async (id, condition) => {
    for (;;) {
      const happened = Promise.withResolvers<undefined>()
      look = () => happened.resolve(undefined)
      const job = jobs.of('lookup').get(id)
      if (condition(job)) return job
      await happened.promise
    }
  }
  return {
    lookup,
    jobs,
    running,
    files,
    gateway,
    database,
    events,
    bugs,
    names,
    asked,
    clock,
    until,
    ended: (id) => until(id, ({ state }) => state !== 'running'),
    async start(list, { currency } = {}) {
      const { handlers } = lookup
      const { id: draft } = await handlers['lookup.begin']({ network, replaces: null })
      const piece = { text: list.join('\n') }
      await handlers['lookup.append']({ draft, piece, isLast: true })
      return handlers['lookup.start']({
        draft,
        name: 'list',
        currency: currency ?? null,
        jettons: [],
      })
    },
  }
}

const everything: RowFilter = {
  state: null,
  status: null,
  onlyChanged: false,
  onlyFlagged: false,
  text: '',
}
const inOrder: RowSort = { by: 'index', descending: false }

function rowsOf(
  { lookup }: Desk,
  id: number,
  filter: Partial<RowFilter> = {},
  sort: RowSort = inOrder,
) {
  const asked = { id, filter: { ...everything, ...filter }, sort, offset: 0, limit: 500 }
  return lookup.handlers['lookup.rows'](asked)
}

function answeredOnce({ gateway }: Desk, list: readonly string[]): void {
  expect([...gateway.answered.keys()].toSorted()).toEqual([...list].toSorted())
  expect([...gateway.answered.values()].every((times) => times === 1)).toBe(true)
}

const refuseAbove =
  (limit: number, status: number, body: unknown): BulkGateway['meddle'] =>
  (asked, response) =>
    asked.length > limit && respondJson(response, status, body)

test('a limit of accounts per request that the gateway names is respected, also by the next job', async () => {
  const desk = await makeDesk()
  const error = 'the maximum number of accounts to request at once: 300'
  desk.gateway.meddle = refuseAbove(300, 400, { error })
  const list = addresses(1200)
  const first = await desk.ended((await desk.start(list)).id)
  expect(first).toMatchObject({ state: 'done', answered: 1200, failed: 0, requests: 6, chunk: 300 })
  answeredOnce(desk, list)
  const second = await desk.ended((await desk.start(list)).id)
  expect(second).toMatchObject({ state: 'done', answered: 1200, requests: 4 })
})

test.each([
  [400, { error: 'bad request' }],
  [413, '<html>too large'],
])('an unnamed limit of accounts per request (%d) is found by halving', async (status, body) => {
  const desk = await makeDesk()
  desk.gateway.meddle = refuseAbove(100, status, body)
  const list = addresses(2000)
  const job = await desk.ended((await desk.start(list)).id)
  expect(job).toMatchObject({ state: 'done', answered: 2000, failed: 0, chunk: 63 })
  // This size needs 32 requests; the others found the size.
  expect(job.requests).toBeLessThan(40)
  answeredOnce(desk, list)
})

test('an address that the gateway refuses is found and reported, and the others get results', async () => {
  for (const [error, most] of [
    [`can't decode address ${address(321)}: no`, 3],
    ['something in it is bad', 25],
  ] as const) {
    const desk = await makeDesk()
    desk.gateway.meddle = (asked, response) =>
      asked.includes(address(321)) && respondJson(response, 400, { error })
    const list = addresses(1000)
    const { id } = await desk.start(list)
    const job = await desk.ended(id)
    expect(job).toMatchObject({ state: 'done', answered: 999, failed: 1, chunk: 1000 })
    expect(job.requests).toBeLessThanOrEqual(most)
    const { rows } = rowsOf(desk, id, { state: 'failed' })
    expect(rows.map(({ line }) => line)).toEqual([321])
    expect(rows[0]?.reason).toContain(error)
    answeredOnce(
      desk,
      list.filter((each) => each !== address(321)),
    )
  }
})

test('a gateway that refuses every address gets few requests, and the job fails with the reason', async () => {
  const desk = await makeDesk()
  desk.gateway.meddle = (_asked, response) => respondJson(response, 400, { error: 'no' })
  const { id } = await desk.start(addresses(5000))
  const job = await desk.ended(id)
  expect(job).toMatchObject({ state: 'failed', answered: 0 })
  expect(job.problem).toContain('The gateway rejects all addresses')
  expect(job.requests).toBeLessThan(30)
  desk.gateway.meddle = () => false
  await desk.jobs.of('lookup').resume(id)
  expect(await desk.ended(id)).toMatchObject({ state: 'done', answered: 5000, failed: 0 })
})

test('accounts missing in a response are requested once more, and unrequested accounts are ignored', async () => {
  const desk = await makeDesk()
  desk.gateway.meddle = (asked, response) => {
    const kept = asked.filter(
      (each) => each !== address(5) && !(asked.length > 2 && each === address(6)),
    )
    const accounts = [address(999), ...kept].map((each) => accountJson(each)).reverse()
    return respondJson(response, 200, { accounts })
  }
  const { id } = await desk.start(addresses(10))
  const job = await desk.ended(id)
  expect(job).toMatchObject({ state: 'done', answered: 9, failed: 1, requests: 2 })
  expect(job.problem).toContain('2 accounts that you did not request')
  expect(desk.gateway.asked[1]).toEqual([address(5), address(6)])
  const { rows } = rowsOf(desk, id)
  expect(rows.map(({ state }) => state)).toEqual([
    ...Array<string>(4).fill('answered'),
    'failed',
    ...Array<string>(5).fill('answered'),
  ])
  // Each row has the result of its own address, in whichever order the responses came.
  expect(rows[8]?.balance).toBe('9')
})

test('during a minute of 429 the job waits with a message, then requests each account once', async () => {
  const desk = await makeDesk()
  const recoversAt = desk.clock.now() + 60_000
  let isSeen = false
  desk.gateway.meddle = (_asked, response) => {
    if (isSeen && desk.clock.now() > recoversAt) return false
    response.setHeader('Retry-After', '5')
    return respondJson(response, 429, { error: 'rate limit: 1 request per second' })
  }
  const list = addresses(3000)
  const { id } = await desk.start(list)
  const waiting = await desk.until(id, ({ problem }) => problem !== null)
  isSeen = true
  expect(waiting.state).toBe('running')
  expect(waiting.problem).toMatch(/too many requests.* automatically (in \d+ s|now)\.$/)
  expect(await desk.ended(id)).toMatchObject({ state: 'done', answered: 3000, problem: null })
  answeredOnce(desk, list)
})

test('broken connections, HTML pages, truncated responses and failures are retried until the job is done', async () => {
  const desk = await makeDesk()
  const troubles: BulkGateway['meddle'][] = [
    (_asked, response) => Boolean(response.destroy()),
    (_asked, response) => Boolean(response.writeHead(200).end('<!doctype html><p>Sign in')),
    (asked, response) =>
      Boolean(response.writeHead(200).end(JSON.stringify({ accounts: asked }).slice(0, 50))),
    (_asked, response) => respondJson(response, 502, { error: 'bad gateway' }),
    (_asked, response) => respondJson(response, 200, { accounts: 'none' }),
  ]
  let request = 0
  desk.gateway.meddle = (asked, response) => {
    request += 1
    // Every other request succeeds.
    const trouble = request % 2 === 0 ? undefined : troubles[((request - 1) / 2) % troubles.length]
    return trouble?.(asked, response) ?? false
  }
  const list = addresses(6000)
  const { id } = await desk.start(list)
  expect(await desk.ended(id)).toMatchObject({ state: 'done', answered: 6000, failed: 0 })
  answeredOnce(desk, list)
  expect(desk.bugs).toEqual([])
})

test('an address that fails at every request ends as failed, and the job ends', async () => {
  const desk = await makeDesk()
  desk.gateway.meddle = (asked, response) =>
    asked.includes(address(3)) && respondJson(response, 500, { error: 'panic' })
  const { id } = await desk.start(addresses(2005))
  const job = await desk.ended(id)
  expect(job).toMatchObject({ state: 'done', answered: 2004, failed: 1 })
})

test('a refused key pauses the job with the reason, and after resume only the remaining accounts are requested', async () => {
  const desk = await makeDesk()
  let isRefused = false
  desk.gateway.meddle = (_asked, response) => {
    const refuses = isRefused
    isRefused = true
    return refuses && respondJson(response, 401, { error: 'illegal api token' })
  }
  const list = addresses(3500)
  const { id } = await desk.start(list)
  const paused = await desk.ended(id)
  expect(paused).toMatchObject({ state: 'paused', answered: 1000, finishedAt: null })
  expect(paused.problem).toContain('does not accept the key')
  desk.gateway.meddle = () => false
  await desk.jobs.of('lookup').resume(id)
  expect(await desk.ended(id)).toMatchObject({ state: 'done', answered: 3500, problem: null })
  answeredOnce(desk, list)
})

test('a paused job finishes its running request, a killed job continues, and jobs can be cancelled and removed', async () => {
  const desk = await makeDesk()
  const held: (() => void)[] = []
  const hold: BulkGateway['meddle'] = (asked, response) => {
    held.push(() =>
      respondJson(response, 200, { accounts: asked.map((each) => accountJson(each)) }),
    )
    release?.()
    return true
  }
  let release: (() => void) | undefined
  const nextHeld = () => new Promise<void>((resolve) => (release = resolve))
  desk.gateway.meddle = hold
  const list = addresses(3000)
  const { id } = await desk.start(list)
  if (held.length === 0) await nextHeld()
  // A pause waits up to 5 s for running requests.
  desk.clock.setStep(0)
  const pausing = desk.jobs.of('lookup').pause(id)
  held.shift()?.()
  expect(await pausing).toMatchObject({ state: 'paused', answered: 1000 })
  desk.clock.setStep(200)

  // After a kill, another process finds the job running, with requests that never got a response.
  await desk.jobs.of('lookup').resume(id)
  while (held.length < 2) await nextHeld()
  desk.gateway.meddle = () => false
  const asked = desk.gateway.asked.length
  const next = await makeDesk(desk)
  next.jobs.resumeAll()
  expect(await next.ended(id)).toMatchObject({ state: 'done', answered: 3000 })
  expect(desk.gateway.asked.slice(asked).flat()).toEqual(list.slice(1000))

  const cancelled = await next.start(list)
  await next.jobs.of('lookup').cancel(cancelled.id)
  expect(next.jobs.of('lookup').get(cancelled.id)).toMatchObject({ state: 'cancelled' })
  await next.jobs.of('lookup').remove(id)
  expect(
    next.jobs
      .of('lookup')
      .list()
      .map((job) => job.id),
  ).toEqual([cancelled.id])
})

test('a repeated lookup lists changes, and its rows are filtered by text, state, flags and status', async () => {
  const desk = await makeDesk()
  const list = [...addresses(9), address(2), 'alice.ton']
  const first = await desk.start(list, { currency: 'usd' })
  await desk.ended(first.id)
  desk.gateway.meddle = (asked, response) =>
    respondJson(response, 200, {
      accounts: asked.map((each) =>
        accountJson(each, {
          ...(each === address(4) && { balance: 2_500_000_004, name: 'Four', is_scam: true }),
          ...(each === address(5) && { status: 'frozen', interfaces: [] }),
        }),
      ),
    })
  const second = await desk.lookup.handlers['lookup.rerun']({ id: first.id })
  expect(await desk.ended(second.id)).toMatchObject({ answered: 9, comparedTo: first.id })
  const changed = rowsOf(desk, second.id, { onlyChanged: true })
  expect(changed.rows.map(({ line, changes }) => [line, changes])).toEqual([
    [4, ['balance +2.5 TON', 'name none → Four', 'now marked as scam']],
    [5, ['status active → frozen', 'wallet wallet_v4r2 → none']],
  ])
  const all = rowsOf(desk, second.id, {}, { by: 'balance', descending: true })
  expect(all.rows.map(({ line }) => line)).toEqual([4, 9, 8, 7, 6, 5, 3, 2, 1, 10, 11])
  expect(all).toMatchObject({
    total: 11,
    sums: { balance: '2500000045', byStatus: { active: 8, frozen: 1 }, changed: 2 },
  })
  expect(all.rows[3]?.label).toBe('lucky')
  const linesWith = (filter: Partial<RowFilter>) =>
    rowsOf(desk, second.id, filter).rows.map(({ line }) => line)
  expect(linesWith({ text: 'four' })).toEqual([4])
  expect(linesWith({ text: address(2) })).toEqual([2, 10])
  // The texts are the address as lists show it, and its beginning.
  const friendly = formatFriendly(address(2), { bounceable: false, testOnly: true })
  for (const text of [shorten(friendly), shorten(address(2)), friendly]) {
    expect([text, linesWith({ text })]).toEqual([text, [2, 10]])
  }
  expect(linesWith({ state: 'duplicate' })).toEqual([10])
  expect(linesWith({ onlyFlagged: true })).toEqual([4])
  expect(linesWith({ status: 'frozen' })).toEqual([5])
})

test('a draft starts one job, old exports are deleted, and an export of a removed job fails', async () => {
  const desk = await makeDesk()
  const { handlers } = desk.lookup
  const { id: draft } = await handlers['lookup.begin']({ network, replaces: null })
  const piece = { text: addresses(5000).join('\n') }
  await handlers['lookup.append']({ draft, piece, isLast: true })
  const start = async () =>
    handlers['lookup.start']({ draft, name: 'list', currency: null, jettons: [] })
  const [first, second] = await Promise.allSettled([start(), start()])
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'LOOKUP_DRAFT_UNKNOWN' } })
  expect(desk.jobs.of('lookup').list()).toHaveLength(1)

  if (first.status === 'rejected') throw first.reason
  const { id } = first.value
  const files = await Promise.all(
    Array.from({ length: 9 }, async () =>
      handlers['lookup.export']({
        id,
        format: 'csv',
        filter: { ...everything, onlyFlagged: true },
        sort: inOrder,
      }),
    ),
  )
  const reads = await Promise.allSettled(
    files.map(async (file) => desk.files.handlers['export.read']({ id: file.id, offset: 0 })),
  )
  expect(reads.filter(({ status }) => status === 'rejected')).toHaveLength(1)

  const [made] = await Promise.allSettled([
    handlers['lookup.export']({ id, format: 'csv', filter: everything, sort: inOrder }),
    desk.jobs.of('lookup').remove(id),
  ])
  expect(made).toMatchObject({ status: 'rejected', reason: { code: 'LOOKUP_JOB_UNKNOWN' } })
})

test('events of a job are sent at most four times per second, and the last state always', async () => {
  const desk = await makeDesk()
  const began = desk.clock.now()
  const { id } = await desk.start(addresses(4000))
  const job = await desk.ended(id)
  const quarters = (desk.clock.now() - began) / 250
  expect(desk.events.length).toBeLessThanOrEqual(quarters + 2)
  expect(desk.events.at(-1)).toEqual(job)
})

test('names are resolved once, in order, and an unknown name fails alone', async () => {
  const desk = await makeDesk()
  desk.names.set('alice.ton', address(3))
  const list = [address(1), 'Alice.ton', 'nobody.ton', 'https://tonviewer.com/alice.ton']
  const { id } = await desk.start(list)
  expect(await desk.ended(id)).toMatchObject({ state: 'done', answered: 2, failed: 1 })
  const { rows } = rowsOf(desk, id)
  expect(rows.map((row) => [row.text, row.state, row.address, row.reason])).toEqual([
    [address(1), 'answered', address(1), null],
    ['Alice.ton', 'answered', address(3), null],
    ['nobody.ton', 'failed', null, 'No wallet on this network has the name nobody.ton.'],
    [list[3], 'duplicate', null, 'This name is also on line 2.'],
  ])
  expect(desk.asked).toEqual(['alice.ton', 'nobody.ton'])
  expect(desk.gateway.asked).toEqual([[address(1), address(3)]])

  // Names that were resolved before a restart are not requested again; failed names are requested
  // when the job is retried.
  desk.names.set('nobody.ton', address(4))
  const next = await makeDesk(desk)
  await next.jobs.of('lookup').resume(id)
  expect(await next.ended(id)).toMatchObject({ state: 'done', answered: 3, failed: 0 })
  expect(next.asked).toEqual(['nobody.ton'])
})

test('a list for subscriptions has its names resolved, or is refused with the reason', async () => {
  const desk = await makeDesk()
  const { lookup } = desk
  const { handlers } = lookup
  const { id: draft } = await handlers['lookup.begin']({ network, replaces: null })
  const piece = { text: `alice.ton\n${address(3)}\n${address(5)}` }
  await handlers['lookup.append']({ draft, piece, isLast: true })
  await expect(lookup.takeDraft(draft)).rejects.toMatchObject({ code: 'LOOKUP_NAME_UNKNOWN' })
  desk.names.set('alice.ton', address(3))
  expect(await lookup.takeDraft(draft)).toEqual({ network, addresses: [address(3), address(5)] })
  await expect(lookup.takeDraft(draft)).rejects.toMatchObject({ code: 'LOOKUP_DRAFT_UNKNOWN' })
})

test('the export of a lookup has the columns of the list, plain masterchain addresses and one friendly form', async () => {
  const desk = await makeDesk()
  const elector = `-1:${'3'.repeat(64)}`
  const list = ['customer,address', `=cmd,${elector}`, `17,${address(2)}`, `18,${address(5)}`]
  desk.gateway.meddle = (asked, response) =>
    respondJson(response, 200, {
      accounts: asked.map((each) =>
        accountJson(each, { interfaces: [], status: each === address(5) ? 'uninit' : 'active' }),
      ),
    })
  const { id } = await desk.start(list)
  await desk.ended(id)
  async function exported(format: 'csv' | 'json') {
    const made = { id, format, filter: everything, sort: inOrder }
    const file = await desk.lookup.handlers['lookup.export'](made)
    const read = await desk.files.handlers['export.read']({ id: file.id, offset: 0 })
    return Buffer.from(read.base64, 'base64').toString()
  }
  const [header = '', ...lines] = (await exported('csv')).trim().split('\r\n')
  const columns = header.split(',')
  const column = (name: string) => lines.map((line) => line.split(',')[columns.indexOf(name)])
  expect(columns.at(-1)).toBe('given_customer')
  expect(column('given_customer')).toEqual(["'=cmd", '17', '18'])
  expect(column('address')).toEqual([elector, address(2), address(5)])
  expect(column('given')).toEqual([elector, address(2), address(5)])
  expect(column('friendly').map((text) => text?.slice(0, 2))).toEqual(['Ef', 'EQ', 'UQ'])
  const file = JSON.parse(await exported('json')) as {
    columns: string[]
    rows: { others: string[] }[]
  }
  checkOutput('file of a lookup, json', file)
  const { columns: named, rows } = file
  expect([named, rows.map(({ others }) => others)]).toEqual([
    ['customer'],
    [['=cmd'], ['17'], ['18']],
  ])
})

test('a lookup that meets a full disk pauses with advice, and loses and repeats no stored row after it is resumed', async () => {
  const desk = await makeDesk()
  const { gateway, database } = desk
  const pages = () => Number(Object.values(database.prepare('PRAGMA page_count').get() ?? {})[0])
  gateway.meddle = () => {
    // The disk has space for the first responses, but not for the third.
    if (gateway.asked.length === 3) database.exec(`PRAGMA max_page_count = ${pages()}`)
    return false
  }
  const { id } = await desk.start(addresses(5000))
  const full = await desk.ended(id)
  expect(full.state).toBe('paused')
  expect(full.problem).toMatch(/disk is full\. Free some space, .* Then resume the lookup\.$/)
  expect(full.answered).toBeLessThan(5000)
  const before = full.answered
  gateway.meddle = () => false
  database.exec('PRAGMA max_page_count = 4294967294')
  await desk.jobs.of('lookup').resume(id)
  expect(await desk.ended(id)).toMatchObject({
    state: 'done',
    answered: 5000,
    failed: 0,
    problem: null,
  })
  const answers = [...gateway.answered.values()].reduce((sum, times) => sum + times, 0)
  expect(answers).toBeLessThanOrEqual(5000 + (5000 - before))
  expect(desk.bugs).toEqual([])
})
