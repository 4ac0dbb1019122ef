/**
 * Kills `tondesk webhooks apply` at random moments and runs it again: 10,000 accounts, 500
 * differences, one webhook to create. A proxy before the sandbox records every request. By hand:
 * npm run bench -- apply-kill --rounds N (20) --seed N (1).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startApp } from '../fixtures/app.ts'
import { type ProxiedCall, startGatewayProxy } from '../fixtures/gateway-proxy.ts'
import { startSandbox } from '../fixtures/sandbox.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { writeStats } from './lib/stats.ts'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
})
const rounds = Number(flags.rounds)
const random = seededRandom(Number(flags.seed))

const size = 10_000
const differences = 500
/** The gateway accepts so few accounts per request that there are many moments for a kill. */
const maxAtOnce = 25
const undoEvery = 4
const endpoint = 'https://hook.example/tondesk'

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const dataDirectory = join(directory, 'data')
await using sandbox = await startSandbox()
await using proxy = await startGatewayProxy(
  new URL(sandbox.ready.webhooksUrl).origin,
  sandbox.ready.apiKey,
)

type Call = ProxiedCall & {
  readonly body: { accounts?: (string | { account_id: string })[] } | null
}

const isWrite = ({ method }: ProxiedCall) => method === 'POST'
const accountsOf = ({ body }: Call) =>
  (body?.accounts ?? []).map((each) => (typeof each === 'string' ? each : each.account_id))
const account = (number: number) => `0:${number.toString(16).padStart(64, '0')}`

async function openNetwork(): Promise<void> {
  await using app = await startApp({ dataDirectory, receive: false })
  const webhooks = proxy.origin + new URL(sandbox.ready.webhooksUrl).pathname
  const urls = { query: sandbox.ready.queryUrl, webhooks, testnetWebhooks: null, console: null }
  await app.request('network.add', { name: 'Local', urls, testOnly: false })
}

/** Requests the accounts directly from the gateway, without the proxy. */
async function subscribed(webhook: number): Promise<Set<string>> {
  const found = new Set<string>()
  for (;;) {
    const { body } = await sandbox.webhooks<{
      account_tx_subscriptions: { account_id: string }[]
    }>('GET', `/webhooks/${webhook}/account-tx/subscriptions?offset=${found.size}`)
    for (const { account_id } of body.account_tx_subscriptions) found.add(account_id)
    if (body.account_tx_subscriptions.length < 1000) return found
  }
}

async function webhooksAt(url: string): Promise<number[]> {
  const { body } = await sandbox.webhooks<{ webhooks: { id: number; endpoint: string }[] }>(
    'GET',
    '/webhooks',
  )
  return body.webhooks.filter((each) => each.endpoint === url).map(({ id }) => id)
}

type Ended = { readonly code: number | null; readonly errors: string }

function tondesk(...args: string[]) {
  const all = [
    'out/main/cli.js',
    'webhooks',
    ...args,
    '--network',
    'local',
    '--data-dir',
    dataDirectory,
  ]
  const child = spawn(process.execPath, all, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'disabled:' },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number, errors }))
  return { child, ended }
}

/** Replaces this number of accounts in a set by new ones. */
let newest = size
function altered(before: ReadonlySet<string>): Set<string> {
  const after = new Set(before)
  const all = [...before]
  while (after.size > size - differences / 2) {
    after.delete(all[Math.floor(random() * all.length)] ?? '')
  }
  while (after.size < size) after.add(account((newest += 1)))
  return after
}

const without = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  new Set([...one].filter((each) => !other.has(each)))
const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one.size === other.size && without(one, other).size === 0

/** Kills the child around the n-th request, or lets the child end. @returns whether it was killed */
async function killAt(
  { child, ended }: ReturnType<typeof tondesk>,
  counted: (call: ProxiedCall) => boolean,
  nth: number,
  moment: number,
): Promise<boolean> {
  let seen = 0
  let isKilled = false
  const kill = () => {
    isKilled = true
    child.kill('SIGKILL')
  }
  proxy.judge = (call) => {
    if (!isKilled && counted(call) && (seen += 1) === nth) {
      // The kill comes before the gateway has the request, while it has the request, or some time later.
      if (moment < 0.3) {
        kill()
        return { status: 503, body: {} }
      }
      if (moment < 0.6) kill()
      else void wait(moment * 40).then(kill)
    }
    return judgeLength(call)
  }
  await ended
  proxy.judge = judgeLength
  return isKilled
}

function judgeLength(call: ProxiedCall) {
  if (accountsOf(call as Call).length <= maxAtOnce) return 'pass' as const
  const error = `maximum number of accounts to subscribe at once: ${maxAtOnce}`
  return { status: 400, body: { error } }
}

proxy.judge = judgeLength
await openNetwork()
const made = await sandbox.webhooks<{ webhook_id: number }>('POST', '/webhooks', { endpoint })
const main = made.body.webhook_id
let state: Set<string> = new Set(Array.from({ length: size }, (_, index) => account(index)))
for (let from = 0; from < size; from += 5000) {
  const some = [...state].slice(from, from + 5000).map((each) => ({ account_id: each }))
  await sandbox.webhooks('POST', `/webhooks/${main}/account-tx/subscribe`, { accounts: some })
}

const counts = { kills: 0, writes: 0, astray: 0, wrongEnd: 0, secondPlan: 0, twice: 0, undo: 0 }
try {
  for (let round = 1; round <= rounds; round += 1) {
    const wanted = altered(state)
    const created = `https://made.example/${round}`
    const few = [account(round), account(round + 1)]
    const file = join(directory, `${round}.csv`)
    const rows = [
      'endpoint,kind,value',
      ...[...wanted].map((each) => `${endpoint},account,${each}`),
      `${endpoint},mempool,${round % 2 === 1}`,
      `${endpoint},opcode,0x${round.toString(16)}`,
      ...few.map((each) => `${created},account,${each}`),
    ]
    writeFileSync(file, `${rows.join('\n')}\n`)
    proxy.calls.length = 0

    const writes = differences / maxAtOnce + 6
    const inWrites = random() < 0.8
    const nth = 1 + Math.floor(random() * (inWrites ? writes : 20))
    const counted = inWrites ? isWrite : (call: ProxiedCall) => !isWrite(call)
    const isKilled = await killAt(tondesk('apply', file, '--yes'), counted, nth, random())
    counts.kills += Number(isKilled)
    const again = await tondesk('apply', file, '--yes').ended
    const plan = await tondesk('plan', file).ended

    const calls = proxy.calls.filter(isWrite) as Call[]
    counts.writes += calls.length
    const isAllowed = (call: Call) => {
      const allowed = call.path.includes(`/webhooks/${main}/`)
        ? call.path.endsWith('/subscribe')
          ? without(wanted, state)
          : without(state, wanted)
        : new Set(call.path.endsWith('/account-tx/subscribe') ? few : [])
      return accountsOf(call).every((each) => allowed.has(each))
    }
    counts.astray += calls.filter((call) => !isAllowed(call)).length
    const ids = await webhooksAt(created)
    if (ids.length !== 1) counts.twice += 1
    const ends = [
      again.code === 0,
      isSame(await subscribed(main), wanted),
      isSame(await subscribed(ids[0] ?? 0), new Set(few)),
    ]
    if (ends.includes(false)) counts.wrongEnd += 1
    if (plan.code !== 0) counts.secondPlan += 1
    if (ends.includes(false) || plan.code !== 0) process.stderr.write(again.errors + plan.errors)

    let undone = ''
    if (round % undoEvery === 0) {
      const isUndoKilled = await killAt(
        tondesk('undo', '--yes'),
        isWrite,
        1 + Math.floor(random() * writes),
        random(),
      )
      counts.kills += Number(isUndoKilled)
      const undo = await tondesk('undo', '--yes').ended
      // A change that was not stored before the kill starts again; a change that ended needs no undo.
      const isBack =
        isSame(await subscribed(main), state) && (await subscribed(ids[0] ?? 0)).size === 0
      if (!isBack) counts.undo += 1
      if (!isBack) process.stderr.write(undo.errors)
      undone = `, undone${isUndoKilled ? ' (killed once)' : ''}`
    } else state = wanted
    const where = `${inWrites ? 'write' : 'reading'} ${nth}`
    process.stderr.write(
      `round ${round}: ${isKilled ? `killed at ${where}` : 'not killed'}${undone}\n`,
    )
  }
  const none = (name: string, value: number) => ({
    name,
    value: String(value),
    wanted: '0',
    met: value === 0,
  })
  const figures = [
    { name: 'kills', value: String(counts.kills) },
    { name: 'requests that change something', value: counts.writes.toLocaleString('en') },
    none('of them with an account outside the plan', counts.astray),
    none('rounds that ended in another state', counts.wrongEnd),
    none('rounds whose second plan had differences', counts.secondPlan),
    none('rounds whose webhook was not created once', counts.twice),
    none('undos that left another state than before', counts.undo),
  ]
  const title = `apply-kill: ${rounds} rounds of kill -9, ${size.toLocaleString('en')} accounts, ${differences} differences, seed ${flags.seed}`
  writeStats(title, figures)
  process.exitCode = figures.every((figure) => !('met' in figure) || figure.met) ? 0 : 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
