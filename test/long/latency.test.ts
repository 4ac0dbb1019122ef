/**
 * Deliveries must get their response at once, however busy the app is. Each route, gateway
 * response, import and stored body gets its largest input while a probe delivers every 50 ms, to
 * the receiver and to a plain server that writes each body to the disk before it responds. The
 * difference is the delay that the app causes, because other load on the computer or its disk
 * delays both. On a computer under heavy load the receiver, which has more threads, still waits
 * longer, so run this test on an idle one.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type RouteName, routes } from '../../src-preload/contract/routes.ts'
import {
  type ScriptedServer,
  jsonResponse,
  openScriptedServer,
} from '../fixtures/scripted-server.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { importOf } from '../fixtures/capture-files.ts'

const mebibyte = 1024 * 1024
const maxExtraMs = 250

/** A server in its own thread that responds once the body is on the disk. */
const plainServer = `
  const { appendFileSync, fdatasyncSync, openSync } = require('node:fs')
  const { createServer } = require('node:http')
  const { parentPort, workerData: { path } } = require('node:worker_threads')
  const file = openSync(path, 'a')
  const server = createServer((request, response) => {
    request.on('data', (part) => appendFileSync(file, part))
    request.on('end', () => {
      fdatasyncSync(file)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

/**
 * Writes for each URL the longest wait in milliseconds since the last call, and the numbers of
 * deliveries and failures. A waiting request does not delay the next one.
 */
const probe = `
  const { Agent, request } = require('node:http')
  const { workerData: { shared, urls } } = require('node:worker_threads')
  const stats = new Int32Array(shared)
  const agent = new Agent({ keepAlive: true })
  const deliver = (url, index) => {
    const [worst, count, failed] = [0, 1, 2].map((each) => index * 3 + each)
    const from = performance.now()
    const end = (isAccepted) => {
      const ms = Math.round(performance.now() - from)
      if (ms > stats[worst]) stats[worst] = ms
      stats[count] += 1
      if (!isAccepted) stats[failed] += 1
    }
    const sent = request(url, { method: 'POST', agent }, (response) => {
      response.resume()
      response.on('end', () => end(response.statusCode === 200))
    })
    sent.on('error', () => end(false))
    sent.end('probe')
  }
  setInterval(() => urls.forEach(deliver), 50)`

/**
 * The values of the receiver, then those of the plain server: longest wait, number of deliveries,
 * number of failures.
 */
const stats = new Int32Array(new SharedArrayBuffer(24))
const statOf = (server: 'receiver' | 'plain', stat: 'worst' | 'count' | 'failed') =>
  Atomics.load(stats, (server === 'receiver' ? 0 : 3) + { worst: 0, count: 1, failed: 2 }[stat])
let app: TestApp
let gateway: ScriptedServer
let network: string
let workers: Worker[]
let plainUrl: string
let directory: ReturnType<typeof temporaryDirectory>

/** Returns the longest waits during the work, and for the delivery after it. */
async function worstDuring(work: () => Promise<unknown>) {
  stats.fill(0)
  await work()
  for (const server of ['receiver', 'plain'] as const) {
    const after = statOf(server, 'count')
    // A delivery that is being sent when the work ends counts too.
    while (statOf(server, 'count') < after + 2) await pause(20)
    expect(statOf(server, 'failed')).toBe(0)
  }
  return { receiver: statOf('receiver', 'worst'), plain: statOf('plain', 'worst') }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Feed = readonly [what: string, work: () => Promise<unknown>]

/** Runs the inputs in sequence, so that a failure names the input that delayed the probe. */
async function expectNoDelay(feeds: readonly Feed[]): Promise<void> {
  const slow: string[] = []
  for (const [what, work] of feeds) {
    const { receiver, plain } = await worstDuring(work)
    const extra = receiver - plain
    if (extra > maxExtraMs) slow.push(`${what}: ${receiver} ms, the plain server ${plain} ms`)
  }
  expect(slow).toEqual([])
}

beforeAll(async () => {
  app = await startApp({ worksOn: true, checkOutput: false })
  gateway = await openScriptedServer()
  const url = gateway.origin
  const urls = { query: url, webhooks: url, testnetWebhooks: null, console: url }
  network = (await app.request('network.add', { name: 'Hostile', urls, testOnly: true })).id
  await app.request('settings.change', { receiver: { bodyLimitBytes: 64 * mebibyte } })
  directory = temporaryDirectory()
  const path = join(directory.path, 'bodies')
  const plain = new Worker(plainServer, { eval: true, workerData: { path } })
  const [port] = z.tuple([z.int()]).parse(await once(plain, 'message'))
  plainUrl = `http://127.0.0.1:${port}`
  const probed = { shared: stats.buffer, urls: [await app.hook(), plainUrl] }
  workers = [plain, new Worker(probe, { eval: true, workerData: probed })]
  await worstDuring(() => pause(1_000))
})
afterAll(async () => {
  for (const worker of workers) await worker.terminate()
  await app[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

/** These routes end, move or replace the measured app, or need the desktop. */
const left =
  /^(app\.restart|desktop\.|window\.|log\.openFolder|settings\.change|receiver\.(start|stop|rotateToken)|backup\.|update\.|network\.|sandbox\.|file\.choose|capture\.(clear|delete|prune)|secrets\.|responseRule\.save)/

const names = (Object.keys(routes) as RouteName[]).filter((name) => !left.test(name))

type Schema = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema | boolean>>
  readonly items?: Schema | boolean
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
}

type Hints = Readonly<Record<string, unknown>>

const maxText = 2_000_000
const maxList = 2_000

/**
 * Builds the largest value that the schema allows, up to a few megabytes. @param unit the text from
 * which texts are made
 */
function largest(schema: Schema | boolean, unit: string, hints: Hints, name = ''): unknown {
  if (name in hints) return hints[name]
  if (typeof schema !== 'object') return undefined
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum.at(-1)
  if (schema.anyOf !== undefined) {
    const some = schema.anyOf.filter(({ type }) => type !== 'null')
    return largest(some.at(-1) ?? {}, unit, hints, name)
  }
  switch (schema.type ?? '') {
    case 'string':
      return unit.repeat(Math.floor(Math.min(schema.maxLength ?? maxText, maxText) / unit.length))
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? 1_000_000, Number.MAX_SAFE_INTEGER)
    case 'boolean':
      return true
    case 'array': {
      const item = largest(schema.items ?? {}, unit, hints)
      const size = Math.max(1, JSON.stringify(item ?? null).length)
      const count = Math.min(schema.maxItems ?? maxList, maxList, Math.ceil(maxText / size))
      return Array.from({ length: count }, () => item)
    }
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [
          key,
          largest(value, unit, hints, key),
        ]),
      )
    default:
      return undefined
  }
}

function inputOf(name: RouteName, unit: string, hints: Hints): unknown {
  const schema = z.toJSONSchema(routes[name].input, { io: 'input', unrepresentable: 'any' })
  return largest(schema as Schema, unit, hints)
}

test.each(['a', '[],', '\u0000é'])(
  'deliveries are not delayed by routes with texts of %j',
  async (unit) => {
    await expectNoDelay(
      names.map((name) => [name, () => app.envelope(name, inputOf(name, unit, {}))]),
    )
  },
)

const address = `0:${'5a'.repeat(32)}`
const hash = '7e'.repeat(32)

const cells = Array.from({ length: 100_000 }, () => ({
  type: 'cell',
  cell: 'b5ee9c72010101010002000000',
}))
const numbers = Array.from({ length: 400_000 }, (_, index) => index).join(',')

/** Each body has at most the 16 MiB that are read. */
const responses = {
  'values and one long integer': `[${'1,'.repeat(8_000_000)}12345678901234567890]`,
  'fewer values and one long integer': `{"transactions":[${'1,'.repeat(490_000)}12345678901234567890]}`,
  'nested lists': '['.repeat(8_000_000) + ']'.repeat(8_000_000),
  'lists as deep as is allowed': `${'['.repeat(99_000)}${']'.repeat(99_000)}`,
  'a get method of 100,000 cells': JSON.stringify({ success: true, exit_code: 0, stack: cells }),
  'a list of numbers': `{"success":true,"exit_code":0,"stack":[${numbers}]}`,
  'one text': JSON.stringify({ error: 'x'.repeat(15 * mebibyte) }),
  digits: '9'.repeat(15 * mebibyte),
} as const

const ofNetwork = names.filter((name) => {
  const schema = z.toJSONSchema(routes[name].input, {
    io: 'input',
    unrepresentable: 'any',
  }) as Schema
  return schema.properties?.['network'] !== undefined
})

test.each(Object.entries(responses))(
  'deliveries are not delayed by gateway responses: %s',
  async (_what, body) => {
    gateway.answer = jsonResponse(body)
    const hints = { network, address, account: address, hash, addresses: [address], limit: 100 }
    await expectNoDelay(
      ofNetwork.map((name) => [name, () => app.envelope(name, inputOf(name, 'a', hints))]),
    )
    expect(gateway.seen.splice(0).length).toBeGreaterThan(10)
  },
)

const bodies = {
  '16 MB of lists': Buffer.from('[],'.repeat(5_500_000)),
  '16 MB of umlauts': Buffer.from('ä'.repeat(8 * mebibyte)),
  '16 MB of quotes': Buffer.from('"\\'.repeat(8 * mebibyte)),
  // A larger body delays others by the time that the disk needs, because a response follows its
  // commit.
  '16 MiB of zeros': Buffer.alloc(16 * mebibyte),
  '1 MB of members': Buffer.from(`{"a":[${'1,'.repeat(500_000)}1]}`),
  '1 MB of depth': Buffer.from(`{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
} as const

const ofCapture = names.filter((name) => /^(capture|replay|explanation)/.test(name))

test.each(Object.entries(bodies))(
  'deliveries are not delayed by stored bodies: %s',
  async (_what, body) => {
    const action = { kind: 'answer' as const, status: 200 }
    const rule = await app.request('responseRule.save', { filter: 'body:limited', action })
    // The disk needs time for a large body, whichever process writes it.
    const receive = async (headers = {}) => {
      await fetch(plainUrl, { method: 'POST', body })
      expect(await app.post(body, { headers })).toBe(200)
    }
    await expectNoDelay([
      ['received', () => receive()],
      ['received with a token', () => receive({ authorization: 'Bearer x' })],
      ['indexed', () => app.classified()],
    ])
    await app.request('responseRule.remove', { id: rule.id })
    await receive()
    const id = (await app.request('capture.list', { limit: 50 })).rows.find(
      ({ bodyBytes }) => bodyBytes === body.length,
    )?.id
    const hints = { id, ids: [id], reveal: true, text: 'body:x' }
    await expectNoDelay(
      ofCapture.map((name) => [name, () => app.envelope(name, inputOf(name, 'a', hints))]),
    )
  },
)

test.each([
  ['bomb.har', `{"log":{"entries":[{"request":{},"x":[${'[],'.repeat(20_000_000)}0]}]}}`],
  ['lines.jsonl', '{"body":"x"}\n'.repeat(2_000_000)],
  ['one-line.jsonl', `{"body":"${'x'.repeat(60 * mebibyte)}"}`],
])('deliveries are not delayed by an import of %s', async (name, text) => {
  await expectNoDelay([[name, () => importOf(app, name, Buffer.from(text)).catch(() => null)]])
})

test('after all inputs the receiver listens, and every delivery of the probe got 200', async () => {
  expect((await app.request('receiver.state')).status).toBe('listening')
  expect(await app.post('last')).toBe(200)
})
