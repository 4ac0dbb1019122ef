/**
 * Tests the responses that the gateway gets instead of 200. A rule must lose no delivery and must
 * not apply longer than set.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ResponseAction } from '../../../src-preload/contract/response-rule.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import type { ResponseOverride } from '../../../src-main/receiver/overridden-responses.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { startBareReceiver } from '../../fixtures/bare-receiver.ts'
import { bearerHeader, invoiceBody, otherAccount, transactionEvent } from '../../fixtures/bodies.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Hook, capturesOf, hookOf } from '../../fixtures/hook.ts'
import { openRaw, sendRaw } from '../../fixtures/raw-http.ts'

let app: TestApp
let hook: Hook
const home = temporaryDirectory()

beforeAll(async () => {
  app = await startApp({ dataDirectory: home.path })
  hook = await hookOf(app)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

type Answer = Extract<ResponseAction, { kind: 'answer' }>
const answer = (status: number, more: Partial<Answer> = {}): Answer => {
  return { kind: 'answer', status, headers: [], body: '', delayMs: 0, ...more }
}

async function rules(...saved: readonly Partial<Input<'responseRule.save'>>[]) {
  for (const { id } of await app.request('responseRule.list')) {
    await app.request('responseRule.remove', { id })
  }
  for (const each of saved) await app.request('responseRule.save', { action: answer(500), ...each })
  return () => app.request('responseRule.list')
}

const request = (body: string, lines = '') =>
  `POST ${hook.path} HTTP/1.1\r\nHost: a\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`

test('a response rule sets status, headers and body, the capture has the status, and other deliveries get 200', async () => {
  const headers: [string, string][] = [
    ['Retry-After', '7'],
    ['X-A', '1'],
    ['X-A', '2'],
  ]
  await rules(
    { filter: `account:${otherAccount}`, action: answer(429, { headers, body: 'späť' }) },
    { filter: 'event:invoice', action: answer(204, { body: 'no body belongs here' }) },
  )
  const [limited] = await capturesOf(app, 1, async () => {
    const raw = await sendRaw(hook.port, request(transactionEvent({ account: otherAccount })))
    expect([raw.status, raw.body.toString()]).toEqual([429, 'späť'])
    expect(raw.headers).toEqual(expect.arrayContaining(headers))
  })
  expect(limited).toMatchObject({ status: 429, completeness: 'complete' })
  const none = await sendRaw(hook.port, request(invoiceBody('1')))
  expect([none.status, none.head.toLowerCase().includes('content-length')]).toEqual([204, false])
  expect(await app.post(transactionEvent())).toBe(200)
})

test('the first matching rule applies, a rule for the next n ends after n, and the next rules apply to the rest', async () => {
  const list = await rules(
    { filter: 'event:account_tx', action: answer(503), next: 2 },
    { filter: 'event:account_tx', action: answer(410), next: 1 },
    { filter: 'body:order*', action: answer(404) },
  )
  const answered: number[] = []
  for (let count = 0; count < 5; count += 1) answered.push(await app.post(transactionEvent()))
  expect(answered).toEqual([503, 503, 410, 200, 200])
  expect(await app.post('{"id":"order-42"}')).toBe(404)
  expect(await list()).toMatchObject([
    { enabled: false, used: 2, left: 0 },
    { enabled: false, used: 1, left: 0, conflicts: [] },
    { enabled: true, used: 1 },
  ])
  // An enabled rule starts counting at zero again; a rule that an earlier rule overrides completely
  // is reported.
  const [first, second, third] = (await list()).map(({ id }) => id)
  await app.request('responseRule.setEnabled', { id: first ?? 0, enabled: true })
  const all = { id: second ?? 0, filter: '', action: answer(400), next: null, enabled: true }
  await app.request('responseRule.save', all)
  const sorted = [second, first, third].map((id) => id ?? 0)
  expect(await app.request('responseRule.sort', { ids: sorted })).toMatchObject([
    { id: second, conflicts: [] },
    {
      id: first,
      left: 2,
      conflicts: ['Rule 1 matches all of these deliveries first, so this rule has no effect.'],
    },
    { id: third, conflicts: [expect.stringContaining('Rule 1')] },
  ])
})

test('response rules and their use counts survive a restart, and turning all rules off restores the 200', async () => {
  const list = await rules({ action: answer(500), next: 10 }, { filter: 'event:invoice' })
  for (let count = 0; count < 3; count += 1) expect(await app.post('{}')).toBe(500)
  const before = await list()
  await app[Symbol.asyncDispose]()
  app = await startApp({ dataDirectory: home.path })
  hook = await hookOf(app)
  expect(await app.request('responseRule.list')).toEqual(before)
  expect(before[0]).toMatchObject({ used: 3, left: 7 })
  expect(await app.post('{}')).toBe(500)
  await app.until(() => app.events.some((message) => JSON.stringify(message).includes('"left":6')))
  expect((await app.request('responseRule.allOff')).map(({ enabled }) => enabled)).toEqual([
    false,
    false,
  ])
  expect(await app.post('{}')).toBe(200)
})

test.each([
  ['a line in a header', { headers: [['X-A', 'b\r\nSet-Cookie: c']] }],
  ['an invalid header name', { headers: [['X A', 'b']] }],
  ['the length of another body', { headers: [['content-length', '5']] }],
  ['a transfer encoding', { headers: [['Transfer-Encoding', 'chunked']] }],
  ['an informational status', { status: 100 }],
  ['a delay over the limit', { delayMs: 1e9 }],
] as const)(
  'a response rule is refused if it could break the HTTP response: %s',
  async (_name, fields) => {
    const action = { ...answer(200), ...fields }
    expect(await app.refusal('responseRule.save', { action })).toBe('INVALID_INPUT')
  },
)

test('a filter of a response rule is refused if it is invalid or needs facts that are known only later', async () => {
  for (const filter of ['body:"open', 'amount:>1TON', 'duplicate:yes', 'nofield:1']) {
    expect(await app.refusal('responseRule.save', { filter, action: answer(500) })).toBe(
      'QUERY_INVALID',
    )
  }
})

test('a delayed response is stored at once and sent in time; a sender that gave up has no status', async () => {
  await rules({ action: answer(502, { delayMs: 60_000 }) })
  await using patient = await openRaw(hook.port)
  await using hasty = await openRaw(hook.port)
  const kept = await capturesOf(app, 2, () => {
    patient.write(request('{"is":"patient"}'))
    hasty.write(request('{"is":"hasty"}'))
    return Promise.resolve()
  })
  expect(kept.map(({ status }) => status)).toEqual([502, 502])
  hasty.socket.resetAndDestroy()
  const gaveUp = kept.find(({ body }) => body.includes('hasty'))?.id ?? 0
  await app.until(async () => (await app.request('capture.get', { id: gaveUp })).status === null)
  // Stopping the receiver waits for no delayed response.
  await app.request('receiver.stop')
  expect(await patient.answer()).toMatchObject({ status: 502 })
  await app.request('receiver.start')
  hook = await hookOf(app)
})

test('a delivery that a rule hangs or cuts is stored without a status, and hanging connections end with the receiver', async () => {
  await rules(
    { filter: 'body:hang', action: { kind: 'hang' } },
    { action: { kind: 'cut', after: 12 } },
  )
  await using hung = await openRaw(hook.port)
  await using left = await openRaw(hook.port)
  let bytes = ''
  const kept = await capturesOf(app, 3, async () => {
    hung.write(request('hang'))
    left.write(request('hang'))
    await using cut = await openRaw(hook.port)
    cut.socket.on('data', (chunk: Buffer) => (bytes += chunk.toString()))
    cut.write(request('cut'))
    await cut.closed
  })
  expect(kept.map(({ status, completeness }) => [status, completeness])).toEqual([
    [null, 'complete'],
    [null, 'complete'],
    [null, 'complete'],
  ])
  expect(bytes).toBe('HTTP/1.1 200')
  // A sender that closes the connection in order is noticed too.
  left.socket.end()
  await left.closed
  await app.request('receiver.stop')
  await hung.closed
  expect(await hung.answer()).toBe(null)
  await app.request('receiver.start')
  hook = await hookOf(app)
})

test('a response rule takes precedence over the rejection of a wrong token', async () => {
  const asked = 'The keychain has not been checked yet.'
  await app.until(async () => (await app.request('secrets.state')).problem !== asked)
  await app.request('secrets.useSessionOnly')
  await app.request('webhookToken.add', { label: 'Main', token: 'wh-0123456789abcdef' })
  await app.request('settings.change', { receiver: { rejectWrongToken: true } })
  await rules({ filter: 'token:wrong', action: answer(418) })
  const headers = bearerHeader('wh-of-otherAddress-else')
  expect(await app.post(transactionEvent(), { headers })).toBe(418)
  expect(await app.post(transactionEvent())).toBe(401)
})

test('a delivery is passed through after it is stored, its status is stored afterwards, and a failure gets 502', async () => {
  const asked: number[] = []
  const told: [number, number | null][] = []
  const headers = [
    ['X-B', 'c'],
    ['Connection', 'x'],
    ['Bad', '\n'],
  ] as const
  const good = Promise.resolve({ status: 207, headers, body: Buffer.from('yes') })
  const odd = Promise.resolve({ status: 101, headers: [], body: Buffer.alloc(0) })
  await using bare = await startBareReceiver({
    decide(record): ResponseOverride | null {
      const body = Buffer.from(record.body).toString()
      if (body === 'other') return null
      const bad = () => Promise.reject(new Error('unreachable'))
      const answered = body === 'good' ? () => good : body === 'odd' ? () => odd : bad
      return { kind: 'passed', ask: (capture) => (asked.push(capture), answered()) }
    },
    onAnswered: (capture, status) => told.push([capture, status]),
  })
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${bare.port}${bare.path}`, { method: 'POST', body })
  const passed = await post('good')
  expect([passed.status, passed.headers.get('x-b'), await passed.text()]).toEqual([207, 'c', 'yes'])
  expect((await post('odd')).status).toBe(502)
  expect((await post('bad')).status).toBe(502)
  expect((await post('other')).status).toBe(200)
  expect(asked).toEqual([1, 2, 3])
  expect(told).toEqual([
    [1, 207],
    [2, 502],
    [3, 502],
  ])
  expect((await bare.written(4)).map(({ status }) => status)).toEqual([null, null, null, 200])
})
