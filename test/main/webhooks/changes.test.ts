/**
 * Tests changes and plans on the real sandbox, through a proxy that records requests and loses
 * responses.
 */
import { setImmediate } from 'node:timers/promises'
import { Address } from '@ton/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { WebhooksClient } from '../../../src-main/gateway/webhooks.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { createJobs } from '../../../src-main/jobs/jobs.ts'
import { createChangesPart } from '../../../src-main/webhooks/changes/changes.ts'
import type { GatewayAccess } from '../../../src-main/webhooks/base-room.ts'
import type { Change, Plan } from '../../../src-preload/contract/subscription.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import {
  type GatewayProxy,
  type ProxiedCall,
  type Verdict,
  startGatewayProxy,
} from '../../fixtures/gateway-proxy.ts'
import { openMovingRoom } from '../../fixtures/moving-room.ts'
import { type RunningSandbox, startSandbox } from '../../fixtures/sandbox.ts'

const account = (number: number) => `0:${number.toString(16).padStart(64, '0')}`
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => account(from + index))

const directory = temporaryDirectory()
let sandbox: RunningSandbox
let proxy: GatewayProxy
let app: TestApp
let network = ''
/** The webhook of the current test. */
let webhook = ''
let endpoint = ''

async function openApp(): Promise<TestApp> {
  const opened = await startApp({ dataDirectory: directory.path, receive: false })
  await opened.request('secrets.useSessionOnly')
  return opened
}

async function giveKey(): Promise<void> {
  const secret = sandbox.ready.apiKey
  await app.request('network.setSecret', { id: network, slot: 'api', secret })
}

beforeAll(async () => {
  sandbox = await startSandbox()
  proxy = await startGatewayProxy(new URL(sandbox.ready.webhooksUrl).origin)
  app = await openApp()
  const path = new URL(sandbox.ready.webhooksUrl).pathname
  const webhooks = proxy.origin + path
  const urls = { query: sandbox.ready.queryUrl, webhooks, testnetWebhooks: null, console: null }
  const added = await app.request('network.add', { name: 'Proxied', urls, testOnly: false })
  network = added.id
  await giveKey()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

let number = 0
beforeEach(async () => {
  number += 1
  proxy.judge = () => 'pass'
  endpoint = `https://hook-${number}.example/tondesk`
  webhook = (await app.request('webhook.create', { network, endpoint })).id
  proxy.calls.length = 0
})

/** Returns the subscriptions of a webhook at the gateway, read without the app. */
async function subscribed(id = webhook): Promise<string[]> {
  const path = `/webhooks/${id}/account-tx/subscriptions`
  const { body } = await sandbox.webhooks<{ account_tx_subscriptions: { account_id: string }[] }>(
    'GET',
    path,
  )
  return body.account_tx_subscriptions.map((each) => each.account_id).toSorted()
}

async function subscribe(accounts: readonly string[]): Promise<void> {
  const body = { accounts: accounts.map((each) => ({ account_id: each })) }
  await sandbox.webhooks('POST', `/webhooks/${webhook}/account-tx/subscribe`, body)
}

async function add(accounts: readonly string[]): Promise<Change> {
  const { id: draft } = await app.request('lookup.begin', { network })
  const piece = { text: accounts.join('\n') }
  await app.request('lookup.append', { draft, piece, isLast: true })
  return app.request('subscription.add', { network, webhook, draft })
}

async function until(id: number, condition: (change: Change) => boolean): Promise<Change> {
  const get = () => app.job('change', id)
  await app.until(async () => condition(await get()), 'the change')
  return get()
}

const ended = ({ id }: Change) => until(id, ({ state }) => state !== 'running')

const isChunk = ({ method, path }: ProxiedCall) => method === 'POST' && path.includes('account-tx')
const accountsOf = ({ body }: ProxiedCall) =>
  (body as { accounts: (string | { account_id: string })[] }).accounts.map((each) =>
    typeof each === 'string' ? each : each.account_id,
  )

async function open(text: string, format: 'yaml' | 'csv' = 'yaml'): Promise<string> {
  const { id } = await app.request('plan.begin', { network, file: `wanted.${format}`, format })
  await app.request('plan.append', { id, base64: Buffer.from(text).toString('base64') })
  return id
}

const compare = async (text: string, format: 'yaml' | 'csv' = 'yaml'): Promise<Plan> =>
  app.request('plan.compare', { id: await open(text, format) })

const yaml = (rest: string) => `version: 1\nwebhooks:\n  - endpoint: ${endpoint}\n${rest}`

test('accounts are added in chunks, and an undo removes only accounts that were added', async () => {
  await subscribe(range(5, 10))
  const change = await ended(await add(range(1, 2101)))
  expect(change).toMatchObject({
    state: 'done',
    kind: 'add',
    name: 'Add 2,100 accounts',
    canUndo: true,
    counts: { total: 2100, done: 2095, unchanged: 5, waiting: 0, failed: 0 },
  })
  expect(proxy.calls.filter(isChunk).map((call) => accountsOf(call).length)).toEqual([
    995, 1000, 100,
  ])
  expect(await subscribed()).toHaveLength(1000)
  const told = app.events.filter(({ name }) => name === 'job.changed')
  expect(told).not.toEqual([])
  const listed = { network, webhook, offset: 0, limit: 10 }
  expect((await app.request('subscription.list', listed)).total).toBe(2100)

  const [first, second] = await Promise.allSettled([
    app.request('change.undo', { id: change.id }),
    app.request('change.undo', { id: change.id }),
  ])
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'CHANGE_NOT_NOW' } })
  if (first.status === 'rejected') throw first.reason
  expect(await ended(first.value)).toMatchObject({ undoes: change.id, counts: { done: 2095 } })
  expect(await subscribed()).toEqual(range(5, 10))
  const undone = await app.job('change', change.id)
  expect(undone).toMatchObject({ canUndo: false, undoneBy: first.value.id })
})

test('after a lost response the change reads the subscriptions, and sends no accepted account twice', async () => {
  let chunks = 0
  proxy.judge = (call) => {
    if (!isChunk(call)) return 'pass'
    chunks += 1
    // The gateway accepts the request, but its response is lost.
    return chunks === 2 ? 'lose' : 'pass'
  }
  const change = await ended(await add(range(1, 2501)))
  expect(change).toMatchObject({ state: 'done', counts: { done: 2500, unchanged: 0 } })
  const sent = proxy.calls.filter(isChunk).map((call) => accountsOf(call).length)
  expect(sent).toEqual([1000, 1000, 500])
  expect(new Set(proxy.calls.filter(isChunk).flatMap(accountsOf)).size).toBe(2500)
})

test('an account that the gateway refuses fails alone, whether named or found by halving', async () => {
  const [named, silent] = [account(3), account(150)]
  proxy.judge = (call) => {
    if (!isChunk(call)) return 'pass'
    const accounts = accountsOf(call)
    if (accounts.includes(named)) {
      return { status: 400, body: { error: `can't decode address ${named}: no` } }
    }
    return accounts.includes(silent) ? { status: 400, body: { error: 'bad request' } } : 'pass'
  }
  const change = await ended(await add(range(1, 201)))
  expect(change).toMatchObject({ state: 'done', counts: { done: 198, failed: 2 } })
  expect(await subscribed()).toEqual(
    range(1, 201).filter((each) => ![named, silent].includes(each)),
  )
  const asked = { id: change.id, state: 'failed', offset: 0, limit: 10 } as const
  const { items } = await app.request('change.items', asked)
  expect(items.map(({ subject }) => subject)).toEqual([named, silent])
  expect(items[0]?.reason).toContain("can't decode address")
  proxy.judge = () => 'pass'
  await app.request('job.resume', { kind: 'change', id: change.id })
  expect(await ended(change)).toMatchObject({ counts: { done: 200, failed: 0 } })
})

test('a webhook that is deleted during a change pauses the change with the reason', async () => {
  let chunks = 0
  proxy.judge = async (call): Promise<Verdict> => {
    if (isChunk(call) && (chunks += 1) === 2) {
      await sandbox.webhooks('DELETE', `/webhooks/${webhook}`)
    }
    return 'pass'
  }
  const change = await ended(await add(range(1, 2001)))
  expect(change).toMatchObject({ state: 'paused', counts: { done: 1000, waiting: 1000 } })
  expect(change.problem).toContain(
    `Webhook ${webhook}, which delivered to ${endpoint}, no longer exists`,
  )
  const cancelled = await app.request('job.cancel', { kind: 'change', id: change.id })
  expect(cancelled.state).toBe('cancelled')
})

test('a webhook whose endpoint changes during a change gets no more changes', async () => {
  const moved = 'https://elsewhere.example/hook'
  let chunks = 0
  proxy.judge = async (call): Promise<Verdict> => {
    if (isChunk(call)) return (chunks += 1) === 2 ? { status: 404, body: {} } : 'pass'
    if (chunks < 2 || !call.path.endsWith('/webhooks')) return 'pass'
    type Listed = { webhooks: { endpoint: string }[] }
    const { body } = await sandbox.webhooks<Listed>('GET', '/webhooks')
    const webhooks = body.webhooks.map((each) =>
      each.endpoint === endpoint ? { ...each, endpoint: moved } : each,
    )
    return { status: 200, body: { ...body, webhooks } }
  }
  const change = await ended(await add(range(1, 2001)))
  expect(change).toMatchObject({ state: 'paused', counts: { done: 1000, waiting: 1000 } })
  expect(change.problem).toContain(
    `delivers to ${moved} now, but this change was made for ${endpoint}`,
  )
  expect(chunks).toBe(2)
  await app.request('job.cancel', { kind: 'change', id: change.id })
})

test('a change that was interrupted by the end of the app is continued with the same result', async () => {
  let chunks = 0
  const held = Promise.withResolvers<undefined>()
  const gone = Promise.withResolvers<undefined>()
  proxy.judge = async (call): Promise<Verdict> => {
    if (!isChunk(call) || (chunks += 1) !== 2) return 'pass'
    held.resolve(undefined)
    // The app ends before the response, but the gateway executes the request.
    await gone.promise
    return 'pass'
  }
  const { id } = await add(range(1, 2101))
  await held.promise
  const { id: next } = await add([account(3000)])
  await app[Symbol.asyncDispose]()
  gone.resolve(undefined)
  app = await openApp()
  await giveKey()
  expect(await app.job('change', id)).toMatchObject({ state: 'running' })
  await app.request('job.resume', { kind: 'change', id })
  const change = await until(id, ({ state }) => state !== 'running')
  expect(change).toMatchObject({ state: 'done', counts: { done: 2100, unchanged: 0 } })
  const { id: undo } = await app.request('change.undo', { id })
  await until(undo, ({ state }) => state === 'done')
  expect(await subscribed()).toEqual([])
  // An earlier change of the same webhook does not prevent this change, because it never began.
  await app.request('job.resume', { kind: 'change', id: next })
  await until(next, ({ state }) => state === 'done')
  expect(await subscribed()).toEqual([account(3000)])
  const isTold = () => {
    const told = app.events.flatMap((event) =>
      event.name === 'job.changed' ? (event.payload.jobs as readonly Change[]) : [],
    )
    return told.findLast((each) => each.id === undo)?.canUndo === false
  }
  await app.until(isTold, 'that the undo can be undone no more')
})

test('a plan is applied once and shows no difference afterwards, and an undo restores the former state', async () => {
  await subscribe(range(1, 1001))
  await sandbox.webhooks('POST', `/webhooks/${webhook}/subscribe-msg-opcode/0x00000001`)
  const exported = await app.request('subscription.export', {
    network,
    format: 'yaml',
    webhooks: [webhook],
  })
  const { base64 } = await app.request('export.read', { id: exported.id, offset: 0 })
  const before = Buffer.from(base64, 'base64').toString()
  const none = { missing: 0, extra: 0, 'wrong-network': 0, duplicate: 0, invalid: 0 }
  expect(await compare(before)).toMatchObject({ counts: none, same: 1003, refusal: null })

  const created = `https://made-${number}.example/`
  const testOnly = Address.parseRaw(account(7)).toString({ testOnly: true })
  const lines = [testOnly, ...range(101, 1051)].map((each) => `      - "${each}"\n`).join('')
  const labelled = `      - { address: "${account(2000)}", label: alice }\n`
  const wanted =
    yaml(`    mempool: true\n    opcodes: [0x00000002]\n    accounts:\n${lines}${labelled}`) +
    `  - endpoint: ${created}\n    new_contracts: true\n    accounts: ["${account(1)}"]\n`
  const id = await open(wanted)
  const plan = await app.request('plan.compare', { id })
  expect(plan.counts).toEqual({ ...none, missing: 56, extra: 100, 'wrong-network': 1 })
  const page = { id, kind: 'wrong-network', offset: 0, limit: 10 } as const
  expect((await app.request('plan.differences', page)).differences).toMatchObject([
    { subject: testOnly, line: 7, webhook },
  ])
  // Undo cannot remove a created webhook, and the webhook must not be created twice.
  proxy.judge = ({ method, path }) =>
    method === 'POST' && path.endsWith('/webhooks') ? 'lose' : 'pass'
  const change = await ended(await app.request('plan.apply', { id }))
  expect(change).toMatchObject({ state: 'done', kind: 'apply', counts: { done: 156, failed: 0 } })
  const webhooks = await app.request('webhook.list', { network, fresh: true })
  const made = webhooks.webhooks.filter((each) => each.endpoint === created)
  expect(made).toMatchObject([{ newContracts: true, accounts: 1 }])
  expect(await subscribed()).toEqual([account(7), ...range(101, 1051), account(2000)].toSorted())
  expect(await app.request('plan.compare', { id })).toMatchObject({
    counts: { ...none, 'wrong-network': 1 },
  })
  expect(await app.refusal('plan.apply', { id })).toBe('CHANGE_EMPTY')
  const labels = await app.request('label.list', { network, text: 'alice' })
  expect(labels.labels).toMatchObject([{ address: account(2000) }])

  const undo = await ended(await app.request('change.undo', { id: change.id }))
  expect(undo).toMatchObject({ state: 'done', counts: { done: 155, unchanged: 1 } })
  expect(await compare(before)).toMatchObject({ counts: none })
  const kept = await app.request('change.items', {
    id: undo.id,
    state: 'unchanged',
    offset: 0,
    limit: 9,
  })
  expect(kept.items).toMatchObject([{ act: 'create', endpoint: created }])
  expect(kept.items[0]?.reason).toContain('delete it if you do not need it')
})

test('accounts are removed by filter and by name, and only the last change of a webhook can be undone', async () => {
  await subscribe(range(1, 301))
  await app.request('subscription.refresh', { network, webhook })
  const read = async () => {
    const asked = { network, webhook, offset: 0, limit: 1 }
    return (await app.request('subscription.list', asked)).counts.all
  }
  await app.until(async () => (await read()) === 300, 'the mirror')
  const filter = { text: account(7).slice(-2), only: null }
  const byFilter = { network, webhook, of: { filter } }
  const first = await ended(await app.request('subscription.remove', byFilter))
  expect(first.counts.done).toBe(range(1, 301).filter((each) => each.includes('07')).length)
  const byName = { network, webhook, of: { accounts: [account(1), account(1), account(9999)] } }
  const second = await ended(await app.request('subscription.remove', byName))
  expect(second).toMatchObject({ name: 'Remove 2 accounts', counts: { done: 1, unchanged: 1 } })
  const envelope = await app.envelope('change.undo', { id: first.id })
  expect(envelope).toMatchObject({ error: { code: 'CHANGE_NOT_NOW' } })
  await app.request('job.remove', { kind: 'change', id: second.id })
  expect(await app.refusal('job.get', { kind: 'change', id: second.id })).toBe('CHANGE_UNKNOWN')
  // The report is removed, but its effect stays.
  expect(await app.refusal('change.undo', { id: first.id })).toBe('CHANGE_NOT_NOW')
  const nothing = { network, webhook, of: { filter: { text: 'nobody', only: null } } }
  expect(await app.refusal('subscription.remove', nothing)).toBe('CHANGE_EMPTY')
})

test('an account on which the gateway always fails, fails alone and does not delay the others', async () => {
  using database = openDatabase(':memory:')
  migrate(database, () => undefined)
  await using room = openMovingRoom(sandbox, database, { on: () => undefined })
  await room.webhooks()
  const bad = account(1)
  let now = Date.now()
  let told = Promise.withResolvers<undefined>()
  const failing: WebhooksClient = {
    ...room.client,
    subscribeAccounts(id, accounts, queryOptions) {
      if (accounts.includes(bad)) throw new AppError(gatewayCodes.failed, 'It failed (500).')
      return room.client.subscribeAccounts(id, accounts, queryOptions)
    },
  }
  const clock = {
    now: () => now,
    async wait(ms: number, signal: AbortSignal) {
      await setImmediate()
      signal.throwIfAborted()
      now += ms
    },
    onBug(error: unknown) {
      throw error
    },
  }
  await using running = new AsyncDisposableStack()
  const part = createChangesPart({
    ...clock,
    jobs: createJobs({
      ...clock,
      resources: running,
      events: { emit: () => told.resolve(undefined) },
    }),
    access: { webhooks: () => failing } as Partial<GatewayAccess> as GatewayAccess,
    store: room.store,
    book: room.book,
    mirror: room.mirror,
    limits: { get: () => null, set: () => undefined },
    refuseWhileMoving: () => undefined,
  })
  const deed = { webhook: 0, act: 'subscribe', what: 'account', label: null } as const
  const deeds = range(1, 6).map((subject) => ({ ...deed, subject }))
  const webhooks = [{ id: webhook, endpoint }]
  const { id } = await part.make({ network: 'sandbox', kind: 'add', name: 'Add', webhooks }, deeds)
  while (room.store.changes.get(id)?.state === 'running') {
    told = Promise.withResolvers<undefined>()
    await told.promise
  }
  expect(room.store.changes.get(id)).toMatchObject({
    state: 'done',
    counts: { done: 4, failed: 1 },
  })
  expect(await subscribed()).toEqual(range(2, 6))
})

test('an invalid plan file is refused with the reason and position, and changes no subscription', async () => {
  const twice = yaml(`    accounts: ["${account(1)}"]\n    accounts: []\n`)
  const envelope = await app.envelope('plan.compare', { id: await open(twice) })
  expect(envelope).toMatchObject({
    error: { code: 'PLAN_FILE_INVALID', data: { line: 5, column: 5 } },
  })
  const id = await open(`${endpoint},account,alice.ton\n`, 'csv')
  expect((await app.request('plan.compare', { id })).refusal).toContain('One entry of the file')
  expect(await app.refusal('plan.apply', { id })).toBe('PLAN_REFUSED')
  expect(await app.refusal('plan.compare', { id: 'none' })).toBe('PLAN_UNKNOWN')
})
