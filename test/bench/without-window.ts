/**
 * Receives for an hour without a window and then opens it: the installed app on the stand-in for
 * Electron. Each delivery with the response 200 must be stored exactly once and byte for byte.
 * Flags: --minutes N (60), --rate N deliveries a second (50), --seed N (1).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connectLocalSocket } from '../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../src-main/bridge/local-socket.ts'
import { rows } from '../e2e/pages/captures.ts'
import { openPage } from '../e2e/pages/frame.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { launchStandIn } from '../stand-in/launch.ts'
import { writeStats } from './lib/stats.ts'
import { webhookBody } from './lib/load.ts'
import { megabytes, residentBytes } from './lib/processes.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
})
const minutes = Number(flags.minutes)
const rate = Number(flags.rate)
const seed = Number(flags.seed)

const openTargetMs = 1500
/** The list counts as displayed when it has this number of rows. */
const wantedRows = 10
/** One in this many bodies is compared byte by byte; the lengths of all bodies are compared. */
const sampleEvery = 100

/**
 * Returns the delivery with a number, the same in each run with the same seed: a webhook event and
 * up to 2 kB more.
 */
function bodyOf(number: number): string {
  const more = Math.floor(seededRandom(seed * 1_000_003 + number)() * 2000)
  return `${webhookBody(String(25_713_146_000_000 + number)).slice(0, -1)},"more":"${'x'.repeat(more)}"}`
}

/** Sends at an even rate independently of the responses, as many senders do. */
function startDelivering(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const answered = new Set<number>()
  const unanswered = new Set<number>()
  const latencies: number[] = []
  let sent = 0
  const from = performance.now()

  function deliver(number: number): void {
    const sentAt = performance.now()
    const outgoing = request(`${url}/${number}`, {
      agent,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    })
    unanswered.add(number)
    outgoing.on('response', (response) => {
      response.resume()
      response.on('close', () => {
        latencies.push(performance.now() - sentAt)
        unanswered.delete(number)
        if (response.statusCode === 200) answered.add(number)
      })
    })
    // A delivery without a response is in neither count; the output reports their number.
    outgoing.on('error', () => unanswered.delete(number))
    outgoing.end(bodyOf(number))
  }

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - from) / 1000) * rate)
    while (sent < due) deliver((sent += 1))
  }, 10)

  return {
    answered,
    latencies,
    sent: () => sent,
    async stop(): Promise<void> {
      clearInterval(timer)
      while (unanswered.size > 0) await wait(10)
      agent.destroy()
    },
  }
}

type Page = {
  rows: { id: number; subpath: string; bodyBytes: number }[]
  nextBefore: number | null
}

/** Returns how often each delivery is stored, and the numbers of deliveries whose bytes differ. */
async function readStored(ask: <T>(name: string, input: unknown) => Promise<T>) {
  const times = new Map<number, number>()
  const different: number[] = []
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const page: Page = await ask<Page>('capture.list', { before, limit: 500 })
    for (const { id, subpath, bodyBytes } of page.rows) {
      const number = Number(subpath.slice(1))
      times.set(number, (times.get(number) ?? 0) + 1)
      const sent = bodyOf(number)
      if (bodyBytes !== Buffer.byteLength(sent)) different.push(number)
      else if (number % sampleEvery === 0) {
        const { base64 } = await ask<{ base64: string }>('capture.body', { id })
        if (Buffer.from(base64, 'base64').toString() !== sent) different.push(number)
      }
    }
    before = page.nextBefore
  }
  return { times, different }
}

function quantile(sorted: readonly number[], part: number): string {
  return `${(sorted[Math.floor(part * (sorted.length - 1))] ?? NaN).toFixed(1)} ms`
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const app = launchStandIn({
  dataDirectory: directory,
  args: ['--no-open', '--receiver-port', '0'],
  env: { TONDESK_CHECK_OUTPUT: '0' },
  // The main process of the installed app has no Node flags either.
  nodeFlags: [],
})
try {
  const { receiverUrl } = await app.ready
  const client = await connectLocalSocket(localSocketPath(directory))
  if (client === null || receiverUrl === null) throw new Error('The app does not receive.')
  const ask = async <T>(name: string, input: unknown) => {
    const envelope = await client.request(name, input)
    if (!envelope.ok) throw new Error(`${name}: ${envelope.error.message}`)
    return envelope.data as T
  }
  const atStart = residentBytes(app.processId)
  const delivering = startDelivering(receiverUrl)
  let highest = atStart
  for (let minute = 0; minute < minutes;) {
    const step = Math.min(1, minutes - minute)
    await wait(step * 60_000)
    minute += step
    const now = residentBytes(app.processId)
    highest = Math.max(highest, now)
    const { answered, sent } = delivering
    process.stderr.write(
      `minute ${minute}: ${sent()} sent, ${answered.size} answered 200, ${megabytes(now)}\n`,
    )
  }
  const atEnd = residentBytes(app.processId)
  const withoutWindow = (await app.ask('report')).windows.length === 0

  // Deliveries continue while the window opens.
  const from = performance.now()
  await client.open()
  const page = await app.page()
  const loadedMs = performance.now() - from
  await openPage(page, 'inspector')
  await rows(page)
    .nth(wantedRows - 1)
    .waitFor()
  const shownMs = performance.now() - from

  await delivering.stop()
  const { answered, latencies, sent } = delivering
  const { times, different } = await readStored(ask)
  const missing = [...answered].filter((number) => !times.has(number)).length
  const repeated = [...times.values()].filter((count) => count > 1).length
  const unacknowledged = [...times.keys()].filter((number) => !answered.has(number)).length
  const { ok } = await ask<{ ok: boolean }>('app.checkIntegrity', undefined)
  const afterwards = residentBytes(app.processId)
  client.dispose()
  await app.ask('quit')
  const { code } = await app.exit

  const sorted = latencies.toSorted((a, b) => a - b)
  const zero = (count: number) => ({ value: String(count), wanted: '0', met: count === 0 })
  const yes = (met: boolean) => ({ value: met ? 'yes' : 'no', wanted: 'yes', met })
  writeStats(`without-window: ${minutes} minutes, ${rate} deliveries a second, seed ${seed}`, [
    { name: 'deliveries sent', value: sent().toLocaleString('en') },
    { name: 'not answered 200', ...zero(sent() - answered.size) },
    { name: 'answered 200, but not stored', ...zero(missing) },
    { name: 'stored more than once', ...zero(repeated) },
    { name: 'stored, but not answered 200', value: String(unacknowledged) },
    { name: 'stored with other bytes', ...zero(different.length) },
    { name: 'the database is intact', ...yes(ok) },
    { name: 'no window until it was asked for', ...yes(withoutWindow) },
    { name: 'response, median', value: quantile(sorted, 0.5) },
    { name: 'response, 99 of 100', value: quantile(sorted, 0.99) },
    { name: 'response, longest', value: quantile(sorted, 1) },
    { name: 'main process at the start', value: megabytes(atStart) },
    { name: 'main process, highest', value: megabytes(highest) },
    { name: 'main process at the end', value: megabytes(atEnd) },
    { name: 'main process after the check', value: megabytes(afterwards) },
    { name: 'the window has loaded', value: `${Math.round(loadedMs)} ms` },
    {
      name: 'the window shows the list of captures',
      value: `${Math.round(shownMs)} ms`,
      wanted: `< ${openTargetMs} ms`,
      met: shownMs < openTargetMs,
    },
    { name: 'the app quits', ...yes(code === 0) },
  ])
  const isRight =
    missing + repeated + different.length === 0 && answered.size === sent() && ok && code === 0
  process.exitCode = isRight && withoutWindow && shownMs < openTargetMs ? 0 : 1
} finally {
  await app.kill()
  rmSync(directory, { recursive: true, force: true })
}
// Playwright's connection to the window's Chromium ended with the window and needs no closing.
process.exit()
