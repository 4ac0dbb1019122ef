/**
 * Kills the app at random moments while a webhook with 10,000 accounts moves to another endpoint,
 * and checks that one complete webhook is left and no event was lost. By hand: npm run bench --
 * move-kill --rounds N (20) --seed N (1) --accounts N (10000).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { WebhookMove } from '../../src-preload/contract/webhook.ts'
import { type Received, startEndpoint } from '../fixtures/endpoint.ts'
import {
  waitUntilDelivered,
  transactionHashes,
  lastLt,
  readEvent,
  startSandboxProcess,
} from '../fixtures/killed-sandbox.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { account } from '../fixtures/webhooks.ts'
import { type BorrowingApp, startBorrowingApp } from './lib/borrowing-app.ts'
import { median, writeStats } from './lib/stats.ts'
import { openRequestGate } from './lib/request-gate.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    accounts: { type: 'string', default: '10000' },
  },
})
const rounds = Number(flags.rounds)
const random = seededRandom(Number(flags.seed))
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))

const network = 'sandbox'
/**
 * The first kill of a move comes at one of this many requests, while the webhook is created, copied
 * and compared; later kills come at any request. A number beyond the last request kills nothing.
 */
const firstRequests = 70
const maxRequests = 140
const opcodes = ['0x0f8a7ea5', '0x7362d09c', '0x00000000']

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const sandbox = await startSandboxProcess(join(directory, 'sandbox'))
const taken: Received[] = []
const endpoint = await startEndpoint((request, response) => {
  // Some deliveries are refused, so that there is always an event that waits for a retry.
  const isRefused = random() < 0.05
  if (!isRefused) taken.push(request)
  response.statusCode = isRefused ? 503 : 200
  response.end()
})
const gate = await openRequestGate(sandbox.ready.webhooksUrl)
const { ask } = sandbox

type Listed = {
  readonly id: number
  readonly endpoint: string
  readonly subscribed_to_mempool: boolean
  readonly subscribed_to_new_contracts: boolean
}

async function webhooks(): Promise<Listed[]> {
  return (await ask.webhooks<{ webhooks: Listed[] }>('GET', '/webhooks')).body.webhooks
}

async function subscribedAccounts(id: number): Promise<Set<string>> {
  const all = new Set<string>()
  for (let offset = 0; ; offset += 1000) {
    const path = `/webhooks/${id}/account-tx/subscriptions?offset=${offset}&limit=1000`
    const { account_tx_subscriptions: page } = (
      await ask.webhooks<{ account_tx_subscriptions: { account_id: string }[] }>('GET', path)
    ).body
    for (const { account_id } of page) all.add(account_id)
    if (page.length < 1000) return all
  }
}

async function subscribedOpcodes(id: number): Promise<string[]> {
  const path = `/webhooks/${id}/msg-opcode/subscriptions`
  const { body } = await ask.webhooks<{ subscriptions: { opcode: string }[] }>('GET', path)
  return body.subscriptions.map(({ opcode }) => opcode).sort()
}

/** Describes the differences from the expected state. */
async function faults(wanted: ReadonlySet<string>, url: string): Promise<string[]> {
  const all = await webhooks()
  const [only] = all
  if (only === undefined || all.length !== 1) return [`${all.length} webhooks`]
  const accounts = await subscribedAccounts(only.id)
  const missing = [...wanted].filter((each) => !accounts.has(each)).length
  const extra = [...accounts].filter((each) => !wanted.has(each)).length
  const has = await subscribedOpcodes(only.id)
  return [
    ...(only.endpoint === url ? [] : [`it delivers to ${only.endpoint}`]),
    ...(missing === 0 ? [] : [`${missing} accounts are missing`]),
    ...(extra === 0 ? [] : [`${extra} accounts are extra`]),
    ...(has.join() === opcodes.toSorted().join() ? [] : [`its opcodes are ${has.join()}`]),
    ...(only.subscribed_to_mempool ? [] : ['no mempool']),
    ...(only.subscribed_to_new_contracts ? [] : ['no new contracts']),
  ]
}

const dataDirectory = join(directory, 'app')
const start = () => startBorrowingApp(dataDirectory, { ...sandbox.ready, webhooksUrl: gate.url })

const movesOf = (app: BorrowingApp) =>
  app.request('job.list', { kind: 'move', network }) as Promise<WebhookMove[]>

/** Resolves with the move at its end, or with null when the app was killed at the chosen request. */
async function watch(app: BorrowingApp, killAt: number | null): Promise<WebhookMove | null> {
  const end = Promise.withResolvers<WebhookMove | null>()
  let requests = 0
  let isKilled = false
  gate.pass = async () => {
    if (isKilled) return false
    requests += 0.5
    if (killAt === null || requests < killAt) return true
    isKilled = true
    await app.kill()
    end.resolve(null)
    return false
  }
  const look = (move: WebhookMove) => {
    if (move.state !== 'running') end.resolve(move)
  }
  app.onEvents((events) => {
    for (const event of events) {
      const { name, payload } = event
      if (name === 'job.changed' && payload.kind === 'move') payload.jobs.forEach(look)
    }
  })
  const [newest] = await Promise.race([movesOf(app), end.promise.then(() => [])])
  if (newest !== undefined) look(newest)
  return end.promise
}

try {
  const wallets = sandbox.ready.wallets.map(({ address }) => address)
  const others = Array.from({ length: Number(flags.accounts) - wallets.length }, (_, index) =>
    account(index + 1),
  )
  const accounts = new Set([...wallets, ...others])
  const first = await ask.webhooks<{ webhook_id: number }>('POST', '/webhooks', {
    endpoint: `${endpoint.url}/0`,
  })
  const path = `/webhooks/${first.body.webhook_id}`
  await ask.webhooks('POST', `${path}/account-tx/subscribe`, {
    accounts: [...accounts].map((each) => ({ account_id: each })),
  })
  for (const opcode of opcodes) await ask.webhooks('POST', `${path}/subscribe-msg-opcode/${opcode}`)
  await ask.webhooks('POST', `${path}/mempool/subscribe`)
  await ask.webhooks('POST', `${path}/subscribe-new-contracts`)
  await ask.control('PUT', '/policy', { retryDelaysMs: [100, 1000] })
  const since = await lastLt(sandbox, wallets)
  await ask.control('PUT', '/activity', { perMinute: 600 })

  const wrong: string[] = []
  const steps = new Map<string, number>()
  const took: number[] = []
  let kills = 0
  for (let round = 1; round <= rounds; round += 1) {
    const began = performance.now()
    const url = `${endpoint.url}/${round}`
    const [old] = await webhooks()
    if (old === undefined) throw new Error('There is no webhook left to move.')
    let killsLeft = between(1, 3)
    let app = await start()
    await app.request('move.start', { network, id: String(old.id), endpoint: url })
    let killAt: number | null = between(1, firstRequests * 2) / 2
    let move = await watch(app, killAt)
    while (move === null) {
      kills += 1
      killsLeft -= 1
      app = await start()
      const [found] = await movesOf(app)
      const step = found?.step ?? 'none'
      steps.set(step, (steps.get(step) ?? 0) + 1)
      killAt = killsLeft > 0 ? between(1, maxRequests * 2) / 2 : null
      move = await watch(app, killAt)
    }
    gate.pass = () => Promise.resolve(true)
    const found = await faults(accounts, url)
    if (move.state !== 'done') found.push(`the move ${move.state}: ${move.problem ?? ''}`)
    await app.kill()
    took.push(performance.now() - began)
    wrong.push(...found.map((each) => `round ${round}: ${each}`))
    process.stderr.write(
      `round ${round}: ${move.state}, ${kills} kills so far, ${Math.round(took.at(-1) ?? 0)} ms` +
        `${found.length === 0 ? '' : `; ${found.join(', ')}`}\n`,
    )
  }

  await ask.control('PUT', '/activity', { perMinute: 0 })
  await waitUntilDelivered(sandbox)
  const happened = await transactionHashes(sandbox, wallets, since)
  const events = taken.map(({ body }) => body).filter((body) => body.includes('"account_tx"'))
  const heard = new Set(events.map((body) => readEvent(body).hash))
  const lost = happened.filter((hash) => !heard.has(hash))
  const at = [...steps].map(([step, count]) => `${step} ${count}`).join(', ')
  const title = `move-kill: ${rounds} moves of ${accounts.size.toLocaleString('en')} accounts, seed ${flags.seed}`
  writeStats(title, [
    { name: 'kill -9 of the app', value: `${kills} (found at: ${at})` },
    {
      name: 'not one complete webhook at the end',
      value: String(wrong.length),
      wanted: '0',
      met: wrong.length === 0,
    },
    { name: 'events of subscribed accounts', value: happened.length.toLocaleString('en') },
    {
      name: 'of them delivered to neither endpoint',
      value: String(lost.length),
      wanted: '0',
      met: lost.length === 0,
    },
    { name: 'delivered, repetitions included', value: events.length.toLocaleString('en') },
    { name: 'a move with its kills, median', value: `${(median(took) / 1000).toFixed(1)} s` },
  ])
  for (const line of wrong) process.stderr.write(`${line}\n`)
  process.exitCode = wrong.length + lost.length === 0 ? 0 : 1
} finally {
  await sandbox.kill()
  await gate[Symbol.asyncDispose]()
  await endpoint[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
}
