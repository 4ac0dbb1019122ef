import { request as httpRequest, createServer } from 'node:http'
import { type AddressInfo, type Socket, createServer as createNetServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { createGuard } from '../../../src-main/delivery/sender/guard.ts'
import { createSender } from '../../../src-main/delivery/targets/targets.ts'
import { resultOf } from '../../../src-main/delivery/targets/http.ts'
import { createHttpSender } from '../../../src-main/delivery/sender/sender.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { createForwardRules } from '../../../src-main/delivery/store/forward-rules.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { deadlines } from '../../deadlines.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../fixtures/directory.ts'
import { hookOf } from '../../fixtures/hook.ts'

type Arrived = {
  readonly url: string
  readonly headers: readonly string[]
  readonly body: string
  readonly id: string | undefined
}

/** A target that can be turned off, and on again on the same port. */
function createTarget() {
  let port = 0
  const target = {
    arrived: [] as Arrived[],
    answer: (() => 200) as (one: Arrived) => number,
    url: (path = '/in') => `http://localhost:${port}${path}`,
    on: () =>
      new Promise<void>((resolve) => {
        server.listen({ host: '127.0.0.1', port }, () => {
          port = (server.address() as AddressInfo).port
          resolve()
        })
      }),
    off: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    lts: () => target.arrived.map(({ body }) => /"lt":(\d+)/.exec(body)?.[1]).join(),
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('latin1').on('data', (text: string) => (body += text))
    request.on('end', () => {
      const id = request.headers['x-tondesk-delivery']
      const one = {
        url: request.url ?? '',
        headers: request.rawHeaders,
        body,
        id: Array.isArray(id) ? id[0] : id,
      }
      target.arrived.push(one)
      response.writeHead(target.answer(one), { 'X-Kind': 'target' }).end('said')
    })
  })
  return target
}

const event = (lt: number, account = '0:aa') =>
  JSON.stringify({ event_type: 'account_tx', account_id: account, lt, tx_hash: 'ab' })

let directory: TemporaryDirectory
let app: TestApp
const target = createTarget()

const start = () =>
  startApp({ dataDirectory: `${directory.path}/data`, host: 'browser', startSandbox: false })

beforeAll(async () => {
  directory = temporaryDirectory()
  app = await start()
  await target.on()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await target.off()
  directory[Symbol.dispose]()
})
afterEach(async () => {
  for (const { id } of await app.request('forwardRule.list')) {
    await app.request('forwardRule.remove', { id })
  }
  target.answer = () => 200
  target.arrived = []
})

const save = (rule: Partial<Input<'forwardRule.save'>> = {}) =>
  app.request('forwardRule.save', { targets: [target.url()], ...rule })
const ruleNow = async ({ id }: ForwardRule) => {
  const found = (await app.request('forwardRule.list')).find((rule) => rule.id === id)
  if (found?.health[0] === undefined) throw new Error('The rule is gone.')
  return { ...found, health: found.health[0] }
}
const forwarded = async (rule: ForwardRule, count: number) => {
  await app.until(async () => (await ruleNow(rule)).health.delivered >= count, `${count} delivered`)
}
const newestId = async () => (await app.request('capture.list', { limit: 1 })).rows[0]?.id ?? 0
const deliveriesOf = (id: number) => app.request('forward.ofCapture', { id })

test('a target that was down gets all waiting deliveries once, in order, with unchanged bytes', async () => {
  await app.post(event(1))
  const rule = await save({ filter: 'event:account_tx', appendPath: true })
  await target.off()
  const { port, path } = await hookOf(app)
  // The logical times are out of order, with an event of another account in between. Sorted as
  // text, their order would differ.
  for (const body of [event(20), event(9), event(5, '0:bb'), event(100)]) {
    await new Promise<void>((resolve, reject) => {
      const headers = ['X-Odd', 'a', 'x-odd', 'b\u00e9', 'Connection', 'X-Hop', 'X-Hop', 'gone']
      const outgoing = httpRequest({
        port,
        path: `${path}/sub?a=%2e`,
        method: 'POST',
        host: '127.0.0.1',
        headers: [...headers, 'Content-Length', String(Buffer.byteLength(body))],
      })
      outgoing
        .on('error', reject)
        .on('response', (response) => response.resume().on('end', resolve))
      // For a string, Node would also write the head as UTF-8.
      outgoing.end(Buffer.from(body))
    })
  }
  await app.post('{"other":1}')
  await app.until(async () => {
    const { health } = await ruleNow(rule)
    return health.state === 'down' && health.waiting === 4 && health.nextTryAt !== null
  }, 'a target that is down')
  const waiting = await deliveriesOf(await newestIdOf(100))
  expect(waiting).toMatchObject([
    {
      state: 'waiting',
      why: expect.stringMatching(/^Waiting for the target, which is down\./) as unknown,
    },
  ])

  // The app restarts here: waiting deliveries remain, with their ids.
  const ids = new Set(
    (await app.request('forward.list', {})).deliveries.map((one) => one.deliveryId),
  )
  await app[Symbol.asyncDispose]()
  app = await start()
  await target.on()
  await app.request('forwardRule.retryNow', { id: rule.id })
  await forwarded(rule, 4)
  expect(target.arrived.map(({ body }) => body).filter((body) => body.includes('0:aa'))).toEqual(
    [9, 20, 100].map((lt) => event(lt)),
  )
  expect(new Set(target.arrived.map(({ id }) => id))).toEqual(ids)
  expect(target.arrived).toHaveLength(4)
  expect(target.arrived[0]?.url).toBe('/in/sub?a=%2e')
  const headers = target.arrived[0]?.headers ?? []
  expect(headers.slice(headers.indexOf('X-Odd'), headers.indexOf('X-Odd') + 4)).toEqual([
    'X-Odd',
    'a',
    'x-odd',
    'b\u00e9',
  ])
  expect(headers).not.toContain('X-Hop')
  expect((await ruleNow(rule)).health).toMatchObject({ state: 'up', waiting: 0, delivered: 4 })
  const { rows } = await app.request('capture.list', { query: { text: 'forwarded:delivered' } })
  expect(rows.map(({ lt, forward }) => [lt, forward])).toContainEqual(['100', 'delivered'])
})

async function newestIdOf(lt: number): Promise<number> {
  const { rows } = await app.request('capture.list', {})
  return rows.find((row) => row.lt === String(lt))?.id ?? 0
}

test('a failed delivery is retried under the same id and delays only its account; after a 410 it is dropped', async () => {
  const rule = await save()
  let refusals = 0
  target.answer = ({ body }) => {
    if (body.includes('"lt":2,')) return 410
    return body.includes('0:cc') && body.includes('"lt":1,') && (refusals += 1) < 2 ? 500 : 200
  }
  await app.post(event(1, '0:cc'))
  await app.post(event(2, '0:cc'))
  await app.post(event(3, '0:cc'))
  await app.post(event(1, '0:dd'))
  await forwarded(rule, 3)
  const ofCc = target.arrived.filter(({ body }) => body.includes('0:cc'))
  expect(ofCc.map(({ body }) => /"lt":(\d)/.exec(body)?.[1])).toEqual(['1', '1', '2', '3'])
  expect(ofCc[0]?.id).toBe(ofCc[1]?.id)
  const [dropped] = (await app.request('forward.list', { rule: rule.id, state: 'dropped' }))
    .deliveries
  expect(dropped).toMatchObject({ attempts: 1, state: 'dropped' })
  expect((await ruleNow(rule)).health).toMatchObject({ waiting: 0, delivered: 3, dropped: 1 })

  // The user retries the delivery.
  target.answer = () => 204
  await app.request('forward.retry', { deliveryId: dropped?.deliveryId ?? '' })
  await forwarded(rule, 4)
  const [tried] = await deliveriesOf(dropped?.capture ?? 0)
  expect(tried?.tries.map(({ answer }) => answer.status)).toEqual([204, 410])
  expect(await app.refusal('forward.retry', { deliveryId: 'no-such-id' })).toBe(
    'FORWARD_DELIVERY_UNKNOWN',
  )
})

test('a disabled rule keeps its waiting deliveries and accepts none; a removed rule drops its waiting deliveries', async () => {
  const rule = await save({ giveUpHours: 1 })
  target.answer = () => 503
  await app.post(event(1))
  await app.until(async () => (await ruleNow(rule)).health.state === 'down', 'a refusal')
  await app.request('forwardRule.setEnabled', { id: rule.id, enabled: false })
  await app.post(event(2))
  target.answer = () => 200
  target.arrived = []
  await app.request('forwardRule.setEnabled', { id: rule.id, enabled: true })
  await app.request('forwardRule.retryNow', { id: rule.id })
  await forwarded(rule, 1)
  expect(target.lts()).toBe('1')

  target.answer = () => 500
  await app.post(event(3))
  await app.until(async () => (await ruleNow(rule)).health.waiting === 1, 'another refusal')
  expect(await app.request('forwardRule.remove', { id: rule.id })).toEqual({ waiting: 1 })
  const isDropped = async () => (await deliveriesOf(await newestId()))[0]?.state === 'dropped'
  await app.until(isDropped, 'what waited to be dropped')
  const gone = await newestId()
  await app.request('capture.delete', { ids: [gone] })
  await app.until(async () => (await deliveriesOf(gone)).length === 0, 'its deliveries to go')
})

test('captures that arrived before a rule was disabled are forwarded even if it is enabled again before they were read', () => {
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  const rules = createForwardRules(database)
  const arriveTo = (id: number) => {
    database.exec(`INSERT OR REPLACE INTO settings (key, value) VALUES ('captures.idFloor', ${id})`)
  }
  const fields = {
    name: '',
    filter: '',
    targets: ['http://localhost:1/'],
    mode: 'after' as const,
    enabled: true,
    keepHost: false,
    appendPath: false,
    timeoutSeconds: 1,
    fullAnswer: false,
    giveUpHours: null,
  }
  const id = rules.save(null, fields, 0)
  arriveTo(10)
  rules.setEnabled(id, false)
  arriveTo(20)
  rules.setEnabled(id, true)
  arriveTo(30)
  rules.save(id, { ...fields, mode: 'through' }, 0)
  expect(rules.list()).toMatchObject([{ reached: 0, upTo: 30, gaps: [[10, 20]] }])
  arriveTo(40)
  rules.save(id, fields, 0)
  expect(rules.list()).toMatchObject([
    {
      reached: 0,
      upTo: null,
      gaps: [
        [10, 20],
        [30, 40],
      ],
    },
  ])
  database.close()
})

test('a capture that another Tondesk forwarded is not forwarded again', async () => {
  const rule = await save()
  await app.post(event(1), { headers: { 'X-Tondesk-Delivery': 'from-another' } })
  await app.post(event(2))
  await forwarded(rule, 1)
  expect(target.lts()).toBe('2')
})

test('in pass-through the gateway gets the target’s status, its whole response if enabled, or 502 or 504', async () => {
  const rule = await save({ mode: 'through', timeoutSeconds: 60, filter: 'event:account_tx' })
  target.answer = () => 418
  expect(await app.post(event(1))).toBe(418)
  const refused = await newestId()
  expect(await app.post('{"other":1}')).toBe(200)
  await app.until(
    async () => (await ruleNow(rule)).health.dropped === 1,
    'the try to be remembered',
  )
  expect(await deliveriesOf(refused)).toMatchObject([
    { mode: 'through', state: 'dropped', attempts: 1, tries: [{ answer: { status: 418 } }] },
  ])
  // The older rule decides the response; both targets get the delivery.
  const other = await save({
    mode: 'through',
    filter: 'event:account_tx',
    targets: [target.url('/b')],
  })
  expect(other.conflicts).toHaveLength(1)
  target.answer = ({ url }) => (url === '/in' ? 201 : 500)
  expect(await app.post(event(2))).toBe(201)
  await app.request('forwardRule.remove', { id: other.id })

  const { id, targets, mode, timeoutSeconds, filter } = rule
  const fields = { targets, mode, timeoutSeconds, filter }
  await app.request('forwardRule.save', { ...fields, id, fullAnswer: true })
  const whole = await fetch(await app.hook(), { method: 'POST', body: event(3) })
  expect([whole.status, whole.headers.get('x-kind'), await whole.text()]).toEqual([
    201,
    'target',
    'said',
  ])

  await using hanging = await listenRaw(() => undefined)
  await app.request('forwardRule.save', {
    ...fields,
    id,
    targets: [hanging.url],
    timeoutSeconds: 1,
  })
  expect(await app.post(event(4))).toBe(504)
  await target.off()
  await app.request('forwardRule.save', { ...fields, id })
  expect(await app.post(event(5))).toBe(502)
  await target.on()
})

test('conflicting rules are reported, and forbidden targets and invalid filters are refused', async () => {
  const rule = await save({ name: 'One' })
  const twice = await save({ filter: 'event:account_tx' })
  expect(twice.conflicts).toEqual([expect.stringContaining('“One”')])
  expect((await ruleNow(rule)).conflicts).toHaveLength(1)
  const own = await app.hook()
  const refusals: [Partial<Input<'forwardRule.save'>>, string][] = [
    [{ targets: [own] }, 'TARGET_REFUSED'],
    [{ targets: ['http://169.254.169.254/'] }, 'TARGET_REFUSED'],
    [{ targets: ['https://1.1.1.1/'] }, 'TARGET_UNCONFIRMED'],
    [{ targets: ['http://name.invalid/'] }, 'TARGET_UNRESOLVED'],
    [{ filter: 'comment:x' }, 'QUERY_INVALID'],
    [{ filter: '"' }, 'QUERY_INVALID'],
    [{ filter: 'duplicate:yes', mode: 'through' }, 'QUERY_INVALID'],
    [{ id: 999 }, 'FORWARD_RULE_UNKNOWN'],
  ]
  for (const [input, code] of refusals) {
    const asked = { targets: [target.url()], ...input }
    expect(await app.refusal('forwardRule.save', asked), JSON.stringify(input)).toBe(code)
  }
  await app.request('target.confirm', { host: '1.1.1.1:443' })
  expect(await app.request('target.confirmed')).toEqual(['1.1.1.1:443'])
  expect(await app.request('target.check', { url: 'https://1.1.1.1/x' })).toMatchObject({
    kind: 'public',
    isConfirmed: true,
    host: '1.1.1.1:443',
  })
  await app.request('target.forget', { host: '1.1.1.1:443' })
  expect(await app.refusal('target.confirm', { host: '10.0.0.1:80' })).toBe('TARGET_REFUSED')
  expect(await app.refusal('target.confirm', { host: 'a.example:80/@b' })).toBe('TARGET_REFUSED')
})

/** In these tests names do not resolve, and the hosts are confirmed. */
const guardOf = (confirmed: readonly string[] = []) =>
  createGuard({
    resolve: () => Promise.reject(new Error('none')),
    own: () => ({ ports: [], publicUrls: [] }),
    isConfirmed: (host) => confirmed.includes(host),
  })

/** Returns a port on which no program listens. */
async function closedPort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts a server that sends raw responses. */
async function listenRaw(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createNetServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('data', () => onConnection(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Writes the same bytes repeatedly until the socket is full or closed. */
function pour(socket: Socket, text: string): void {
  while (!socket.destroyed && socket.write(text));
  if (!socket.destroyed) socket.once('drain', () => pour(socket, text))
}

const mebibyte = 'x'.repeat(1024 * 1024)

test.each<[string, (socket: Socket) => void, object]>([
  ['hangs', () => undefined, { status: null, failure: 'timeout' }],
  ['resets', (socket) => socket.resetAndDestroy(), { status: null, failure: 'broken' }],
  ['ends at once', (socket) => socket.end(), { status: null, failure: 'broken' }],
  [
    'drips its head',
    (socket) => {
      const timer = setInterval(() => socket.write('H'), 20)
      socket.write('HTTP/1.1 200 OK\r\nX-A: ')
      socket.on('close', () => clearInterval(timer))
    },
    { status: null, failure: 'timeout' },
  ],
  [
    'responds with a gigabyte',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n')
      pour(socket, mebibyte)
    },
    { status: 200, failure: 'excess', isCut: true },
  ],
  [
    'responds with half of the announced length',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    { status: 200, failure: 'broken', isCut: true, bodyBytes: 4 },
  ],
  [
    'never ends its headers',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      pour(socket, 'X-More: and more\r\n'.repeat(100))
    },
    { status: null, failure: 'excess' },
  ],
  [
    'sends endless interim responses',
    (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(10)),
    { status: null, failure: 'excess' },
  ],
  [
    'switches protocols',
    (socket) => socket.write('HTTP/1.1 101 Over\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    { failure: 'broken' },
  ],
  ['is no HTTP server', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), { failure: 'broken' }],
])(
  'a target that %s is reported with the failure, in bounded time and memory',
  async (_what, behave, wanted) => {
    await using bad = await listenRaw(behave)
    const sender = createHttpSender(guardOf())
    const options = { keepHost: false, subpath: null, extraHeaders: [] }
    const request = { method: 'POST', headers: [], body: new Uint8Array(0) }
    const timeoutMs = 'failure' in wanted && wanted.failure === 'timeout' ? 250 : deadlines.wait
    const answer = await sender.send(request, bad.url, { ...options, timeoutMs })
    await sender.close()
    expect(answer).toMatchObject(wanted)
    expect(answer.problem).toMatch(/\.$/)
    const hasResponded = answer.status === 200
    expect(resultOf(answer)).toMatchObject({
      outcome: hasResponded ? 'delivered' : 'down',
      cause: answer.failure === 'timeout' ? 'timeout' : null,
      hasResponded,
      problem: hasResponded ? null : answer.problem,
    })
    expect(answer.body.byteLength).toBeLessThanOrEqual(64 * 1024)
    expect(answer.bodyBytes).toBeLessThan(10 * 1024 * 1024)
  },
)

test('a target that cannot be reached is down, and one that the guard blocks gets nothing', async () => {
  const sender = createSender(guardOf(['name.example:80']))
  const results = async (url: string, change: string | null = null, signal?: AbortSignal) => {
    const options = { keepHost: false, subpath: null, extraHeaders: [], timeoutMs: deadlines.wait }
    const request = { method: 'POST', headers: [], body: new Uint8Array(0), change }
    const aborting = signal === undefined ? {} : { signal }
    const result = await sender.send(request, url, { ...options, ...aborting })
    const { outcome, cause, hasResponded, problem, detail } = result
    expect(detail).toMatchObject({ status: null, bodyBytes: 0, problem })
    return [outcome, cause, hasResponded, problem]
  }
  const port = await closedPort()
  expect(await results(`http://127.0.0.1:${port}/`)).toEqual([
    ...['down', null, false],
    `Nothing listens on 127.0.0.1:${port}. Start the target.`,
  ])
  expect(await results('http://name.example/')).toEqual([
    ...['down', null, false],
    'name.example cannot be resolved (none). Check the spelling and your network connection.',
  ])
  await using plain = await listenRaw((socket) => socket.end('HTTP/1.1 400 No\r\n\r\n'))
  expect(await results(plain.url.replace('http:', 'https:'))).toEqual([
    ...['down', null, false],
    expect.stringMatching(/ has no valid certificate \(\w+\)\.$/),
  ])
  expect(await results(plain.url, 'Capture 1 was changed.')).toEqual([
    ...['refused', null, false],
    'Capture 1 was changed.',
  ])
  expect(await results(plain.url, null, AbortSignal.abort())).toEqual([
    ...['down', 'aborted', false],
    'Stopped.',
  ])
  expect(await results('http://169.254.169.254/')).toEqual([
    ...['down', 'blocked', false],
    expect.stringContaining('169.254.169.254'),
  ])
  expect(await results('http://93.184.216.34/')).toEqual([
    ...['down', 'blocked', false],
    '93.184.216.34:80 is not on this computer. Confirm the host first.',
  ])
  expect((await results('ftp://127.0.0.1/')).slice(0, 3)).toEqual(['down', 'blocked', false])
  await sender.close()
})
