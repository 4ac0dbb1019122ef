/** Compares missed-event checks with the sandbox’s own record of failed deliveries. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MissedEvent, MissedCheck, Verdict } from '../../src-preload/contract/missed-events.ts'
import { createHttp } from '../../src-main/gateway/http.ts'
import { createWebhooksClient } from '../../src-main/gateway/webhooks.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { freePort } from '../fixtures/free-port.ts'
import { seededRandom } from '../fixtures/seeded.ts'

const network = 'sandbox'
const accountCount = 50
const rounds = 24
const hour = 3_600_000

let app: TestApp
beforeAll(async () => {
  app = await startApp({ startSandbox: true, sandboxPort: 0, receiverPort: await freePort() })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
})
afterAll(() => app[Symbol.asyncDispose]())

async function subscribe(id: string, accounts: readonly string[]): Promise<void> {
  const { keysFile, urls } = await app.request('sandbox.state')
  const keys = JSON.parse(readFileSync(keysFile, 'utf8')) as { apiKey: string }
  await using http = createHttp()
  const baseUrl = urls?.webhooks ?? ''
  const client = createWebhooksClient(http.client({ name: 'sandbox', baseUrl, key: keys.apiKey }))
  await client.subscribeAccounts(id, accounts)
}

async function ended(id: number): Promise<MissedCheck> {
  const read = () => app.job('missedEvents', id)
  await app.until(async () => (await read()).state !== 'running', 'the check')
  return read()
}

async function eventsOf(id: number, verdict: Verdict | null): Promise<MissedEvent[]> {
  const filter = { verdict }
  return (await app.request('missedEvents.events', { id, filter, offset: 0, limit: 500 })).events
}

async function queued() {
  const { deliveries } = await app.request('sandbox.queue', { network: 'mainnet', limit: 500 })
  return deliveries
}

async function bodyOf(id: number): Promise<string> {
  const { base64 } = await app.request('capture.body', { id })
  return Buffer.from(base64, 'base64').toString('latin1')
}

const eventKey = (account: string | null, lt: string | null) => `${account ?? ''} ${lt ?? ''}`
const keys = (events: readonly MissedEvent[]) =>
  events.map(({ account, lt }) => eventKey(account, lt)).sort()

test('a missed-event check of 50 accounts names exactly the missed events, which are rebuilt as they would arrive', async () => {
  const random = seededRandom(20_261_121)
  const pick = (below: number) => Math.floor(random() * below)
  const accounts = Array.from(
    { length: accountCount },
    (_, index) => `0:${(index + 1).toString(16).padStart(64, '7')}`,
  )
  const fund = async (index: number) => {
    const address = accounts[index] ?? ''
    await app.request('sandbox.faucet', { network: 'mainnet', address, amount: '1000000' })
  }
  const advance = () => app.request('sandbox.advance', { byMs: 20_000 })

  // A failed delivery is not retried while the test runs.
  await app.request('sandbox.setPolicy', { retryDelaysMs: [10 * hour] })
  await app.request('sandbox.setClock', { mode: 'virtual' })
  const { id: webhook } = await app.request('webhook.create', {
    network,
    endpoint: await app.hook(),
  })
  // These events belong to no webhook, because the accounts are not subscribed yet.
  for (const index of [0, 7, 49]) await fund(index)
  await advance()
  await subscribe(webhook, accounts)
  const { now: from } = await advance()

  const down = { from: 4 + pick(6), to: 12 + pick(8) }
  for (let round = 0; round < rounds; round += 1) {
    if (round === down.from) await app.request('receiver.stop')
    if (round === down.to) await app.request('receiver.start')
    for (let each = 0; each < 6; each += 1) await fund(pick(accountCount))
    await advance()
  }
  const lost = await queued()
  expect(lost.length).toBeGreaterThan(20)
  const arrived = await app.classified()
  expect(arrived.length).toBeGreaterThan(20)
  expect(arrived.every(({ token }) => token === 'right')).toBe(true)

  const start = () =>
    app.request('missedEvents.start', {
      network,
      webhook,
      accounts: { all: true },
      from,
      lateAfterMs: 1000,
    })
  const first = await ended((await start()).id)
  expect(first).toMatchObject({
    state: 'done',
    problem: null,
    accounts: accountCount,
    checked: accountCount,
    unread: 0,
    events: lost.length + arrived.length,
    counts: { missing: lost.length, delivered: arrived.length, waiting: 0, duplicate: 0 },
  })
  const missing = await eventsOf(first.id, 'missing')
  expect(keys(missing)).toEqual(lost.map(({ accountId, lt }) => eventKey(accountId, lt)).sort())
  const delivered = await eventsOf(first.id, 'delivered')
  expect(keys(delivered)).toEqual(arrived.map(({ account, lt }) => eventKey(account, lt)).sort())
  const { steps } = await app.request('missedEvents.histogram', { id: first.id })
  const counted = steps.reduce((sum, { counts }) => sum + counts.missing, 0)
  expect(counted).toBe(lost.length)

  const { rebuilt, captures } = await app.request('missedEvents.rebuild', {
    id: first.id,
    events: { all: true },
  })
  expect({ rebuilt, captures: captures.length }).toEqual({
    rebuilt: lost.length,
    captures: lost.length,
  })
  const again = { id: first.id, events: missing.slice(0, 3).map(({ index }) => index) }
  expect(await app.request('missedEvents.rebuild', again)).toEqual({ rebuilt: 0, captures: [] })
  // The rebuilt captures are in the list, and do not count as received.
  expect(await app.request('capture.counts')).toMatchObject({
    total: arrived.length,
    unread: arrived.length,
    others: lost.length,
  })
  const marked = await eventsOf(first.id, 'missing')
  const rebuiltBodies = new Map<string, string>()
  for (const { account, lt, rebuilt: capture } of marked) {
    rebuiltBodies.set(eventKey(account, lt), await bodyOf(capture ?? 0))
  }
  const rebuiltRow = await app.request('capture.get', { id: captures[0] ?? 0 })
  expect(rebuiltRow).toMatchObject({ origin: 'rebuilt', status: null, token: 'unchecked' })
  expect(rebuiltRow.target).toBe(new URL(await app.hook()).pathname)
  expect(rebuiltRow.headers.map(([name]) => name)).toEqual(['Host', 'Content-Type'])
  const curl = { id: rebuiltRow.id, language: 'posix' } as const
  expect((await app.request('capture.snippet', curl)).text).toContain('--request POST')

  await app.request('webhook.backOnline', { network, id: webhook })
  await app.request('sandbox.advance', { byMs: 11 * hour })
  expect(await queued()).toEqual([])
  await app.until(
    async () => (await app.request('capture.counts')).total === lost.length + arrived.length,
    'what was retried',
  )
  const rows = (await app.classified()).filter(({ origin }) => origin === 'received')
  for (const { id, account, lt, duplicateOf } of rows) {
    expect(duplicateOf).toBeNull()
    const expected = rebuiltBodies.get(eventKey(account, lt))
    if (expected !== undefined) expect(await bodyOf(id)).toBe(expected)
  }
  const lostKeys = new Set(rows.map(({ account, lt }) => eventKey(account, lt)))
  expect(keys(missing).every((each) => lostKeys.has(each))).toBe(true)

  const second = await ended((await start()).id)
  expect(second.counts).toMatchObject({ missing: 0, waiting: 0, unauthenticated: 0 })
  expect(second.events).toBe(first.events)
})
