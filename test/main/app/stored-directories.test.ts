/**
 * Tests the data directories of `test/data`, which were killed in the middle of every kind of job:
 * today’s code opens each directory, shows its contents, continues each job and restores its
 * backup. See test/data/README.md.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobName, JobOf } from '../../../src-preload/contract/job.ts'
import type { Output, RouteName } from '../../../src-preload/contract/routes.ts'
import { pragmaNumber } from '../../../src-main/database/database.ts'
import { migrations } from '../../../src-main/database/migrations/index.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Endpoint, startEndpoint } from '../../fixtures/endpoint.ts'
import { type GatewayProxy, startGatewayProxy } from '../../fixtures/gateway-proxy.ts'
import { isCreation } from '../../fixtures/issuing-room.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'
import { account } from '../../fixtures/webhooks.ts'

const key = 'stored-api-key-of-a-test'

type Jobs<K extends JobName, I extends RouteName> = readonly {
  readonly job: JobOf<K>
  readonly items: Output<I>
}[]

/** The outputs of the commit’s own code just before it was killed. */
type Expected = {
  readonly origins: { readonly gateway: string; readonly target: string }
  readonly networkIds: Readonly<Record<'network' | 'second' | 'staging', string>>
  readonly webhooks: Readonly<Record<'one' | 'two', string>>
  readonly captures: readonly {
    readonly detail: Output<'capture.get'>
    readonly body: Output<'capture.body'>
  }[]
  readonly counts: Output<'capture.counts'>
  readonly settings: Output<'settings.get'>
  readonly networks: Output<'network.list'>
  readonly labels: readonly Output<'label.list'>[]
  readonly responseRules: Output<'responseRule.list'>
  readonly views: Output<'captureView.list'>
  readonly viewCounts: Output<'captureView.counts'>
  readonly confirmed: Output<'target.confirmed'>
  readonly forwardRules: Output<'forwardRule.list'>
  readonly deliveries: Output<'forward.list'>['deliveries']
  readonly lookups: Jobs<'lookup', 'lookup.rows'>
  readonly replays: JobOf<'replay'>[]
  readonly changes: Jobs<'change', 'change.items'>
  readonly moves: JobOf<'move'>[]
  readonly checks: Jobs<'missedEvents', 'missedEvents.events'>
  readonly schedules: Output<'missedEvents.schedules'>
  readonly invoiceJobs: Jobs<'invoiceJob', 'invoiceJob.items'>
  readonly drafts: Output<'invoiceIssue.drafts'>
  readonly invoiceViews: Output<'invoiceView.list'>
  /** Data that 4f8ee14 did not have. */
  readonly newer?: {
    readonly dictionaries: Output<'dictionary.list'>
    readonly alerts: Output<'alert.list'>
    readonly watches: Output<'watch.list'>
    readonly incidents: Output<'incident.list'>['incidents']
    readonly histories: JobOf<'historyExport'>[]
    readonly rows: { readonly id: number; readonly text: string }
  }
}

let resources: AsyncDisposableStack
let directory = ''
/** True if a migration ran, which created a backup. */
let isOld = false
let expected: Expected
let sandbox: RunningSandbox
let proxy: GatewayProxy
let target: Endpoint
let app: TestApp

/** Replaces every stored URL of the gateway and the target by a URL of this test. */
function redirect(text: string): string {
  const { gateway, target: old } = expected.origins
  return text.replaceAll(gateway, proxy.origin).replaceAll(old, target.url)
}

function redirectDatabase(path: string): void {
  const database = new DatabaseSync(path)
  isOld = pragmaNumber(database, 'user_version') < migrations.length
  database.function('redirect', { deterministic: true }, (url) =>
    typeof url === 'string' ? redirect(url) : url,
  )
  for (const [table, ...columns] of [
    ['custom_networks', 'query_url', 'webhooks_url', 'console_url'],
    ['forward_targets', 'url'],
    ['replay_jobs', 'target'],
    ['alert_destinations', 'target'],
  ]) {
    if (database.prepare('SELECT 1 FROM pragma_table_list(?)').get(table ?? '') === undefined) {
      continue
    }
    const set = columns.map((column) => `${column} = redirect(${column})`).join()
    database.exec(`UPDATE ${table ?? ''} SET ${set}`)
  }
  database.close()
}

async function open(commit: string): Promise<void> {
  const stored = fileURLToPath(new URL(`../../data/${commit}`, import.meta.url))
  resources = new AsyncDisposableStack()
  directory = resources.use(temporaryDirectory()).path
  for (const name of readdirSync(stored, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.gz')) continue
    const path = join(directory, name.slice(0, -'.gz'.length))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, gunzipSync(readFileSync(join(stored, name))))
  }
  expected = JSON.parse(readFileSync(join(directory, 'expected.json'), 'utf8')) as Expected
  sandbox = resources.use(
    await startSandbox({
      dataDirectory: join(directory, 'sandbox'),
      keys: { apiKey: key, invoicesToken: key },
      // The clock stays where the commit left it, so that no invoice expires.
      now: undefined,
    }),
  )
  proxy = resources.use(await startGatewayProxy(sandbox.ready.queryUrl, key))
  target = resources.use(await startEndpoint())
  const [backup = ''] = readdirSync(join(directory, 'backups'))
  for (const file of ['tondesk.db', `backups/${backup}`]) redirectDatabase(join(directory, file))
  expected = JSON.parse(redirect(JSON.stringify(expected))) as Expected
  app = await start()
}

async function start(): Promise<TestApp> {
  const started = await startApp({ dataDirectory: directory, host: 'browser', startSandbox: false })
  await started.request('secrets.useSessionOnly')
  return started
}

const page = { offset: 0, limit: 100 }
const accounts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => account(from + index))
const isNoted = ({ description }: { readonly description: string }) => description === 'to cancel 1'
const descriptionOf = (body: unknown) => (body as { description: string }).description

/** Returns the job after it has ended. */
async function endOf(kind: JobName, id: number): Promise<object> {
  const read = () => app.job(kind, id)
  await app.until(async () => (await read()).state !== 'running', `the end of ${kind} ${id}`)
  return read()
}

/** Returns the first job with this state, and of this kind if several kinds exist. */
function jobIn<E extends { readonly job: { readonly id: number; readonly state: string } }>(
  jobs: readonly E[],
  state: string,
  kind?: string,
): E {
  const found = jobs.find(
    ({ job }) => job.state === state && (kind === undefined || Reflect.get(job, 'kind') === kind),
  )
  if (found === undefined) throw new Error(`There was no ${state} job.`)
  return found
}

/** Returns the accounts that a webhook has at the gateway. */
async function subscribed(webhook: string): Promise<string[]> {
  const { body } = await sandbox.webhooks<{ account_tx_subscriptions: { account_id: string }[] }>(
    'GET',
    `/webhooks/${webhook}/account-tx/subscriptions`,
  )
  return body.account_tx_subscriptions.map(({ account_id: id }) => id).toSorted()
}

function omit(object: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

/** Returns the data of a capture as it arrived, and the user’s additions. */
function asReceived({ detail, body }: Expected['captures'][number]): object {
  return { ...omit(detail, 'meaning', 'forward', 'network', 'summary'), body: body.base64 }
}

async function content(from: TestApp) {
  const { networkIds } = expected
  const captures = await Promise.all(
    expected.captures.map(async ({ detail: { id } }) => ({
      detail: await from.request('capture.get', { id, reveal: true }),
      body: await from.request('capture.body', { id }),
    })),
  )
  return {
    captures: captures.map(asReceived),
    counts: await from.request('capture.counts'),
    settings: await from.request('settings.get'),
    networks: await from.request('network.list'),
    labels: await Promise.all(
      [networkIds.network, 'mainnet', networkIds.staging].map((network) =>
        from.request('label.list', { network }),
      ),
    ),
    views: await from.request('captureView.list'),
    invoiceViews: await from.request('invoiceView.list'),
    drafts: await from.request('invoiceIssue.drafts', { network: networkIds.network }),
    schedules: await from.request('missedEvents.schedules', { network: networkIds.network }),
  }
}

/** A rule for a percentage is turned off, because percentages are gone. The stored one was off before. */
const responseRulesThen = () => expected.responseRules.map((rule) => omit(rule, 'sharePercent'))

function contentThen(): object {
  const { captures, counts, settings, networks, labels, views, invoiceViews, drafts } = expected
  const custom = networks.networks.map((each) =>
    // The keys belonged to a session that has ended.
    each.secrets.api === null
      ? each
      : { ...each, secrets: { ...each.secrets, api: { ...each.secrets.api, present: false } } },
  )
  return {
    captures: captures.map(asReceived),
    counts,
    settings,
    labels,
    views,
    invoiceViews,
    drafts,
    networks: { ...networks, networks: custom },
    // A check that was due runs at once.
    schedules: expected.schedules.map((each) => omit(each, 'checkedTo', 'nextAt')),
  }
}

describe.each(['4f8ee14', '23d917d'])('a data directory of %s', (commit) => {
  beforeAll(() => open(commit))
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await resources.disposeAsync()
  })

  test('the directory opens with the same captures, settings, networks, labels, views and rules', async () => {
    await app.classified()
    // Captures of the interrupted import are deleted while the app starts.
    const counts = () => app.request('capture.counts')
    await app.until(
      async () => (await counts()).others === expected.counts.others,
      'the end of the import',
    )
    expect(await content(app)).toMatchObject(contentThen())
    expect(await app.request('responseRule.list')).toMatchObject(responseRulesThen())
    expect(await app.request('target.confirmed')).toEqual(expected.confirmed)
    const rules = expected.forwardRules.map((rule) => omit(rule, 'health'))
    expect(await app.request('forwardRule.list')).toMatchObject(rules)
    const backups = await app.request('backup.list')
    const reasons = backups.map(({ reason }) => reason).toSorted()
    expect(reasons).toEqual(isOld ? ['manual', 'migration'] : ['manual'])
    // The remains of the import and of its file are gone.
    expect(existsSync(join(directory, 'exports'))).toBe(false)
  })

  test('queries of stored views are valid and find the same number of captures', async () => {
    await app.classified()
    for (const { text } of expected.views) {
      expect([text, (await app.request('captureQuery.read', { text })).problems]).toEqual([
        text,
        [],
      ])
    }
    const counts = new Map(expected.viewCounts.map(({ id, count }) => [id, count]))
    for (const { id, text } of expected.views) {
      // Queries with `today` depend on the day, and forwarding continues.
      if (/today|forward/.test(text)) continue
      const found = async () => {
        const { count } = await app.request('captureQuery.count', { query: { text } })
        return [text, count]
      }
      // The rebuilt index gets explanations and marks moments after the kinds of captures.
      await expect.poll(found).toEqual([text, counts.get(id)])
    }
  })

  test('invoice jobs look up requests that were sent, and issue no invoice twice', async () => {
    const jobs = expected.invoiceJobs
    const { job: running } = jobIn(jobs, 'running', 'issue')
    const { job: paused } = jobIn(jobs, 'paused', 'issue')
    const { job: cancelling } = jobIn(jobs, 'running', 'cancel')
    expect(await endOf('invoiceJob', running.id)).toMatchObject({
      state: 'done',
      done: 5,
      unclear: 0,
    })
    expect(await endOf('invoiceJob', cancelling.id)).toMatchObject({ state: 'done', done: 4 })
    for (const { job, items } of jobs) {
      if (job.state === 'running') continue
      expect(await app.job('invoiceJob', job.id)).toMatchObject(job)
      expect(await app.request('invoiceJob.items', { id: job.id, ...page })).toMatchObject(items)
    }
    const [noted] = jobs.flatMap(({ items }) => items.items).filter(isNoted)
    const { network } = expected.networkIds
    const detail = await app.request('invoice.get', { network, id: noted?.invoice ?? '' })
    expect(detail.events).toContainEqual(
      expect.objectContaining({ kind: 'note', text: 'Ask for the address.' }),
    )
    const sent = () => proxy.calls.filter(isCreation).map(({ body }) => descriptionOf(body))
    expect(sent()).toEqual(['running 4', 'running 5'])

    await app.request('job.resume', { kind: 'invoiceJob', id: paused.id })
    expect(await endOf('invoiceJob', paused.id)).toMatchObject({
      state: 'done',
      done: 3,
      unclear: 1,
    })
    expect(sent()).toEqual(['running 4', 'running 5', 'lost 3', 'lost 4'])
    const [, lost] = (await app.request('invoiceJob.items', { id: paused.id, ...page })).items
    expect(lost).toMatchObject({ description: 'lost 2', state: 'unclear', invoice: null })

    const { body } = await sandbox.invoices<{ items: { description: string; status: string }[] }>(
      'GET',
      '?limit=1000',
    )
    const made = body.items.map(({ description }) => description).toSorted()
    const names = (name: string, ...numbers: number[]) => numbers.map((each) => `${name} ${each}`)
    expect(made.filter((each) => /^(running|lost)/.test(each))).toEqual([
      ...names('lost', 1, 3, 4),
      ...names('running', 1, 2, 3, 4, 5),
    ])
    const halfWay = body.items.filter(({ description }) => description.startsWith('cancelled'))
    expect(halfWay.map(({ status }) => status)).toEqual(Array(4).fill('cancelled'))
  })

  test('running lookups and checks continue and request each account once, and paused lookups stay paused', async () => {
    const { lookups, checks } = expected
    const { job: running } = jobIn(lookups, 'running')
    const { job: paused } = jobIn(lookups, 'paused')
    expect(await endOf('lookup', running.id)).toMatchObject({
      state: 'done',
      answered: 41,
      failed: 0,
    })
    for (const { job, items } of lookups) {
      const { id } = job
      const { rows } = await app.request('lookup.rows', { id, ...page })
      const before = items.rows.filter(({ state }) => state !== 'waiting')
      expect(rows.filter(({ index }) => before.some((row) => row.index === index))).toMatchObject(
        before,
      )
      if (job.state === 'running') continue
      expect(await app.job('lookup', id)).toMatchObject(job)
    }
    const asked = () =>
      proxy.calls
        .filter(({ path }) => path.startsWith('/v2/accounts/_bulk'))
        .flatMap(({ body }) => (body as { account_ids: string[] }).account_ids)
    expect(asked().toSorted()).toEqual(accounts(320, 340))
    await app.request('job.resume', { kind: 'lookup', id: paused.id })
    expect(await endOf('lookup', paused.id)).toMatchObject({ state: 'done', answered: 41 })
    expect(asked().toSorted()).toEqual([...accounts(120, 140), ...accounts(320, 340)])

    const { job: done, items } = jobIn(checks, 'done')
    const { job: half } = jobIn(checks, 'running')
    expect(await endOf('missedEvents', half.id)).toMatchObject({
      state: 'done',
      checked: 3,
      events: 3,
    })
    expect(await app.job('missedEvents', done.id)).toMatchObject(done)
    expect(await app.request('missedEvents.events', { id: done.id, ...page })).toMatchObject(items)
  })

  test('changes and moves of webhooks continue and reach the intended state', async () => {
    const { network } = expected.networkIds
    const { changes, moves, webhooks } = expected
    for (const { job } of changes) {
      if (job.state === 'running') {
        const { total } = job.counts
        expect(await endOf('change', job.id)).toMatchObject({
          state: 'done',
          counts: { done: total },
        })
      } else expect(await app.job('change', job.id)).toMatchObject(omit(job, 'canUndo'))
    }
    const moveFrom = async (name: string) => {
      const endpoint = `https://${name}.example/hook`
      const move = (await app.jobs('move', network)).find(({ from }) => from.endpoint === endpoint)
      if (move === undefined) throw new Error(`There is no move of ${endpoint}.`)
      return move
    }
    const until = (name: string, what: object) =>
      app.until(async () => {
        const move = await moveFrom(name)
        return Object.entries(what).every(([key, value]) => Reflect.get(move, key) === value)
      }, `the move of ${name}`)
    await until('draining', { state: 'done' })
    await until('rolled', { state: 'rolled-back' })
    // The change would wait 15 s for running events, but the test does not wait.
    await until('copying', { step: 'drain', copied: 12 })
    const refused = await moveFrom('refused')
    expect(refused).toMatchObject(moves.find(({ id }) => id === refused.id) ?? {})

    const paused = jobIn(changes, 'paused').job
    await app.request('job.resume', { kind: 'change', id: paused.id })
    expect(await endOf('change', paused.id)).toMatchObject({
      state: 'done',
      counts: { done: 25 },
    })
    await app.request('move.resume', { id: refused.id })
    await until('refused', { step: 'drain', copied: 12 })

    const { webhooks: listed } = await app.request('webhook.list', { network, fresh: true })
    const names = ['changed', 'paused', 'draining-anew', 'copying', 'copying-anew']
    names.push('rolled', 'refused', 'refused-anew', 'planned')
    expect(listed.map(({ endpoint }) => endpoint).toSorted()).toEqual(
      names.map((name) => `https://${name}.example/hook`).toSorted(),
    )
    const idOf = (name: string) =>
      listed.find(({ endpoint }) => endpoint === `https://${name}.example/hook`)?.id ?? ''
    for (const name of ['draining-anew', 'copying', 'copying-anew', 'rolled', 'refused-anew']) {
      expect(await subscribed(idOf(name))).toEqual(accounts(1201, 1212))
    }
    const watched = { text: '', only: 'watched' } as const
    const ofOne = { network, webhook: webhooks.one, filter: watched, ...page }
    expect((await app.request('subscription.list', ofOne)).rows).toMatchObject([
      { account: account(1001), isWatched: true },
    ])
    expect(await subscribed(idOf('planned'))).toEqual(accounts(1301, 1325))
    expect(await subscribed(webhooks.two)).toEqual(accounts(1101, 1125))
    expect(await subscribed(webhooks.one)).toEqual(
      [...accounts(1001, 1025), ...accounts(1401, 1404)].filter((each) => each !== account(1005)),
    )
  })

  test('waiting replays and deliveries are sent in order under their ids, and finished ones are not sent again', async () => {
    const { replays, deliveries } = expected
    const replayTo = (path: string) =>
      replays.find(({ target: url }) => url.endsWith(path))?.id ?? 0
    const half = replayTo('/replay-half')
    expect(await endOf('replay', half)).toMatchObject({ state: 'done', delivered: 5 })
    const slow = await app.job('replay', replayTo('/replay-slow'))
    expect(slow).toMatchObject({ state: 'running', total: 5 })
    for (const replay of replays.filter(({ state }) => state !== 'running')) {
      expect(await app.job('replay', replay.id)).toMatchObject(omit(replay, 'seed'))
    }
    const sentTo = (path: string, header: string) =>
      target.received.filter((each) => each.path === path).map(({ headers }) => headers[header])
    // The third request was running: it is sent again, and the earlier ones are not.
    expect(sentTo('/replay-half', 'x-tondesk-replay')).toEqual(
      [2, 3, 4].map((index) => `${half}-${index}`),
    )

    const waiting = deliveries.filter(({ state }) => state === 'waiting')
    await app.until(async () => {
      const { deliveries: left } = await app.request('forward.list', { state: 'waiting' })
      return left.length === 0
    }, 'the deliveries')
    const sent = sentTo('/orders', 'x-tondesk-delivery')
    expect(sent.toSorted()).toEqual(waiting.map(({ deliveryId }) => deliveryId).toSorted())
    // For one account, the delivery with the lower logical time is sent first, although it arrived later.
    const placeOf = (capture: number) =>
      sent.indexOf(waiting.find((each) => each.capture === capture)?.deliveryId)
    expect(placeOf(14)).toBeLessThan(placeOf(13))
    for (const each of deliveries.filter(({ state }) => state !== 'waiting')) {
      const now = await app.request('forward.ofCapture', { id: each.capture })
      expect(now).toMatchObject([omit(each, 'why')])
    }
  })

  test('watches, dictionaries, alerts and incidents remain, and the running history export ends', async () => {
    if (expected.newer === undefined) return
    const { dictionaries, alerts, watches, incidents, histories, rows } = expected.newer
    expect(await app.request('dictionary.list')).toEqual(dictionaries)
    // A waiting alert is sent again while the test runs, and is given up after its tenth attempt.
    const state = ['checkedAt', 'everyMs', 'givenUp', 'isBehind', 'problem', 'secret', 'waiting']
    const sorted = (list: readonly { readonly id: number | string }[]) =>
      list.map((each) => omit(each, ...state)).toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
    const idOf = (each: object) => String(Reflect.get(each, 'id'))
    expect(sorted(await app.request('watch.list'))).toMatchObject(sorted(watches))
    const alertsNow = await app.request('alert.list')
    expect(sorted(alertsNow)).toMatchObject(sorted(alerts))
    for (const { id, waiting, givenUp } of alerts) {
      const alert = alertsNow.find((each) => each.id === id)
      if (alert === undefined) throw new Error(`The alert destination ${id} is missing.`)
      // An alert that was not sent is still waiting or was given up; none is lost.
      expect(alert.givenUp).toBeGreaterThanOrEqual(givenUp)
      if (alert.lastSentAt === null) expect(alert.waiting + alert.givenUp).toBe(waiting + givenUp)
    }
    const { incidents: now } = await app.request('incident.list', { open: false, ...page })
    const open = await app.request('incident.list', { open: true, ...page })
    const kept = [...now, ...open.incidents]
    for (const { id, subject, openedAt } of incidents) {
      expect(kept).toContainEqual(expect.objectContaining({ id, subject, openedAt }))
    }
    const running = histories.find((job) => job.state === 'running')?.id ?? 0
    expect(await endOf('historyExport', running)).toMatchObject({ state: 'done' })
    for (const job of histories.filter(({ id }) => id !== running)) {
      expect(await app.job('historyExport', job.id)).toMatchObject(job)
    }
    const written = await app.request('historyExport.write', { id: rows.id, format: 'jsonl' })
    const { base64 } = await app.request('export.read', { id: written.id, offset: 0 })
    expect(Buffer.from(base64, 'base64').toString()).toBe(rows.text)
    const paused = histories.find((job) => job.state === 'paused')?.id ?? 0
    await app.request('job.resume', { kind: 'historyExport', id: paused })
    expect(await endOf('historyExport', paused)).toMatchObject({ state: 'done' })
  })

  test('the backup can be restored, and its rules and jobs then wait for the user', async () => {
    const [backup] = (await app.request('backup.list')).filter(({ reason }) => reason === 'manual')
    await app.request('backup.restore', { name: backup?.name ?? '' })
    await app.app.dispose()
    const before = { requests: proxy.calls.length, sent: target.received.length }
    app = await start()
    await app.classified()
    expect((await app.request('notice.list')).map(({ id }) => id)).toContain('store.restored')
    expect(await content(app)).toMatchObject(contentThen())
    const isOff = { enabled: false }
    expect(await app.request('responseRule.list')).toMatchObject(
      responseRulesThen().map((rule) => ({ ...rule, ...isOff })),
    )
    expect(await app.request('forwardRule.list')).toMatchObject([isOff, isOff])
    expect(await app.request('target.confirmed')).toEqual([])
    for (const { job } of expected.invoiceJobs) {
      const state = job.state === 'running' ? 'paused' : job.state
      expect(await app.job('invoiceJob', job.id)).toMatchObject({ state })
    }
    // A lookup only reads, so it is allowed to continue.
    const changing = proxy.calls
      .slice(before.requests)
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/accounts/_bulk'))
    expect(changing).toEqual([])
    expect(target.received).toHaveLength(before.sent)
  })
})
