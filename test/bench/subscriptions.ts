/**
 * Measures a webhook with 100,000 subscriptions: its table, a round of the sampler, and 90 days of
 * history. Flags: --accounts N (100000), --days N (90), --times N (7), --without-window.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Page, chromium } from '@playwright/test'
import { frame } from '../e2e/pages/frame.ts'
import { dataPaths } from '../../src-main/app/paths.ts'
import { openDatabase, transaction, usedBytes } from '../../src-main/database/database.ts'
import { migrate } from '../../src-main/database/migrate.ts'
import { createFailureRecords } from '../../src-main/webhooks/store/failure-history.ts'
import type { Reading } from '../../src-main/webhooks/store/subscriptions.ts'
import { createSubscriptionStore } from '../../src-main/webhooks/store/subscription-store.ts'
import type { Input, Output } from '../../src-preload/contract/routes.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'
import { type Product, startProduct } from './lib/product.ts'
import { chromiumPath } from '../stand-in/chromium.ts'

const { values: flags } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100000' },
    days: { type: 'string', default: '90' },
    times: { type: 'string', default: '7' },
    'without-window': { type: 'boolean', default: false },
  },
})
const count = Number(flags.accounts)
const days = Number(flags.days)
const times = Number(flags.times)
const pageRows = 1000
const id = '1'
/** The number of changes per hour, as a percentage of the accounts. */
const percentAnHour = 1

/** Returns the same numbers for the same seed, so that two runs can be compared. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const random = createRandom(5)
const hex = () =>
  Array.from({ length: 8 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')

type Account = { account_id: string; last_delivered_lt: number; failed_attempts?: number }

function makeAccounts(): Account[] {
  return Array.from({ length: count }, () => {
    const lt = Math.floor(random() * 1e15)
    const account = { account_id: `0:${hex()}`, last_delivered_lt: lt }
    if (random() > 0.05) return account
    const failed = { failed_lt: lt + 1, failed_at: '2026-01-01T00:00:00Z' }
    return { ...account, ...failed, failed_attempts: 1 + Math.floor(random() * 50) }
  })
}

/** Serves the webhooks API of a gateway with one webhook for all accounts. */
async function startGateway(accounts: readonly Account[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway')
    asked.push(pathname)
    const offset = Number(searchParams.get('offset'))
    const body = pathname.endsWith('/account-tx/subscriptions')
      ? { account_tx_subscriptions: accounts.slice(offset, offset + pageRows) }
      : pathname === '/usage-stats'
        ? {
            period_started_at: '2026-01-01T00:00:00Z',
            account_subscriptions: count,
            webhooks_delivered: 1,
            webhooks_failed: 0,
          }
        : pathname.endsWith('/logs')
          ? { logs: [] }
          : pathname === '/webhooks'
            ? { webhooks: [printWebhook(accounts.length)] }
            : null
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: 'entity not found' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function printWebhook(accounts: number) {
  return {
    id: Number(id),
    endpoint: 'https://example.com/hook',
    token: 'token',
    subscribed_accounts: accounts,
    subscribed_msg_opcodes: 0,
    subscribed_to_mempool: false,
    subscribed_to_new_contracts: false,
    status: 'online',
    status_updated_at: '2026-01-01T00:00:00Z',
    last_online_at: '2026-01-01T00:00:00Z',
    status_failed_attempts: 0,
  }
}

type Route = 'subscription.list'
const list = (product: Product, input: Input<Route>) =>
  product.request<Output<Route>>('subscription.list', input)

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const columns = [
  'account',
  'label',
  'lastDeliveredLt',
  'failedAt',
  'failedLt',
  'failedAttempts',
  'lag',
] as const

const fast = (name: string, value: number, limit: number): Figure => ({
  name,
  value: `${value.toFixed(0)} ms`,
  wanted: `< ${limit} ms`,
  met: value < limit,
})

/**
 * Measures each sort in both directions and at both ends, and each filter with each sort; the
 * slowest is reported.
 */
async function measureRoutes(product: Product, network: string, part: string): Promise<Figure[]> {
  const of = { network, webhook: id, limit: 100 }
  const all = { text: '', only: null }
  const sorts: number[] = []
  for (const by of columns) {
    for (const descending of [true, false]) {
      for (const offset of [0, count - 100]) {
        const input = { ...of, filter: all, sort: { by, descending }, offset }
        const each: number[] = []
        for (let time = 0; time < times; time += 1) {
          each.push(await took(() => list(product, input)))
        }
        sorts.push(median(each))
      }
    }
  }
  const filters: number[] = []
  for (const filter of [
    { text: part, only: null },
    { text: part.slice(0, 2), only: null },
    { text: 'EQ' + part, only: null },
    { text: '', only: 'failing' as const },
    { text: '', only: 'watched' as const },
    { text: '', only: 'behind' as const },
    { text: '', only: 'never-delivered' as const },
    { text: part, only: 'failing' as const },
  ]) {
    for (const by of columns) {
      const input = { ...of, filter, sort: { by, descending: true }, offset: 0 }
      const each: number[] = []
      for (let time = 0; time < times; time += 1) {
        each.push(await took(() => list(product, input)))
      }
      filters.push(median(each))
    }
  }
  return [
    fast('`subscription.list`, slowest of all sorts', Math.max(...sorts), 150),
    fast('`subscription.list`, slowest of all filters and sorts', Math.max(...filters), 150),
  ]
}

/** Measures the milliseconds from an action until the table has another first row, within the page. */
async function untilRows(page: Page, act: string): Promise<number> {
  return page.evaluate(
    (which) =>
      new Promise<number>((resolve) => {
        const grid = '[role="grid"][aria-label="Subscribed accounts"]'
        const first = () =>
          document.querySelector(`${grid} [role="row"][data-index="0"]`)?.textContent ?? ''
        const header = (name: string) =>
          [...document.querySelectorAll<HTMLElement>(`${grid} [role="columnheader"] button`)].find(
            (each) => each.textContent.startsWith(name),
          )
        const before = which.startsWith('#') ? '' : first()
        const from = performance.now()
        if (which.startsWith('#')) window.location.hash = which
        else (header(which) ?? document.querySelector<HTMLElement>(which))?.click()
        const look = () => {
          const now = first()
          if (now !== '' && now !== before) resolve(performance.now() - from)
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
    act,
  )
}

async function measureWindow(product: Product, network: string): Promise<Figure[]> {
  const browser = await chromium.launch({
    executablePath: chromiumPath() ?? 'chromium',
    args: [
      '--disable-background-networking',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1360, height: 820 } })
    await page.goto(product.appUrl)
    await frame(page).title('overview').waitFor()
    const opens: number[] = []
    const sorts: number[] = []
    for (let time = 0; time < times; time += 1) {
      await page.evaluate(() => {
        window.location.hash = '#/overview'
      })
      await frame(page).title('overview').waitFor()
      opens.push(await untilRows(page, `#/webhooks/${id}/accounts?network=${network}`))
      for (const name of ['Account', 'Last delivered (lt)', 'Failed attempts']) {
        sorts.push(await untilRows(page, name))
      }
    }
    return [
      fast('the table opens in the window', median(opens), 300),
      fast('the table sorts in the window', median(sorts), 150),
    ]
  } finally {
    await browser.close()
  }
}

async function measureTable(directory: string): Promise<Figure[]> {
  const accounts = makeAccounts()
  const gateway = await startGateway(accounts)
  let product = await startProduct(directory)
  try {
    // The bench requests the readings itself, all of them.
    const monitoring = { sample: false, everySeconds: 3600 }
    await product.request('settings.change', { monitoring })
    const urls = { query: gateway.url, webhooks: gateway.url, testnetWebhooks: null, console: null }
    const added = { name: 'Bench', urls, testOnly: false }
    const { id: network } = await product.request<{ id: string }>('network.add', added)
    await product.request('network.select', { id: network })
    await product.request('webhook.list', { network, fresh: true })
    const rounds: Figure[] = []
    for (const name of ['first', 'second']) {
      gateway.asked.length = 0
      const ms = await took(() => product.request('sampler.run', { network }))
      const pages = gateway.asked.filter((path) =>
        path.endsWith('/account-tx/subscriptions'),
      ).length
      const most = Math.ceil(count / pageRows)
      rounds.push({
        name: `the ${name} round of the sampler: pages asked for, in ${(ms / 1000).toFixed(1)} s`,
        value: `${pages}, beside ${gateway.asked.length - pages} others`,
        wanted: `≤ ${most}`,
        met: pages <= most,
      })
    }
    const known = await product.request<Output<'webhook.list'>>('webhook.list', { network })
    if (known.webhooks[0]?.subscriptionsReadAt === null) throw new Error('Not all was read.')
    await product.stop()

    // After this the app has no cached data, as after a start.
    product = await startProduct(directory)
    const input: Input<Route> = { network, webhook: id, offset: 0, limit: 100 }
    const cold = await took(() => list(product, input))
    const part = accounts[7]?.account_id.slice(2, 8) ?? ''
    const routes = await measureRoutes(product, network, part)
    const shown = flags['without-window'] ? [] : await measureWindow(product, network)
    return [
      ...rounds,
      fast('`subscription.list`, the first after a start', cold, 300),
      ...routes,
      ...shown,
    ]
  } finally {
    await product.stop()
    gateway.close()
  }
}

/**
 * Measures realistic hours: changed accounts are read, each minute and each hour gets its bucket,
 * and old ones are deleted.
 */
function measureHistory(directory: string): Figure[] {
  const path = dataPaths(directory).database
  // Only the size is measured, not the speed of the disk.
  const database = openDatabase(path, { synchronous: 'NORMAL' })
  try {
    migrate(database, () => undefined)
    const store = createSubscriptionStore(database)
    store.webhooks.put('bench', {
      id,
      endpoint: 'https://example.com/hook',
      tokenHint: null,
      status: 'online',
      statusSince: null,
      lastOnlineAt: null,
      failedAttempts: 0,
      accounts: count,
      opcodes: 0,
      mempool: false,
      newContracts: false,
    })
    const key = store.webhooks.get('bench', id)?.key ?? 0
    const records = createFailureRecords(database)
    const began = Date.UTC(2026, 0, 1)
    const readings = Array.from({ length: count }, (): Reading => {
      const lastDeliveredLt = BigInt(Math.floor(random() * 1e15))
      const account = `0:${hex()}`
      return { account, lastDeliveredLt, failedAt: null, failedLt: null, failedAttempts: 0 }
    })
    for (let from = 0; from < count; from += pageRows) {
      store.subscriptions.land(key, readings.slice(from, from + pageRows), began, false)
    }
    const empty = usedBytes(database)
    let longest = 0
    let largest = empty
    for (let hour = 0; hour < days * 24; hour += 1) {
      const at = began + hour * 3_600_000
      const changed = changeSome(readings, at)
      for (let from = 0; from < changed.length; from += pageRows) {
        store.subscriptions.land(key, changed.slice(from, from + pageRows), at, true)
      }
      transaction(database, () => {
        for (let minute = 0; minute < 60; minute += 1) {
          const moment = at + minute * 60_000
          records.recordWebhook(key, { status: 'online', failing: 1 }, moment)
          records.recordUsage('bench', { delivered: 1000, failed: 10 }, moment)
        }
      })
      for (;;) {
        const from = performance.now()
        const isMore = store.historyRetention.step(at)
        longest = Math.max(longest, performance.now() - from)
        if (!isMore) break
      }
      if (hour % 240 === 0) {
        largest = Math.max(largest, usedBytes(database))
        process.stderr.write(`day ${hour / 24}: ${megabytes(largest)}\n`)
      }
    }
    largest = Math.max(largest, usedBytes(database))
    const rows = (table: string) =>
      Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
    const kept = ['account_history', 'account_minutes', 'streaks', 'webhook_history'].map(
      (table) => `${rows(table).toLocaleString('en')} ${table}`,
    )
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return [
      {
        name: `${days} days, ${percentAnHour} % changing an hour: the database at most`,
        value: megabytes(largest),
        wanted: '< 500 MB',
        met: largest < 500e6,
      },
      { name: 'of that, the subscriptions themselves', value: megabytes(empty) },
      { name: 'rows', value: kept.join(', ') },
      { name: 'its file', value: megabytes(statSync(path).size) },
      { name: 'longest step of retention', value: `${longest.toFixed(0)} ms` },
    ]
  } finally {
    database.close()
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

/** Half of the changed accounts begin or continue to fail, the other half recover. */
function changeSome(readings: Reading[], at: number): Reading[] {
  const changes = Math.round((readings.length * percentAnHour) / 100)
  return Array.from({ length: changes }, () => {
    const index = Math.floor(random() * readings.length)
    const before = readings[index]
    if (before === undefined) throw new Error('There is no such account.')
    const isFailing = before.failedLt !== null && before.failedLt > before.lastDeliveredLt
    const after: Reading =
      isFailing && random() < 0.5
        ? { ...before, lastDeliveredLt: before.lastDeliveredLt + 1n }
        : {
            ...before,
            failedAt: at,
            failedLt: before.lastDeliveredLt + 1n,
            failedAttempts: before.failedAttempts + 1,
          }
    readings[index] = after
    return after
  })
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  const table = await measureTable(join(directory, 'table'))
  const history = measureHistory(mkdtempSync(join(directory, 'history-')))
  const accounts = count.toLocaleString('en')
  writeStats(`subscriptions: ${accounts} of one webhook, median of ${times}`, [
    ...table,
    ...history,
  ])
} finally {
  rmSync(directory, { recursive: true, force: true })
}
