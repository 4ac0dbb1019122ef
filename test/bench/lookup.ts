/**
 * Compares a bulk lookup against the sandbox with a bare undici loop of the same requests, then
 * runs a large job in its own process and kills it half-way. Flags: --rounds N (5), --addresses N
 * (10000), --large N (100000).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent } from 'undici'
import { connectLocalSocket } from '../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../src-main/bridge/local-socket.ts'
import { type Call, caller } from '../../src-main/bridge/dispatch.ts'
import { type App, createApp } from '../../src-main/app/create-app.ts'
import { dataPaths } from '../../src-main/app/paths.ts'
import { openDatabase } from '../../src-main/database/database.ts'
import { createLookupJobTable } from '../../src-main/lookups/store/lookup-jobs.ts'
import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'
import { appNodeFlags } from './lib/product.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    addresses: { type: 'string', default: '10000' },
    large: { type: 'string', default: '100000' },
  },
})
const rounds = Number(flags.rounds)
const chunk = 1000

const randomList = (count: number) =>
  Array.from({ length: count }, () => `0:${randomBytes(32).toString('hex')}`)

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  const figures = [
    ...(await besideBareLoop(Number(flags.addresses))),
    ...(await killedHalfWay(Number(flags.large))),
  ]
  writeStats(`lookup: ${flags.addresses} addresses, median of ${rounds} rounds`, figures)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

const getLookup = (call: Call, id: number) =>
  call('job.get', { kind: 'lookup', id }) as Promise<LookupJob>

async function besideBareLoop(count: number): Promise<Figure[]> {
  const dataDirectory = join(directory, 'beside')
  const app = await createApp({
    dataDirectory,
    host: 'cli',
    version: '0.0.0-bench',
    receive: false,
    startSandbox: true,
    sandboxPort: 0,
  })
  const agent = new Agent()
  try {
    const call = caller((name, input) => app.dispatch(name, input))
    const url = await sandboxUrl(app, call)
    const keys = JSON.parse(readFileSync(join(dataDirectory, 'sandbox', 'keys.json'), 'utf8')) as {
      apiKey: string
    }
    const times = { bare: [] as number[], ours: [] as number[] }
    let requests = 0
    // The first round is not measured: it warms up both sides and finds the limit.
    for (let round = 0; round <= rounds; round += 1) {
      const list = randomList(count)
      const began = performance.now()
      await askBare(agent, `${url}/v2/accounts/_bulk`, keys.apiKey, list)
      const bare = performance.now() - began
      const job = await runJob(call, 'sandbox', list)
      const ours = (job.finishedAt ?? NaN) - job.createdAt
      process.stderr.write(`round ${round}: bare ${bare.toFixed(0)} ms, ours ${ours} ms\n`)
      if (round === 0) continue
      times.bare.push(bare)
      times.ours.push(ours)
      requests = job.requests
    }
    const ratio = median(times.ours.map((ms, index) => ms / (times.bare[index] ?? NaN)))
    const fewest = Math.ceil(count / chunk)
    return [
      { name: 'bare undici loop', value: `${median(times.bare).toFixed(0)} ms` },
      { name: 'ours, written, asked and kept', value: `${median(times.ours).toFixed(0)} ms` },
      { name: 'to bare', value: ratio.toFixed(2), wanted: '≤ 1.3', met: ratio <= 1.3 },
      {
        name: 'requests, once the limit is known',
        value: `${requests}, bare ${fewest}`,
        wanted: 'no more',
        met: requests <= fewest,
      },
    ]
  } finally {
    await agent.destroy()
    await app.dispose()
  }
}

async function sandboxUrl(app: App, call: Call): Promise<string> {
  for (;;) {
    const { status, urls, problem } = await call('sandbox.state')
    if (status === 'running' && urls !== null) return urls.query
    if (problem !== null) throw new Error(problem)
    const changed = Promise.withResolvers<undefined>()
    const stop = app.events.subscribe(() => changed.resolve(undefined))
    await Promise.race([changed.promise, sleep(1000)])
    stop()
  }
}

async function askBare(
  agent: Agent,
  url: string,
  key: string,
  list: readonly string[],
): Promise<void> {
  const { origin, pathname } = new URL(url)
  for (let from = 0; from < list.length; from += chunk) {
    const { statusCode, body } = await agent.request({
      origin,
      path: pathname,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ account_ids: list.slice(from, from + chunk) }),
    })
    const { accounts } = (await body.json()) as { accounts: unknown[] }
    if (statusCode !== 200 || accounts.length === 0) throw new Error(`answered ${statusCode}`)
  }
}

async function startJob(call: Call, network: string, list: readonly string[]): Promise<LookupJob> {
  let draft = await call('lookup.begin', { network })
  for (let from = 0; from < list.length; from += 5000) {
    const piece = { text: `${list.slice(from, from + 5000).join('\n')}\n` }
    const isLast = from + 5000 >= list.length
    draft = await call('lookup.append', { draft: draft.id, piece, isLast })
  }
  return call('lookup.start', { draft: draft.id })
}

async function runJob(call: Call, network: string, list: readonly string[]): Promise<LookupJob> {
  const { id } = await startJob(call, network, list)
  for (;;) {
    const job = await getLookup(call, id)
    if (job.state === 'done') return job
    if (job.state !== 'running') throw new Error(job.problem ?? job.state)
    await sleep(20)
  }
}

type Ready = { queryUrl: string; apiKey: string }

/** Runs the shipped process with a list of maximum length, and counts the requests in a proxy. */
async function killedHalfWay(count: number): Promise<Figure[]> {
  const sandbox = spawnTondesk([
    'out/main/cli.js',
    'sandbox',
    '--json',
    '--port',
    '0',
    '--ephemeral',
  ])
  const ready = JSON.parse(await firstLine(sandbox)) as Ready
  const proxy = await startCountingProxy(ready)
  const dataDirectory = join(directory, 'killed')
  const start = async () => {
    const args = ['--no-open', '--json', '--without-sandbox', '--data-dir', dataDirectory]
    const ports = ['--port', '0', '--receiver-port', '0']
    const child = spawnTondesk(['out/main/serve.js', ...args, ...ports])
    await firstLine(child)
    const client = await connectLocalSocket(localSocketPath(dataDirectory))
    if (client === null) throw new Error('The app does not answer.')
    return { child, client, call: caller((name, input) => client.request(name, input)) }
  }
  const first = await start()
  const { url } = proxy
  const urls = { query: url, webhooks: url, testnetWebhooks: null, console: null }
  const { id: network } = await first.call('network.add', { name: 'Bench', urls, testOnly: false })
  const watched = watch(first.child, first.call)
  const { id } = await startJob(first.call, network, randomList(count))
  while ((await getLookup(first.call, id)).answered < count / 2) await sleep(20)
  await watched.stop()
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  first.client.dispose()
  // Addresses that were requested and have no stored result.
  const inFlight = proxy.asked.size - countKept(dataDirectory)

  const second = await start()
  const again = watch(second.child, second.call)
  while ((await getLookup(second.call, id)).state === 'running') await sleep(20)
  const job = await getLookup(second.call, id)
  await second.call('lookup.rows', { id, sort: { by: 'balance' }, offset: 0, limit: 500 })
  await again.stop()
  const twice = [...proxy.asked.values()].filter((times) => times > 1).length
  second.client.dispose()
  await end(second.child)
  await end(sandbox)
  proxy.close()
  const memory = Math.max(watched.highest(), again.highest())
  const waits = [...watched.waits, ...again.waits].toSorted((a, b) => a - b)
  const longest = waits.at(-1) ?? NaN
  return [
    {
      name: `${count.toLocaleString('en')} addresses: main process at most`,
      value: `${memory.toFixed(0)} MB`,
      wanted: '< 300 MB',
      met: memory < 300,
    },
    {
      name: 'a route answered meanwhile, median and longest',
      value: `${median(waits).toFixed(0)} and ${longest.toFixed(0)} ms`,
      wanted: '< 100 ms',
      met: longest < 100,
    },
    {
      name: 'killed half-way: answered at the end',
      value: `${job.answered} of ${count}`,
      wanted: 'all',
      met: job.answered === count,
    },
    {
      name: 'asked twice, and in flight when it was killed',
      value: `${twice} and ${inFlight}`,
      wanted: 'no more',
      met: twice <= inFlight,
    },
  ]
}

function countKept(dataDirectory: string): number {
  const database = openDatabase(dataPaths(dataDirectory).database)
  const [job] = createLookupJobTable(database).list()
  database.close()
  return job?.answered ?? NaN
}

/** Starts the command with the flags that the scripts of build/ use. */
function spawnTondesk(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...appNodeFlags, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('It has no output.')
  const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string]
  return line
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Measures memory and response times until it is stopped. */
function watch(child: ChildProcess, call: Call) {
  const waits: number[] = []
  const halt = new AbortController()
  const highest = () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8'))?.[1]) /
    1024
  let last = 0
  const watching = (async () => {
    while (!halt.signal.aborted) {
      const began = performance.now()
      await call('app.info')
      waits.push(performance.now() - began)
      last = highest()
      await sleep(10)
    }
  })()
  return {
    waits,
    highest: () => last,
    async stop() {
      halt.abort()
      await watching
    },
  }
}

async function startCountingProxy({ queryUrl, apiKey }: Ready) {
  const asked = new Map<string, number>()
  const agent = new Agent()
  const { origin } = new URL(queryUrl)
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      const { account_ids: ids } = JSON.parse(body) as { account_ids: string[] }
      for (const address of ids) asked.set(address, (asked.get(address) ?? 0) + 1)
      const answer = await agent.request({
        origin,
        path: request.url ?? '/',
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body,
      })
      response.writeHead(answer.statusCode, { 'content-type': 'application/json' })
      response.end(await answer.body.text())
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Number of requests for each address. */
    asked,
    close() {
      server.closeAllConnections()
      server.close()
      void agent.destroy()
    },
  }
}
