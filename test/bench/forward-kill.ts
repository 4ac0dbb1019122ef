/**
 * Kills Tondesk and the target of a forwarding rule at random moments, under a steady rate of
 * deliveries. By hand: npm run bench -- forward-kill --app-kills N (50) --target-kills N (50)
 * --rate N (200, a second) --accounts N (20) --seed N (1). Ends after at most ten seconds per kill.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../fixtures/free-port.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { writeStats } from './lib/stats.ts'
import { type Product, startProduct } from './lib/product.ts'

const { values: flags } = parseArgs({
  options: {
    'app-kills': { type: 'string', default: '50' },
    'target-kills': { type: 'string', default: '50' },
    rate: { type: 'string', default: '200' },
    accounts: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
})
const kills = { app: Number(flags['app-kills']), target: Number(flags['target-kills']) }
const rate = Number(flags.rate)
const accounts = Number(flags.accounts)
const random = seededRandom(Number(flags.seed))
const started = performance.now()
const deadline = started + 60_000 + (kills.app + kills.target) * 10_000

/** A delivery may be repeated if it arrived this long before a kill, or was being sent during one. */
const momentMs = 1_000

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const file = join(directory, 'records')
const port = await freePort()
const killedAt: number[] = []
const late = () => performance.now() > deadline

async function startTarget(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'lib', 'recording-target.ts')
  const child = spawn(process.execPath, [program, String(port), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

let target = await startTarget()
let product = (await startProduct(join(directory, 'data'))) as Product | null
await product?.request('forwardRule.save', { targets: [`http://localhost:${port}/in`] })

type Posted = { readonly hash: string; posts: number; isAnswered: boolean }
const posted = new Map<string, Posted>()
let isOver = false
const agent = new Agent({ keepAlive: true, maxSockets: accounts })

/** @returns whether the response was 200 */
function post(url: string, body: string): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent, timeout: 5_000 }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 200))
      response.on('error', () => resolve(false))
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve(false))
    outgoing.end(body)
  })
}

/** Sends as the gateway does: the events of an account in order, each after the previous response. */
async function deliver(number: number): Promise<void> {
  const account = `0:${number.toString(16).padStart(64, '0')}`
  let due = performance.now() + random() * 1000
  for (let lt = 50_000_000_000_000 + number; !isOver; lt += 100) {
    await wait(Math.max(0, due - performance.now()))
    due = Math.max(due + (1000 * accounts) / rate, performance.now() - 1000)
    const body = JSON.stringify({
      event_type: 'account_tx',
      account_id: account,
      lt,
      tx_hash: 'ab',
    })
    const hash = createHash('sha256').update(body).digest('hex')
    const one: Posted = { hash, posts: 0, isAnswered: false }
    posted.set(`${account} ${lt}`, one)
    while (!one.isAnswered && !late()) {
      if (product === null) {
        await wait(20)
        continue
      }
      one.posts += 1
      one.isAnswered = await post(product.receiverUrl, body)
      if (!one.isAnswered) await wait(50)
    }
  }
}

async function killApp(): Promise<void> {
  const old = product
  killedAt.push(Date.now())
  await old?.kill()
  product = null
  killedAt.push(Date.now())
  product = await startProduct(join(directory, 'data'))
}

async function killTarget(): Promise<void> {
  const exited = once(target, 'exit')
  killedAt.push(Date.now())
  target.kill('SIGKILL')
  await exited
  killedAt.push(Date.now())
  await wait(random() * 400)
  target = await startTarget()
}

type Health = { waiting: number; delivered: number }

async function health(): Promise<Health> {
  const rules = await product?.request<{ health: Health[] }[]>('forwardRule.list')
  return rules?.[0]?.health[0] ?? { waiting: -1, delivered: -1 }
}

type Recorded = [id: string, account: string, lt: number, hash: string, at: number]

function readRecords(): Recorded[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Recorded)
}

try {
  const senders = Array.from({ length: accounts }, (_, number) => deliver(number))
  const left = { ...kills }
  while (left.app + left.target > 0 && !late()) {
    await wait(300 + random() * 1500)
    if (random() * (left.app + left.target) < left.app) {
      left.app -= 1
      await killApp()
    } else {
      left.target -= 1
      await killTarget()
    }
    const done = kills.app + kills.target - left.app - left.target
    const seconds = Math.round((performance.now() - started) / 1000)
    process.stderr.write(`kill ${done}: ${posted.size} events, ${seconds} s\n`)
  }
  isOver = true
  await Promise.all(senders)
  const emptied = performance.now()
  while (!late()) {
    const { waiting } = await health()
    const arrived = new Set(readRecords().map(([, account, lt]) => `${account} ${lt}`))
    if (waiting === 0 && [...posted.keys()].every((key) => arrived.has(key))) break
    await wait(200)
  }
  const emptyMs = performance.now() - emptied
  await product?.stop()
  target.kill('SIGKILL')

  const records = readRecords()
  const answered = [...posted].filter(([, { isAnswered }]) => isAnswered)
  const firsts = new Map<string, Recorded>()
  const ids = new Map<string, Set<string>>()
  const highest = new Map<string, number>()
  const arrivals = new Map<string, number>()
  const counts = { wrong: 0, disorder: 0, repeats: 0, strayRepeats: 0 }
  const isNearKill = (at: number) =>
    killedAt.some((kill) => kill >= at - 50 && kill <= at + momentMs)
  for (const record of records) {
    const [id, account, lt, hash, at] = record
    const key = `${account} ${lt}`
    if (posted.get(key)?.hash !== hash) counts.wrong += 1
    const before = arrivals.get(id)
    if (before !== undefined) {
      counts.repeats += 1
      if (!isNearKill(before)) counts.strayRepeats += 1
    }
    arrivals.set(id, at)
    if (!firsts.has(key)) {
      if (lt < (highest.get(account) ?? 0)) counts.disorder += 1
      highest.set(account, lt)
      firsts.set(key, record)
    }
    ids.set(key, (ids.get(key) ?? new Set()).add(id))
  }
  const missing = answered.filter(([key]) => !firsts.has(key))
  // The same event may have another id only if it was delivered here more than once.
  const otherIds = [...ids].filter(([key, set]) => set.size > (posted.get(key)?.posts ?? 0))
  const none = (name: string, value: number) => ({
    name,
    value: String(value),
    wanted: '0',
    met: value === 0,
  })
  const figures = [
    {
      name: 'kills of Tondesk, of the target',
      value: `${kills.app - left.app}, ${kills.target - left.target}`,
    },
    { name: 'events answered 200', value: answered.length.toLocaleString('en') },
    none('of them that did not reach the target', missing.length),
    none('with other bytes', counts.wrong),
    none('first arrivals out of an account’s lt order', counts.disorder),
    {
      name: 'repeats within a moment of a kill',
      value: String(counts.repeats - counts.strayRepeats),
    },
    none('repeats of what was acknowledged, at other times', counts.strayRepeats),
    none('events sent under more ids than deliveries of them', otherIds.length),
    { name: 'until all had arrived at the end', value: `${(emptyMs / 1000).toFixed(1)} s` },
    { name: 'duration', value: `${Math.round((performance.now() - started) / 1000)} s` },
  ]
  const title = `forward-kill: ${kills.app} kill -9 of Tondesk, ${kills.target} of the target, ${rate} deliveries a second over ${accounts} accounts, seed ${flags.seed}`
  writeStats(title, figures)
  const isWhole = left.app + left.target === 0
  process.exitCode = isWhole && figures.every((figure) => !('met' in figure) || figure.met) ? 0 : 1
} finally {
  target.kill('SIGKILL')
  await product?.kill().catch(() => undefined)
  agent.destroy()
  rmSync(directory, { recursive: true, force: true })
}
